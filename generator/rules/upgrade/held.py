"""Pools whose driver is held: a commit may not load it again, take it away, or let an upgrade begin that waited."""

from collections.abc import Iterable, Iterator, Sequence

from generator.declared.fleet import Hold, Pool
from generator.facts.release import DriverApi
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.driver_objects import DriverObject, driver_objects, is_chart_values
from generator.rules.rule import Problem

STILL_HELD = "leave the driver of this pool as it is; if the reason is gone, lift the hold in a change of its own first"


def held(inputs: ClusterInputs) -> Iterator[Problem]:
    """Only clusters that hold a pool, or held it, and in which a driver object changed are looked at."""
    if not inputs.against:
        return
    held_pools = [pool for pool in inputs.cluster.pools if pool.hold]
    lifted = _lifted(inputs)
    if not held_pools and not lifted:
        return
    from generator.rules.upgrade.held_change import Both, told  # the normal form of driver pods, which few runs need

    files = {file.path: file.text.encode() for file in inputs.files if _counts(file, inputs.against)}
    both = Both(inputs.cluster, inputs.against, driver_objects(files))
    for pool in held_pools:
        what = told(both, pool)
        if what and pool.hold:
            yield Problem(
                place=inputs.at(pool, "hold", "reason"),
                message=f'pool "{pool.cluster}/{pool.name}" {_is_held(pool.hold)}, and {what}',
                hint=STILL_HELD,
                cluster=pool.cluster,
                pool=pool.name,
                fact=pool.object_name,
            )
    for hold, pool in lifted:
        what = told(both, pool)
        if what:
            message = f'pool "{pool.cluster}/{pool.name}" {_is_held(hold)}; this change lifts the hold, and {what}'
            yield Problem(
                place=inputs.at(pool),
                message=message,
                hint="leave the driver of this pool as it is, and change it once the lifted hold is merged",
                cluster=pool.cluster,
                pool=pool.name,
                fact=pool.object_name,
            )


def hold_ended(inputs: ClusterInputs) -> Iterator[Problem]:
    """Holds that are past their day. They still hold: that nobody looked makes no driver safe to change."""
    for pool in inputs.cluster.pools:
        if pool.hold is not None and pool.hold.has_ended(inputs.day):
            message = f'pool "{pool.cluster}/{pool.name}" {_is_held(pool.hold)}, which is past, and it is still held'
            yield Problem(
                place=inputs.at(pool, "hold", "until"),
                message=message,
                hint="remove the hold if its reason is gone, else give it a later day",
                cluster=pool.cluster,
                pool=pool.name,
                fact=str(pool.hold.until),
            )


def _is_held(hold: Hold) -> str:
    until = f" until {hold.until}" if hold.until else ""
    return f'is held{until} ("{hold.reason}")'


def _lifted(inputs: ClusterInputs) -> Sequence[tuple[Hold, Pool]]:
    """The pools that the revision before held, and this one does not, each with that hold."""
    if inputs.before is None or not any(pool.hold for pool in inputs.before.cluster.pools):
        return ()
    from generator.change.holds import lifted_holds  # few clusters hold a pool

    lifts = lifted_holds(inputs.before.cluster, inputs.cluster)
    return [(lifted.hold, pool) for lifted in lifts for pool in lifted.becomes]


def _counts(file: RenderedFile, before: Iterable[DriverObject]) -> bool:
    if file.kind == DriverApi.NVIDIADRIVER:
        return any(old.kind == file.kind and old.name == file.name for old in before)
    return file.kind in DRIVER_KINDS or is_chart_values(file.path)
