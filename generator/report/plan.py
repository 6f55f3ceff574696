"""A plan for people and for programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from generator.change.driver_choice import Choice, Proposal, Reason
from generator.change.lag import Lag
from generator.change.plan import Answer, Image, Plan, State, Verdict
from generator.change.sequence import Move, Step
from generator.change.work import Action, Work
from generator.declared.fleet import Pool
from generator.facts.release import DriverApi
from generator.operator.driver import automatic, carries_upgrade_policy
from generator.report.commands import context
from generator.words import counted, printable

ACTIONS = {
    Action.COPY: "copy from {copy_from}",
    Action.WAIT: "not built yet",
    Action.BUILD: "build it yourself",
    Action.PUSH: "push it again",
    Action.NONE: "can't be built",
}


class Told(Struct, frozen=True, kw_only=True):
    """All that is printed of one plan. `lags` are by kernel as it is written."""

    plan: Plan
    works: tuple[Work, ...]
    lags: Mapping[str, Lag]
    proposals: tuple[Proposal, ...]


def text(told: Told) -> str:
    """A line a pool, what holds it, the work list, other drivers, and the sum."""
    lines = [*_pools(told.plan), *_works(told), *_proposals(told.proposals), _sum(told)]
    return "".join(f"{printable(line)}\n" for line in lines)


def _pools(plan: Plan) -> Iterator[str]:
    named = [(f"{one.cluster.name}/{one.pool.name}", one) for one in plan.answers]
    width = max((len(name) for name, _ in named), default=0)
    for name, answer in named:
        yield f"{answer.verdict:<9}  {name:<{width}}  {_summed(answer)}"
        for image in answer.images:
            if image.state is not State.UNCHANGED and answer.verdict is not Verdict.UNCHANGED:
                yield f"    {_change(image)}"
        yield from (f"    note: {note}" for note in answer.notes if answer.verdict is not Verdict.UNCHANGED)
        yield from (f"    {objection}" for objection in answer.objections)
        yield from _steps(answer)
    for skipped in plan.skipped:
        yield f"-          {skipped.cluster}/{skipped.pool}  {skipped.why}"


def _steps(answer: Answer) -> Iterator[str]:
    """The pull requests in which the change can be made, where one is not enough."""
    if len(answer.steps) < 2:
        return
    yield f"    in {len(answer.steps)} pull requests, each merged when the one before is through:"
    for number, step in enumerate(answer.steps, start=1):
        seen = seen_by(answer, number)
        if not seen:
            yield f"      {number}. {step_words(step)}"
            continue
        rolled = ", and roll the nodes" if step.move is Move.JOIN else ""
        ends = "go on" if number < len(answer.steps) else "it is through"
        yield f"      {number}. {step_words(step)}{rolled}; {ends} when this ends with 0:"
        yield f"         {seen}"


def step_words(step: Step) -> str:
    """What one pull request changes."""
    match step.move:
        case Move.JOIN:
            return f"add {', '.join(step.values)} to kernels"
        case Move.LEAVE:
            return f"remove {', '.join(step.values)} from kernels"
        case Move.DRIVER:
            return f"driver {' -> '.join(step.values)}"
        case Move.RELEASE:
            return f"operator {' -> '.join(step.values)}"
        case Move.BESIDE:
            return (
                f"declare a pool beside it with a label of its own ({', '.join(step.values)}), and move the nodes there"
            )
        case Move.REMOVE:
            return f"remove pool {', '.join(step.values)}"
        case Move.PAUSE:
            return "autoUpgrade: false, so that nodes keep their driver until they are replaced"
        case Move.RESUME:
            return "autoUpgrade: true again"


def seen_by(answer: Answer, number: int) -> str:
    """The command that ends with 0 when a step is through; "" where nothing is to be waited for."""
    step = answer.steps[number - 1]
    following = answer.steps[number] if number < len(answer.steps) else None
    if following is not None and following.move is Move.LEAVE:
        return _gone(answer, following.values)
    was = answer.steps[number - 2].becomes if number > 1 else answer.before
    paused = automatic(*answer.before) and not automatic(*step.becomes)
    match step.move:
        case Move.BESIDE:
            return _gone(answer, _left_behind(was[1], step))
        case Move.DRIVER | Move.RELEASE if not paused:
            return _gone(answer, step.values[:1])
        case Move.DRIVER:
            return _declares(step, "version", step.values[1])
        case Move.PAUSE | Move.RESUME:
            return _declares(step, "upgradePolicy.autoUpgrade", "false" if paused else "true")
        case Move.JOIN | Move.LEAVE | Move.REMOVE | Move.RELEASE:
            return ""


def _gone(answer: Answer, values: Iterable[str]) -> str:
    gone = " ".join(f"--gone {value}" for value in values)
    return f"drivergate audit --cluster {answer.cluster.name} --pool {answer.pool.name} {gone}"


def _left_behind(old: Pool, step: Step) -> tuple[str, ...]:
    """What tells the nodes of the old pool from those of the pool beside it."""
    (_, new) = step.becomes
    if old.os != new.os:
        return (str(old.os),)
    kept = {kernel.name for kernel in new.kernels}
    leaving = tuple(kernel.written for kernel in old.kernels if not kernel.upcoming and kernel.name not in kept)
    return leaving or (old.driver.version,)


def _declares(step: Step, field: str, value: str) -> str:
    """Waits until the driver object of the cluster says so, which is when the change is synced."""
    cluster, pool = step.becomes
    by_policy = cluster.operator.driver_api is DriverApi.CLUSTERPOLICY
    # Before v26.7 the ClusterPolicy rules the upgrades of all drivers.
    in_policy = by_policy or (field != "version" and carries_upgrade_policy(cluster))
    wanted = f"clusterpolicy/{cluster.operator.policy_name}" if in_policy else f"nvidiadriver/{pool.object_name}"
    path = f"{{.spec.{'driver.' if in_policy else ''}{field}}}"
    return f"kubectl --context {context(cluster)} wait --timeout=10m --for=jsonpath='{path}'={value} {wanted}"


def _summed(answer: Answer) -> str:
    return f"{nodes(answer.pool)}, {counted(len(answer.images), 'image')}"


def nodes(pool: Pool) -> str:
    """How many nodes are behind it, in words."""
    size = pool.size
    if size is None:
        return "any number of nodes"
    return counted(size.max, "node") if size.min == size.max else f"{size.min} to {size.max} nodes"


def _change(image: Image) -> str:
    now = "" if image.before == image.after else f" (now {image.before})" if image.before else ""
    why = f": {image.why}" if image.state is not State.BUILT and image.why else ""
    near = f"; {image.nearest}" if image.nearest else ""
    return f"{image.state}: {image.after or f'kernel {image.kernel}'} for {image.platform}{now}{why}{near}"


def _works(told: Told) -> Iterator[str]:
    if told.works:
        yield ""
        yield "to come by first:"
    for one in told.works:
        how = ACTIONS[one.action].format(copy_from=one.copy_from)
        yield f"  {one.repository}:{one.tag}  {', '.join(one.platforms)}"
        yield f"      {how}: {one.reason}" + (f" ({one.source})" if one.source else "")
        yield from recipe_lines(one)
        waiting = f"{counted(one.nodes, 'node')} of {', '.join(one.pools)}"
        yield f"      waited for by {waiting}{_since(told.lags.get(one.kernel))}"


def recipe_lines(one: Work) -> Iterator[str]:
    """How an image is built, one line each."""
    if one.recipe is None:
        return
    given = " ".join(f"{name}={value}" for name, value in one.recipe.arguments.items())
    yield f"      {one.recipe.tool} in {one.recipe.folder} with {given}"
    for name, what in one.recipe.open_arguments.items():
        yield f"      and {name}: {what}"


def _since(found: Lag | None) -> str:
    if found is None:
        return ""
    least = "at least " if found.at_least else ""
    return f"; its kernel has been declared for {least}{counted(found.days, 'day')}"


def _proposals(proposals: Iterable[Proposal]) -> Iterator[str]:
    """Pools that can't hold for the same reasons are told together; sources stand below as footnotes."""
    alike: dict[tuple[str, tuple[Reason, ...], tuple[Choice, ...]], list[Proposal]] = {}
    for one in proposals:
        alike.setdefault((one.branch, one.against, one.choices), []).append(one)
    sources: dict[str, int] = {}
    for same in alike.values():
        yield ""
        yield from _proposal_lines(same, sources)
    if sources:
        yield ""
        yield from (f"  [{number}] {source}" for source, number in sources.items())


