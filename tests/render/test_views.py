"""What templates get, and the files that come of it."""

from typing import Any

import pytest

from generator.facts.release import known
from generator.render.views import annotated, chart_values
from tests.testing.inventories import FLEET, POOL, files, texts
from tests.testing.judging import revision_of

ARGO, FLUX = "argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"
PROTECTED = "Delete=confirm,Prune=confirm,SkipDryRunOnMissingResource=true"
FOLDER = "one/gpu-operator"


@pytest.mark.parametrize(
    ("own", "joined"),
    [
        ("", PROTECTED),
        ("Prune=true", PROTECTED),
        (
            " ServerSideApply=true , Replace=true,",
            f"Delete=confirm,Prune=confirm,Replace=true,ServerSideApply=true,{PROTECTED[29:]}",
        ),
        ("Prune=false", "Delete=confirm,Prune=false,SkipDryRunOnMissingResource=true"),
        ("SkipDryRunOnMissingResource=false", PROTECTED),
    ],
)
def test_sync_options_are_joined_in_one_annotation(own: str, joined: str) -> None:
    assert annotated({ARGO: own, "z": "1"}, protect=True) == {ARGO: joined, FLUX: "disabled", "z": "1"}


def test_without_protection() -> None:
    assert annotated({}, protect=False) == {ARGO: "SkipDryRunOnMissingResource=true"}
    assert annotated({ARGO: "Prune=false"}, protect=False)[ARGO] == "Prune=false,SkipDryRunOnMissingResource=true"


def test_the_synced_folder_lists_exactly_what_lies_in_it() -> None:
    repository = files(POOL, POOL.replace("pool: a", "pool: b"), "driver: {mode: preinstalled}")
    made = texts(repository)
    assert sorted(made) == [
        f"{FOLDER}/drivergate-images.yaml",
        f"{FOLDER}/kustomization.yaml",
        f"{FOLDER}/nvidiadriver-a.yaml",
        f"{FOLDER}/nvidiadriver-b.yaml",
        "one/values/gpu-operator.yaml",
    ]
    listed = made[f"{FOLDER}/kustomization.yaml"].partition("resources:\n")[2]
    assert listed == "  - drivergate-images.yaml\n  - nvidiadriver-a.yaml\n  - nvidiadriver-b.yaml\n"


def test_image_references_one_a_line_in_the_operator_s_namespace() -> None:
    made = texts(files(more="operator: {namespace: gpu}\n"))[f"{FOLDER}/drivergate-images.yaml"]
    assert "  name: drivergate-images\n  namespace: gpu\n" in made
    assert made.endswith(
        "data:\n  a: |\n    nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0\n"
        "    nvcr.io/nvidia/driver:580-5.15.0-1111-aws-ubuntu22.04\n"
    )


def test_where_no_pool_needs_an_image_there_is_no_config_map() -> None:
    assert list(texts(files("driver: {mode: unmanaged}"))) == ["one/values/gpu-operator.yaml"]


def test_renamed_from_names_the_object_and_not_the_file() -> None:
    made = texts(files(f"{POOL}, renamedFrom: old"))[f"{FOLDER}/nvidiadriver-a.yaml"]
    assert "metadata:\n  name: old\n" in made


@pytest.mark.parametrize(
    ("pool", "more", "protected"),
    [(POOL, "", True), (POOL, "protect: false\n", False), (f"{POOL}, protect: true", "protect: false\n", True)],
)
def test_prune_protection_is_inherited(pool: str, more: str, protected: bool) -> None:
    made = texts(files(pool, more=more))[f"{FOLDER}/nvidiadriver-a.yaml"]
    assert ("Prune=confirm" in made) is protected
    assert (FLUX in made) is protected


def test_the_same_input_gives_the_same_bytes_in_any_order() -> None:
    repository = files(POOL, POOL.replace("pool: a", "pool: b"))
    assert texts(repository) == texts(dict(reversed(repository.items())))
    assert "26.7" not in "".join(texts(repository).values())


def chart_values_of(
    version: str, *, install: str = "helm", api: str = "NVIDIADriver", pool: str = POOL
) -> dict[str, Any]:
    operator = f"{{version: {version}, install: {install}, driverApi: {api}}}"
    revision, _ = revision_of(files(pool, fleet=FLEET.replace("{version: v26.7.0}", operator)))
    (cluster,) = revision.fleet.clusters
    return chart_values(cluster)


@pytest.mark.parametrize("version", known())
def test_the_chart_makes_no_object_that_is_ours(version: str) -> None:
    driver = chart_values_of(version)["driver"]
    assert driver["enabled"] is True
    assert driver["nvidiaDriverCRD"] == {"deployDefaultCR": False, "enabled": True}
    assert set(driver) - {"enabled", "nvidiaDriverCRD"} == (set() if version == "v26.7.0" else {"upgradePolicy"})


@pytest.mark.parametrize("version", known())
def test_the_chart_s_cluster_policy_in_the_chart_s_words(version: str) -> None:
    values = chart_values_of(version, api="ClusterPolicy")
    assert set(values) == {"driver"}
    driver = values["driver"]
    assert (driver["repository"], driver["image"], driver["version"]) == ("nvcr.io/nvidia", "driver", "580")
    assert (driver["usePrecompiled"], driver["nvidiaDriverCRD"]["enabled"]) == (True, False)
    assert "useNvidiaDriverCRD" not in driver
    assert driver["upgradePolicy"]["gpuPodDeletion"]["timeoutSeconds"] == 300
    assert "podDeletion" not in driver["upgradePolicy"]
    assert driver["upgradePolicy"]["autoUpgrade"] is True  # the chart's own default


@pytest.mark.parametrize("version", known())
def test_without_a_managed_pool_no_driver_is_installed(version: str) -> None:
    driver = chart_values_of(version, api="ClusterPolicy", pool="driver: {mode: preinstalled}")["driver"]
    assert driver == {"enabled": False, "nvidiaDriverCRD": {"enabled": False}}


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
@pytest.mark.parametrize("version", known())
def test_a_manifest_beside_a_chart(version: str, api: str) -> None:
    both_off = {"clusterPolicy": {"deployCR": False}, "driver": {"nvidiaDriverCRD": {"deployDefaultCR": False}}}
    assert chart_values_of(version, install="manifest", api=api) == (both_off if version == "v26.7.0" else {})


def test_olm_has_no_chart_values() -> None:
    assert chart_values_of("v26.7.0", install="olm") == {}
