"""Why the operator can't compose a usable image reference for a pool, before any catalog is asked."""

from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from generator.declared.fleet import Mode, Pool, WithPlaces
from generator.facts import driver as drivers
from generator.facts import osname, reference, tag
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.images.lookup import DIGEST
from generator.operator.combination import Combination
from generator.operator.image import Refusal, Refused
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem

PACKAGE_WORDS = frozenset({"server", "open"})  # of Canonical's packages, never of a tag


class Fault(Struct, frozen=True, kw_only=True):
    """What is wrong with a pool's reference; without `inherited` it is the pool's own, and its message names it."""

    rule: str
    place: Place
    message: str
    hint: str
    fact: str
    inherited: bool = True


def fault(inputs: ClusterInputs, pool: Pool) -> Fault | None:
    """The first fault, the most telling first; None where every reference can be asked for."""
    found, cluster = inputs.combinations(pool), inputs.cluster
    if not _is_plain(pool.driver.repository, pool.driver.version):
        told = _written(inputs, pool, found)
        if told:
            return told
    of_policy = cluster.operator.driver_api is DriverApi.CLUSTERPOLICY
    for one in found:
        if not isinstance(one.reference, str) or (of_policy and not _parses(inputs, one.reference, one)):
            return _illegal(inputs, one)
    return None


def problems(inputs: ClusterInputs, rule: str) -> Iterator[Problem]:
    """The faults of one rule. What pools inherit goes without their names, so that it is told once."""
    for pool in inputs.cluster.managed_pools:
        found = fault(inputs, pool)
        if found is None or found.rule != rule:
            continue
        yield Problem(
            place=found.place,
            message=found.message if found.inherited else f'pool "{pool.cluster}/{pool.name}": {found.message}',
            hint=found.hint,
            cluster=pool.cluster,
            pool=pool.name,
            fact=found.fact,
        )


def version_place(where: WithPlaces, pool: Pool) -> Place:
    """Where the effective branch or version was said."""
    return where.said(pool, "driver", "branch" if pool.driver.is_branch else "version")


@cache
def _is_plain(repository: str, version: str) -> bool:
    """Whether both are written as nearly everybody writes them, so that nothing need be looked into."""
    path, image = reference.split_repository(repository)
    return bool(path and image) and drivers.is_driver(version) and DIGEST not in repository


def _written(inputs: ClusterInputs, pool: Pool, found: tuple[Combination, ...]) -> Fault | None:
    """The faults that show in what was written."""
    repository, image = reference.split_repository(pool.driver.repository)
    if not (repository and image and pool.driver.version):
        return _incomplete(inputs, pool)
    if pool.driver.mode is Mode.PRECOMPILED and DIGEST in f"{pool.driver.repository}:{pool.driver.version}":
        return _digest(inputs, pool)
    suffix = "" if drivers.is_driver(pool.driver.version) or _built(inputs, found) else _suffix(pool.driver.version)
    return _suffixed(inputs, pool, suffix) if suffix else None


def _built(inputs: ClusterInputs, found: tuple[Combination, ...]) -> bool:
    """A tag that is listed is no mistake, whatever its version looks like."""
    return any(inputs.catalog.find(one.repository, one.tag) for one in found)


def _parses(inputs: ClusterInputs, asked: str, one: Combination) -> bool:
    """The operator never parses what a ClusterPolicy asks for (resolveDriverTag); a listed tag parses."""
    return inputs.catalog.find(one.repository, one.tag) is not None or reference.parses(asked)


def _incomplete(where: WithPlaces, pool: Pool) -> Fault:
    repository, image = reference.split_repository(pool.driver.repository)
    written = pool.driver.repository
    if written and not (repository and image):
        missing = "path before its last part" if image else "image after its last slash"
        return Fault(
            rule="image/incomplete-reference",
            place=where.said(pool, "driver", "repository"),
            message=f'driver.repository "{written}" has no {missing}, and the operator wants both set',
            hint="write the whole name, as in nvcr.io/nvidia/driver",
            fact=written,
        )
    missing = " and ".join(
        name
        for name, value in (
            ("driver.repository", written),
            ("driver.branch or driver.version", pool.driver.version),
        )
        if not value
    )
    return Fault(
        rule="image/incomplete-reference",
        place=version_place(where, pool) if written else where.said(pool, "driver", "repository"),
        message=f"{missing} is not set, and the operator wants repository, image and version together",
        hint=f"set {missing} for the pool, its cluster, its profile or the fleet",
        fact=missing,
        inherited=False,
    )


