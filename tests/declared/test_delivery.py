"""`delivery` is inherited like every setting, and what contradicts itself is told where it stands."""

import pytest

from generator.declared.build import build
from generator.declared.delivery import NONE, application_name
from generator.declared.fleet import Cluster
from generator.declared.inventory import load
from generator.finding import Finding
from tests.testing.inventories import FLEET, POOL, cluster, files, told
from tests.testing.judging import VERSION, bytes_of, findings

REPO = 'repoURL: "https://git.example.com/fleet.git"'
ARGOCD = f"delivery: {{argocd: {{{REPO}}}}}\n"
FLUX = "delivery: {flux: {dependsOn: [{name: gpu-operator}]}}\n"


def one(*, fleet: str = "", own: str = "", more: str = "") -> Cluster:
    """The one cluster, where the fleet's defaults and the cluster say something of delivery."""
    made = build(load(bytes_of(repository(fleet=fleet, own=own + more))), version=VERSION)
    assert made.findings == ()
    return made.fleet.clusters[0]


def repository(*, fleet: str = "", own: str = "") -> dict[str, str]:
    return files(POOL, more=own, fleet=FLEET + (f"  {fleet}" if fleet else ""))


def problem(own: str) -> Finding:
    (found,) = findings(repository(own=own))
    assert found.cluster == "one"
    return found


def test_nothing_is_delivered_unasked() -> None:
    assert one().delivery is NONE


def test_argocd_defaults() -> None:
    argocd = one(own=ARGOCD).delivery.argocd
    assert argocd is not None
    assert (argocd.namespace, argocd.project, argocd.target_revision) == ("argocd", "default", "HEAD")
    assert (argocd.destination.name, argocd.destination.server) == ("one", "")
    assert (argocd.chart.repo_url, argocd.chart.version) == ("https://helm.ngc.nvidia.com/nvidia", "v26.7.0")
    assert argocd.automated is None


def test_flux_defaults() -> None:
    flux = one(own=FLUX).delivery.flux
    assert flux is not None
    assert (flux.namespace, flux.helm_release_namespace) == ("flux-system", "flux-system")
    assert (flux.source_ref.kind, flux.source_ref.name) == ("GitRepository", "flux-system")
    assert (flux.prune, flux.wait, flux.values_config_map) == (False, True, False)


def test_settings_merge_key_by_key() -> None:
    argocd = one(fleet=ARGOCD, own="delivery: {argocd: {project: gpu, chart: {releaseName: x}}}\n").delivery.argocd
    assert argocd is not None
    assert (argocd.repo_url, argocd.project) == ("https://git.example.com/fleet.git", "gpu")
    assert (argocd.chart.release_name, argocd.chart.name) == ("x", "gpu-operator")


def test_a_destination_replaces_the_farther_one() -> None:
    far = f"delivery: {{argocd: {{{REPO}, destination: {{name: hub}}}}}}\n"
    near = "delivery: {argocd: {destination: {server: 'https://203.0.113.7'}}}\n"
    argocd = one(fleet=far, own=near).delivery.argocd
    assert argocd is not None
    assert (argocd.destination.name, argocd.destination.server) == ("", "https://203.0.113.7")


@pytest.mark.parametrize(("far", "near", "kept"), [(ARGOCD, FLUX, "flux"), (FLUX, ARGOCD, "argocd")])
def test_the_nearer_tool_drops_the_other(far: str, near: str, kept: str) -> None:
    delivery = one(fleet=far, own=near).delivery
    assert [name for name in ("argocd", "flux") if getattr(delivery, name)] == [kept]


def test_a_cluster_can_be_left_out() -> None:
    assert one(fleet=ARGOCD, own="delivery: {argocd: {enabled: false}}\n").delivery.argocd is None


def test_what_is_switched_off_needs_nothing() -> None:
    assert one(own="delivery: {flux: {enabled: false}}\n").delivery.flux is None


