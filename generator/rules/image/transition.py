"""What nodes ask for on the way from one revision to the next: images of states that neither of the two declares."""

from collections.abc import Iterator

from generator.change.nodes import Machine, may_have_nodes
from generator.change.passage import Kind, Lost, Moment, Station, Swap, Way, lost, passages, stock, swaps
from generator.declared.fleet import Cluster, Pool
from generator.finding import Place, Severity
from generator.images.lookup import Lack, Miss
from generator.operator.image import Refused
from generator.revision.cluster_inputs import ClusterBefore, ClusterInputs
from generator.rules.image.reference import version_place
from generator.rules.rule import Problem
from generator.words import counted, shortened

MOST_KERNELS = 4


def transition_missing(inputs: ClusterInputs, before: ClusterBefore) -> Iterator[Problem]:
    """Images that nodes ask for while the change arrives, and that are not built."""
    images = stock(before.catalog, inputs.catalog)
    for station in passages(before.cluster, before.becomes or inputs.cluster, images):
        if not _is_uncertain(station):
            yield _missing(inputs, station)
    yield from _floating(inputs, before.cluster)


def kernel_swapped(inputs: ClusterInputs, before: ClusterBefore) -> Iterator[Problem]:
    """Pools of which no machine that ran is declared any more, though nothing shows that nodes left it."""
    for swap in swaps(before.cluster, before.becomes or inputs.cluster):
        yield _swapped(inputs, swap)


def unclaimed(inputs: ClusterInputs, before: ClusterBefore) -> Iterator[Problem]:
    """Pools whose nodes no object claims any more."""
    for gone in lost(before.cluster, before.becomes or inputs.cluster):
        yield _unclaimed(inputs, gone)


def keeps_driver(inputs: ClusterInputs, miss: Miss) -> bool:
    """Whether nodes that ask for this image ran its machine before, and load nothing until a person acts."""
    was = inputs.cluster if inputs.standing else inputs.before.cluster if inputs.before is not None else None
    if was is None:
        return False
    for earlier in was.managed_pools:
        if earlier.name == miss.pool.name:
            way = Way((was, earlier), (inputs.cluster, miss.pool), stock(inputs.catalog, inputs.catalog), Kind.FOLLOWED)
            kernels = {machine.kernel for machine in way.before}
            return way.waits and not way.begins_with_release and (miss.kernel is None or miss.kernel.name in kernels)
    return False


def _is_uncertain(station: Station) -> bool:
    """A line without platforms, for amd64: nearly every image serves it."""
    return station.standing is not None and station.standing.lack is Lack.CERTAINTY


def _missing(inputs: ClusterInputs, station: Station) -> Problem:
    (was, earlier), (becomes, pool) = station.was, station.becomes
    return Problem(
        place=_place(inputs, station),
        message=f'pool "{becomes.name}/{pool.name}": {_who(station)} {_asks(station)}',
        hint=_way_out(station, earlier, pool, same_release=was.operator.release == becomes.operator.release),
        cluster=becomes.name,
        pool=pool.name,
        fact=station.image,
        severity=None if station.severe else Severity.WARNING,
    )


def _place(inputs: ClusterInputs, station: Station) -> Place:
    cluster, pool = station.becomes
    if inputs.before is not None and inputs.before.becomes is not None:  # of which no line is read here
        return inputs.said(inputs.cluster, "delivery", "argocd", "targetRevision")
    if station.moment is Moment.BEFORE_SYNC:
        for kernel in pool.kernels:
            if kernel.name == station.machine.kernel:
                return inputs.kernel_place(kernel)
    if station.moment in {Moment.NEW_RELEASE_FIRST, Moment.OLD_RELEASE_STILL}:
        return inputs.said(cluster, "operator", "version")
    if pool not in cluster.pools:
        return inputs.at(cluster, "name")
    return version_place(inputs, pool)


def _who(station: Station) -> str:
    """The nodes that ask, and when they do."""
    (was, earlier), (becomes, _) = station.was, station.becomes
    machine, nodes = _machine(station.machine, earlier), _nodes(earlier)
    if earlier.name != station.becomes[1].name:
        nodes = f'{nodes.replace("its", "the", 1)} of pool "{earlier.name}"'
    match station.moment:
        case Moment.AFTER_SYNC:
            return f"{nodes} run {machine} until they are rolled, and after the sync"
        case Moment.BEFORE_SYNC:
            return f"nodes that boot {machine} before the sync"
        case Moment.NEW_RELEASE_FIRST:
            release = becomes.operator.release.version
            return f"nodes on {machine} that operator {release} looks after before the sync"
        case Moment.OLD_RELEASE_STILL:
            release = was.operator.release.version
            return f"nodes on {machine} that operator {release} still looks after when this is synced"


def _asks(station: Station) -> str:
    if isinstance(station.combination.reference, Refused):
        return f"get no driver, since the operator composes no image for them: {station.image}"
    end = "come up without a driver" if station.moment is Moment.BEFORE_SYNC else "lose their driver when it is loaded"
    asked = f"ask for {station.combination.tag} for {station.combination.platform}"
    standing = station.standing
    if standing is None or standing.entry is None:
        return f"{asked}, which no catalog of {station.source} lists: they {end}"
    line = f"{standing.entry.file}:{standing.entry.line}"
    match standing.lack:
        case Lack.GONE:
            why = f"which is gone from its registry ({line})"
        case Lack.PLATFORM:
            why = f"which is built for other platforms only ({line})"
        case _:
            why = f"whose platforms are not recorded ({line})"
    return f"{asked}, {why}: they {end}"


