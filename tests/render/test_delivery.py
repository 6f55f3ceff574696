"""What is delivered and what keeps a GitOps tool's hands off it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from generator.render.delivery import HEALTH_EXPRESSIONS
from generator.render.ownership import cluster_of
from tests.testing.inventories import CATALOG, FLEET, IMAGE, POOL, cluster, files, texts, told
from tests.testing.judging import findings

SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
ARGOCD = 'delivery: {argocd: {repoURL: "https://git.example.com/fleet.git"}}\n'
WITH_VARIABLE = f'{POOL}, driver: {{spec: {{env: [{{name: GREETING, value: "${{USER}} and $HOME"}}]}}}}'


def flux(more: str = "") -> str:
    return f"delivery: {{flux: {{dependsOn: [{{name: gpu-operator}}]{more}}}}}\n"


def loaded(repository: Mapping[str, str], path: str) -> Any:
    return yaml.safe_load(texts(repository)[path])


def env_of(document: Any) -> str:
    return str(document["spec"]["env"][0]["value"])


DRIVER = "one/gpu-operator/nvidiadriver-a.yaml"


def test_nothing_unasked() -> None:
    assert not any(path.startswith("_delivery") for path in texts(files()))


def test_a_variable_is_left_alone_by_flux() -> None:
    """Fixture 9, facts 2.4: the text stays, and the object says that it has no variables."""
    driver = loaded(files(WITH_VARIABLE, more=flux()), DRIVER)
    assert driver["metadata"]["annotations"][SUBSTITUTE] == "disabled"
    assert env_of(driver) == "${USER} and $HOME"


def test_a_variable_can_be_escaped() -> None:
    driver = loaded(files(WITH_VARIABLE, more=flux(", substitute: escape")), DRIVER)
    assert SUBSTITUTE not in driver["metadata"]["annotations"]
    assert env_of(driver) == "$${USER} and $HOME"


def test_what_is_escaped_already_stays() -> None:
    pool = WITH_VARIABLE.replace("${USER}", "$${USER}")
    assert env_of(loaded(files(pool, more=flux(", substitute: escape")), DRIVER)) == "$${USER} and $HOME"


@pytest.mark.parametrize("more", ["", ARGOCD])
def test_without_flux_a_variable_is_plain_text(more: str) -> None:
    driver = loaded(files(WITH_VARIABLE, more=more), DRIVER)
    assert SUBSTITUTE not in driver["metadata"]["annotations"]
    assert env_of(driver) == "${USER} and $HOME"


def test_without_a_variable_there_is_nothing_to_say() -> None:
    assert SUBSTITUTE not in texts(files(POOL, more=flux()))[DRIVER]


# One driver for the cluster by chart values: there the variable is in the values.
BY_VALUES = "operator: {driverApi: ClusterPolicy}\n"
CONFIG_MAP = "_delivery/flux/one/gpu-operator-values.yaml"


def test_values_for_a_helmrelease_are_left_alone_too() -> None:
    repository = files(WITH_VARIABLE, more=BY_VALUES + flux(", valuesConfigMap: true"))
    found = loaded(repository, CONFIG_MAP)
    assert found["metadata"]["annotations"] == {SUBSTITUTE: "disabled"}
    assert yaml.safe_load(found["data"]["values.yaml"]) == loaded(repository, "one/values/gpu-operator.yaml")


def test_values_for_a_helmrelease_are_escaped_alone() -> None:
    repository = files(WITH_VARIABLE, more=BY_VALUES + flux(", valuesConfigMap: true, substitute: escape"))
    data = loaded(repository, CONFIG_MAP)["data"]["values.yaml"]
    assert yaml.safe_load(data)["driver"]["env"][0]["value"] == "$${USER} and $HOME"
    assert "$${" not in texts(repository)["one/values/gpu-operator.yaml"]


def test_values_for_a_helmrelease_are_asked_for() -> None:
    assert CONFIG_MAP not in texts(files(POOL, more=flux()))


def test_no_application_of_a_folder_that_is_not_there() -> None:
    """Without a pool whose driver is rendered there is no folder to sync, and Argo CD would call its lack an error."""
    own = "nodeSelector: {a: b}, driver: {mode: preinstalled, version: '580.126.20'}"
    made = texts(files(own, more=ARGOCD))
    assert "one/gpu-operator/kustomization.yaml" not in made
    spec = yaml.safe_load(made["_delivery/argocd/one.yaml"])["spec"]
    assert [source for source in spec["sources"] if "path" in source] == []
    assert "_delivery/flux/one/gpu-drivers.yaml" not in texts(files(own, more=flux()))


def test_the_chart_can_be_somebody_elses() -> None:
    delivery = ARGOCD.replace("}}\n", ", chart: {enabled: false}}}\n")
    spec = loaded(files(POOL, more=delivery), "_delivery/argocd/one.yaml")["spec"]
    assert spec["source"]["path"] == "out/one/gpu-operator"
    assert "sources" not in spec


def test_own_values_come_before_ours() -> None:
    delivery = ARGOCD.replace("}}\n", ", path: teams/gpu, chart: {valueFiles: [charts/own.yaml]}}}\n")
    (chart, *_) = loaded(files(POOL, more=delivery), "_delivery/argocd/one.yaml")["spec"]["sources"]
    assert chart["helm"]["valueFiles"] == [
        "$values/teams/gpu/charts/own.yaml",
        "$values/teams/gpu/out/one/values/gpu-operator.yaml",
    ]


def test_digests_are_beside_the_references() -> None:
    digest = f"sha256:{'a' * 64}"
    with_digest = CATALOG.replace("platforms:", f'digest: "{digest}", platforms:')
    repository = {**files(POOL, more="delivery: {imageDigests: true}\n"), "inventory/catalog.yaml": with_digest}
    reference = "nvcr.io/nvidia/driver:580-5.15.0-1111-aws-ubuntu22.04"
    listed = loaded(repository, "one/gpu-operator/drivergate-images.yaml")["data"]["a"].splitlines()
    assert f"{reference}@{digest}" in listed
    plain = {**files(POOL), "inventory/catalog.yaml": with_digest}
    assert reference in loaded(plain, "one/gpu-operator/drivergate-images.yaml")["data"]["a"].splitlines()


SETS = "templates/_delivery/argocd/applicationset.yaml.j2"
NAMES = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fleet}\ndata:\n{% for one in fleet.clusters %}\n"
NAMES += "  {{ one.name }}: {{ one.delivery }}\n{% endfor %}\n"


def test_a_template_of_the_whole_fleet() -> None:
    repository = {**files(POOL, more=ARGOCD), "inventory/two.yaml": cluster(POOL, name="two"), SETS: NAMES}
    assert loaded(repository, "_delivery/argocd/applicationset.yaml")["data"] == {"one": "argocd", "two": ""}


def test_a_template_of_ours_is_overridden_by_path() -> None:
    name = "templates/_delivery/argocd/{cluster}.yaml.j2"
    own = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ name }}\n  namespace: {{ cluster.namespace }}\n"
    found = loaded({**files(POOL, more=ARGOCD), name: own}, "_delivery/argocd/one.yaml")
    assert found["metadata"] == {"name": "gpu-operator-one", "namespace": "gpu-operator"}


@pytest.mark.parametrize(
    "path",
    [
        "_delivery/note.yaml.j2",
        "_delivery/{cluster}.yaml.j2",
        "_delivery/{cluster}/argocd/note.yaml.j2",
        "_delivery/argocd/note-{cluster}.yaml.j2",
        "_delivery/argocd/{pool}.yaml.j2",
        "_delivery/argocd/note/{cluster}.yaml.j2",
        "_delivery/../{cluster}/x.yaml.j2",
    ],
)
def test_a_path_that_does_not_tell_whose_it_is(path: str) -> None:
    note = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n"
    assert told({**files(), f"templates/{path}": note}) == [f"template/outside-folder templates/{path}"]


def test_a_file_of_the_fleet_that_looks_like_a_clusters() -> None:
    note = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n"
    assert told({**files(), "templates/_delivery/argocd/one.yaml.j2": note}) == [
        "template/outside-folder templates/_delivery/argocd/one.yaml.j2"
    ]


@pytest.mark.parametrize(
    ("path", "cluster_name"),
    [
        ("one/gpu-operator/x.yaml", "one"),
        ("_delivery/argocd/one.yaml", "one"),
        ("_delivery/argocd/one.two.yaml", "one.two"),
        ("_delivery/flux/one/gpu-drivers.yaml", "one"),
        ("_delivery/flux/one.yaml/gpu-drivers.yaml", "one.yaml"),
        ("_delivery/argocd/_health/argocd-cm.yaml", "_health"),
    ],
)
def test_whose_a_file_is(path: str, cluster_name: str) -> None:
    assert cluster_of(path) == cluster_name


STATES: tuple[tuple[str, Any, str, bool | None, bool], ...] = (
    # What the operator's status says (facts 1.8): name, status, Argo CD's word, Flux: current, failed.
    ("nothing", None, "Progressing", None, False),
    ("empty", {}, "Progressing", False, False),
    ("ready", {"state": "ready"}, "Healthy", True, False),
    ("not ready", {"state": "notReady"}, "Progressing", False, False),
    ("disabled", {"state": "disabled"}, "Suspended", False, False),
    (
        "rollout",
        {"state": "notReady", "conditions": [("Error", "True", "OperandNotReady")]},
        "Progressing",
        False,
        False,
    ),
    (
        "drivers",
        {"state": "notReady", "conditions": [("Error", "True", "DriverNotReady")]},
        "Progressing",
        False,
        False,
    ),
    ("failed", {"state": "notReady", "conditions": [("Error", "True", "ReconcileFailed")]}, "Degraded", False, True),
    (
        "conflict",
        {"state": "notReady", "conditions": [("Ready", "False", "x"), ("Error", "True", "ConflictingNodeSelector")]},
        "Degraded",
        False,
        True,
    ),
    ("past", {"state": "ready", "conditions": [("Error", "False", "ReconcileFailed")]}, "Healthy", True, False),
)


def status_of(said: Any) -> dict[str, Any]:
    if said is None:
        return {}
    conditions = [dict(zip(("type", "status", "reason"), one, strict=True)) for one in said.get("conditions", ())]
    return {"status": {**said, **({"conditions": conditions} if conditions else {})}}


@pytest.mark.parametrize(("name", "status", "health", "current", "failed"), STATES, ids=[one[0] for one in STATES])
@pytest.mark.parametrize("kind", ["ClusterPolicy", "NVIDIADriver"])
def test_health_in_argo_cd(kind: str, name: str, status: Any, health: str, current: bool | None, failed: bool) -> None:
    lupa = pytest.importorskip("lupa")
    data = loaded(files(POOL, more=ARGOCD), "_delivery/argocd/_health/argocd-cm.yaml")["data"]
    lua = lupa.LuaRuntime()
    check = lua.eval(f"function(obj) {data[f'resource.customizations.health.nvidia.com_{kind}']} end")
    found = check(lua.table_from(status_of(status), recursive=True))
    assert found["status"] == health
    assert found["message"]


def test_a_second_cluster_policy_is_degraded_in_argo_cd() -> None:
    lupa = pytest.importorskip("lupa")
    data = loaded(files(POOL, more=ARGOCD), "_delivery/argocd/_health/argocd-cm.yaml")["data"]
    lua = lupa.LuaRuntime()
    check = lua.eval(f"function(obj) {data['resource.customizations.health.nvidia.com_ClusterPolicy']} end")
    assert check(lua.table_from({"status": {"state": "ignored"}}, recursive=True))["status"] == "Degraded"


@pytest.mark.parametrize(
    ("status", "current", "failed"),
    [pytest.param(status, *flux, id=name) for name, status, _, *flux in STATES if status is not None],
)
@pytest.mark.parametrize("expressions", HEALTH_EXPRESSIONS, ids=lambda one: one["kind"])
def test_health_in_flux(expressions: dict[str, str], status: Any, current: bool, failed: bool) -> None:
    cel = pytest.importorskip("cel")
    assert cel.evaluate(expressions["current"], status_of(status)) is current
    assert cel.evaluate(expressions["failed"], status_of(status)) is failed


@pytest.mark.parametrize("expressions", HEALTH_EXPRESSIONS, ids=lambda one: one["kind"])
def test_without_any_status_an_expression_is_an_error_on_which_flux_waits(expressions: dict[str, str]) -> None:
    cel = pytest.importorskip("cel")
    with pytest.raises(RuntimeError, match="Undefined variable or function: 'status'"):
        cel.evaluate(expressions["current"], {})


def test_an_ignored_policy_has_failed_in_flux() -> None:
    cel = pytest.importorskip("cel")
    policy = next(one for one in HEALTH_EXPRESSIONS if one["kind"] == "ClusterPolicy")
    assert cel.evaluate(policy["failed"], {"status": {"state": "ignored"}}) is True
    assert cel.evaluate(policy["current"], {"status": {"state": "ignored"}}) is False


def test_a_repository_that_delivers_is_clean() -> None:
    """Without a finding, whoever delivers it."""
    for more in (ARGOCD, flux(", valuesConfigMap: true")):
        repository = files(POOL, more=more, fleet=FLEET, image=IMAGE)
        assert findings(repository) == ()
        json.dumps({path: yaml.safe_load(text) for path, text in texts(repository).items()})
