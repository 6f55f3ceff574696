"""Rules about the fields of the driver API: what the declared release, or the CRD that runs, takes."""

from collections.abc import Iterator

from msgspec import Struct

from generator.declared.driverspec import crd_path, unknown_fields
from generator.declared.fleet import Install
from generator.declared.layers import leaves
from generator.declared.shape import did_you_mean
from generator.documents.places import Path
from generator.facts import crd
from generator.facts.release import DriverApi, Release
from generator.facts.violation import dotted
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.operator.resources import refused
from generator.rules.rule import Problem
from generator.rules.setting import Said, said

BESIDE_DRIVER = frozenset({"gds", "gdrcopy"})  # of a ClusterPolicy's spec, where an NVIDIADriver has them inside


def unknown_field(inputs: ClusterInputs) -> Iterator[Problem]:
    """Fields that no release has, or that the CRD which runs doesn't have."""
    for field in _unknown(inputs):
        if not field.releases:
            yield _unknown_problem(field)
    for refusal in refused(inputs):
        if refusal.unknown:
            yield refusal.problem(inputs)


def not_in_release(inputs: ClusterInputs) -> Iterator[Problem]:
    """Fields that another release has, values that this one refuses, and what its chart has no key for."""
    for field in _unknown(inputs):
        if field.releases:
            yield _other_release(field)
    yield from _default(inputs)
    yield from _beside_the_chart(inputs)
    for refusal in refused(inputs):
        if not refusal.unknown:
            yield refusal.problem(inputs)


def _default(inputs: ClusterInputs) -> Iterator[Problem]:
    cluster, release = inputs.cluster, inputs.cluster.operator.release
    for pool in cluster.managed_pools:
        if pool.default and cluster.operator.driver_api is DriverApi.NVIDIADRIVER and not release.default_object:
            message = f'pool "{pool.name}" is default: true, which comes with v26.7.0, not with {release.version}'
            place = inputs.at(pool, "default")
            hint = "give the pool a nodeSelector, or upgrade the operator"
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, pool=pool.name)


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

    def problem(self, message: str, hint: str) -> Problem:
        """A problem with the field: one mistake for a release, whichever API its clusters have the driver from."""
        mistake = (self.said, self.path, self.release.version)
        return self.said.problem(message, hint, self.name, mistake=mistake)


def _unknown(inputs: ClusterInputs) -> Iterator[_Field]:
    """Those of every spec. Many pools share one, which is the same mapping then, so that it is looked at once."""
    api, release = inputs.cluster.operator.driver_api, inputs.cluster.operator.release
    seen: set[int] = set()
    for pool in inputs.cluster.managed_pools:
        if not pool.driver.spec or id(pool.driver.spec) in seen:
            continue
        seen.add(id(pool.driver.spec))
        for path in unknown_fields(api, release, pool.driver.spec):
            where = said(inputs, pool, "driver", "spec", *path, key=True)
            yield _Field(api, release, path, crd.releases_with(api, (*crd_path(api), *path)), where)


def _unknown_problem(field: _Field) -> Problem:
    known = crd.field_names(
        field.api, field.release.fields, (*crd_path(field.api), *field.path[:-1]), field.release.lacks(field.api)
    )
    word = str(field.path[-1])
    hint = did_you_mean(word, [*known]) or f"remove it; {field.parent} has {', '.join(known)}"
    if field.api is DriverApi.CLUSTERPOLICY and field.path[0] in BESIDE_DRIVER:
        hint = f"set spec.{field.path[0]} where your ClusterPolicy comes from: it lies beside spec.driver there"
    message = f"{field.name} is no field of {field.api} {field.parent} in operator {field.release.version}"
    return field.problem(message, hint)


def _other_release(field: _Field) -> Problem:
    later = [one for one in field.releases if _number(one) > _number(field.release.version)]
    one = later[0] if later else field.releases[-1]
    message = f"{field.name} is a field of {field.api} in operator {one}, and not in {field.release.version}"
    hint = "upgrade the operator, or remove the field" if later else "remove the field"
    return field.problem(message, hint)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.removeprefix("v").split(".")))


def _beside_the_chart(inputs: ClusterInputs) -> Iterator[Problem]:
    """With helm and the ClusterPolicy API a field arrives only if the chart has a value for it."""
    operator = inputs.cluster.operator
    if operator.install is not Install.HELM or operator.driver_api is not DriverApi.CLUSTERPOLICY:
        return
    fields, lacks = operator.release.fields, operator.release.lacks("ClusterPolicy")
    seen: set[int] = set()
    for pool in inputs.cluster.managed_pools:
        spec = pool.driver.spec
        if not spec or id(spec) in seen:
            continue
        from generator.facts import chart  # few clusters set such fields

        seen.add(id(spec))
        for path, _ in leaves(spec):
            known = crd.has_field("ClusterPolicy", fields, ("driver", *path), lacks)
            if known and chart.values_path(fields, tuple(map(str, path)), lacks) is None:
                name = f"driver.spec.{dotted(path)}"
                message = f"{name} has no value in the chart of operator {operator.release.version}"
                hint = "remove it, or bring the ClusterPolicy yourself with install: manifest"
                yield said(inputs, pool, "driver", "spec", *path, key=True).problem(message, hint, name)
