"""What `drivergate cuda` says: what each pool's driver carries, which pools meet a need, and the affinity for it."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Mode, Pool
from generator.declared.workload import Workload
from generator.facts.affinity import Term
from generator.facts.cuda import Need, needed
from generator.facts.cudachoice import By
from generator.operator.carries import Verdict, answer, compatibility_of, loaded, need_terms, workload_terms
from generator.operator.obstacles import obstacles
from generator.render.scalar import quoted, text
from generator.report.formats.text import table
from generator.words import printable

HEAD = ("POOL", "DRIVER", "CUDA", "TOOLKITS", "IN THE WAY OF A NEWER ONE")
NONE = "none"
NOT_CUDA = "# labels of the driver's version: the CUDA version has its own, nvidia.com/cuda.runtime.major and .minor"


class Carried(Struct, frozen=True, kw_only=True):
    """One pool: its drivers, the CUDA version and the toolkit that all of them carry, "" where that isn't known."""

    cluster: str
    pool: str
    drivers: tuple[str, ...]
    cuda: str
    toolkit: str
    obstacles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return f"{self.cluster}/{self.pool}"


class Held(Struct, frozen=True, kw_only=True):
    """A cluster in which some pools carry less than others."""

    cluster: str
    toolkit: str
    newest: str
    pools: tuple[str, ...]


class Answered(Struct, frozen=True, kw_only=True):
    """A need on one pool; `drivers` are those that the verdict rests on."""

    cluster: str
    pool: str
    verdict: Verdict
    drivers: tuple[str, ...]

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return f"{self.cluster}/{self.pool}"


class Placement(Struct, frozen=True, kw_only=True):
    """The terms that some clusters share, and the need that they are for; `workload` is "" where none declares it."""

    clusters: tuple[str, ...]
    need: str
    terms: tuple[Term, ...]
    workload: str = ""


def carried(fleet: Fleet, catalog: Catalog) -> tuple[Carried, ...]:
    """Every pool of the fleet."""
    return tuple(_carried(fleet, catalog, cluster, pool) for cluster in fleet.clusters for pool in cluster.pools)


def held_back(pools: Iterable[Carried]) -> tuple[Held, ...]:
    """The clusters that carry no more than their oldest driver, with the pools that have it."""
    clusters: dict[str, list[Carried]] = {}
    for one in pools:
        if one.toolkit:
            clusters.setdefault(one.cluster, []).append(one)
    return tuple(found for name, known in clusters.items() if (found := _held(name, known)))


def answers(fleet: Fleet, catalog: Catalog, need: Need) -> tuple[Answered, ...]:
    """The need on every pool, by each cluster's own compatibility."""
    return tuple(_answered(catalog, need, cluster, pool) for cluster in fleet.clusters for pool in cluster.pools)


def needs(fleet: Fleet, need: Need) -> tuple[str, ...]:
    """What the need means in the clusters: one sentence for each compatibility that they choose."""
    return tuple(dict.fromkeys(needed(need, cluster.cuda.compatibility) for cluster in fleet.clusters))


def of_need(fleet: Fleet, need: Need, by: By) -> tuple[Placement, ...]:
    """The affinity for a need, in the clusters that it is the same for."""
    return _shared(
        ("", cluster.name, needed(need, cluster.cuda.compatibility), need_terms(cluster, need, by=by))
        for cluster in fleet.clusters
    )


def of_workloads(fleet: Fleet, name: str | None = None) -> tuple[Placement, ...]:
    """The affinity of the workloads of that name, in the clusters that they run in; of all with a need without one."""
    clusters = {cluster.name: cluster for cluster in fleet.clusters}
    return _shared(
        (workload.name, where, _said(clusters[where], workload), workload_terms(clusters[where], workload))
        for workload in fleet.workloads
        if (workload.cuda is not None if name is None else workload.name == name)
        for where in workload.clusters
    )


def carried_text(pools: Sequence[Carried]) -> str:
    """A table of all pools, then what holds whole clusters back."""
    rows = [HEAD, *(_row(one) for one in pools)]
    lines = [
        f"{one.cluster}: {', '.join(one.pools)} {'stands' if len(one.pools) == 1 else 'stand'} in the way of "
        f"{one.newest} on every pool; all carry {one.toolkit}"
        for one in held_back(pools)
    ]
    shown = table([[printable(cell) for cell in row] for row in rows])
    return shown + "".join(f"{printable(line)}\n" for line in lines)


