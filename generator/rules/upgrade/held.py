"""Pools whose driver is held: a commit may not load it again, take it away, or let an upgrade begin that waited."""

from collections.abc import Iterable, Iterator

from generator.facts.release import DriverApi
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.driver_objects import DriverObject, driver_objects, is_chart_values
from generator.rules.rule import Problem


def held(inputs: ClusterInputs) -> Iterator[Problem]:
    """Only clusters that hold a pool and in which a driver object changed are looked at, and only what changed."""
    held_pools = [pool for pool in inputs.cluster.pools if pool.hold]
    if not held_pools or not inputs.against:
        return
    from generator.rules.upgrade.held_change import Both, told  # the normal form of driver pods, which few runs need

    files = {file.path: file.text.encode() for file in inputs.files if _counts(file, inputs.against)}
    both = Both(inputs.cluster, inputs.against, driver_objects(files))
    for pool in held_pools:
        what = told(both, pool)
        if what:
            yield Problem(
                place=inputs.at(pool, "hold", "reason"),
                message=f'pool "{pool.cluster}/{pool.name}" is held ("{pool.hold}"), and {what}',
                hint="leave the driver of this pool as it is, or remove its hold if the reason is gone",
                cluster=pool.cluster,
                pool=pool.name,
                fact=pool.object_name,
            )


def _counts(file: RenderedFile, before: Iterable[DriverObject]) -> bool:
    if file.kind == DriverApi.NVIDIADRIVER:
        return any(old.kind == file.kind and old.name == file.name for old in before)
    return file.kind in DRIVER_KINDS or is_chart_values(file.path)
