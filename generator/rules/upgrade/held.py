"""Pools whose driver is held: a commit may not load it again, take it away, or let an upgrade begin that waited."""

from collections.abc import Iterable, Iterator

from generator.facts.release import DriverApi
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.driver_objects import DriverObject, driver_objects, is_chart_values
from generator.revision.revision import Revision
from generator.rules.rule import Problem


def held(revision: Revision) -> Iterator[Problem]:
    """Only clusters that hold a pool and in which a driver object changed are looked at, and only what changed."""
    before: dict[str, list[DriverObject]] = {}
    for old in revision.against or ():
        before.setdefault(old.cluster, []).append(old)
    clusters = [one for one in revision.fleet.clusters if one.name in before and any(pool.hold for pool in one.pools)]
    if not clusters:
        return
    from generator.rules.upgrade.held_change import Both, told  # the normal form of driver pods, which few runs need

    files: dict[str, dict[str, bytes]] = {cluster.name: {} for cluster in clusters}
    for file in revision.rendered.files:
        if file.cluster in files and _counts(file, before[file.cluster]):
            files[file.cluster][file.path] = file.text.encode()
    for cluster in clusters:
        both = Both(cluster, tuple(before[cluster.name]), driver_objects(files[cluster.name]))
        for pool in cluster.pools:
            what = told(both, pool) if pool.hold else ""
            if what:
                yield Problem(
                    place=revision.fleet.at(pool, "hold", "reason"),
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
