"""Files outside inventory/ that it names, as they are in the source that is judged."""

from collections.abc import Sequence

from generator.declared.fleet import Fleet
from generator.edges.source import Kind, Source
from generator.finding import Finding


def read_named(source: Source, paths: Sequence[str]) -> dict[str, bytes]:
    """The files at these paths, as far as there are such files."""
    if not paths:
        return {}
    there = [entry.path for entry in source.paths(*paths) if entry.kind is Kind.FILE and entry.path in paths]
    return source.read(there)


def with_budgets(source: Source, fleet: Fleet) -> tuple[Fleet, tuple[Finding, ...]]:
    """The fleet with the budgets of the manifests that it names; without any, their reader isn't loaded."""
    if not any(workload.manifests for workload in fleet.workloads):
        return fleet, ()
    from generator.declared.budgetfile import named, with_manifests

    return with_manifests(fleet, read_named(source, named(fleet)))
