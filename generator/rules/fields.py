"""Rules about the fields of the driver API: what the declared release, or the CRD that runs, takes."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.crds import plain
from generator.declared.driverspec import crd_path
from generator.declared.fleet import Cluster, Install, Mode, Pool
from generator.declared.layers import Path, leaves, origin
from generator.declared.shape import did_you_mean
from generator.facts import chart, crd
from generator.facts.definition import Checks, judge
from generator.facts.release import DriverApi, Release
from generator.facts.violation import Flaw, Violation, dotted
from generator.finding import Place
from generator.render.rendered import DRIVER_KINDS, RenderedFile
from generator.rules.context import Context
from generator.rules.rule import Problem
from generator.rules.said import Said, once, said

BESIDE_DRIVER = frozenset({"gds", "gdrcopy"})  # of a ClusterPolicy's spec, where an NVIDIADriver has them inside
VGPU = frozenset({"vgpu", "vgpu-host-manager"})


def unknown_field(context: Context) -> Iterator[Problem]:
    """Fields that no release has, or that the CRD which runs doesn't have."""
    for field in _unknown(context):
        if not field.releases:
            yield _unknown_problem(field)
    judged = (one for one in _judged(context) if one.violation.kind is Flaw.UNKNOWN and not one.releases)
    yield from once(one.problem(context) for one in judged)


def not_in_release(context: Context) -> Iterator[Problem]:
    """Fields that another release has, values that this one refuses, and what its chart has no key for."""
    for field in _unknown(context):
        if field.releases:
            yield _other_release(field)
    for cluster, pool in context.managed():
        release = cluster.operator.release
        if pool.default and cluster.operator.driver_api is DriverApi.NVIDIADRIVER and not release.default_object:
            message = f'pool "{pool.name}" is default: true, which NVIDIADriver has from v26.7.0 on, not in {release.version}'
            place = context.fleet.at(pool, "default")
            hint = "give the pool a nodeSelector, or upgrade the operator"
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, pool=pool.name)
    yield from once(_beside_the_chart(context))
    judged = (one for one in _judged(context) if one.violation.kind is not Flaw.UNKNOWN or one.releases)
    yield from once(one.problem(context) for one in judged)


class _Field(Struct, frozen=True):
    """A field of driver.spec that the declared release doesn't have, and the releases that do."""

    api: DriverApi
    release: Release
    path: Path
    releases: tuple[str, ...]
    said: Said

    @property
    def name(self) -> str:
        return f"driver.spec.{dotted(self.path)}"

    @property
    def parent(self) -> str:
        return dotted(("spec", *crd_path(self.api), *self.path[:-1]))


def _unknown(context: Context) -> Iterator[_Field]:
    """Each once, though many pools share one spec: the same mapping, so that it is looked at once."""
    seen: set[tuple[Any, ...]] = set()
    told: set[tuple[Any, ...]] = set()
    for cluster, pool in context.managed():
        api, release = cluster.operator.driver_api, cluster.operator.release
        key = (id(pool.driver.spec), api, release.version)
        if not pool.driver.spec or key in seen:
            continue
        seen.add(key)
        for path in _beyond(api, release, pool.driver.spec):
            place = said(context.fleet, pool, "driver", "spec", *path, key=True)
            if (place, path, release.version) not in told:
                told.add((place, path, release.version))
                yield _Field(api, release, path, crd.releases_with(api, (*crd_path(api), *path)), place)


