"""May a change be rolled? For each pool the images before and after, and whether those after are built."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from generator.change.effect import Outcome, Sides, Told, effect_of_release
from generator.change.passage import Kind, Way, stock
from generator.change.sequence import Named, NotSearched, Step, Steps, bounds_of, sequence
from generator.change.whatif import Asked, Changed, Skipped, what_if
from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Kernel, Pool
from generator.facts import branch as branches
from generator.facts.kernel import order_key
from generator.images.lookup import Lack, Listed, Miss
from generator.images.nearest import Nearest
from generator.operator.combination import Combination, combinations
from generator.operator.image import Refused
from generator.rules.gpu import driver_branch, family_of
from generator.rules.upgrade.ring import Drivers, group_of, is_known, late_driver, member_of

NOTHING_NAMED = Named()


class State(StrEnum):
    """How an image stands that nodes would ask for."""

    UNCHANGED = "unchanged"  # they ask for it as things are declared, and it is built
    BUILT = "built"
    MISSING = "missing"
    UNKNOWN = "unknown"  # its platforms are not recorded, and the gate would refuse it
    REFUSED = "refused"  # the operator would compose no reference


LACKING = frozenset({State.MISSING, State.REFUSED})
# What a release of the operator does that empties nodes, as far as anybody can tell.
LOADING = frozenset({Outcome.RELOAD, Outcome.UNDECIDED, Outcome.MOVED})


class Verdict(StrEnum):
    """Whether a pool may be rolled."""

    GO = "GO"
    HOLD = "HOLD"
    UNKNOWN = "UNKNOWN"
    UNCHANGED = "UNCHANGED"


class Image(Struct, frozen=True, kw_only=True):
    """One image on one platform: what nodes ask for today, and what they would ask for."""

    platform: str
    kernel: str
    before: str
    after: str
    state: State
    why: str = ""
    nearest: str = ""
    miss: Miss | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """One pool, and what it is `before`; `objections` hold it whatever is built, `notes` are what to know beside.

    `steps` are the pull requests in which the change can be made, () where no way was looked for or there is none.
    `by_release` is what another release of the operator does to the driver pods, None where the release stays.
    """

    before: tuple[Cluster, Pool]
    cluster: Cluster
    pool: Pool
    verdict: Verdict
    images: tuple[Image, ...]
    objections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    by_release: Told | None = None


class Plan(Struct, frozen=True):
    """All pools that were asked about, in the fleet's order."""

    answers: tuple[Answer, ...]
    skipped: tuple[Skipped, ...]

    @property
    def lacking(self) -> tuple[Answer, ...]:
        """The pools that lack an image, or that the operator would compose no reference for."""
        return tuple(one for one in self.answers if any(image.state in LACKING for image in one.images))

    def of(self, *verdicts: Verdict) -> tuple[Answer, ...]:
        """The pools of some verdicts."""
        return tuple(one for one in self.answers if one.verdict in verdicts)


# What speaks against the driver that a pool has, from whoever runs on it.
Against = Callable[[Cluster, Pool], Iterable[str]]


def plan(
    fleet: Fleet,
    catalog: Catalog,
    asked: Asked,
    against: Against | None = None,
    *,
    named: Named = NOTHING_NAMED,
    ran: Fleet | None = None,
) -> Plan:
    """What the change does to each pool, and in which steps it can be made.

    `named` is what may be passed through beside what pools declare, and `ran` is the fleet with the kernels that its
    nodes run, where more is known than it declares. A catalog that could not be read whole proves nothing missing.
    """
    found = list(what_if(fleet, asked))
    changed = [pool for pool in found if isinstance(pool, Changed)]
    looked = _Looked(fleet if ran is None else ran, catalog, against, named, _rings(fleet, changed))
    answers = tuple(looked.answer(pool, asked) for pool in changed)
    return Plan(answers, tuple(pool for pool in found if isinstance(pool, Skipped)))


def _rings(fleet: Fleet, changed: Iterable[Changed]) -> Drivers:
    """The drivers of each ring as the change leaves them."""
    becomes = {(cluster.name, pool.name): pool for cluster, pool in (pair.after for pair in changed)}
    members = []
    for cluster in fleet.clusters:
        pools = tuple(becomes.get((cluster.name, pool.name), pool) for pool in cluster.pools)
        member = member_of(replace(cluster, pools=pools))
        if member is not None:
            members.append(member)
    return Drivers(members)


