"""Rules of the family gpu/: whether a driver can drive a pool's GPUs."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from generator.declared.fleet import Cluster, Mode, Pool
from generator.declared.shape import did_you_mean
from generator.facts import branch as branches
from generator.facts import driver as drivers
from generator.facts.branch import Family, ModuleType, OpenModules
from generator.facts.release import DriverApi
from generator.finding import Place, Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import ClusterRule, Problem

FAMILIES = {str(family): family for family in Family}
# gpu-operator internal/consts, MinimumGDSVersionForOpenRM; versions as golang.org/x/mod/semver reads them.
GDS_NEEDS_OPEN = (2, 17, 5)
SEMVER = r"v?(0|[1-9][0-9]*)(?:\.(0|[1-9][0-9]*)(?:\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(?:\+.+)?)?)?"


def family_of(pool: Pool) -> Family | None:
    """The pool's GPU architecture, where it names one that is known."""
    return FAMILIES.get(pool.family)


def driver_branch(pool: Pool) -> str:
    """The branch of the pool's driver; "" for digests and for what is no driver version."""
    return _branch(pool.driver.version)


def unknown_family(inputs: ClusterInputs) -> Iterator[Problem]:
    """GPU families that no fact is known of."""
    for pool in inputs.cluster.pools:
        if pool.family and pool.family not in FAMILIES:
            near = did_you_mean(pool.family.lower(), list(FAMILIES))
            yield _problem(
                inputs.at(pool, "gpu", "family"),
                pool,
                f'names the GPU family "{pool.family}", and no driver is known to drive it',
                near or f"use one of {', '.join(FAMILIES)}",
                pool.family,
            )


def branch_dropped(inputs: ClusterInputs) -> Iterator[Problem]:
    """Branches that no longer drive a family, or don't yet."""
    for pool, family, branch in _known(inputs.cluster):
        if _serves(branch, family):
            continue
        reach = branches.reach(family)
        late = bool(reach.last_branch) and int(branch) > int(reach.last_branch)
        edge = f"{reach.last_branch} is the last one" if late else f"{reach.first_branch} is the first one"
        other = f"{reach.last_branch} or older" if late else f"{reach.first_branch} or newer"
        yield _problem(
            inputs.said(pool, "driver", "branch" if pool.driver.is_branch else "version"),
            pool,
            f"has {family} GPUs, which branch {branch} does not drive: {edge}",
            f"set a driver of branch {other} for the pool",
            branch,
        )


def open_module_required(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools that need the open kernel modules, and aren't told to load them."""
    for pool in inputs.cluster.managed_pools:
        why = _needs_open(inputs, pool) or _needs_open_for_gds(inputs.cluster, pool)
        if why:
            yield _problem(
                inputs.said(pool, "driver", "kernelModuleType"),
                pool,
                why,
                "set driver.kernelModuleType: open",
                pool.driver.module_type,
            )


def open_module_unsupported(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools that would load open kernel modules, and can't use them."""
    for pool, family, branch in _known(inputs.cluster):
        usable = _module_types(family, branch)
        if not pool.driver.managed or not usable or ModuleType.OPEN in usable:
            continue
        if pool.driver.module_type == "open":
            why = "kernelModuleType is open"
        # A branch before any default leaves what an OS alone decides (ubuntu26.04/precompiled/nvidia-driver).
        elif pool.driver.module_type == "auto" and branches.auto_module_type("0", str(pool.os)) is ModuleType.OPEN:
            why = f"kernelModuleType auto falls back to open ones on {pool.os}"
        else:
            continue
        since = (
            "older than Turing" if branches.reach(family).open_modules is OpenModules.NONE else f"on branch {branch}"
        )
        yield _problem(
            inputs.said(pool, "driver", "kernelModuleType"),
            pool,
            f"has {family} GPUs, {since}, which can't use open kernel modules, and {why}",
            "set driver.kernelModuleType: proprietary",
            pool.driver.module_type,
        )


def _needs_open(inputs: ClusterInputs, pool: Pool) -> str:
    """Why the pool's GPUs go without the modules that they need."""
    family, branch = family_of(pool), driver_branch(pool)
    if not family or not branch or _module_types(family, branch) != (ModuleType.OPEN,):
        return ""
    need = f"has {family} GPUs, which need the open kernel modules, and"
    if pool.driver.module_type == "proprietary":
        return f"{need} kernelModuleType is proprietary"
    fallback = branches.auto_module_type(branch, str(pool.os))
    if pool.driver.module_type == "auto" and fallback is not ModuleType.OPEN and not _built_open(inputs, pool):
        return f"{need} kernelModuleType auto falls back to proprietary ones on branch {branch}"
    return ""


def _built_open(inputs: ClusterInputs, pool: Pool) -> bool:
    """Red Hat's precompiled images hold one kind of modules, whatever is asked for (rhel9/precompiled DRIVER_OPEN)."""
    images = [inputs.catalog.find(image.repository, image.tag) for image in inputs.combinations(pool)]
    return bool(images) and all(entry is not None and entry.module_type == "open" for entry in images)


def _needs_open_for_gds(cluster: Cluster, pool: Pool) -> str:
    """The operator refuses an NVIDIADriver so (nvidiadriver_types.go IsOpenKernelModulesRequired); auto is not open."""
    gds = pool.driver.spec.get("gds")
    if cluster.operator.driver_api is not DriverApi.NVIDIADRIVER or pool.driver.mode is not Mode.COMPILED:
        return ""
    if pool.driver.module_type == "open" or not isinstance(gds, Mapping) or gds.get("enabled") is not True:
        return ""
    version = str(gds.get("version", ""))
    if not version.startswith("sha256") and not _from_open_gds(version):
        return ""
    setting = pool.driver.module_type
    return f'enables GDS {version}, which the operator wants kernelModuleType "open" for, and it is {setting}'


def _from_open_gds(version: str) -> bool:
    match = re.fullmatch(SEMVER, version)
    if match is None:
        return False
    number = tuple(int(part or 0) for part in match.groups()[:3])
    return number > GDS_NEEDS_OPEN or (number == GDS_NEEDS_OPEN and match[4] is None)


def _known(cluster: Cluster) -> Iterator[tuple[Pool, Family, str]]:
    """Pools whose GPUs and driver branch are both known."""
    for pool in cluster.pools:
        family, branch = family_of(pool), driver_branch(pool)
        if family and branch and pool.driver.mode is not Mode.UNMANAGED:
            yield pool, family, branch


@cache
def _branch(version: str) -> str:
    driver = version.partition("-")[0]
    return drivers.branch(driver) if drivers.is_driver(driver) else ""


# Fleets have many pools, and few pairs of a family and a branch.
_serves = cache(branches.serves)
_module_types = cache(branches.module_types)


def _problem(place: Place, pool: Pool, message: str, hint: str, fact: str) -> Problem:
    return Problem(
        place=place,
        message=f'pool "{pool.cluster}/{pool.name}" {message}',
        hint=hint,
        cluster=pool.cluster,
        pool=pool.name,
        fact=fact,
    )


RULES = (
    ClusterRule("gpu/unknown-family", Severity.ERROR, "a GPU family is not known", unknown_family),
    ClusterRule("gpu/branch-dropped", Severity.ERROR, "a driver branch does not drive the pool's GPUs", branch_dropped),
    ClusterRule(
        "gpu/open-module-required",
        Severity.ERROR,
        "GPUs or GDS need the open kernel modules",
        open_module_required,
    ),
    ClusterRule(
        "gpu/open-module-unsupported",
        Severity.ERROR,
        "GPUs can't use the open kernel modules",
        open_module_unsupported,
    ),
)