def _nodes(pool: Pool) -> str:
    if pool.size is None:
        return "its nodes"
    if pool.size.min == pool.size.max:
        return f"its {counted(pool.size.max, 'node')}"
    return f"its {pool.size.min} to {pool.size.max} nodes"


def _machine(machine: Machine, pool: Pool) -> str:
    """A kernel where the driver is built for one, else the system."""
    system = f"{machine.os_id}{machine.os_version}"
    if not machine.kernel:
        return system
    same = pool.os is not None and (pool.os.id, pool.os.version) == (machine.os_id, machine.os_version)
    return machine.kernel if same else f"{machine.kernel} of {system}"


def _way_out(station: Station, earlier: Pool, pool: Pool, *, same_release: bool) -> str:
    build = _build(station)
    kernel = station.machine.kernel
    match station.moment:
        case Moment.BEFORE_SYNC:
            return f"{build}, or roll no node to it before the change is synced"
        case Moment.NEW_RELEASE_FIRST | Moment.OLD_RELEASE_STILL:
            return f"{build}, or move the operator in a change of its own to a release between the two"
        case Moment.AFTER_SYNC:
            pass
    if earlier.os != pool.os:
        return f"{build}, or declare a pool with the new system beside this one and empty this one first"
    if not same_release and earlier.driver == pool.driver:
        return f"{build} before the operator moves"
    keeps = kernel in {running.name for running in pool.kernels if not running.upcoming}
    if kernel and not keeps:
        return (
            f"merge a change first that only removes {kernel} from the running kernels, when "
            f"`{_shows_gone(earlier, kernel)}` ends with 0; or {build}"
        )
    if earlier.name != pool.name:
        return f"split the pool in a change of its own, then move the driver; or {build}"
    return f"{build} first"


def _shows_gone(pool: Pool, *values: str) -> str:
    """The command that shows whether a node of the pool still runs what shall leave."""
    asked = " ".join(f"--gone {value}" for value in values)
    return f"drivergate audit --cluster {pool.cluster} --pool {pool.name} {asked}"


def _build(station: Station) -> str:
    if isinstance(station.combination.reference, Refused):
        return "keep a system and a release that go together"
    standing = station.standing
    if standing is not None and standing.lack is Lack.RECORD:
        return "write the platforms of the image into its line"
    return f"build {station.combination.tag} and add its line to the catalog"


def _floating(inputs: ClusterInputs, was: Cluster) -> Iterator[Problem]:
    """Nodes whose kernels change without a commit may run others than those that are declared."""
    becomes = inputs.cluster
    earlier = {pool.name: pool for pool in was.managed_pools}
    for pool in becomes.managed_pools:
        old = earlier.get(pool.name)
        if old is None or not old.floating or not may_have_nodes(old) or old.driver.version == pool.driver.version:
            continue
        yield Problem(
            place=version_place(inputs, pool),
            message=f'pool "{becomes.name}/{pool.name}" is of kernelSource: floating, so that its nodes may run other '
            f"kernels than those that are declared, and nothing shows that {pool.driver.version} is built for them",
            hint=f"look at the kernels that run with: drivergate audit --cluster {becomes.name}",
            cluster=becomes.name,
            pool=pool.name,
            fact="floating",
            severity=Severity.WARNING,
        )


def _swapped(inputs: ClusterInputs, swap: Swap) -> Problem:
    (was, earlier), later = swap.was, swap.becomes
    pool = later[0]
    names = shortened(list(dict.fromkeys(_machine(machine, pool) for machine in swap.machines)), MOST_KERNELS)
    leaving = dict.fromkeys(machine.words for machine in swap.machines)
    running = [kernel for kernel in pool.kernels if not kernel.upcoming]
    place = inputs.kernel_place(running[0]) if running else inputs.at(pool)
    if inputs.before is not None and inputs.before.becomes is not None:
        place = inputs.said(inputs.cluster, "delivery", "argocd", "targetRevision")
    return Problem(
        place=place,
        message=f'pool "{was.name}/{pool.name}" declares nothing any more that its nodes ran before ({names}), and '
        f"{_nodes(earlier)} are rolled one by one",
        hint=f"keep {names} beside the new ones until none is left: {_shows_gone(earlier, *leaving)}",
        cluster=was.name,
        pool=pool.name,
        fact=names,
    )


def _unclaimed(inputs: ClusterInputs, gone: Lost) -> Problem:
    was, earlier = gone.was
    return Problem(
        place=inputs.at(inputs.cluster, "name"),
        message=f'nothing of cluster {was.name} claims the nodes of pool "{earlier.name}" any more: '
        f"{_nodes(earlier)} lose their driver",
        hint="empty the pool before this is synced, or declare a pool that selects its nodes",
        cluster=was.name,
        fact=earlier.name,
    )