class _Looked:
    """One catalog, looked into for many pools."""

    def __init__(self, fleet: Fleet, catalog: Catalog, against: Against | None, named: Named, rings: Drivers) -> None:
        self.rings = rings
        self.catalog, self.listed, self.nearest = catalog, Listed(catalog), Nearest(catalog)
        self.against, self.named = against, named
        self.stock = stock(catalog, catalog)
        self.pools = tuple(pool for cluster in fleet.clusters for pool in cluster.managed_pools)
        self.ran = {(cluster.name, pool.name): pool for cluster in fleet.clusters for pool in cluster.pools}

    def answer(self, changed: Changed, asked: Asked) -> Answer:
        before, after = combinations(*changed.before), combinations(*changed.after)
        # Where the kernels stay, what is declared as upcoming is compared with itself: the change is what differs.
        running = [one for one in before if asked.keeps_kernels or not one.upcoming]
        wanted = after if asked.changes else [one for one in after if one.upcoming]
        cluster, pool = changed.after
        images = tuple(self._image(cluster, one, running) for one in wanted)
        by_release = _by_release(changed)
        loads = by_release is not None and by_release.outcome in LOADING
        moves = loads or any(image.before != image.after for image in images)
        objections = tuple(self._objections(cluster, pool)) if moves else ()
        notes = (*_notes(pool, images), *_release_notes(by_release))
        if changed.before[1].driver.version != pool.driver.version:
            notes = (*notes, *self._late(cluster, pool))
        verdict = _verdict(images, held=bool(objections), moves=moves)
        steps: tuple[Step, ...] = ()
        if verdict is Verdict.GO:
            direct = self._direct(changed, asked)
            passed = tuple(dict.fromkeys(station.image for station in direct.missing()))
            found = self._steps(direct, changed, asked)
            match found:
                case NotSearched(why) if passed:
                    verdict, objections = Verdict.HOLD, (f"made at once, nodes ask for {', '.join(passed)}: {why}",)
                case NotSearched(why):
                    notes = (*notes, why)
                case Steps(missing=missing) if missing:
                    verdict = Verdict.HOLD
                    objections = (f"no way there in which every state has its images, without {', '.join(missing)}",)
                case Steps(steps=listed):
                    steps = listed
        return Answer(
            before=changed.before,
            cluster=cluster,
            pool=pool,
            verdict=verdict,
            images=images,
            objections=objections,
            notes=notes,
            steps=steps,
            by_release=by_release,
        )

    def _direct(self, changed: Changed, asked: Asked) -> Way:
        """The way where all is changed at once."""
        (cluster, pool) = changed.after
        wanted = tuple(replace(kernel, upcoming=False) for kernel in pool.kernels if _is_wanted(kernel, asked))
        return Way(self._as_it_ran(changed), (cluster, replace(pool, kernels=wanted)), self.stock, Kind.FOLLOWED)

    def _as_it_ran(self, changed: Changed) -> tuple[Cluster, Pool]:
        """The pool before the change, with the kernels that its nodes run."""
        cluster, pool = changed.before
        return cluster, self.ran[cluster.name, pool.name]

    def _steps(self, direct: Way, changed: Changed, asked: Asked) -> Steps | NotSearched:
        """The pull requests that it takes; none are told where nothing moves but the kernels, or all but those."""
        (_, was), (_, becomes) = changed.before, changed.after
        one_thing = asked.keeps_kernels or not any(direct.stations())
        # Nodes that are given another OS in place run, for a while, what nobody declares any more.
        if one_thing and was.os == becomes.os and not any(direct.missing()):
            return Steps(steps=())
        bounds = bounds_of(changed.before[1], direct.becomes[1], self.pools, self.named)
        wanted = becomes.driver.version

        def may_load(cluster: Cluster, pool: Pool) -> bool:
            """Whether GPUs and workloads bear the driver; one that is only passed through has been in earlier rings."""
            too_early = pool.driver.version != wanted and any(self._late(cluster, pool))
            return not too_early and not any(self._against(cluster, pool))

        return sequence(self._as_it_ran(changed), direct.becomes, self.stock, bounds, may_load)

    def _late(self, cluster: Cluster, pool: Pool) -> Iterator[str]:
        """What upgrade/ring-order would say of the pool's driver."""
        if cluster.ring and is_known(pool):
            late = self.rings.late(cluster.ring, group_of(pool), pool.driver.version)
            if late is not None:
                yield late_driver(cluster.ring, group_of(pool), pool.driver.version, late)

    def _against(self, cluster: Cluster, pool: Pool) -> Iterator[str]:
        family, branch = family_of(pool), driver_branch(pool)
        if family and branch and not branches.serves(branch, family):
            yield f"branch {branch} does not drive {family} GPUs"
        if self.against:
            yield from self.against(cluster, pool)

    def _objections(self, cluster: Cluster, pool: Pool) -> Iterator[str]:
        yield from self._against(cluster, pool)
        if pool.hold:
            yield f"the pool is held: {pool.hold}"

    def _image(self, cluster: Cluster, one: Combination, running: list[Combination]) -> Image:
        kernel = one.kernel.name if one.kernel else ""
        before = _before(one, running)
        if isinstance(one.reference, Refused):
            return Image(
                platform=one.platform,
                kernel=kernel,
                before=before,
                after="",
                state=State.REFUSED,
                why=one.reference.message,
            )
        image = self.listed.look_up(one)
        lack = image.lack
        state = self._state(one, lack, running)
        miss = (
            Miss(
                cluster=cluster,
                pool=one.pool,
                kernel=one.kernel,
                repository=one.repository,
                tag=one.tag,
                arches=(one.arch,),
                upcoming=True,
                lack=lack,
                entry=image.entry,
            )
            if lack and not image.usable
            else None
        )
        return Image(
            platform=one.platform,
            kernel=kernel,
            before=before,
            after=one.tag,
            state=state,
            why=self._why(one, lack),
            nearest=self.nearest.describe(miss) if miss and state is State.MISSING else "",
            miss=miss,
        )

    def _state(self, one: Combination, lack: Lack | None, running: list[Combination]) -> State:
        if lack is Lack.RECORD:
            return State.UNKNOWN
        if lack is not None and lack is not Lack.CERTAINTY:
            return State.MISSING if self.catalog.whole or lack is not Lack.IMAGE else State.UNKNOWN
        same = any(each.reference == one.reference and each.arch == one.arch for each in running)
        return State.UNCHANGED if same else State.BUILT

    def _why(self, one: Combination, lack: Lack | None) -> str:
        match lack:
            case None:
                return ""
            case Lack.IMAGE if not self.catalog.whole:
                return "a line of the catalog can't be read, so nothing proves it absent"
            case Lack.IMAGE:
                return f"no catalog lists it for {one.repository}"
            case Lack.GONE:
                return "it has vanished from its registry"
            case Lack.PLATFORM:
                return f"it is not built for {one.platform}"
            case _:
                return "its platforms are not recorded"


