"""The images that nodes ask for on their way from one state of the repository to the next.

Settings move at the sync, the operator's release when its chart moves, machines one by one when they are rolled, and
nothing orders the three. A change that touches two of them passes through the states between, in both orders.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from generator.change.nodes import Machine, followers, is_hosts_own, machines, may_have_nodes, one_size
from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Kernel, Mode, Pool
from generator.declared.mirror import Mirrors, catalog_name
from generator.facts.osname import os_tag
from generator.facts.release import DriverApi, Release
from generator.images.lookup import Availability, Listed
from generator.operator.combination import Combination, combinations, composed
from generator.operator.driver import automatic
from generator.operator.image import Refused, declared_system

# What tells images apart: the repository that has it, the reference, and the architecture that it must be built for.
Key = tuple[str, str, str]


class Settings(Struct, frozen=True):
    """What composes a node's image beside its machine and the operator's release.

    `source` is the repository whose images a node gets: another one than is asked for where that is a mirror.
    """

    api: DriverApi
    repository: str
    source: str
    version: str
    precompiled: bool


class Moment(Enum):
    """When a node asks for an image that neither side declares."""

    AFTER_SYNC = "after the sync, on a machine of before"
    BEFORE_SYNC = "before the sync, on a machine of after"
    NEW_RELEASE_FIRST = "after the chart, before the sync"
    OLD_RELEASE_STILL = "after the sync, before the chart"

    @property
    def synced(self) -> bool:
        """Whether the settings have reached the cluster."""
        return self in {Moment.AFTER_SYNC, Moment.OLD_RELEASE_STILL}


class Station(Struct, frozen=True, kw_only=True):
    """A state that nodes of a pool can be in on the way: a machine, settings, and the release that composes an image.

    `source` is the repository that has the image, with the mirrors of after the sync where it is `synced`. `standing`
    is how the catalog lists it, None where the operator can't compose one. `severe` says that a node which nobody need
    touch asks for it.
    """

    was: tuple[Cluster, Pool]
    becomes: tuple[Cluster, Pool]
    machine: Machine
    moment: Moment
    release: Release
    source: str
    synced: bool
    combination: Combination
    standing: Availability | None
    built: bool
    severe: bool

    @property
    def image(self) -> str:
        """The tag, or why none can be composed."""
        reference = self.combination.reference
        return reference.message if isinstance(reference, Refused) else self.combination.tag

    @property
    def key(self) -> Key:
        """What tells this image from others."""
        return (self.source, _text(self.combination), self.machine.arch)


class Swap(Struct, frozen=True):
    """A pool of whose machines none is declared any more although nodes may run them."""

    was: tuple[Cluster, Pool]
    becomes: tuple[Pool, ...]
    machines: tuple[Machine, ...]


class Lost(Struct, frozen=True):
    """A pool whose nodes nothing claims any more."""

    was: tuple[Cluster, Pool]
    becomes: Cluster


class Stock(Struct, frozen=True):
    """The catalogs of both sides. The sync moves mirrors too: each catalog is asked with those of each side."""

    was: Listed
    was_synced: Listed
    becomes: Listed
    becomes_unsynced: Listed

    def later(self, *, synced: bool) -> Listed:
        """The later catalog, with the mirrors of before or after the sync."""
        return self.becomes if synced else self.becomes_unsynced

    def is_built(self, combination: Combination, *, synced: bool) -> bool:
        """Whether an image is there: a line that was removed from the catalog removes no image from its registry."""
        now = self.later(synced=synced).look_up(combination)
        if now.usable:
            return True
        if now.entry is not None and now.entry.gone:
            return False
        return (self.was_synced if synced else self.was).look_up(combination).usable


def stock(was: Catalog, becomes: Catalog) -> Stock:
    """Two catalogs that are one value are looked through once."""
    now = Listed(becomes)
    then = now if was is becomes else Listed(was)
    if was.mirrors == becomes.mirrors:
        return Stock(then, then, now, now)
    was_synced = Listed(replace(was, mirrors=becomes.mirrors))
    return Stock(then, was_synced, now, Listed(replace(becomes, mirrors=was.mirrors)))


def settings_of(cluster: Cluster, pool: Pool, mirrors: Mirrors) -> Settings:
    """The settings of a pool whose driver is managed."""
    driver = pool.driver
    precompiled = driver.mode is Mode.PRECOMPILED
    source = catalog_name(mirrors, driver.repository)
    return Settings(cluster.operator.driver_api, driver.repository, source, driver.version, precompiled)


def ways(was: Cluster, becomes: Cluster, images: Stock) -> Iterator["Way"]:
    """The ways of the nodes of both clusters' pools: each pool of before to each one that may claim its nodes now."""
    followed: set[str] = set()
    first_nodes: set[str] = set()
    for earlier in was.pools:
        found = followers(was, earlier, becomes)
        names = [pool.name for pool in found.pools]
        if not may_have_nodes(earlier):
            first_nodes.update(names)
            continue
        followed.update(names)
        if not earlier.driver.managed:
            continue
        later = found.pools or ((found.loads,) if found.loads is not None else ())
        split = [pool for pool in later if not is_hosts_own(pool)]
        for pool in split:
            yield Way((was, earlier), (becomes, pool), images, Kind.FOLLOWED, split, claimed=bool(found.pools))
        if not later:
            yield Way((was, earlier), (becomes, earlier), images, Kind.REMOVED)
    for pool in becomes.managed_pools:
        if pool.name in followed or not may_have_nodes(pool):
            continue
        yield Way((was, pool), (becomes, pool), images, Kind.NEW)
        undeclared = _for_undeclared(was, pool)
        # A node of a pool that was declared with none can only be one that comes later.
        if undeclared is not None and pool.name not in first_nodes:
            yield Way((was, undeclared), (becomes, pool), images, Kind.UNDECLARED)


