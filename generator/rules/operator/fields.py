"""Rules about the fields of the driver API: what the declared release, or the CRD that runs, takes."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from generator.declared.driverspec import crd_path, unknown_fields
from generator.declared.fleet import Install
from generator.declared.layers import leaves
from generator.declared.shape import did_you_mean
from generator.documents.places import Path
from generator.facts import chart, crd
from generator.facts.release import DriverApi, Release
from generator.facts.violation import dotted
from generator.revision.revision import Revision
from generator.rules.operator.resources import refused
from generator.rules.rule import Problem
from generator.rules.setting import Said, said

BESIDE_DRIVER = frozenset({"gds", "gdrcopy"})  # of a ClusterPolicy's spec, where an NVIDIADriver has them inside


def unknown_field(revision: Revision) -> Iterator[Problem]:
    """Fields that no release has, or that the CRD which runs doesn't have."""
    for field in _unknown(revision):
        if not field.releases:
            yield _unknown_problem(field)
    for refusal in refused(revision):
        if refusal.unknown:
            yield refusal.problem(revision)


def not_in_release(revision: Revision) -> Iterator[Problem]:
    """Fields that another release has, values that this one refuses, and what its chart has no key for."""
    for field in _unknown(revision):
        if field.releases:
            yield _other_release(field)
    yield from _default(revision)
    yield from _beside_the_chart(revision)
    for refusal in refused(revision):
        if not refusal.unknown:
            yield refusal.problem(revision)


def _default(revision: Revision) -> Iterator[Problem]:
    for cluster, pool in revision.managed():
        release = cluster.operator.release
        if pool.default and cluster.operator.driver_api is DriverApi.NVIDIADRIVER and not release.default_object:
            message = f'pool "{pool.name}" is default: true, which comes with v26.7.0, not with {release.version}'
            place = revision.fleet.at(pool, "default")
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


def _unknown(revision: Revision) -> Iterator[_Field]:
    """Those of every spec. Many pools share one, which is the same mapping then, so that it is looked at once."""
    seen: set[tuple[Any, ...]] = set()
    for cluster, pool in revision.managed():
        api, release = cluster.operator.driver_api, cluster.operator.release
        key = (id(pool.driver.spec), api, release.version)
        if not pool.driver.spec or key in seen:
            continue
        seen.add(key)
        for path in unknown_fields(api, release, pool.driver.spec):
            where = said(revision.fleet, pool, "driver", "spec", *path, key=True)
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


def _beside_the_chart(revision: Revision) -> Iterator[Problem]:
    """With helm and the ClusterPolicy API a field arrives only if the chart has a value for it."""
    seen: set[tuple[int, str]] = set()
    for cluster, pool in revision.managed():
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
                yield said(revision.fleet, pool, "driver", "spec", *path, key=True).problem(message, hint, name)
