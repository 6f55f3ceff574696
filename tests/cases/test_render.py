"""Public cases of the area render: which objects and fields come out."""

import pytest
import yaml

from generator.facts import crd
from generator.finding import Severity
from tests.cases.inventory import CATALOG, catalog, files, image, pool
from tests.cases.outcome import Outcome, Result, hides, outcome, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"
OTHER_TAG = "550-5.15.0-118-generic-ubuntu22.04"
BOTH = (TAG, OTHER_TAG)
REQUIRED = (
    "daemonsets",
    "dcgm",
    "dcgmExporter",
    "devicePlugin",
    "driver",
    "gfd",
    "nodeStatusExporter",
    "operator",
    "toolkit",
)
BASE = "bases/policy.yaml"
MANIFEST = f", install: manifest, clusterPolicyBase: {BASE}"
# The installer brings the ClusterPolicy: from v26.7 on the chart can leave it to others, before it can't.
CHART_TOO = {"operator/chart-conflict"}


def base(*left_out: str) -> str:
    """A user's own ClusterPolicy with empty objects."""
    kept = [key for key in REQUIRED if key not in {"driver", "operator", *left_out}]
    spec = "".join(f"  {key}: {{}}\n" for key in kept)
    head = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n"
    return f"{head}  operator: {{defaultRuntime: containerd}}\n{spec}"


def with_base(*pools: str, api: str, operator: str = "v26.7.0", images: tuple[str, ...] = BOTH) -> Outcome:
    """A cluster that brings its own ClusterPolicy."""
    given = files(*pools, images=images, api=api, operator=operator, more=MANIFEST)
    return outcome({**given, BASE: base()})


SECRET = 'branch: "535", repository: registry.example.internal/gpu/driver, spec: {imagePullSecrets: [gpu-registry]}'
IN_CATALOG = {CATALOG: catalog(image(TAG), repository="registry.example.internal/gpu/driver")}


def test_d23_pull_secrets_are_plain_strings_in_an_nvidiadriver() -> None:
    """NVIDIA/gpu-operator#202."""
    said = outcome({**files(pool("a", SECRET)), **IN_CATALOG})
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), "  imagePullSecrets:\n    - gpu-registry\n")
    hides(said.shown, "imagePullSecrets:\\n *- name:")
    assert yaml.safe_load(said.file("nvidiadriver-a.yaml"))["spec"]["imagePullSecrets"] == ["gpu-registry"]


def test_d23_pull_secrets_are_plain_strings_in_a_clusterpolicy() -> None:
    given = files(pool("a", SECRET), api="ClusterPolicy", more=MANIFEST)
    said = outcome({**given, **IN_CATALOG, BASE: base()})
    assert said.result is Result.OK
    policy = yaml.safe_load(said.file("clusterpolicy.yaml"))
    assert policy["spec"]["driver"]["imagePullSecrets"] == ["gpu-registry"]
    hides(said.shown, "imagePullSecrets:\\n *- name:")


def test_d23_pull_secrets_are_plain_strings_in_chart_values() -> None:
    said = outcome({**files(pool("a", SECRET), api="ClusterPolicy"), **IN_CATALOG})
    assert said.result is Result.OK
    values = yaml.safe_load(said.file("values/gpu-operator.yaml"))
    assert values["driver"]["imagePullSecrets"] == ["gpu-registry"]


def test_d23_objects_with_a_name_are_refused(repo: CaseRepo) -> None:
    said = repo.refused(files(pool("a", 'branch: "535", spec: {imagePullSecrets: [{name: gpu-registry}]}')))
    shows(said, "driver.spec.imagePullSecrets")


def test_d24_one_tag_with_two_digests(repo: CaseRepo) -> None:
    """NVIDIA/cloud-native-docs PR#486."""
    tag = "580-6.8.0-90-generic-ubuntu24.04"
    lines = [image(tag, more=f', digest: "sha256:{digit * 64}"') for digit in "ab"]
    said = repo.refused({**files(pool("a", 'branch: "580"')), CATALOG: catalog(*lines)})
    shows(said, "580-6.8.0-90-generic-ubuntu24.04", "[catalog/conflict]")
    shows(said, f"{CATALOG}:5", f"{CATALOG}:6")


