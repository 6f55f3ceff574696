"""Silences that are past their day, and silences and holds that soon will be."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec.structs import replace

from generator.declared.fleet import Cluster, SilenceEntry
from generator.declared.selection import selects
from generator.finding import Place, Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.rule import Problem
from generator.words import counted, shortened

SOON = 14  # days: time for a pull request and its review, and short enough that it is not overlooked
SHOWN = 3
NEXT = "correct what it silences and remove it, or give it a later day and the reason for that"


def touched_cluster(inputs: ClusterInputs) -> str:
    """The cluster's name where the change touches it, else "": its values, machines or rendered files differ."""
    touched = inputs.rewritten
    if inputs.before is not None:
        touched = touched or _values(inputs.before.cluster) != _values(inputs.cluster)
    return inputs.cluster.name if touched else ""


def _values(cluster: Cluster) -> Cluster:
    """The cluster without where its values are written, and without holds: like silences, they change no node."""
    pools = []
    for pool in cluster.pools:
        kernels = tuple(replace(kernel, file="", path=()) for kernel in pool.kernels)
        pools.append(replace(pool, file="", levels=(), kernels=kernels, hold=None))
    return replace(cluster, file="", levels=(), pools=tuple(pools))


def expired(fleet: FleetInputs, touched: Sequence[str]) -> Iterator[Problem]:
    """Silences past their day: whoever touches their cluster, or the scheduled run, is to decide about them.

    They still silence: an error that was accepted in spring shall not stop the change of somebody else in autumn.
    """
    for silence in _silences(fleet):
        if not silence.has_ended(fleet.day):
            continue
        clusters = [name for name in touched if name and (not silence.clusters or name in silence.clusters)]
        message = f'the silence of {silence.rule} ended on {silence.until} ("{silence.reason}")'
        if clusters:
            message += f", and the change touches {shortened(clusters, SHOWN)}"
        yield Problem(
            place=_place(fleet, silence),
            message=message,
            hint=NEXT,
            cluster=clusters[0] if clusters else _one_cluster(silence),
            fact=str(silence.until),
            severity=Severity.ERROR if clusters or fleet.scheduled else Severity.WARNING,
        )


def ending_holds(inputs: ClusterInputs) -> tuple[Problem, ...]:
    """The cluster's holds that end within two weeks; after that they still hold, with a warning."""
    problems = []
    for pool in inputs.cluster.pools:
        hold = pool.hold
        if hold is None or hold.until is None or not _is_soon(hold.until, inputs.day):
            continue
        ends = _ends(hold.until, inputs.day)
        problems.append(
            Problem(
                place=inputs.at(pool, "hold", "until"),
                message=f'the hold of pool "{pool.cluster}/{pool.name}" {ends} ("{hold.reason}")',
                hint="remove it once the reason is gone, or give it a later day",
                cluster=pool.cluster,
                pool=pool.name,
                fact=str(hold.until),
            )
        )
    return tuple(problems)


def ends_soon(fleet: FleetInputs, holds: Sequence[tuple[Problem, ...]]) -> Iterator[Problem]:
    """What ends within two weeks: the holds of each cluster, and the silences."""
    for of_cluster in holds:
        yield from of_cluster
    for silence in _silences(fleet):
        if silence.until is not None and _is_soon(silence.until, fleet.day):
            yield Problem(
                place=_place(fleet, silence),
                message=f'the silence of {silence.rule} {_ends(silence.until, fleet.day)} ("{silence.reason}")',
                hint=NEXT,
                cluster=_one_cluster(silence),
                fact=str(silence.until),
            )


def _silences(fleet: FleetInputs) -> Iterator[SilenceEntry]:
    """Those that are for a judged cluster: where only some are judged, the Fleet's may be for others."""
    for silence in fleet.silences:
        clusters = silence.clusters
        if not clusters or any(selects(fleet.selection, name) for name in clusters):
            yield silence


def _place(fleet: FleetInputs, silence: SilenceEntry) -> Place:
    return fleet.texts.value(silence.file, (*silence.path, "until"))


def _one_cluster(silence: SilenceEntry) -> str:
    """The cluster that it is for, "" where there are several."""
    return silence.clusters[0] if len(silence.clusters) == 1 else ""


def _is_soon(until: date, day: date) -> bool:
    return 0 <= (until - day).days <= SOON


def _ends(until: date, day: date) -> str:
    left = (until - day).days
    return f"ends today, {until}" if left == 0 else f"ends on {until}, in {counted(left, 'day')}"
