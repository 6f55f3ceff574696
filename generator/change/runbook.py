"""The ordered steps of a planned change: images first, then wave by wave, with the way back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from generator.change.evicted import Eviction, Evictions, Trouble
from generator.change.plan import Answer, Plan, Verdict
from generator.change.sequence import Move
from generator.change.sequence import Step as Edit
from generator.change.whatif import Asked
from generator.change.work import Work
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.facts.release import DriverApi
from generator.images.lookup import Listed
from generator.operator.combination import combinations
from generator.operator.driver import automatic
from generator.revision.revision import Revision
from generator.rules.upgrade.ring import order


class Way(StrEnum):
    """Who takes a pool's nodes from the old driver to the new one."""

    ROLL = "roll"  # nodes boot another kernel or OS: whoever rolls node images empties and boots them
    MOVE = "move"  # nodes get the labels of a pool beside, as they are made anew
    NONE = "none"  # no node moves
    OPERATOR = "operator"  # the operator upgrades node by node, by the pool's upgradePolicy
    BY_HAND = "by-hand"  # autoUpgrade is off: nothing happens until a driver pod is deleted


class Back(Struct, frozen=True, kw_only=True):
    """The images that a pool goes back to: those that the catalog has, and those that it hasn't."""

    built: tuple[str, ...]
    lost: tuple[str, ...]


class Step(Struct, frozen=True, kw_only=True):
    """One pool of a wave. `at_once` are its nodes that go at a time, None where that isn't known.

    `together`: the change is one of the whole cluster, and takes all of its pools in one sync. `number` counts the
    pull requests that the pool's change takes, of which `edit` is this one; it is None where one is enough.
    """

    cluster: Cluster
    pool: Pool
    way: Way
    canary: bool
    tags: tuple[str, ...]
    at_once: int | None
    evictions: tuple[Eviction, ...]
    troubles: tuple[Trouble, ...]
    back: Back
    answer: Answer
    together: bool = False
    edit: Edit | None = None
    number: int = 1


class Wave(Struct, frozen=True):
    """The clusters of a ring, one after the other; "" holds those without a ring, which come last."""

    ring: str
    steps: tuple[Step, ...]

    @property
    def canaries(self) -> tuple[Step, ...]:
        """What is merged and synced before the rest; nobody, where a sync moves no node yet or nothing else is there.

        A pool, or its whole cluster where the change is one of that.
        """
        at_once = [step for step in self.steps if step.edit is None]
        if not at_once or at_once[0].way is Way.ROLL:
            return ()
        first = at_once[0]
        same = [step for step in at_once if step.cluster.name == first.cluster.name]
        alone = tuple(same) if first.together else (first,)
        return () if len(alone) == len(self.steps) else alone

    @property
    def pull_requests(self) -> tuple[tuple[Step, ...], ...]:
        """What is merged together, in this order: the canaries, the rest, and each step of pools that take several."""
        at_once = [step for step in self.steps if step.edit is None]
        rest = tuple(step for step in at_once if step not in self.canaries)
        several = [(step,) for step in self.steps if step.edit is not None]
        return tuple(part for part in (self.canaries, rest, *several) if part)


class Runbook(Struct, frozen=True, kw_only=True):
    """A whole procedure. Pools that are not GO are in `waiting` and in no wave: no step of theirs is written.

    `operator` is the release that clusters are upgraded to, "" where none is.
    """

    change: str
    works: tuple[Work, ...]
    waves: tuple[Wave, ...]
    waiting: tuple[Answer, ...]
    unchanged: tuple[Answer, ...]
    declared: bool
    operator: str = ""


def runbook(revision: Revision, asked: Asked, made: Plan, works: tuple[Work, ...]) -> Runbook:
    """The steps of a plan. A step that would empty a node before its image exists is never one of them."""
    evictions, listed = Evictions(revision), Listed(revision.catalog)
    before = {
        (cluster.name, pool.name): (cluster, pool) for cluster in revision.fleet.clusters for pool in cluster.pools
    }
    answers = list(_whole_clusters([_in_one_step(answer, asked) for answer in made.answers], before, asked))
    steps: dict[str, list[Step]] = {}
    for answer in _canaries_first(one for one in answers if one.verdict is Verdict.GO):
        old = before[answer.cluster.name, answer.pool.name]
        of_ring = steps.setdefault(answer.cluster.ring, [])
        step = _step(answer, old, asked, evictions, listed, canary=not of_ring and not _together(answer.cluster, asked))
        of_ring += _pull_requests(step, old, evictions, listed) if _takes_several(answer) else [step]
    return Runbook(
        change=_change(asked),
        works=works,
        waves=tuple(Wave(ring, tuple(steps[ring])) for ring in sorted(steps, key=_rank)),
        waiting=tuple(one for one in answers if one.verdict in {Verdict.HOLD, Verdict.UNKNOWN}),
        unchanged=tuple(one for one in answers if one.verdict is Verdict.UNCHANGED),
        declared=not asked.changes,
        operator=asked.operator.version if asked.operator else "",
    )