def test_d24_in_two_files_too(repo: CaseRepo) -> None:
    tag = "580-6.8.0-90-generic-ubuntu24.04"
    one, two = (catalog(image(tag, more=f', digest: "sha256:{digit * 64}"')) for digit in "ab")
    given = {**files(pool("a", 'branch: "580"')), "inventory/one.yaml": one, "inventory/two.yaml": two}
    said = repo.refused(given)
    shows(said, "inventory/one.yaml:5", "inventory/two.yaml:5", "[catalog/conflict]")


def test_d25_selectors_that_nothing_keeps_apart() -> None:
    """NVIDIA/gpu-operator#2259, without node facts: a node is made up that both would select."""
    a = pool("a", 'branch: "535"', selector="{gpu-pool: a}")
    b = pool("b", 'branch: "550"', selector="{zone: z1}")
    said = outcome(files(a, b, images=BOTH))
    (overlap,) = said.of("operator/selector-overlap")
    assert said.severity("operator/selector-overlap") is Severity.WARNING
    shows(overlap, '"a"', '"b"', "gpu-pool=a", "zone=z1")


def test_d25_a_pool_whose_declared_nodes_another_selects() -> None:
    a = pool("a", 'branch: "535"', selector="{gpu-pool: a, zone: z1}")
    b = pool("b", 'branch: "550"', selector="{zone: z1}")
    said = outcome(files(a, b, images=BOTH))
    assert said.result is Result.FINDINGS
    shows(said.of("operator/selector-overlap")[0], '"a"', '"b"', "gpu-pool=a", "zone=z1")


def test_d25_another_value_of_one_key_keeps_them_apart() -> None:
    said = outcome(files(pool("a", 'branch: "535"'), pool("b", 'branch: "550"'), images=BOTH))
    assert said.result is Result.OK
    assert "operator/selector-overlap" not in said.rules


def test_d26_an_empty_selector_takes_every_gpu_node() -> None:
    """NVIDIA/gpu-operator#2355."""
    rest, a = pool("rest", 'branch: "535"', selector="{}"), pool("a", 'branch: "550"')
    said = outcome(files(rest, a, images=BOTH))
    assert said.result is Result.FINDINGS
    assert said.severity("operator/selector-overlap") is Severity.ERROR
    shows(said.report, '"rest"', '"a"', "default: true")


def test_d26_one_default_beside_others_is_right_from_v26_7_on() -> None:
    rest, a = pool("rest", 'branch: "535"', selector="", more=", default: true"), pool("a", 'branch: "550"')
    said = outcome(files(rest, a, images=BOTH))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-rest.yaml"), "default: true")
    hides(said.file("nvidiadriver-rest.yaml"), "nodeSelector")


@pytest.mark.parametrize(
    ("pools", "operator", "rule"),
    [
        (
            (
                pool("rest", 'branch: "535"', selector="", more=", default: true"),
                pool("more", 'branch: "550"', selector="", more=", default: true"),
            ),
            "v26.7.0",
            "operator/default-conflict",
        ),
        ((pool("rest", 'branch: "535"', more=", default: true"),), "v26.7.0", "operator/default-conflict"),
        (
            (pool("rest", 'branch: "535"', selector="", more=", default: true"),),
            "v26.3.3",
            "operator/field-not-in-release",
        ),
    ],
    ids=["two defaults", "a default with a selector", "before v26.7"],
)
def test_d26_defaults_that_are_refused(repo: CaseRepo, pools: tuple[str, ...], operator: str, rule: str) -> None:
    said = repo.refused(files(*pools, images=BOTH, operator=operator))
    shows(said, '"rest"', f"[{rule}]")


def test_d27_two_branches_in_one_clusterpolicy(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#323."""
    pools = pool("a", 'branch: "535"'), pool("b", 'branch: "550"')
    said = repo.refused(files(*pools, images=BOTH, api="ClusterPolicy"))
    shows(said, "535", "550", "[operator/mixed-driver]", "NVIDIADriver")


def test_d27_one_object_a_pool_in_the_other_mode() -> None:
    said = outcome(files(pool("a", 'branch: "535"'), pool("b", 'branch: "550"'), images=BOTH))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), 'version: "535"')
    shows(said.file("nvidiadriver-b.yaml"), 'version: "550"')