def passages(was: Cluster, becomes: Cluster, images: Stock) -> Iterator[Station]:
    """What nodes of the cluster ask for on the way and nobody built, each image once for each pool."""
    for way in ways(was, becomes, images):
        yield from way.missing()


def moves(was: Sequence[Cluster], becomes: Sequence[Cluster], mirrors: tuple[Mirrors, Mirrors]) -> bool:
    """Whether any node of the clusters passes through a state between the two sides."""
    earlier = {cluster.name: cluster for cluster in was}
    nothing = stock(*(Catalog({}, mirrors=of_side) for of_side in mirrors))
    for cluster in becomes:
        then = earlier.get(cluster.name)
        if then is not None and any(any(way.stations()) for way in ways(then, cluster, nothing)):
            return True
    return False


def swaps(was: Cluster, becomes: Cluster) -> Iterator[Swap]:
    """Pools that exchange every machine in one change."""
    for earlier in was.pools:
        if not earlier.driver.managed or not may_have_nodes(earlier):
            continue
        claiming = followers(was, earlier, becomes).pools
        later = [pool for pool in claiming if pool.driver.managed and may_have_nodes(pool)]
        before = machines(earlier)
        if before and any(map(machines, later)) and not any(_shares(before, pool) for pool in later):
            yield Swap((was, earlier), tuple(later), before)


def _shares(before: Sequence[Machine], pool: Pool) -> bool:
    """Whether the pool declares one of these machines; of a compiled driver the kernel is nobody's concern."""
    after = machines(pool)
    if pool.driver.mode is Mode.COMPILED:
        return not {_without_kernel(machine) for machine in before}.isdisjoint(map(_without_kernel, after))
    return not set(before).isdisjoint(after)


def _without_kernel(machine: Machine) -> Machine:
    return Machine(machine.os_id, machine.os_version, "", machine.arch)


def lost(was: Cluster, becomes: Cluster) -> Iterator[Lost]:
    """Pools whose nodes lose their driver since no object claims them any more."""
    for earlier in was.pools:
        if earlier.driver.managed and may_have_nodes(earlier) and followers(was, earlier, becomes).unclaimed:
            yield Lost((was, earlier), becomes)


