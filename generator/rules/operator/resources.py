"""Custom resources as they are rendered, judged strictly by the CRDs that the fleet names, or by our own facts."""

from collections.abc import Iterator

from msgspec import Struct

from generator.declared.crds import plain
from generator.declared.driverspec import crd_path
from generator.declared.layers import origin
from generator.documents.places import Path
from generator.facts import crd
from generator.facts.definition import Checks, judge
from generator.facts.release import DriverApi, Release
from generator.facts.violation import Flaw, Violation, dotted
from generator.finding import Place
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem
from generator.rules.setting import Said, said


class Refused(Struct, frozen=True):
    """What a CRD refuses in a rendered custom resource; `releases` are those whose own CRD has the field."""

    file: RenderedFile
    violation: Violation
    releases: tuple[str, ...]
    by: str

    @property
    def unknown(self) -> bool:
        """Whether it is a field that no release has."""
        return self.violation.kind is Flaw.UNKNOWN and not self.releases

    def problem(self, inputs: ClusterInputs) -> Problem:
        name = dotted(self.violation.path)
        message = f"{name} is no field of {self.file.kind} {self.by}"
        if self.violation.kind is not Flaw.UNKNOWN:
            message = f"{name} of {self.file.kind} {self.violation.message} ({self.by})"
        where = _where(inputs, self.file, self.violation.path)
        return where.problem(message, "correct it, or declare the release that really runs", name)


def refused(inputs: ClusterInputs) -> Iterator[Refused]:
    """What driver.spec itself is told for is left out, and our own NVIDIADriver has nothing else."""
    named = {(one.api_version, one.kind): one.checks for one in inputs.crds}
    release = inputs.cluster.operator.release
    for file in inputs.files:
        checks, by = named.get((file.api_version, file.kind)), "in the CRD that the fleet names"
        if checks is None and (served := _other_version(file, release)):
            yield Refused(file, served, (), f"in operator {release.version}")
            continue
        if checks is None:
            checks, by = _built_in(file, release), f"in operator {release.version}"
        if checks is None or file.document is None:  # asked last: a document of a user's template is read on demand
            continue
        for violation in judge(checks, plain(file.document)):
            if not _told_by_spec(file, violation, release):
                yield Refused(file, violation, _releases(file, violation), by)


def _built_in(file: RenderedFile, release: Release) -> Checks | None:
    if file.kind not in DRIVER_KINDS or (file.template.ours and file.kind == DriverApi.NVIDIADRIVER):
        return None
    found = crd.definition(file.kind, release.fields, release.lacks(file.kind))
    return found.checks if found.api_version == file.api_version else None


def _other_version(file: RenderedFile, release: Release) -> Violation | None:
    """What is wrong with a kind of the operator's API in a version that its CRD doesn't serve; None for all else.

    Other products have kinds of the same names, as Kyverno has a ClusterPolicy: only the operator's group counts.
    """
    if file.kind not in DRIVER_KINDS:
        return None
    served = crd.definition(file.kind, release.fields, release.lacks(file.kind)).api_version
    same_group = file.api_version.partition("/")[0] == served.partition("/")[0]
    if not same_group or file.api_version == served:
        return None
    return Violation(("apiVersion",), Flaw.ENUM, f'must be "{served}", not "{file.api_version}"')


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


def _where(inputs: ClusterInputs, file: RenderedFile, path: Path) -> Said:
    """Where a field of a rendered object was said: driver.spec, the base, or the template that prints it."""
    cluster, base = inputs.cluster, inputs.cluster.operator.policy_base
    if file.template.ours:
        start = ("spec", *crd_path(DriverApi(file.kind)))
        if path[: len(start)] == start:
            return _in_driver(inputs, file.pool, path[len(start) :])
        if base:
            return Said(inputs.texts.key(base, path), cluster.name)
    return Said(Place(file.template.file), file.cluster, file.pool)


def _in_driver(inputs: ClusterInputs, pool_name: str, path: Path) -> Said:
    """The line of driver.spec; what drivergate writes itself follows from the declared release."""
    inside = ("driver", "spec", *path)
    for pool in inputs.cluster.managed_pools:
        if pool_name in {"", pool.name} and origin(pool.levels, inside):
            return said(inputs, pool, *inside, key=True)
    return said(inputs, inputs.cluster, "operator", "version")
