"""Budgets that lie in manifests: found among several, checked as the API would, told at their place."""

import pytest

from generator.declared.fleet import Fleet
from generator.declared.workload import WorkloadBudget
from generator.finding import Finding, Place, Severity
from tests.testing.inventories import WORKLOADS_FILE, files, only, workload, workloads
from tests.testing.judging import findings, revision_of

FILE = "bases/budgets.yaml"


def manifest(spec: str = "minAvailable: 1", *, name: str = "w", namespace: str = "ns", labels: str = "{app: w}") -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}{where}}}\n"
        f"spec:\n  selector: {{matchLabels: {labels}}}\n  {spec}\n"
    )


def repository(text: str | None, *, more: str = "", file: str = FILE) -> dict[str, str]:
    made = {**files(), WORKLOADS_FILE: workloads(workload(f"disruptionBudget: {{existing: {{file: {file}{more}}}}}"))}
    return made if text is None else {**made, file: text}


def fleet(text: str, *, more: str = "") -> Fleet:
    context, problems = revision_of(repository(text, more=more))
    assert [one for one in problems if one.severity is Severity.INVALID] == []
    return context.fleet


def budget(text: str, *, more: str = "") -> WorkloadBudget:
    (found,) = fleet(text, more=more).workloads[0].budgets
    return found


def alone(text: str | None, *, more: str = "", file: str = FILE) -> Finding:
    (found,) = [one for one in findings(repository(text, more=more, file=file)) if one.severity is Severity.INVALID]
    assert found.rule == "inventory/schema"
    assert found.hint
    return found


def test_a_manifest_says_the_budget() -> None:
    made = budget(manifest("maxUnavailable: 25%\n  unhealthyPodEvictionPolicy: AlwaysAllow"))
    assert (made.rendered, made.name, made.namespace) == (False, "w", "ns")
    assert (made.min_available, made.max_unavailable) == (None, "25%")
    assert (made.selector, made.unhealthy_pod_eviction_policy) == ({"matchLabels": {"app": "w"}}, "AlwaysAllow")


def test_what_it_does_not_say_is_kubernetes_default() -> None:
    made = budget("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: w}\n")
    assert (made.min_available, made.max_unavailable, made.selector) == (None, None, None)
    assert (made.namespace, made.unhealthy_pod_eviction_policy) == ("ns", "IfHealthyBudget")


def test_its_places_are_in_the_manifest() -> None:
    made = fleet(f"# first\n---\n{manifest(name='x', labels='{app: x}')}---\n{manifest()}")
    (found,) = made.workloads[0].budgets
    assert found.name == "w"
    assert made.budget_place(found, "spec", "minAvailable") == Place(FILE, 15, 17)
    assert made.texts.value(WORKLOADS_FILE, found.said) == Place(WORKLOADS_FILE, 5, 128)


@pytest.mark.parametrize(
    ("others", "more"),
    [
        ([manifest(namespace="other")], ""),
        ([manifest(name="x", labels="{app: x}")], ""),
        ([manifest(name="x")], ", name: w"),
        ([manifest(name="x")], ", name: w, selector: {matchLabels: {app: w}}"),
        (["apiVersion: v1\nkind: Service\nmetadata: {name: w}\n"], ""),
        (["# nothing but a comment\n"], ""),
    ],
    ids=["namespace", "labels", "name", "selector", "kind", "comment"],
)
def test_of_several_the_one_that_is_meant(others: list[str], more: str) -> None:
    text = "---\n".join([*others, manifest("minAvailable: 3")])
    assert budget(text, more=more).min_available == 3


def test_a_list_of_objects_is_looked_into() -> None:
    item = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: w}, spec: {minAvailable: 2}}"
    made = fleet(f"apiVersion: v1\nkind: List\nitems:\n  - {item}\n")
    (found,) = made.workloads[0].budgets
    assert made.budget_place(found, "spec", "minAvailable").line == 4


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        (None, "", f"{FILE} is not there"),
        ("# nothing\n", "", f"{FILE} holds no PodDisruptionBudget of policy/v1"),
        (manifest().replace("policy/v1", "policy/v1beta1"), "", f"{FILE} holds no PodDisruptionBudget of policy/v1"),
        (manifest(namespace="other"), "", "holds no budget of namespace ns, but other/w"),
        (manifest(name="x"), ", name: w", "holds no budget of namespace ns that is named w, but ns/x"),
        (f"{manifest()}---\n{manifest(name='x')}", "", "holds 2 budgets that may be meant: ns/w, ns/x"),
    ],
)
def test_where_none_can_be_told_to_be_meant(text: str | None, more: str, said: str) -> None:
    assert said in alone(text, more=more).message


@pytest.mark.parametrize(
    ("spec", "said", "line"),
    [
        ("minAvailable: -1", 'spec.minAvailable is -1, a number of pods, or "25%" is wanted', 6),
        ("minAvailable: 101%", 'spec.minAvailable is "101%", a number of pods', 6),
        ("minAvailable: 1.5", "spec.minAvailable is 1.5, a number of pods", 6),
        ("minAvailable: [1]", "spec.minAvailable is a list, a number of pods", 6),
        ("minAvailable: 4294967296", "spec.minAvailable is 4294967296, a number of pods", 6),
        ("minAvailabel: 1", 'unknown key "minAvailabel" in spec', 6),
        ("minAvailable: 1\n  maxUnavailable: 1", "minAvailable and maxUnavailable are alternatives", 7),
        ("unhealthyPodEvictionPolicy: Never", 'spec.unhealthyPodEvictionPolicy is "Never", one of', 6),
    ],
)
def test_what_the_api_would_refuse(spec: str, said: str, line: int) -> None:
    found = alone(manifest(spec))
    assert found.message.startswith(said)
    assert (found.place.file, found.place.line) == (FILE, line)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("{app: 1}", "spec.selector.matchLabels.app is 1, text is wanted"),
        ("{app: w x}", 'spec.selector asks for app=w x: "w x" must be letters'),
    ],
)
def test_a_selector_that_the_api_would_refuse(labels: str, said: str) -> None:
    found = alone(f"---\n{manifest(namespace='other')}---\n{manifest(labels=labels)}", more=", name: w")
    assert found.message.startswith(said)
    assert (found.place.line, found.place.column) == (13, 33)


def test_null_is_what_is_not_given() -> None:
    made = budget(manifest("minAvailable: null\n  maxUnavailable: 1\n  unhealthyPodEvictionPolicy:"))
    assert (made.min_available, made.max_unavailable) == (None, 1)
    assert made.unhealthy_pod_eviction_policy == "IfHealthyBudget"


@pytest.mark.parametrize("file", ["inventory/b.yaml", "out/b.yaml", "../b.yaml", "/etc/b.yaml"])
def test_where_it_may_not_lie(file: str) -> None:
    assert only(repository(None, file=file)).place == Place(WORKLOADS_FILE, 5, 128)


def test_a_file_that_is_no_yaml_is_told_once() -> None:
    two = workloads(*[workload(f"disruptionBudget: {{existing: {{file: {FILE}}}}}")] * 2)
    (found,) = findings({**files(), WORKLOADS_FILE: two, FILE: "a: [\n"})
    assert found.place.file == FILE