def test_d28_nvidiadriver_objects_still_need_one_clusterpolicy() -> None:
    """NVIDIA/gpu-operator#1299."""
    said = with_base(pool("a", 'branch: "550"'), api="NVIDIADriver")
    assert said.result is Result.OK
    kinds = sorted(yaml.safe_load(text)["kind"] for path, text in said.out.items() if "/gpu-operator/" in path)
    assert kinds == ["ClusterPolicy", "ConfigMap", "Kustomization", "NVIDIADriver"]
    shows(said.file("clusterpolicy.yaml"), "useNvidiaDriverCRD: true")
    driver = yaml.safe_load(said.file("nvidiadriver-a.yaml"))
    assert driver["apiVersion"] == "nvidia.com/v1alpha1"
    assert "namespace" not in driver["metadata"]


def test_d28_with_helm_the_chart_makes_that_clusterpolicy() -> None:
    """The chart's driver.nvidiaDriverCRD.enabled becomes useNvidiaDriverCRD (templates/clusterpolicy.yaml)."""
    said = outcome(files(pool("a", 'branch: "550"'), images=BOTH))
    assert said.result is Result.OK
    values = yaml.safe_load(said.file("values/gpu-operator.yaml"))
    assert values["driver"]["nvidiaDriverCRD"] == {"deployDefaultCR": False, "enabled": True}


@pytest.mark.parametrize("operator", crd.RELEASES)
@pytest.mark.parametrize("api", ["ClusterPolicy", "NVIDIADriver"])
def test_d29_a_clusterpolicy_is_whole(operator: str, api: str) -> None:
    """NVIDIA/gpu-operator#1986: it has every required key, and the CRD of its release takes it."""
    said = with_base(pool("a", 'branch: "550"'), api=api, operator=operator)
    assert said.rules - {"branch/end-of-life"} <= CHART_TOO
    text = said.file("clusterpolicy.yaml")
    shows(text, "nodeStatusExporter", "toolkit")
    spec = yaml.safe_load(text)["spec"]
    assert set(REQUIRED) <= set(spec)
    assert crd.violations("ClusterPolicy", operator, spec) == ()


def test_d29_a_base_that_lacks_a_required_key_is_told() -> None:
    given = files(pool("a", 'branch: "550"'), images=BOTH, more=MANIFEST)
    said = outcome({**given, BASE: base("nodeStatusExporter")})
    assert said.result is not Result.OK
    shows(said.report, "nodeStatusExporter", BASE)


def test_d29_driver_settings_alone_are_an_overlay_and_no_object() -> None:
    said = outcome(files(pool("a", 'branch: "550"'), images=BOTH, api="ClusterPolicy"))
    assert said.result is Result.OK
    hides("\n".join(said.out.values()), "kind: ClusterPolicy")
    assert set(yaml.safe_load(said.file("values/gpu-operator.yaml"))) == {"driver"}


@pytest.mark.parametrize("api", ["ClusterPolicy", "NVIDIADriver"])
def test_d32_auto_upgrade_always_comes_with_a_drain_block(api: str) -> None:
    """NVIDIA/gpu-operator PR#2419."""
    policy = "upgradePolicy: {autoUpgrade: true, maxParallelUpgrades: 1}"
    said = with_base(pool("a", f'branch: "550", {policy}'), api=api)
    assert said.result is Result.OK
    shows(said.shown, "drain:")
    if api == "ClusterPolicy":
        written = yaml.safe_load(said.file("clusterpolicy.yaml"))["spec"]["driver"]["upgradePolicy"]
    else:
        written = yaml.safe_load(said.file("nvidiadriver-a.yaml"))["spec"]["upgradePolicy"]
    assert written["autoUpgrade"] is True
    assert set(written["drain"]) == {"enable", "force", "podSelector", "timeoutSeconds", "deleteEmptyDir"}