def answers_text(found: Sequence[Answered]) -> str:
    """One line a verdict: the pools that run it first, also where there is none."""
    lines = []
    for verdict in Verdict:
        named = [_named(one, verdict) for one in found if one.verdict is verdict]
        if named or verdict is Verdict.RUNS:
            lines.append(f"{verdict}: {', '.join(named) or NONE}\n")
    return "".join(lines)


def placements_text(found: Sequence[Placement]) -> str:
    """YAML for a pod's spec, one document for each placement."""
    return "---\n".join("".join(f"{line}\n" for line in _document(one)) for one in found)


def _carried(fleet: Fleet, catalog: Catalog, cluster: Cluster, pool: Pool) -> Carried:
    drivers = loaded(cluster, pool, catalog)
    lowest = min(drivers, key=lambda one: one.may_be.low, default=None)
    known = lowest is not None and all(one.branch for one in drivers)
    return Carried(
        cluster=cluster.name,
        pool=pool.name,
        drivers=tuple(dict.fromkeys(one.name for one in drivers)),
        cuda=lowest.cuda if lowest and known else "",
        toolkit=lowest.toolkit(cluster.cuda.compatibility) if lowest and known else "",
        obstacles=obstacles(fleet, cluster, pool, drivers),
    )


def _held(name: str, known: Sequence[Carried]) -> Held | None:
    ordered = sorted(known, key=lambda one: _numbers(one.toolkit))
    least, most = ordered[0].toolkit, ordered[-1].toolkit
    if least == most:
        return None
    pools = tuple(f"{one.pool} ({', '.join(one.drivers)})" for one in ordered if one.toolkit == least)
    return Held(cluster=name, toolkit=least, newest=most, pools=pools)


def _numbers(toolkit: str) -> tuple[int, ...]:
    return tuple(int(part) for part in toolkit.split(".") if part != "x")


def _answered(catalog: Catalog, need: Need, cluster: Cluster, pool: Pool) -> Answered:
    found = answer(need, cluster.cuda.compatibility, loaded(cluster, pool, catalog))
    names = tuple(dict.fromkeys(one.name for one in found.drivers))
    return Answered(cluster=cluster.name, pool=pool.name, verdict=found.verdict, drivers=names or _why_none(pool))


def _why_none(pool: Pool) -> tuple[str, ...]:
    return ("unmanaged",) if pool.driver.mode is Mode.UNMANAGED else ()


def _named(one: Answered, verdict: Verdict) -> str:
    """A pool; one that doesn't run it with the driver that decides."""
    told = "" if verdict is Verdict.RUNS or not one.drivers else f" ({', '.join(one.drivers)})"
    return printable(f"{one.name}{told}")


def _row(one: Carried) -> tuple[str, ...]:
    driver = ", ".join(one.drivers) or "-"
    return one.name, driver, one.cuda or "-", one.toolkit or "-", "; ".join(one.obstacles)


def _said(cluster: Cluster, workload: Workload) -> str:
    if workload.cuda is None:
        return f"{workload.name} declares no need"
    return f"{workload.name} needs {needed(workload.cuda, compatibility_of(workload, cluster))}"


def _shared(found: Iterable[tuple[str, str, str, tuple[Term, ...]]]) -> tuple[Placement, ...]:
    groups: dict[str, tuple[list[str], str, str, tuple[Term, ...]]] = {}
    for workload, cluster, need, terms in found:
        groups.setdefault(f"{workload} {need} {terms}", ([], workload, need, terms))[0].append(cluster)
    return tuple(
        Placement(workload=workload, clusters=tuple(names), need=need, terms=terms)
        for names, workload, need, terms in groups.values()
    )


def _document(one: Placement) -> Iterator[str]:
    yield f"# {printable(', '.join(one.clusters))}: {printable(one.need)}"
    if not one.terms:
        yield "# no nodeAffinity follows from that"
        return
    if any("cuda.driver" in str(term) for term in one.terms):
        yield NOT_CUDA
    yield "affinity:"
    yield "  nodeAffinity:"
    yield "    requiredDuringSchedulingIgnoredDuringExecution:"
    yield "      nodeSelectorTerms:"
    for term in one.terms:
        yield from _term(term)


def _term(term: Term) -> Iterator[str]:
    start = "- "
    for part in ("matchExpressions", "matchFields"):
        if term.get(part):
            yield f"        {start}{part}:"
            start = "  "
            for one in term[part]:
                said = f"key: {text(one['key'])}, operator: {one['operator']}{_values(one.get('values'))}"
                yield f"            - {{{said}}}"


def _values(values: Sequence[str] | None) -> str:
    return f", values: [{', '.join(quoted(value) for value in values)}]" if values else ""