def _proposal_lines(same: Sequence[Proposal], sources: dict[str, int]) -> Iterator[str]:
    first = same[0]
    named = ", ".join(f"{one.cluster}/{one.pool}" for one in same)
    yield f"branch {first.branch} can't hold for {named}: {_reasoned(first.against, sources)}"
    fitting = ", ".join(f"{choice.branch} (supported until {choice.until})" for choice in first.fitting)
    yield f"  could hold: {fitting}" if fitting else "  no branch could hold as things stand"
    for choice in first.choices:
        if choice.against and not choice.ended:
            yield f"  not {choice.branch}: {_reasoned(choice.against, sources)}"
    ended = [choice.branch for choice in first.choices if choice.ended]
    if ended:
        yield f"  not {', '.join(sorted(ended))}: their support has ended"


def _reasoned(reasons: Iterable[Reason], sources: dict[str, int]) -> str:
    return "; ".join(f"{one.text} [{sources.setdefault(one.source, len(sources) + 1)}]" for one in reasons)


def _sum(told: Told) -> str:
    counts = {verdict: len(told.plan.of(verdict)) for verdict in Verdict}
    pools = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count) or "no pool"
    skipped = f", {len(told.plan.skipped)} not asked" if told.plan.skipped else ""
    missing = counted(len(told.works), "image") + " to come by first"
    return f"{pools}{skipped}; {missing}"


def values(told: Told) -> dict[str, Any]:
    """The same for programs."""
    return {
        "pools": [_answer(one) for one in told.plan.answers],
        "skipped": to_builtins(told.plan.skipped),
        "work": [_work(one, told.lags.get(one.kernel)) for one in told.works],
        "proposals": [_proposal(one) for one in told.proposals],
    }


def _answer(one: Answer) -> dict[str, Any]:
    size = one.pool.size
    return {
        "cluster": one.cluster.name,
        "pool": one.pool.name,
        "ring": one.cluster.ring,
        "verdict": str(one.verdict),
        "nodes": {"min": size.min, "max": size.max} if size else None,
        "images": [_image(image) for image in one.images],
        "objections": list(one.objections),
        "notes": list(one.notes),
        "steps": [
            {
                "move": str(step.move),
                "values": list(step.values),
                "words": step_words(step),
                "seen": seen_by(one, number),
            }
            for number, step in enumerate(one.steps, start=1)
        ],
    }


def _image(image: Image) -> dict[str, Any]:
    names = ("platform", "kernel", "before", "after", "why", "nearest")
    return {**{name: getattr(image, name) for name in names}, "state": str(image.state)}


def _work(one: Work, found: Lag | None) -> dict[str, Any]:
    made: dict[str, Any] = to_builtins(one)
    return {**made, "declaredDays": to_builtins(found) if found else None}


def _proposal(one: Proposal) -> dict[str, Any]:
    made: dict[str, Any] = to_builtins(one)
    return {**made, "fitting": [choice.branch for choice in one.fitting]}
