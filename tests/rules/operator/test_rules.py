"""The short rules of the family operator/: install, kernels, secure boot, releases, components, crashes."""

import pytest

from generator.finding import Severity
from generator.revision.driver_objects import DriverObject
from generator.rules.operator.rules import RULES
from generator.rules.rule import problems_of
from generator.rules.upgrade.rules import RULES as UPGRADE
from tests.testing.judging import revision_of
from tests.testing.pools import CLUSTER, FLEET, cluster, fleet, inventory, messages, pool, told

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n%s"
TEMPLATE = "templates/{cluster}/gpu-operator/clusterpolicy.yaml.j2"
OBJECT = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {driver: {%s}}\n"


@pytest.mark.parametrize(
    ("install", "version", "count"),
    [("manifest", "v26.3.3", 1), ("manifest", "v26.7.0", 0), ("olm", "v26.3.3", 0)],
)
def test_a_chart_always_brought_a_cluster_policy(install: str, version: str, count: int) -> None:
    """clusterPolicy.deployCR comes with v26.7.0 (facts 5)."""
    operator = f"version: {version}, install: {install}, clusterPolicyBase: bases/p.yaml"
    files = {**inventory(pool("a"), operator=operator), "bases/p.yaml": BASE % "  operator: {}\n"}
    assert len(told("operator/chart-conflict", files)) == count


def test_floating_kernels_matter_where_images_are_built_per_kernel() -> None:
    floating = pool("a", "kernelSource: floating")
    (finding,) = told("operator/floating-kernel", inventory(floating))
    assert (finding.severity, finding.place.line) == (Severity.WARNING, 10)
    compiled = inventory(floating, driver='mode: compiled, version: "580.82.07"')
    assert told("operator/floating-kernel", compiled) == []


@pytest.mark.parametrize(
    ("boot", "driver", "count"),
    [
        ("true", 'mode: compiled, version: "580.82.07"', 1),
        ("false", 'mode: compiled, version: "580.82.07"', 0),
        ("true", 'branch: "580"', 0),
    ],
)
def test_secure_boot_wants_signed_modules(boot: str, driver: str, count: int) -> None:
    assert len(told("operator/secure-boot", inventory(pool("a", f"secureBoot: {boot}"), driver=driver))) == count


def test_an_unknown_release_is_told_once_where_it_is_declared() -> None:
    files = {FLEET: fleet("version: v27.1.0"), CLUSTER: cluster(pool("a")), "inventory/d.yaml": cluster(name="d")}
    files["inventory/d.yaml"] = cluster(pool("a"), name="d")
    (finding,) = told("operator/unknown-release", files)
    assert finding.message == "operator v27.1.0 is newer than any known: the rules of v26.7.0 are used"
    assert (finding.place.file, finding.cluster) == (FLEET, "")


def test_a_release_that_was_never_made_is_unknown_too() -> None:
    found = messages("operator/unknown-release", inventory(pool("a"), operator="version: v25.12.0"))
    assert found == ["operator v25.12.0 is not known: the rules of v25.10.1 are used"]
    assert messages("operator/unknown-release", inventory(pool("a"), operator="version: v25.3.1")) == []


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("{gds: {enabled: true}}", ["driver.spec.gds.enabled is true"]),
        ("{gdrcopy: {enabled: true}}", ["driver.spec.gdrcopy.enabled is true"]),
        ("{driverType: vgpu}", ["driver.spec.driverType is vgpu"]),
        ("{driverType: vgpu-host-manager}", ["driver.spec.driverType is vgpu-host-manager"]),
        ("{driverType: gpu, gds: {enabled: false}, gdrcopy: {}}", []),
    ],
)
def test_what_does_not_go_with_precompiled_drivers(spec: str, said: list[str]) -> None:
    """Facts 4.3; docs.nvidia.com precompiled-drivers, "Limitations and Restrictions"."""
    files = inventory(pool("a", f"driver: {{spec: {spec}}}"))
    assert [one.partition(" with ")[0] for one in messages("operator/unsupported-with-precompiled", files)] == said
    compiled = inventory(pool("a", f"driver: {{spec: {spec}}}"), driver='mode: compiled, version: "580.82.07"')
    assert messages("operator/unsupported-with-precompiled", compiled) == []


def test_a_cluster_policy_has_the_components_beside_its_driver() -> None:
    operator = f"{POLICY}, install: manifest, clusterPolicyBase: bases/p.yaml"
    files = {**inventory(pool("a"), operator=operator), "bases/p.yaml": BASE % "  gds: {enabled: true}\n"}
    (finding,) = told("operator/unsupported-with-precompiled", files)
    assert (finding.place.file, finding.place.line) == ("bases/p.yaml", 5)


@pytest.mark.parametrize("probe", ["livenessProbe", "readinessProbe"])
def test_probes_that_a_cluster_policy_can_not_have(probe: str) -> None:
    """Run with the operator's own code (facts 9b); an NVIDIADriver takes no notice of them."""
    text = pool("a", f"driver: {{spec: {{{probe}: {{periodSeconds: 10}}}}}}")
    (finding,) = told("operator/crashes-operator", inventory(text, operator=POLICY))
    assert (finding.severity, finding.fact) == (Severity.INVALID, probe)
    assert told("operator/crashes-operator", inventory(text)) == []


