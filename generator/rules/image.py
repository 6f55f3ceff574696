"""Rules of the family image/: every image that a node will ask for must be built."""

import re
from collections.abc import Callable, Iterator
from functools import partial

from generator.facts import branch as branches
from generator.facts import driver as drivers
from generator.facts import tag
from generator.finding import Place, Severity
from generator.rules import image_reference
from generator.rules.context import Context
from generator.rules.gpu import driver_branch, family_of
from generator.rules.image_miss import Lack, Miss, entries, misses
from generator.rules.image_nearest import Nearest, os_of
from generator.rules.image_reference import DIGEST, version_place
from generator.rules.rule import Problem, Rule

CONTAINERS = "NVIDIA/gpu-driver-container"
# Systems that NVIDIA publishes driver images for (gpu-driver-container .github/workflows/image.yaml, Makefile).
PUBLIC_SYSTEMS = frozenset({"ubuntu", "rhel", "rhcos", "rocky"})
LIST = "add its line to the catalog"


def missing(context: Context) -> Iterator[Problem]:
    """Images that nodes ask for today and that no catalog lists."""
    return _problems(context, lambda miss: miss.lack is Lack.IMAGE and not miss.upcoming)


def gone(context: Context) -> Iterator[Problem]:
    """Images that were built and are no longer in the registry."""
    return _problems(context, lambda miss: miss.lack is Lack.GONE and not miss.upcoming)


def missing_platform(context: Context) -> Iterator[Problem]:
    """Images that are not built for the pool's platform, or not known to be."""
    return _problems(context, lambda miss: miss.lack in {Lack.PLATFORM, Lack.RECORD} and not miss.upcoming)


def platform_unknown(context: Context) -> Iterator[Problem]:
    """Images of unrecorded platforms for pools of amd64, which most images serve."""
    return _problems(context, lambda miss: miss.lack is Lack.CERTAINTY)


def upcoming_missing(context: Context) -> Iterator[Problem]:
    """Images that the next roll will ask for."""
    return _problems(context, lambda miss: miss.lack is not Lack.CERTAINTY and miss.upcoming)


def branch_expected(context: Context) -> Iterator[Problem]:
    """Exact versions where the images are named by branch. What was written is never cut."""
    nearest, told = Nearest(context.catalog), set()
    for miss in misses(context):
        pool, version = miss.pool, miss.pool.driver.version
        exact = miss.kernel and drivers.is_driver(version) and not drivers.is_branch(version)
        repository = nearest.repository(miss.repository)
        if miss.lack not in {Lack.IMAGE, Lack.GONE} or not exact or (miss.cluster.name, pool.name) in told:
            continue
        if pool.os is None or pool.os.id != "ubuntu" or repository is None or not repository.by_branch(os_of(miss)):
            continue
        told.add((miss.cluster.name, pool.name))
        branch = drivers.branch(version)
        other = tag.compose(branch, miss.kernel.name if miss.kernel else "", os_of(miss))
        entry = context.catalog.find(miss.repository, other)
        built = "is built" if entry and not entry.gone else "is not built either"
        yield Problem(
            place=version_place(context.fleet, pool),
            message=f'pool "{miss.cluster.name}/{pool.name}" asks for {miss.tag} by the version {version}, and the '
            f"precompiled images of {os_of(miss)} are keyed by branch {branch}; {other} {built}",
            hint=f'set driver.branch: "{branch}" in place of the version; the image decides which {branch} it is',
            cluster=miss.cluster.name,
            pool=pool.name,
            fact=version,
        )


def module_type(context: Context) -> Iterator[Problem]:
    """Images that are built with other kernel modules than the pool sets or its GPUs need."""
    for cluster, pool, one, entry in entries(context):
        built, wanted = entry.module_type, pool.driver.module_type
        if built is None or entry.gone:
            continue
        family, branch = family_of(pool), driver_branch(pool)
        usable = branches.module_types(family, branch) if family and branch else ()
        if usable and built not in usable:
            why, place = f"{pool.family} GPUs need {usable[0]} ones", context.fleet.at(pool, "gpu", "family")
        elif wanted not in {"auto", built} and (not usable or wanted in usable):
            why = f"kernelModuleType is {wanted}"
            place = context.fleet.said(pool, "driver", "kernelModuleType")
        else:
            continue
        yield Problem(
            place=place,
            message=f'pool "{cluster.name}/{pool.name}" uses {entry.tag}, which is built with {built} kernel modules '
            f"({entry.file}:{entry.line}), and {why}",
            hint=f"rebuild the image with DRIVER_OPEN={'false' if built == 'open' else 'true'}, or change the pool",
            cluster=cluster.name,
            pool=pool.name,
            fact=one.tag,
        )


def _problems(context: Context, wanted: Callable[[Miss], bool]) -> Iterator[Problem]:
    nearest = Nearest(context.catalog)
    for miss in misses(context):
        if wanted(miss):
            yield Problem(
                place=_place(context, miss),
                message=_message(miss, nearest),
                hint=_hint(miss, nearest),
                cluster=miss.cluster.name,
                pool=miss.pool.name,
                fact=miss.tag,
            )