def test_two_tools_at_one_level() -> None:
    both = f"delivery: {{argocd: {{{REPO}}}, flux: {{dependsOn: [{{name: a}}]}}}}\n"
    found = problem(both)
    assert found.rule == "inventory/schema"
    assert found.message == "delivery.argocd and delivery.flux are alternatives, and both are given"
    (of_fleet,) = findings(repository(fleet=both))
    assert (of_fleet.place.file, of_fleet.message) == ("inventory/fleet.yaml", found.message)


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ("project: gpu", "delivery.argocd.repoURL is not set", "repoURL"),
        (
            f"{REPO}, destination: {{name: a, server: 'https://203.0.113.7'}}",
            "delivery.argocd.destination.name and delivery.argocd.destination.server are alternatives",
            "remove one of the two",
        ),
        (f"{REPO}, chart: {{version: v26.3.3}}", 'chart.version is "v26.3.3", and operator.version is v26.7.0', "out"),
        (f"{REPO}, chart: {{version: latest}}", 'chart.version is "latest"', "leave chart.version out"),
        (f"{REPO}, chart: {{repoURL: 'oci://registry.example.com/charts'}}", "without oci://", "registry.example.com"),
        (f"{REPO}, path: ../gpu", 'delivery.argocd.path is "../gpu"', "fleet/gpu"),
        (f"{REPO}, path: /gpu", "no path inside of a repository", "no slash"),
        (f"{REPO}, chart: {{valueFiles: [a.yaml, /b.yaml]}}", "delivery.argocd.chart.valueFiles.1", "no slash"),
        (f"{REPO}, targetRevison: main", 'unknown key "targetRevison"', "targetRevision"),
        (f"{REPO}, namespace: Argo", "holds more than lower-case letters", "the name of a namespace"),
    ],
)
def test_argocd_problems(settings: str, message: str, hint: str) -> None:
    (found,) = findings(repository(own=f"delivery: {{argocd: {{{settings}}}}}\n"))
    assert found.rule == "inventory/schema"
    assert message in found.message
    assert hint in found.hint
    assert found.place.line == 4


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ("prune: false", "delivery.flux.dependsOn is not set", "dependsOn: [{name: gpu-operator}]"),
        ("dependsOn: []", "at least one entry is wanted", "name at least one entry"),
        ("dependsOn: [{name: a}], interval: 30s", 'interval is "30s", and Flux takes at least 60s', "longer"),
        ("dependsOn: [{name: a}], interval: 0.9m", 'interval is "0.9m"', "longer"),
        ("dependsOn: [{name: a}], timeout: 5 minutes", "a duration", "10m"),
        ("dependsOn: [{name: a}], substitute: never", "substitute", "disabled"),
        ("dependsOn: [{name: a}], path: ./gpu", "no path inside of a repository", "no dots"),
    ],
)
def test_flux_problems(settings: str, message: str, hint: str) -> None:
    found = findings(repository(own=f"delivery: {{flux: {{{settings}}}}}\n"))[0]
    assert message in found.message
    assert hint in found.hint
    assert found.place.line == 4


@pytest.mark.parametrize("interval", ["60s", "1m", "1h", "0.5m30s", "60000ms"])
def test_intervals_that_flux_takes(interval: str) -> None:
    flux = one(own=f"delivery: {{flux: {{dependsOn: [{{name: a}}], interval: {interval}}}}}\n").delivery.flux
    assert flux is not None
    assert flux.interval == interval


def test_names_of_applications_are_object_names() -> None:
    """DNS-1123; Argo CD's label tracking takes 63 characters."""
    assert application_name("Prod_EU.west-1") == "gpu-operator-prod-eu-west-1"


def test_applications_of_one_name() -> None:
    two = {**repository(fleet=ARGOCD), "inventory/two.yaml": cluster(POOL, name="a_b")}
    two["inventory/three.yaml"] = cluster(POOL, name="a-b")
    (found,) = findings(two)
    assert found.rule == "inventory/name-clash"
    assert "gpu-operator-a-b" in found.message


def test_applications_of_one_name_in_two_namespaces() -> None:
    two = {**repository(fleet=ARGOCD), "inventory/two.yaml": cluster(POOL, name="a_b")}
    two["inventory/three.yaml"] = cluster(POOL, name="a-b", more="delivery: {argocd: {namespace: other}}\n")
    assert told(two) == []


def test_a_name_that_is_no_label() -> None:
    name = "a" * 51
    assert told({**repository(fleet=ARGOCD), "inventory/two.yaml": cluster(POOL, name=name)})[0].startswith(
        "inventory/schema inventory/fleet.yaml:"
    )
    assert told({**repository(fleet=ARGOCD), "inventory/two.yaml": cluster(POOL, name=name[1:])}) == []
