"""The fleet as it is in effect: a table of pools, or one cluster's or pool's values as YAML, with their origins."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Fleet, Mode, Pool
from generator.declared.layers import Level
from generator.declared.mirror import MirrorKind
from generator.declared.workload import Workload
from generator.facts import label
from generator.facts.release import DriverApi
from generator.operator import effective
from generator.operator.combination import references
from generator.operator.effective import Effective, Origin, Tree
from generator.render.scalar import scalar, text
from generator.report.formats.text import table
from generator.words import printable

HEAD: tuple[str, ...] = (
    *("CLUSTER", "RING", "OPERATOR", "API", "INSTALL"),
    *("POOL", "MODE", "DRIVER", "OS", "RUNNING", "UPCOMING", "NODES", "OWNER", "HOLD"),
)
WIDEST = 72


class Shown(Struct, frozen=True, kw_only=True):
    """What is shown of one cluster or pool. `object` is the Kubernetes object that carries its driver.

    `workloads` are those that may run there. `mirrors` say what the driver's repository stands for, and where nodes are
    sent for it. `note` says where the facts of the operator's release are those of another one.
    """

    cluster: str
    values: Mapping[str, Tree]
    pool: str = ""
    object: str = ""
    images: tuple[str, ...] = ()
    label: str = ""
    mirrors: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    ring: str = ""
    note: str = ""


def shown_cluster(fleet: Fleet, cluster: Cluster) -> Shown:
    """All of a cluster."""
    return Shown(
        cluster=cluster.name,
        values=effective.of_cluster(fleet, cluster),
        workloads=tuple(map(_workload, fleet.workloads_of(cluster))),
        note=cluster.operator.release.note,
    )


def shown_pool(fleet: Fleet, cluster: Cluster, pool: Pool, images: Mapping[str, Level]) -> Shown:
    """All of a pool; `label` is what nodes with a driver of their own must register with. `images` as of_pool's."""
    own_driver = pool.driver.mode is Mode.PREINSTALLED
    return Shown(
        cluster=cluster.name,
        pool=pool.name,
        values=effective.of_pool(fleet, cluster, pool, images),
        object=_object(cluster, pool) if pool.driver.managed else "",
        images=references(cluster, pool),
        mirrors=tuple(_mirrors(fleet, pool.driver.repository)),
        workloads=tuple(map(_workload, fleet.running(cluster, pool))),
        ring=cluster.ring,
        label=f"{label.DEPLOY_DRIVER}={label.PREINSTALLED}" if own_driver else "",
        note=cluster.operator.release.note,
    )


def _workload(workload: Workload) -> str:
    """As kubectl names an object, with its namespace before it."""
    return f"{workload.namespace}/{workload.name} ({workload.owner_kind} of {workload.team})"


def _mirrors(fleet: Fleet, repository: str) -> Iterator[str]:
    for mirror in fleet.mirrors.values():
        node = mirror.kind is MirrorKind.NODE
        if mirror.name == repository or (node and mirror.of == repository):
            yield f"{mirror.name} is a mirror of {mirror.of} (kind: {mirror.kind})"


def _object(cluster: Cluster, pool: Pool) -> str:
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        return f"NVIDIADriver/{pool.object_name}"
    return f"ClusterPolicy/{cluster.operator.policy_name}"


def fleet_table(fleet: Fleet) -> str:
    """One line per pool; a cluster without pools has a line of its own. `notes` say the rest."""
    rows = [HEAD]
    for cluster in fleet.clusters:
        start = [str(value) or "-" for value in _of_cluster(cluster).values()]
        rows += [(*start, *_cells(pool)) for pool in cluster.pools] or [(*start, *["-"] * 9)]
    return table([[printable(cell) for cell in row] for row in rows])


def notes(fleet: Fleet) -> tuple[str, ...]:
    """What is to be said of the operator releases in the table, each once."""
    found = {cluster.operator.release.version: cluster.operator.release.note for cluster in fleet.clusters}
    return tuple(note for _, note in sorted(found.items()) if note)


def fleet_values(fleet: Fleet) -> dict[str, Any]:
    """The table for programs."""
    clusters = [
        {
            **_of_cluster(cluster),
            "note": cluster.operator.release.note,
            "pools": [_of_pool(pool) for pool in cluster.pools],
        }
        for cluster in fleet.clusters
    ]
    return {"clusters": clusters}


def _of_cluster(cluster: Cluster) -> dict[str, Any]:
    operator = cluster.operator
    return {
        "name": cluster.name,
        "ring": cluster.ring,
        "operator": operator.release.version,
        "driverApi": str(operator.driver_api),
        "install": str(operator.install),
    }


