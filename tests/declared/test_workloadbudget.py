"""The budgets that a workload declares: one number each, a selector that covers its pods, and at most one to render."""

import pytest

from generator.declared.workload import WorkloadBudget
from generator.finding import Place, Severity
from tests.testing.inventories import WORKLOADS_FILE, files, only, workload, workloads
from tests.testing.judging import revision_of


def repository(budget: str) -> dict[str, str]:
    return {**files(), WORKLOADS_FILE: workloads(workload(f"disruptionBudget: {budget}"))}


def budgets(budget: str) -> tuple[WorkloadBudget, ...]:
    context, problems = revision_of(repository(budget))
    assert [one for one in problems if one.severity is Severity.INVALID] == []
    return context.fleet.workloads[0].budgets


def test_an_existing_one_has_kubernetes_own_defaults() -> None:
    (made,) = budgets("{existing: {minAvailable: 2}}")
    assert (made.rendered, made.name, made.namespace) == (False, "", "ns")
    assert (made.min_available, made.max_unavailable) == (2, None)
    assert made.selector == {"matchLabels": {"app": "w"}}
    assert made.unhealthy_pod_eviction_policy == "IfHealthyBudget"


def test_a_rendered_one_is_named_as_the_workload_and_says_how_unhealthy_pods_go() -> None:
    (made,) = budgets('{render: {maxUnavailable: "34%"}}')
    assert (made.rendered, made.name, made.max_unavailable) == (True, "w", "34%")
    assert made.unhealthy_pod_eviction_policy == "AlwaysAllow"


def test_what_is_said_holds() -> None:
    selector = "{matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists}]}"
    (made,) = budgets(
        f"{{render: {{name: own, minAvailable: 0, selector: {selector}, unhealthyPodEvictionPolicy: IfHealthyBudget}}}}"
    )
    assert (made.name, made.min_available) == ("own", 0)
    assert made.selector == {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}
    assert made.unhealthy_pod_eviction_policy == "IfHealthyBudget"


def test_an_empty_selector_stays_one() -> None:
    (made,) = budgets("{existing: {minAvailable: 1, selector: {}}}")
    assert made.selector == {}


def test_two_may_cover_it() -> None:
    made = budgets("[{existing: {minAvailable: 1}}, {render: {maxUnavailable: 1}}]")
    assert [one.rendered for one in made] == [False, True]
    context, _ = revision_of(repository("[{existing: {minAvailable: 1}}, {render: {maxUnavailable: 1}}]"))
    (found,) = context.fleet.workloads
    assert found.rendered_budget is found.budgets[1]
    assert context.fleet.budget_place(found.budgets[1], "maxUnavailable") == Place(WORKLOADS_FILE, 5, 168)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("{}", "it is empty"),
        ("{existing: {minAvailable: 1}, render: {minAvailable: 1}}", "existing and render are alternatives"),
        ("{existing: {}}", "it has no number"),
        ("{render: {minAvailable: 1, maxUnavailable: 1}}", "minAvailable and maxUnavailable are alternatives"),
        ("{existing: {file: a.yaml, minAvailable: 1}}", "file and minAvailable are alternatives"),
        (
            "{existing: {file: a.yaml, unhealthyPodEvictionPolicy: AlwaysAllow}}",
            "file and unhealthyPodEvictionPolicy are alternatives",
        ),
        ("[{render: {minAvailable: 1}}, {render: {minAvailable: 1}}]", "a second budget to render"),
    ],
)
def test_what_contradicts_itself(budget: str, said: str) -> None:
    finding = only(repository(budget))
    assert finding.message.startswith(f'workload "w": disruptionBudget: {said}')
    assert (finding.rule, finding.severity, finding.workload) == ("inventory/schema", Severity.INVALID, "w")


@pytest.mark.parametrize("number", ["-1", '"101%"', '"50"', "1000000000000000000000", "2147483648", "0.5", "true"])
def test_a_number_that_is_none(number: str) -> None:
    """The API's field is an int32 or a percentage (apimachinery util/intstr)."""
    finding = only(repository(f"{{render: {{minAvailable: {number}}}}}"))
    assert finding.rule == "inventory/schema"
    assert finding.hint in {'write a number of pods, or "25%"', "write a smaller number"}


@pytest.mark.parametrize(
    ("selector", "said", "at"),
    [
        ("{matchLabels: {a b: c}}", 'selector asks for a b=c: "a b" must be letters', "c}}"),
        ("{matchLabels: {a: b c}}", 'selector asks for a=b c: "b c" must be letters', "b c}}"),
        ("{matchExpressions: [{key: a, operator: In}]}", "selector: In of a takes at least one value", "{key:"),
        (
            "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
            "selector: Exists of a takes no values",
            "{key:",
        ),
        ("{matchExpressions: [{key: /a, operator: Exists}]}", "selector: Exists of /a has a key that is none", "{key:"),
    ],
)
@pytest.mark.parametrize("which", ["existing", "render"])
def test_a_selector_that_the_api_would_refuse(which: str, selector: str, said: str, at: str) -> None:
    files = repository(f"{{{which}: {{minAvailable: 1, selector: {selector}}}}}")
    finding = only(files)
    assert finding.message.startswith(f'workload "w": disruptionBudget: {said}')
    line = files[WORKLOADS_FILE].splitlines()[finding.place.line - 1]
    assert line[finding.place.column - 1 :].startswith(at)


def test_numbers_a_level_too_high() -> None:
    finding = only(repository("{minAvailable: 1}"))
    assert finding.hint == "write it inside existing or render"


def test_a_budget_needs_labels() -> None:
    entry = "runsOn: {pools: [a]}, namespace: ns, owner: {kind: Job}, disruptionBudget: {existing: {minAvailable: 1}}"
    finding = only({**files(), WORKLOADS_FILE: workloads(entry)})
    assert finding.message.endswith("it has no selector, and the workload no podLabels")


@pytest.mark.parametrize("budget", ["{existing: {minAvailabel: 1}}", "[{existing: {minAvailabel: 1}}]"])
def test_an_unknown_key_is_told_with_the_nearest(budget: str) -> None:
    finding = only(repository(budget))
    assert finding.message.startswith('unknown key "minAvailabel" in workloads.w.disruptionBudget')
    assert finding.hint == 'did you mean "minAvailable"?'