def _place(context: Context, miss: Miss) -> Place:
    if miss.kernel:
        return context.fleet.kernel_place(miss.kernel)
    return version_place(context.fleet, miss.pool)


def _message(miss: Miss, nearest: Nearest) -> str:
    verb = "will need" if miss.upcoming else "needs"
    asked = f'pool "{miss.cluster.name}/{miss.pool.name}" {verb} {miss.tag} for {miss.platforms}'
    entry = miss.entry
    if entry is None:
        lists = nearest.repository(miss.repository) is not None
        what = (
            f"the catalog of {miss.repository} does not list it"
            if lists
            else f"no catalog lists images of {miss.repository}"
        )
    elif miss.lack is Lack.GONE:
        what = f"it is gone from {miss.repository} ({entry.file}:{entry.line})"
    elif miss.lack is Lack.PLATFORM:
        what = f"it is built for {', '.join(entry.platforms or ()) or 'no platform'} only ({entry.file}:{entry.line})"
    else:
        what = f"its platforms are not recorded ({entry.file}:{entry.line})"
    near = "" if miss.lack in {Lack.RECORD, Lack.CERTAINTY} else nearest.told(miss)
    return f"{asked}, and {what}{near and '; '}{near}"


def _hint(miss: Miss, nearest: Nearest) -> str:
    """How to get the image."""
    repository = nearest.repository(miss.repository)
    if repository is None:
        near = nearest.name(miss.repository)
        if near:
            return f"correct the repository ({near})"
        return f"add an ImageCatalog of {miss.repository} that lists what is built"
    if miss.lack in {Lack.RECORD, Lack.CERTAINTY}:
        return "write the platforms of the image into its line"
    if miss.tag.startswith(DIGEST):
        return f"correct the digest, or {LIST} if it is built"
    os = miss.pool.os
    if os and os.id not in PUBLIC_SYSTEMS and not repository.has_system(os.id):
        return (
            f"build it yourself and {LIST}, since no images are published for {os.id}, or set driver.mode: "
            "preinstalled if the host brings its driver (the operator's driver.enabled=false)"
        )
    if miss.kernel is None:
        return f"{LIST} once it is built, or set a driver.version that is built for {os_of(miss)}"
    way = "before the roll" if miss.upcoming else "or roll the pool to a kernel that is built"
    return f"build it ({_recipe(miss)}) and {LIST}, {way}"


def _recipe(miss: Miss) -> str:
    """The build in short (cloud-native-docs precompiled-drivers.rst; rhel9/precompiled/README.md)."""
    assert miss.kernel is not None
    version, system, kernel = miss.pool.driver.version, os_of(miss), miss.kernel.written
    platform = f" --platform {miss.platforms.replace(' and ', ',')}" if miss.lack is Lack.PLATFORM else ""
    if system.startswith("ubuntu"):
        arguments = f"KERNEL_VERSION={kernel}, DRIVER_BRANCH={drivers.branch(version)} and DRIVER_VERSION"
        return f"docker build{platform} {system}/precompiled of {CONTAINERS} with {arguments}"
    red_hat = re.search(r"\.el([0-9]+)", kernel)
    if red_hat:
        exact = f"a DRIVER_VERSION of {version}" if drivers.is_branch(version) else f"DRIVER_VERSION={version}"
        arguments = f"KERNEL_VERSION={kernel}, {exact} and OS_TAG={system}"
        return f"make image image-push in rhel{red_hat[1]}/precompiled of {CONTAINERS} with {arguments}"
    return f"in the manner of ubuntu24.04/precompiled of {CONTAINERS}"


RULES = (
    Rule(
        "image/missing",
        Severity.ERROR,
        "a driver image that nodes ask for is not built",
        missing,
        needs_catalog=True,
    ),
    Rule(
        "image/missing-platform",
        Severity.ERROR,
        "a driver image is not built for the nodes' platform",
        missing_platform,
    ),
    Rule(
        "image/platform-unknown",
        Severity.WARNING,
        "the catalog does not record for which platforms an image is built",
        platform_unknown,
    ),
    Rule(
        "image/upcoming-missing",
        Severity.WARNING,
        "a driver image that the next roll asks for is not built",
        upcoming_missing,
        needs_catalog=True,
    ),
    Rule("image/gone", Severity.ERROR, "a driver image has vanished from its registry", gone),
    Rule(
        "image/branch-expected",
        Severity.WARNING,
        "an exact version is asked for where precompiled images are named by branch",
        branch_expected,
        needs_catalog=True,
    ),
    Rule(
        "image/module-type",
        Severity.ERROR,
        "an image is built with other kernel modules than the pool needs",
        module_type,
    ),
    *(
        Rule(name, Severity.INVALID, summary, partial(image_reference.problems, rule=name))
        for name, summary in (
            ("image/version-has-suffix", "a driver version already carries an OS or a kernel"),
            ("image/digest-with-precompiled", "a digest can't be used with precompiled drivers"),
            ("image/incomplete-reference", "repository, image and version must be set together"),
            ("image/illegal-tag", "the operator would ask for what is no image reference"),
        )
    ),
)