@pytest.mark.parametrize("part", ["drain", "waitForCompletion"])
@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
def test_a_selector_that_does_not_parse_stalls_every_upgrade(part: str, api: str) -> None:
    """../shared/oracle upgrade_traces tr-073: bad_selector."""
    text = pool("a", f'driver: {{upgradePolicy: {{{part}: {{podSelector: "app==a=b"}}}}}}')
    files = inventory(text, operator=f"version: v26.7.0, driverApi: {api}")
    (finding,) = told("operator/crashes-operator", files)
    assert f'driver.upgradePolicy.{part}.podSelector "app==a=b" is no label selector' in finding.message
    good = pool("a", f'driver: {{upgradePolicy: {{{part}: {{podSelector: "app in (a, b),!c"}}}}}}')
    assert told("operator/crashes-operator", inventory(good)) == []


@pytest.mark.parametrize(
    ("driver", "version", "said"),
    [
        ("upgradePolicy: {autoUpgrade: true}", "v26.3.3", ["autoUpgrade and no drain"]),
        ("upgradePolicy: {autoUpgrade: true}", "v26.7.0", []),
        ("upgradePolicy: {autoUpgrade: false}", "v26.3.3", []),
        ("upgradePolicy: {autoUpgrade: true, drain: {enable: false}}", "v26.3.3", []),
        ("upgradePolicy: {maxUnavailable: abc}", "v26.7.0", ['maxUnavailable "abc"']),
        ('upgradePolicy: {maxUnavailable: "10%"}', "v26.7.0", []),
        ("upgradePolicy: {maxUnavailable: 3}", "v26.7.0", []),
        ('upgradePolicy: {drain: {podSelector: "a=b,"}}', "v26.7.0", ["upgradePolicy.drain.podSelector"]),
        ("livenessProbe: {periodSeconds: 10}", "v26.7.0", ["spec.driver.livenessProbe"]),
        ("useNvidiaDriverCRD: true, livenessProbe: {periodSeconds: 10}", "v26.7.0", []),
    ],
)
def test_a_user_s_own_template_may_stop_the_operator(driver: str, version: str, said: list[str]) -> None:
    """../shared/oracle upgrade_traces tr-010 and tr-142 (operator_panic in v26.3.3), facts 9b."""
    files = {**inventory(pool("a"), operator=f"version: {version}"), TEMPLATE: OBJECT % driver}
    found = told("operator/crashes-operator", files)
    assert len(found) == len(said)
    assert all(part in one.message for part, one in zip(said, found, strict=True))
    assert {one.place.file for one in found} <= {TEMPLATE}


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
@pytest.mark.parametrize("version", ["v24.9.0", "v26.3.0", "v26.7.0", "v99.0.0"])
def test_odd_shapes_stop_no_rule(api: str, version: str) -> None:
    """What is refused elsewhere still passes through here, in whatever form it was written."""
    odd = (
        "gds: [], gdrcopy: yes, driverType: [a], manager: {env: {a: 1}}, env: ~, rdma: 0.5, livenessProbe: 1, "
        "resources: [], unknown: {deep: [1, {er: ~}]}, upgradePolicy: 1, version: 0.1, nodeSelector: []"
    )
    operator = f"version: {version}, driverApi: {api}, install: olm, clusterPolicyBase: bases/p.yaml"
    files = inventory(
        pool("a", f"driver: {{spec: {{{odd}}}}}", 'taints: ["a=b:NoSchedule"]'), pool("b"), operator=operator
    )
    files["bases/p.yaml"] = BASE % (
        "  gds: 1\n  daemonsets: {tolerations: [1, {key: [], effect: {}, value: 0.1}]}\n"
        "  driver: {upgradePolicy: 5, rdma: [~], env: {a: 0.5}, kernelModuleType: on, x: {y: 1}}\n"
    )
    files["templates/{cluster}/gpu-operator/odd.yaml.j2"] = (
        "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: odd}\n"
        "spec: {upgradePolicy: {drain: 1, waitForCompletion: [], maxUnavailable: 0.5}}\n"
    )
    files["templates/{cluster}/gpu-operator/odder.yaml.j2"] = (
        "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: odder}\nspec: [1]\n"
    )
    old = {"nodeSelector": ["a"], "usePrecompiled": {}, "default": "on", "driverType": 1}
    kinds = ("NVIDIADriver", "ClusterPolicy")
    against = tuple(
        DriverObject(path=f"c/{kind}-{name}", cluster="c", kind=kind, name=name, spec=old)
        for kind in kinds
        for name in ("a", "gone", "odd", "odder")
    )
    revision, problems = revision_of(files, against=against)
    assert problems
    found = [problem for rule in (*RULES, *UPGRADE) for problem in problems_of(rule, revision)]
    assert found
    assert all(problem.place.file and problem.message and problem.hint for problem in found)