def _takes_several(answer: Answer) -> bool:
    """Whether a driver, a release or a pool moves in one of several pull requests, and not kernels alone."""
    kernels_only = all(step.move in {Move.JOIN, Move.LEAVE} for step in answer.steps)
    return len(answer.steps) > 1 and not kernels_only


def _in_one_step(answer: Answer, asked: Asked) -> Answer:
    """An answer as it is; where a whole cluster goes at once, one that takes several pull requests waits for the first.

    Its other pools would have steps of their own, and a page that mixes them leads nodes through states without images.
    """
    alone = len(answer.cluster.managed_pools) == 1 and asked.operator is None
    if not _takes_several(answer) or not _together(answer.cluster, asked) or alone:
        return answer
    why = f"it takes {len(answer.steps)} pull requests, which drivergate plan lists: make a runbook for each of them"
    return replace(answer, verdict=Verdict.HOLD, objections=(*answer.objections, why))


def whole(asked: Asked, fleet: Fleet) -> Asked:
    """A release of the operator is one of whole clusters, whichever of their pools are named."""
    if asked.operator is None or not asked.pools:
        return asked
    chosen = (one.name for one in fleet.clusters if any(asked.chosen(one, pool) for pool in one.pools))
    return replace(asked, clusters=frozenset(chosen), pools=frozenset())


Before = Mapping[tuple[str, str], tuple[Cluster, Pool]]


def _whole_clusters(answers: Sequence[Answer], before: Before, asked: Asked) -> Iterator[Answer]:
    """Where a change is one of a whole cluster, its pools go together or not at all.

    Another release of the operator replaces the driver pods of every pool, whether its images change or not.
    """
    by_cluster: dict[str, list[Answer]] = {}
    for one in answers:
        by_cluster.setdefault(one.cluster.name, []).append(one)
    for name, pools in by_cluster.items():
        old = before[name, pools[0].pool.name][0].operator.release
        if not _together(pools[0].cluster, asked) or (asked.operator and asked.operator.version == old.version):
            yield from pools
            continue
        moved = [_moved(one, asked) for one in pools]
        kept = [one for one in moved if one.verdict in {Verdict.HOLD, Verdict.UNKNOWN}]
        why = f"the whole cluster goes at once, and {' and '.join(one.pool.name for one in kept)} can't"
        for one in moved:
            waits = kept and one.verdict is Verdict.GO
            yield replace(one, verdict=Verdict.HOLD, objections=(*one.objections, why)) if waits else one


def _together(cluster: Cluster, asked: Asked) -> bool:
    """The operator, or the one driver of a ClusterPolicy; kernels come node by node."""
    by_policy = cluster.operator.driver_api is DriverApi.CLUSTERPOLICY
    return asked.operator is not None or (bool(asked.driver) and by_policy)


def _moved(answer: Answer, asked: Asked) -> Answer:
    """A pool whose images stay goes along with the operator of its cluster."""
    if asked.operator is None or answer.verdict is not Verdict.UNCHANGED:
        return answer
    return replace(answer, verdict=Verdict.GO)


def _rank(ring: str) -> tuple[bool, object]:
    return not ring, order(ring)


def _canaries_first(answers: Iterable[Answer]) -> list[Answer]:
    """By ring; within one the smallest pool, which shows most for the least, then its cluster, and the others."""
    left = sorted(answers, key=lambda one: (_rank(one.cluster.ring), one.cluster.name, _size(one.pool), one.pool.name))
    ordered: list[Answer] = []
    for ring in dict.fromkeys(one.cluster.ring for one in left):
        same = [one for one in left if one.cluster.ring == ring]
        canary = min(same, key=lambda one: (_size(one.pool), one.cluster.name, one.pool.name))
        rest = [one for one in same if one is not canary]
        beside = [one for one in rest if one.cluster.name == canary.cluster.name]
        ordered += [canary, *beside, *(one for one in rest if one.cluster.name != canary.cluster.name)]
    return ordered