def _beyond(api: DriverApi, release: Release, spec: Mapping[str, Any]) -> Iterator[Path]:
    """The paths of a spec at which the CRD of the release ends."""

    def walk(value: Any, path: Path) -> Iterator[Path]:
        if not crd.has_field(api, release.fields, (*start, *path), lacks):
            yield path
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                yield from walk(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from walk(inner, (*path, index))

    start, lacks = crd_path(api), release.lacks(api)
    yield from walk(spec, ())


def _unknown_problem(field: _Field) -> Problem:
    known = crd.field_names(
        field.api, field.release.fields, (*crd_path(field.api), *field.path[:-1]), field.release.lacks(field.api)
    )
    word = str(field.path[-1])
    hint = did_you_mean(word, [*known]) or f"remove it; {field.parent} has {', '.join(known)}"
    if field.api is DriverApi.CLUSTERPOLICY and field.path[0] in BESIDE_DRIVER:
        hint = f"set spec.{field.path[0]} where your ClusterPolicy comes from: it lies beside spec.driver there"
    message = f"{field.name} is no field of {field.api} {field.parent} in operator {field.release.version}"
    return field.said.problem(message, hint, field.name)


def _other_release(field: _Field) -> Problem:
    later = [one for one in field.releases if _number(one) > _number(field.release.version)]
    one = later[0] if later else field.releases[-1]
    message = f"{field.name} is a field of {field.api} in operator {one}, and not in {field.release.version}"
    hint = "upgrade the operator, or remove the field" if later else "remove the field"
    return field.said.problem(message, hint, field.name)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.removeprefix("v").split(".")))


def _beside_the_chart(context: Context) -> Iterator[Problem]:
    """With helm and the ClusterPolicy API a field arrives only if the chart has a value for it."""
    seen: set[tuple[int, str]] = set()
    for cluster, pool in context.managed():
        operator, spec = cluster.operator, pool.driver.spec
        key = (id(spec), operator.release.version)
        by_chart = operator.install is Install.HELM and operator.driver_api is DriverApi.CLUSTERPOLICY
        if not by_chart or not spec or key in seen:
            continue
        seen.add(key)
        fields, lacks = operator.release.fields, operator.release.lacks("ClusterPolicy")
        for path, _ in leaves(spec):
            known = crd.has_field("ClusterPolicy", fields, ("driver", *path), lacks)
            if known and chart.values_path(fields, tuple(map(str, path)), lacks) is None:
                name = f"driver.spec.{dotted(path)}"
                message = f"{name} has no value in the chart of operator {operator.release.version}"
                hint = "remove it, or bring the ClusterPolicy yourself with install: manifest"
                yield said(context.fleet, pool, "driver", "spec", *path, key=True).problem(message, hint, name)


class _Judged(Struct, frozen=True):
    """What a CRD refuses in a rendered custom resource; `releases` are those whose own CRD has the field."""

    file: RenderedFile
    violation: Violation
    releases: tuple[str, ...]
    by: str

    def problem(self, context: Context) -> Problem:
        where = _where(context, self.file, self.violation.path)
        name = dotted(self.violation.path)
        message = f"{name} is no field of {self.file.kind} {self.by}"
        if self.violation.kind is not Flaw.UNKNOWN:
            message = f"{name} of {self.file.kind} {self.violation.message} ({self.by})"
        return where.problem(message, "correct it, or declare the release that really runs", name)


def _judged(context: Context) -> Iterator[_Judged]:
    """Custom resources against the CRDs that the fleet names; ClusterPolicies and NVIDIADrivers else by our facts.

    What driver.spec itself is told for is left out, and our own NVIDIADriver has nothing else.
    """
    named = {(one.api_version, one.kind): one.checks for one in context.crds}
    clusters = {cluster.name: cluster for cluster in context.fleet.clusters}
    for file in context.rendered.files:
        if file.document is None:
            continue
        release = clusters[file.cluster].operator.release
        checks, by = named.get((file.api_version, file.kind)), "in the CRD that the fleet names"
        if checks is None:
            checks, by = _built_in(file, release), f"in operator {release.version}"
        if checks is None:
            continue
        for violation in judge(checks, plain(file.document)):
            if not _told_by_spec(file, violation, release):
                yield _Judged(file, violation, _releases(file, violation), by)