def _digest(where: WithPlaces, pool: Pool) -> Fault:
    version = pool.driver.version
    written, at = (
        (version, version_place(where, pool))
        if DIGEST in version
        else (pool.driver.repository, where.said(pool, "driver", "repository"))
    )
    return Fault(
        rule="image/digest-with-precompiled",
        place=at,
        message=f'"{written}" names a digest, and a precompiled image is asked for by a tag that ends in the '
        "node's kernel and OS",
        hint='set driver.branch, for example "580", or driver.mode: compiled',
        fact=written,
    )


def _suffix(version: str) -> str:
    """What a version carries beyond the driver, in words; "" where nothing says that it is a mistake."""
    word = version.partition("-")[2].partition("-")[0]
    if drivers.is_driver(version.partition("-")[0]) and word in PACKAGE_WORDS:
        return f'"-{word}", which is part of package names and never of a tag'
    whole = tag.parse(version)
    if isinstance(whole, tag.ImageTag):
        return f"the OS {whole.os}" if not whole.kernel else f"the kernel {whole.kernel} and the OS {whole.os}"
    cut = tag.parse(f"{version}-ubuntu24.04")
    if isinstance(cut, tag.Unreadable):
        return "a kernel" if cut.kind is tag.Unfit.PLACEHOLDER else ""
    return f"the kernel {cut.kernel}" if cut.kernel else ""


def _suffixed(where: WithPlaces, pool: Pool, suffix: str) -> Fault:
    key, version = "branch" if pool.driver.is_branch else "version", pool.driver.version
    bare = tag.parse(version)
    driver = bare.driver if isinstance(bare, tag.ImageTag) else version.partition("-")[0]
    return Fault(
        rule="image/version-has-suffix",
        place=version_place(where, pool),
        message=f'driver.{key} is "{version}" and already carries {suffix}; the operator appends that itself',
        hint=f'write "{driver}"',
        fact=version,
    )


def _illegal(inputs: ClusterInputs, one: Combination) -> Fault:
    pool = one.pool
    assert pool.os is not None
    os_tag = osname.os_tag(inputs.cluster.operator.release, pool.os.id, pool.os.version)
    if isinstance(os_tag, osname.OsTagError):
        return _fault(os_place(inputs, pool), os_tag.reason, "correct the OS version", str(pool.os))
    if isinstance(one.reference, Refused) and one.reference.reason is Refusal.NODE_SKIPPED:
        reason = f'OS version "{pool.os.version}" of {pool.os.id}: {one.reference.message}'
        return _fault(os_place(inputs, pool), reason, "correct the OS version", str(pool.os))
    if pool.driver.version.startswith(DIGEST):
        if not reference.is_digest(pool.driver.version):
            reason = f'driver.version "{pool.driver.version}" is no digest'
            hint = 'write "sha256:" and 64 hexadecimal digits'
            return _fault(version_place(inputs, pool), reason, hint, pool.driver.version)
    else:
        whole = tag.compose(pool.driver.version, one.kernel.name if one.kernel else "", os_tag)
        for text, of_os in ((pool.driver.version, False), (os_tag, True), (whole, False)):
            unfit = None if reference.is_tag(text) else tag.parse(text)
            if isinstance(unfit, tag.Unreadable):
                place = os_place(inputs, pool) if of_os else version_place(inputs, pool)
                reason = f"the operator would ask for an impossible tag: {unfit.reason}"
                return _fault(place, reason, unfit.hint, text)
    written = pool.driver.repository
    return _fault(
        inputs.said(pool, "driver", "repository"),
        f'driver.repository "{written}" is no name of a repository',
        "write it as in nvcr.io/nvidia/driver: lower case, no tag and no digest",
        written,
    )


def _fault(place: Place, message: str, hint: str, fact: str) -> Fault:
    return Fault(rule="image/illegal-tag", place=place, message=message, hint=hint, fact=fact)


def os_place(where: WithPlaces, pool: Pool, key: str = "version") -> Place:
    """The OS of a node image stands in the file of its kernels."""
    if pool.node_image and pool.kernels:
        return where.texts.value(pool.kernels[0].file, ("os", key))
    return where.at(pool, "os", key)