def _is_wanted(kernel: Kernel, asked: Asked) -> bool:
    """Whether nodes are to run this kernel at the end: what is upcoming, unless the question is about the driver."""
    if asked.keeps_kernels:
        return not kernel.upcoming
    return asked.changes or kernel.upcoming


def _before(one: Combination, running: Iterable[Combination]) -> str:
    """What the nodes ask for today: of the same kernel, else of the newest that runs."""
    same = [each for each in running if each.arch == one.arch and isinstance(each.reference, str)]
    kernel = one.kernel.name if one.kernel else ""
    exact = [each for each in same if (each.kernel.name if each.kernel else "") == kernel]
    ordered = sorted(exact or same, key=lambda each: order_key(each.kernel.name if each.kernel else ""))
    return ordered[-1].tag if ordered else ""


def _by_release(changed: Changed) -> Told | None:
    """What the operator's release does to the driver pods, if it moves."""
    (was, _), (becomes, _) = changed.before, changed.after
    if was.operator.release == becomes.operator.release:
        return None
    return effect_of_release(Sides(changed.before, changed.after))


def _release_notes(told: Told | None) -> Iterator[str]:
    if told is None:
        return
    match told.outcome:
        case Outcome.NONE:
            yield f"{told.reason}: no driver pod is replaced"
        case Outcome.RESTART:
            yield f"{told.reason}: driver pods restart in place, and nothing is evicted"
        case Outcome.UNDECIDED:
            yield f"cannot tell whether drivers are loaded again: {told.reason}"
        case _:
            yield f"every driver is loaded again: {told.reason}"


def _verdict(images: tuple[Image, ...], *, held: bool, moves: bool) -> Verdict:
    states = {image.state for image in images}
    if not moves and not states - {State.UNCHANGED}:
        return Verdict.UNCHANGED
    if states & {State.MISSING, State.REFUSED} or held:
        return Verdict.HOLD
    return Verdict.UNKNOWN if State.UNKNOWN in states else Verdict.GO


def _notes(pool: Pool, images: Iterable[Image]) -> Iterator[str]:
    for image in images:
        if image.why and image.state in {State.BUILT, State.UNCHANGED}:
            yield f"{image.after} for {image.platform}: {image.why}"
    if pool.floating:
        yield "its kernels change without a commit (kernelSource: floating): nodes may boot others than these"