def _size(pool: Pool) -> int:
    """An undeclared size may be any; a pool that may be empty shows nothing."""
    if pool.size is None:
        return 1_000_000
    return pool.size.max if pool.size.min else pool.size.max + 100_000


def _step(
    answer: Answer,
    old: tuple[Cluster, Pool],
    asked: Asked,
    evictions: Evictions,
    listed: Listed,
    *,
    canary: bool,
) -> Step:
    way = _way(answer, asked, evictions)
    lose = evictions.of(answer.cluster, answer.pool)
    return Step(
        cluster=answer.cluster,
        pool=answer.pool,
        way=way,
        canary=canary,
        tags=tuple(dict.fromkeys(image.after for image in answer.images)),
        at_once=evictions.worst(answer.cluster, [answer.pool]) if way is Way.OPERATOR else None,
        evictions=lose,
        troubles=evictions.in_the_way(lose),
        back=_back(old, listed),
        together=_together(answer.cluster, asked),
        answer=answer,
    )


def _pull_requests(
    whole_change: Step, before: tuple[Cluster, Pool], evictions: Evictions, listed: Listed
) -> list[Step]:
    """One step for each of the pull requests in which a pool's change is made."""
    found = []
    for number, edit in enumerate(whole_change.answer.steps, start=1):
        way = _way_of(edit, whole_change.answer, evictions, number)
        moves = way is not Way.NONE
        asked = [image.tag for image in combinations(*edit.becomes) if isinstance(image.reference, str)]
        found.append(
            replace(
                whole_change,
                back=_back(before, listed),
                pool=edit.becomes[1],
                way=way,
                canary=False,
                together=False,
                tags=tuple(dict.fromkeys(asked)),
                at_once=evictions.worst(edit.becomes[0], [edit.becomes[1]]) if way is Way.OPERATOR else None,
                evictions=whole_change.evictions if moves else (),
                troubles=whole_change.troubles if moves else (),
                edit=edit,
                number=number,
            )
        )
        before = edit.becomes
    return found


def _way_of(edit: Edit, answer: Answer, evictions: Evictions, number: int) -> Way:
    """Who moves the nodes in one of several pull requests."""
    following = answer.steps[number] if number < len(answer.steps) else None
    match edit.move:
        case Move.JOIN:
            return Way.ROLL if following is not None and following.move is Move.LEAVE else Way.NONE
        case Move.BESIDE:
            return Way.MOVE
        case Move.DRIVER | Move.RELEASE:
            if automatic(*answer.before) and not automatic(*edit.becomes):
                return Way.NONE  # paused: nodes keep what they have
            return Way.OPERATOR if evictions.upgraded(answer.cluster, answer.pool) else Way.BY_HAND
        case Move.RESUME:
            return Way.OPERATOR  # of nodes that still have the driver of before the pause
        case Move.LEAVE | Move.REMOVE | Move.PAUSE:
            return Way.NONE


def _way(answer: Answer, asked: Asked, evictions: Evictions) -> Way:
    """Kernels and operating systems come with a boot; drivers and operator releases with the operator."""
    if asked.kernels or asked.stream or asked.os or not asked.changes:
        return Way.ROLL
    return Way.OPERATOR if evictions.upgraded(answer.cluster, answer.pool) else Way.BY_HAND


def _back(old: tuple[Cluster, Pool], listed: Listed) -> Back:
    """What the nodes run today, as far as the catalog proves it."""
    ones = [one for one in combinations(*old) if not one.upcoming and isinstance(one.reference, str)]
    built = dict.fromkeys(one.tag for one in ones if listed.look_up(one).usable)
    lost = dict.fromkeys(one.tag for one in ones if not listed.look_up(one).usable)
    return Back(built=tuple(built), lost=tuple(lost))


def _change(asked: Asked) -> str:
    """The change in one line."""
    return ", ".join(_changes(asked)) or "roll what is declared as upcoming"


def _changes(asked: Asked) -> Iterator[str]:
    if asked.operator:
        yield f"operator {asked.operator.version}"
    if asked.driver:
        yield f"driver {'branch ' if asked.is_branch else ''}{asked.driver}"
    if asked.stream:
        yield f"node image {asked.stream.name}"
    if asked.os:
        yield f"OS {asked.os}"
    if asked.kernels:
        yield f"kernel {', '.join(asked.kernels)}"