class Kind(Enum):
    """Which nodes take a way."""

    FOLLOWED = "nodes of a pool that another one, or the same, claims now"
    REMOVED = "nodes of a pool whose object goes"
    NEW = "nodes of a pool that is new"
    UNDECLARED = "nodes of a new pool that were served by what serves undeclared nodes"


class Way:
    """The way of one earlier pool's nodes to one pool that claims them now; of several `parts` in a split.

    Where they are not `claimed`, that pool's driver is loaded on them all the same: it declares no machine for them.
    """

    def __init__(
        self,
        was: tuple[Cluster, Pool],
        becomes: tuple[Cluster, Pool],
        images: Stock,
        kind: Kind,
        parts: Sequence[Pool] = (),
        *,
        claimed: bool = True,
    ) -> None:
        self.was, self.becomes, self.images, self.kind = was, becomes, images, kind
        self.parts = tuple(parts)
        self.mirrors = images.was.catalog.mirrors, images.becomes.catalog.mirrors
        self.old, self.new = settings_of(*was, self.mirrors[0]), settings_of(*becomes, self.mirrors[1])
        self.before = machines(was[1])
        self.after = machines(becomes[1]) if claimed and may_have_nodes(becomes[1]) else ()
        self.old_release, self.new_release = was[0].operator.release, becomes[0].operator.release

    def missing(self) -> Iterator[Station]:
        """The stations that lack their image, but for those that either side declares: other rules tell of these."""
        declared, missed = self.declared(), self.missed_before()
        told: set[Key] = set()
        # One image can be asked for in several states: the worst of them counts.
        for station in sorted(self.stations(), key=lambda station: not station.severe):
            if station.built or station.key in told | declared:
                continue
            if station.key in missed and not self.wakes(station):
                continue
            told.add(station.key)
            yield station

    def wakes(self, station: Station) -> bool:
        """Whether nodes load now what they were declared to load before, since autoUpgrade was off."""
        by_release = self.begins_with_release and station.moment is Moment.NEW_RELEASE_FIRST
        return station.severe and (self.wakes_nodes or by_release)

    def declared(self) -> frozenset[Key]:
        """The images that nodes of the pool are declared to ask for after the change."""
        if self.kind is Kind.REMOVED:
            return frozenset()
        return frozenset(key for key, image in _declared(*self.becomes, self.mirrors[1]).items() if not image.upcoming)

    def declared_before(self) -> frozenset[Key]:
        """The images that nodes of the pool were declared to ask for before it, or to ask for soon."""
        if self.kind is Kind.NEW:
            return frozenset()
        return frozenset(_declared(*self.was, self.mirrors[0]))

    def missed_before(self) -> frozenset[Key]:
        """Those of them that were not built."""
        listed, declared = self.images.was, self.declared_before()
        images = _declared(*self.was, self.mirrors[0]).items()
        return frozenset(key for key, image in images if key in declared and not listed.look_up(image).usable)

    def stations(self) -> Iterator[Station]:
        """The states on the way, those first that come first for most nodes; none where nothing moves."""
        match self.kind:
            case Kind.FOLLOWED:
                yield from self.followed()
            case Kind.REMOVED:
                for machine in self.renamed(self.before):
                    yield self.station(self.old, self.new_release, machine, Moment.NEW_RELEASE_FIRST, severe=True)
            case Kind.NEW:
                for machine in self.renamed(self.after):
                    yield self.station(self.new, self.old_release, machine, Moment.OLD_RELEASE_STILL, severe=True)
            case Kind.UNDECLARED:
                for machine in self.after:
                    yield self.station(self.old, self.old_release, machine, Moment.BEFORE_SYNC, severe=False)

    def followed(self) -> Iterator[Station]:
        """The states between two pools that both declare these nodes."""
        if not self.moves:
            return
        severe, before = not self.waits, self.machines_of_before()
        for machine in before:
            yield self.station(self.new, self.new_release, machine, Moment.AFTER_SYNC, severe=severe)
        if self.begins_with_release:
            for machine in before:
                yield self.station(self.old, self.new_release, machine, Moment.NEW_RELEASE_FIRST, severe=True)
        for machine in self.after:
            yield self.station(self.old, self.old_release, machine, Moment.BEFORE_SYNC, severe=False)
        for machine in self.renamed((*before, *self.after)):
            yield self.station(self.old, self.new_release, machine, Moment.NEW_RELEASE_FIRST, severe=severe)
            yield self.station(self.new, self.old_release, machine, Moment.OLD_RELEASE_STILL, severe=severe)

    def back(self) -> Iterator[Station]:
        """What nodes ask for if this change is reverted: the driver of before on all that they may run by then."""
        for machine in dict.fromkeys((*self.before, *self.after)):
            # A revert syncs the mirrors of before, too.
            yield self.station(self.old, self.old_release, machine, Moment.AFTER_SYNC, severe=True, synced=False)
            if _renames(self.old_release, self.new_release, machine):
                yield self.station(self.old, self.new_release, machine, Moment.NEW_RELEASE_FIRST, severe=True)

    def renamed(self, among: Sequence[Machine]) -> Iterator[Machine]:
        """The machines whose system the two releases name otherwise, each once."""
        for machine in dict.fromkeys(among):
            if _renames(self.old_release, self.new_release, machine):
                yield machine

    @property
    def moves(self) -> bool:
        """Whether these nodes load another driver, or the same one in another way."""
        return self.moves_itself or self.old_release.version != self.new_release.version or self.wakes_nodes

    @property
    def moves_itself(self) -> bool:
        (cluster, earlier), (_, pool) = self.was, self.becomes
        if self.old != self.new or earlier.os != pool.os:
            return True
        # What was merged in between may have been synced, too.
        return any(
            later.os != pool.os or settings_of(cluster, later, self.mirrors[0]) != self.new for later in earlier.later
        )

    @property
    def begins(self) -> bool:
        """Whether autoUpgrade is switched on: every node whose pod is older than its template is upgraded."""
        return not automatic(*self.was) and automatic(*self.becomes)

    @property
    def begins_with_release(self) -> bool:
        """Whether the chart alone lets upgrades begin that waited: until the sync the objects have no policy.

        From v26.7 on each NVIDIADriver has its own, and without one the operator upgrades by itself (upgrade_traces
        tr-160); before, that of the ClusterPolicy held for them.
        """
        by_object = self.old.api is self.new.api is DriverApi.NVIDIADRIVER
        own = not self.old_release.object_upgrade_policy and self.new_release.object_upgrade_policy
        return by_object and own and not automatic(*self.was)

    @property
    def wakes_nodes(self) -> bool:
        """Whether nodes that nobody upgraded are upgraded from now on, or their pods are deleted at the sync."""
        return self.begins or (self.replaces_object and not automatic(*self.was))

    @property
    def waits(self) -> bool:
        """Whether the driver that runs goes on running until a person acts.

        Nothing is upgraded by itself, no node is added, and nothing in the change deletes driver pods.
        """
        (_, earlier), (becomes, pool) = self.was, self.becomes
        if automatic(becomes, pool) or not one_size(earlier, pool):
            return False
        return not self.deletes_pods

    @property
    def deletes_pods(self) -> bool:
        """Whether the change deletes the driver pods of these nodes, whatever their upgrade policy says.

        Its DaemonSet goes where the object, its selector, API, mode or namespace is another one, or the release names
        the OS, after which DaemonSets are named, otherwise.
        """
        return self.replaces_object or any(
            _renames(self.old_release, self.new_release, machine) for machine in self.before
        )

    @property
    def replaces_object(self) -> bool:
        """Whether the sync itself deletes them."""
        (was, earlier), (becomes, pool) = self.was, self.becomes
        same_object = earlier.object_name == pool.object_name and earlier.node_selector == pool.node_selector
        if self.new.api is DriverApi.CLUSTERPOLICY:
            same_object = True  # one policy drives all nodes, whatever its pools are called
        same_place = was.operator.namespace == becomes.operator.namespace and self.old.api is self.new.api
        return not (same_object and same_place and earlier.driver.mode is pool.driver.mode)

    def machines_of_before(self) -> tuple[Machine, ...]:
        """The machines that this pool's nodes bring with them; in a split each part has those that it declares."""
        before = self.before
        if not any(machine.kernel for machine in before) and self.new.precompiled:
            # Kernels were nobody's concern while the driver was compiled: those of today are what is known.
            kernels = dict.fromkeys(machine.kernel for machine in machines(self.becomes[1]))
            before = tuple(
                Machine(machine.os_id, machine.os_version, kernel, machine.arch)
                for machine in before
                for kernel in kernels
            )
        if len(self.parts) < 2 or self.moves_itself:
            return before
        mine = frozenset(self.after)
        declared = frozenset(machine for part in self.parts for machine in machines(part))
        return tuple(machine for machine in before if machine in mine or machine not in declared)

    def station(
        self,
        settings: Settings,
        release: Release,
        machine: Machine,
        moment: Moment,
        *,
        severe: bool,
        synced: bool | None = None,
    ) -> Station:
        """One state with its image; whether it is synced is its moment's to say where nothing else is said."""
        synced = moment.synced if synced is None else synced
        combination = self.combination(settings, release, machine)
        standing, built = None, False
        if not isinstance(combination.reference, Refused):
            standing = self.images.later(synced=synced).look_up(combination)
            built = self.images.is_built(combination, synced=synced)
        return Station(
            was=self.was,
            becomes=self.becomes,
            machine=machine,
            moment=moment,
            release=release,
            source=settings.source,
            synced=synced,
            combination=combination,
            standing=standing,
            built=built,
            severe=severe,
        )

    def combination(self, settings: Settings, release: Release, machine: Machine) -> Combination:
        pool = self.becomes[1] if settings is self.new else self.was[1]
        kernel = machine.kernel if settings.precompiled else ""
        reference = composed(
            release,
            settings.api,
            settings.repository,
            settings.version,
            declared_system(machine.os_id, machine.os_version, kernel),
            precompiled=settings.precompiled,
        )
        return Combination(
            pool=pool,
            kernel=Kernel(kernel, kernel, upcoming=False, file="", path=()) if kernel else None,
            arch=machine.arch,
            upcoming=False,
            repository=settings.repository,
            reference=reference,
        )


def _for_undeclared(was: Cluster, pool: Pool) -> Pool | None:
    """The pool whose driver was loaded on nodes that no other selected, unless the new pool's nodes were another's."""
    from_default = next((other for other in was.managed_pools if other.default), None)
    if was.operator.driver_api is DriverApi.CLUSTERPOLICY:
        from_default = next(iter(was.managed_pools), None)
    return from_default if from_default is not None and from_default.name != pool.name else None


def _declared(cluster: Cluster, pool: Pool, mirrors: Mirrors) -> dict[Key, Combination]:
    """The images that the pool's nodes are declared to ask for, those of running kernels before upcoming ones."""
    found: dict[Key, Combination] = {}
    for combination in combinations(cluster, pool):
        source = catalog_name(mirrors, combination.repository)
        found.setdefault((source, _text(combination), combination.arch), combination)
    return found


def _text(combination: Combination) -> str:
    reference = combination.reference
    return reference if isinstance(reference, str) else reference.message


def _renames(old: Release, new: Release, machine: Machine) -> bool:
    """Whether the two releases name the machine's OS otherwise, and so every image and DaemonSet of its nodes."""
    return os_tag(old, machine.os_id, machine.os_version) != os_tag(new, machine.os_id, machine.os_version)
