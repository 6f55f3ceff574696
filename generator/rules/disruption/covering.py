"""What a declared budget covers: nothing, everything, pods of an owner without scale, or what another one covers."""

from collections.abc import Iterator, Sequence

from generator.declared.coverage import Covering
from generator.declared.workload import Workload
from generator.facts.budget import needs_scale
from generator.facts.labelselector import is_empty
from generator.finding import Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.disruption.coverage import (
    number_place,
    problem_of,
    selector_place,
)
from generator.rules.disruption.room import computable, facts_of, of_daemonsets, quoted
from generator.rules.rule import Problem


def overlap(inputs: ClusterInputs) -> Iterator[Problem]:
    """Two budgets on one pod: the eviction API answers 500 instead of asking either."""
    first: dict[tuple[str, str], Covering] = {}
    for covering in inputs.budgets:
        covered = () if is_empty(covering.budget.selector) else covering.covered
        for workload in covered:
            other = first.setdefault((workload.team, workload.name), covering)
            if other.identity != covering.identity:
                yield _twice(inputs, covering, other, workload)
                break
            if other.budget.rendered is not covering.budget.rendered:
                yield _two_owners(inputs, covering, other)
                break


def _twice(inputs: ClusterInputs, covering: Covering, other: Covering, workload: Workload) -> Problem:
    place, where = inputs.budget_place(covering.budget), inputs.budget_place(other.budget)
    named = f'budget "{other.budget.name}"' if other.budget.name else "the one"
    message = f'the budget covers the pods of workload "{workload.name}", and so does {named} at {where}'
    return problem_of(
        covering,
        place,
        f"{message}: evicting one is answered with 500, so that no node with them can be emptied",
        "leave one budget for each pod, or give both the same name if they are one",
    )


def _two_owners(inputs: ClusterInputs, covering: Covering, other: Covering) -> Problem:
    place, where = inputs.budget_place(covering.budget), inputs.budget_place(other.budget)
    here, there = "rendered", "as one that somebody else brings"
    if not covering.budget.rendered:
        here, there = "declared as one that somebody else brings", "as one to render"
    message = f"it is {here}, and declared at {where} {there}: both would write the same object"
    return problem_of(covering, place, message, "keep one of existing and render")


def unscalable_owner(inputs: ClusterInputs) -> Iterator[Problem]:
    """Budgets that the controller can't compute, or that expect nobody: both refuse every eviction."""
    for covering in inputs.budgets:
        budget, covered = facts_of(covering.budget), covering.covered
        if not covering.is_judged or not needs_scale(budget) or computable(budget, covered):
            continue
        key = "minAvailable" if budget.max_unavailable is None else "maxUnavailable"
        value = budget.min_available if budget.max_unavailable is None else budget.max_unavailable
        unasked = of_daemonsets(covered)
        then = "a drain passes over them and asks no budget" if unasked else "every eviction is refused (429)"
        yield problem_of(
            covering,
            number_place(inputs, covering.budget),
            f"{key} {quoted(value or 0)} {_why(covered)}: {then}",
            "remove the budget, which protects no pod" if unasked else _as_number(covered),
            Severity.WARNING if unasked else None,
        )


def _why(covered: Sequence[Workload]) -> str:
    other = next((workload for workload in covered if not workload.scalable and not workload.bare), None)
    if other is None:
        return "is reckoned from the owners of pods, and these have none, so that none is expected"
    return f"is reckoned from the scale of the owner, and a {other.owner_kind} has no scale subresource"


def _as_number(covered: Sequence[Workload]) -> str:
    """An integer of minAvailable is the one form that needs no owner."""
    sizes = [workload.replicas.min for workload in covered if workload.replicas is not None]
    pods = sum(sizes)
    if len(sizes) < len(covered) or pods < 2:
        return "write minAvailable as a number, less than the pods that run"
    return f"write minAvailable as a number, {pods - 1} at most for {pods} pods"


def matches_nothing(inputs: ClusterInputs) -> Iterator[Problem]:
    """Budgets that don't cover the workload that declares them."""
    for covering in inputs.budgets:
        if covering.covers_itself:
            continue
        selector = covering.budget.selector
        labels = ", ".join(f"{key}={value}" for key, value in sorted(covering.workload.pod_labels.items()))
        what = "it has no selector" if selector is None else f"its selector asks for {_asked(covering)}"
        message = f"{what}, and the pods are labelled {labels}: it protects none of them"
        hint = "make the selector match podLabels, or correct podLabels"
        if selector is None:
            hint = "add a selector that matches podLabels"
        yield problem_of(covering, selector_place(inputs, covering.budget), message, hint)


def _asked(covering: Covering) -> str:
    selector = covering.budget.selector or {}
    pairs = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for each in selector.get("matchExpressions") or ():
        values = f" ({', '.join(each['values'])})" if each.get("values") else ""
        pairs.append(f"{each.get('key')} {each.get('operator')}{values}")
    return ", ".join(pairs)


def empty_selector(inputs: ClusterInputs) -> Iterator[Problem]:
    """Budgets over a whole namespace. One that would be rendered is refused."""
    for covering in inputs.budgets:
        if is_empty(covering.budget.selector):
            yield problem_of(
                covering,
                selector_place(inputs, covering.budget),
                f"its selector is empty, which covers every pod of namespace {covering.budget.namespace}, also those "
                "that nobody means to protect",
                "select the workload's podLabels",
                Severity.INVALID if covering.budget.rendered else None,
            )