def _of_pool(pool: Pool) -> dict[str, Any]:
    upcoming = sum(kernel.upcoming for kernel in pool.kernels)
    return {
        "name": pool.name,
        "mode": str(pool.driver.mode),
        "driver": pool.driver.version,
        "os": str(pool.os) if pool.os else "",
        "kernels": {"running": len(pool.kernels) - upcoming, "upcoming": upcoming},
        "nodes": {"min": pool.size.min, "max": pool.size.max} if pool.size else None,
        "owner": pool.owner,
        "hold": pool.hold.reason if pool.hold else "",
        "holdUntil": str(pool.hold.until) if pool.hold and pool.hold.until else "",
    }


def _cells(pool: Pool) -> Iterator[str]:
    values = _of_pool(pool)
    kernels, size = values.pop("kernels"), pool.size
    values["hold"] = str(pool.hold) if pool.hold else ""
    values["nodes"] = "" if size is None else f"{size.min}" if size.min == size.max else f"{size.min}-{size.max}"
    head, tail = ("name", "mode", "driver", "os"), ("nodes", "owner", "hold")
    yield from (values[key] or "-" for key in head)
    yield from (str(kernels["running"]), str(kernels["upcoming"]))
    yield from (values[key] or "-" for key in tail)


def values_text(shown: Shown, *, origins: bool) -> str:
    """YAML that says every value, each with `# file:line (level)` where that is asked for."""
    head = [("cluster", shown.cluster), ("ring", shown.ring), ("pool", shown.pool)]
    lines = [(f"{key}: {text(value)}", None) for key, value in head if value]
    body = list(_mapping(shown.values))
    tail = [("object", shown.object), ("label", shown.label), ("note", shown.note)]
    derived = [f"{key}: {text(value)}" for key, value in tail if value]
    for key, listed in (("mirrors", shown.mirrors), ("images", shown.images), ("workloads", shown.workloads)):
        if listed:
            derived += [f"{key}:", *(f"  - {text(one)}" for one in listed)]
    width = min(max((len(line) for line, said in body if said), default=0), WIDEST)
    told = [_commented(line, said if origins else None, width) for line, said in (*lines, *body)]
    return "".join(f"{line}\n" for line in (*told, *derived))


def values_json(shown: Shown) -> dict[str, Any]:
    """The same for programs: values, and beside them a mapping of the same shape with the origin of each."""
    body: dict[str, Any] = {"cluster": shown.cluster}
    if shown.pool:
        body |= {"ring": shown.ring, "pool": shown.pool, "object": shown.object, "label": shown.label}
        body |= {"mirrors": list(shown.mirrors), "images": list(shown.images)}
    body |= {"workloads": list(shown.workloads), "note": shown.note}
    body["values"] = {key: _bare(tree) for key, tree in shown.values.items()}
    body["origins"] = {key: _origins(tree) for key, tree in shown.values.items()}
    return body


def _bare(tree: Tree) -> Any:
    if isinstance(tree, Effective):
        return tree.value
    if isinstance(tree, dict):
        return {key: _bare(inner) for key, inner in tree.items()}
    return [_bare(inner) for inner in tree]


def _origins(tree: Tree) -> Any:
    if isinstance(tree, Effective):
        return {"file": tree.origin.place.file, "line": tree.origin.place.line, "level": tree.origin.level}
    if isinstance(tree, dict):
        return {key: _origins(inner) for key, inner in tree.items()}
    return [_origins(inner) for inner in tree]


def origin_text(origin: Origin) -> str:
    """`inventory/fleet.yaml:15 (defaults)`, or the level alone where no file says it."""
    place = origin.place
    where = f"{place.file}:{place.line}" if place.line else place.file
    return printable(f"{where} ({origin.level})" if where else f"({origin.level})")


def _commented(line: str, said: Effective | None, width: int) -> str:
    return line if said is None else f"{line.ljust(width)}  # {origin_text(said.origin)}"


Line = tuple[str, Effective | None]


def _mapping(tree: Mapping[str, Tree]) -> Iterator[Line]:
    for key, inner in tree.items():
        yield from _entry(f"{text(key)}:", inner)


def _entry(head: str, inner: Tree) -> Iterator[Line]:
    if isinstance(inner, Effective):
        yield f"{head} {_scalar(inner)}", inner
    elif not inner:
        yield f"{head} {'{}' if isinstance(inner, dict) else '[]'}", None
    else:
        yield head, None
        lines = _mapping(inner) if isinstance(inner, dict) else _items(inner)
        yield from ((f"  {line}", said) for line, said in lines)


def _items(tree: Iterable[Tree]) -> Iterator[Line]:
    for inner in tree:
        if isinstance(inner, dict) and inner:
            for index, (line, said) in enumerate(_mapping(inner)):
                yield ("  " if index else "- ") + line, said
        else:
            yield from _entry("-", inner)


def _scalar(said: Effective) -> str:
    return "null" if said.value is None else scalar(said.value)