def _built_in(file: RenderedFile, release: Release) -> Checks | None:
    if file.kind not in DRIVER_KINDS or (file.template.ours and file.kind == DriverApi.NVIDIADRIVER):
        return None
    found = crd.definition(file.kind, release.fields, release.lacks(file.kind))
    return found.checks if found.api_version == file.api_version else None


def _releases(file: RenderedFile, violation: Violation) -> tuple[str, ...]:
    if file.kind not in DRIVER_KINDS or violation.path[:1] != ("spec",):
        return ()
    return crd.releases_with(file.kind, violation.path[1:])


def _told_by_spec(file: RenderedFile, violation: Violation, release: Release) -> bool:
    """Whether a violation is of a driver.spec that declared/driverspec.py or the rules above have judged."""
    start = ("spec", *crd_path(DriverApi(file.kind))) if file.kind in DRIVER_KINDS else ()
    path = violation.path
    if not file.template.ours or not start or path[: len(start)] != start:
        return False
    known = crd.has_field(file.kind, release.fields, path[1:], release.lacks(file.kind))
    return violation.kind is Flaw.UNKNOWN and not known


def _where(context: Context, file: RenderedFile, path: Path) -> Said:
    """Where a field of a rendered object was said: driver.spec, the base, or the template that prints it."""
    cluster = next(one for one in context.fleet.clusters if one.name == file.cluster)
    if not file.template.ours:
        return Said(Place(file.template.file), file.cluster, file.pool)
    start = ("spec", *crd_path(DriverApi(file.kind)))
    if path[: len(start)] == start:
        for pool in cluster.managed_pools:
            inside = ("driver", "spec", *path[len(start) :])
            if (not file.pool or pool.name == file.pool) and origin(pool.levels, inside):
                return said(context.fleet, pool, *inside, key=True)
        return said(context.fleet, cluster, "operator", "version")
    return Said(context.fleet.texts.key(cluster.operator.policy_base, path), cluster.name)


def unsupported_with_precompiled(context: Context) -> Iterator[Problem]:
    """gpu-operator internal/validator and controllers/object_controls.go; vGPU drivers are never precompiled."""
    yield from once(_unsupported(context))


def _unsupported(context: Context) -> Iterator[Problem]:
    for cluster in context.fleet.clusters:
        pools = [pool for pool in cluster.managed_pools if pool.driver.mode is Mode.PRECOMPILED]
        for pool in pools:
            yield from _in_spec(context, pool)
        base = context.bases.get(cluster.operator.policy_base)
        if pools and base is not None and cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
            yield from _in_base(context, cluster, base)


def _in_spec(context: Context, pool: Pool) -> Iterator[Problem]:
    spec = pool.driver.spec
    for name in sorted(BESIDE_DRIVER & spec.keys()):
        if isinstance(found := spec[name], Mapping) and found.get("enabled") is True:
            where = said(context.fleet, pool, "driver", "spec", name, "enabled")
            yield _not_precompiled(where, f"driver.spec.{name}.enabled is true")
    if (kind := spec.get("driverType")) in VGPU:
        where = said(context.fleet, pool, "driver", "spec", "driverType")
        yield _not_precompiled(where, f"driver.spec.driverType is {kind}")


def _in_base(context: Context, cluster: Cluster, base: Mapping[str, Any]) -> Iterator[Problem]:
    """With the ClusterPolicy API both lie beside spec.driver, in the user's own base."""
    for name in sorted(BESIDE_DRIVER):
        found = (base.get("spec") or {}).get(name)
        if isinstance(found, Mapping) and found.get("enabled") is True:
            place = context.fleet.texts.value(cluster.operator.policy_base, ("spec", name, "enabled"))
            yield _not_precompiled(Said(place, cluster.name), f"spec.{name}.enabled is true")


def _not_precompiled(where: Said, what: str) -> Problem:
    message = f"{what} with mode precompiled, and the operator refuses the two together"
    return where.problem(message, "disable it, or set driver.mode: compiled for its pools", what)
