"""Public cases of the area gitops that are about files: what Argo CD, Flux and kustomize make of out/."""

from typing import Any

import pytest
import yaml
from msgspec import json

from generator.facts import crd
from generator.revision.driver_objects import driver_objects
from tests.cases.inventory import CATALOG, CLUSTER, FLEET, cluster, files, fleet, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing import shared
from tests.testing.crds import required
from tests.testing.repository import CaseRepo

TAG = "550-5.15.0-118-generic-ubuntu22.04"
A, B = pool("a", 'branch: "550"'), pool("b", 'branch: "550"')
OLD_CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusterpolicies.nvidia.com}
spec:
  group: nvidia.com
  names: {kind: ClusterPolicy, plural: clusterpolicies}
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec:
              type: object
              properties:
                driver:
                  type: object
                  properties:
                    enabled: {type: boolean}
                    upgradePolicy: {type: object, x-kubernetes-preserve-unknown-fields: true}
                daemonsets: {type: object}
"""
BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n  daemonsets: {}\n"


def test_d30_a_field_that_the_installed_crd_does_not_have(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#654: Helm leaves old CRDs behind; the fleet names the one that runs."""
    given = files(A, images=(TAG,), more=", install: manifest, clusterPolicyBase: bases/policy.yaml")
    given[FLEET] = fleet(
        more=", install: manifest, clusterPolicyBase: bases/policy.yaml", top="crds: [crds/clusterpolicy.yaml]\n"
    )
    said = repo.refused({**given, "bases/policy.yaml": BASE, "crds/clusterpolicy.yaml": OLD_CRD})
    shows(
        said,
        "spec.driver.useNvidiaDriverCRD is no field of ClusterPolicy in the CRD",
        "[operator/field-not-in-release]",
    )


def test_d30_a_release_that_is_too_old_is_refused_before_that(repo: CaseRepo) -> None:
    said = repo.refused(files(A, images=(TAG,), operator="v23.6.0"))
    shows(said, "v23.6.0", "[operator/unsupported-release]")


def test_d30_a_policy_goes_where_the_release_has_it() -> None:
    """An NVIDIADriver has an upgradePolicy of its own from v26.7 on; before, the chart's values carry it."""
    said = outcome(files(A, images=(TAG,), operator="v26.3.3"))
    assert said.result is Result.OK
    hides(said.file("nvidiadriver-a.yaml"), "upgradePolicy")
    shows(said.file("values/gpu-operator.yaml"), "upgradePolicy:")
    new = outcome(files(A, images=(TAG,), operator="v26.7.0"))
    shows(new.file("nvidiadriver-a.yaml"), "upgradePolicy:")
    hides(new.file("values/gpu-operator.yaml"), "upgradePolicy")


def test_d31_the_defaults_of_the_crd_are_written_out() -> None:
    """NVIDIA/gpu-operator#2795."""
    text = outcome(files(A, images=(TAG,))).file("nvidiadriver-a.yaml")
    shows(text, "default: false", "driverType: gpu", "kernelModuleType: auto")


@pytest.mark.parametrize("release", crd.RELEASES)
def test_d31_an_api_server_would_fill_in_nothing(release: str) -> None:
    """Structural defaulting, written anew, by the real CRD."""
    data = shared.operator_data()
    if data is None:
        pytest.skip("the operator's CRDs are absent: set DRIVERGATE_OPERATOR_DATA")
    text = (data / release / "nvidiadrivers.yaml").read_text(encoding="utf-8")
    (version,) = yaml.load(text, yaml.CSafeLoader)["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec = yaml.safe_load(outcome(files(A, images=(TAG,), operator=release)).file("nvidiadriver-a.yaml"))["spec"]
    assert filled(spec, schema) == spec


def filled(value: Any, schema: dict[str, Any]) -> Any:
    """A value with the defaults of its schema: Kubernetes' documentation of CRDs, "Defaulting"."""
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        missing = {key: field["default"] for key, field in fields.items() if "default" in field and key not in value}
        return {key: filled(inner, fields.get(key, {})) for key, inner in {**value, **missing}.items()}
    if isinstance(value, list):
        return [filled(inner, schema.get("items", {})) for inner in value]
    return value


@pytest.mark.parametrize("kind", [CLUSTER, CATALOG])
def test_d63_an_input_inside_the_output_folder(repo: CaseRepo, kind: str) -> None:
    """argoproj/argo-cd#4695: out/ is always the output folder, so input may not lie there."""
    given = files(A, images=(TAG,))
    said = repo.refused({**given, "out/east/gpu-operator/inventory.yaml": given[kind]})
    shows(said, "inventory.yaml", "[out/contains-input]")


def test_d63_every_file_of_a_synced_folder_is_an_object() -> None:
    """The chart values lie beside the synced folders, where no tool looks for objects."""
    said = outcome(files(A, B, images=(TAG,)))
    for path, text in said.out.items():
        document = yaml.safe_load(text)
        if path == "east/values/gpu-operator.yaml":
            continue
        assert path.startswith("east/gpu-operator/")
        assert document["apiVersion"]
        assert document["kind"]
        if not path.endswith("/kustomization.yaml"):
            assert document["metadata"]["name"]


def test_d63_a_users_template_can_not_print_anything_else(repo: CaseRepo) -> None:
    said = repo.refused({**files(A), "templates/{cluster}/gpu-operator/plain.yaml.j2": "setting: 1\n"})
    shows(said, "plain.yaml", "[template/not-a-manifest]")


def test_d64_the_kustomization_lists_what_lies_beside_it(repo: CaseRepo) -> None:
    """fluxcd/website#1667."""
    folder = "out/east/gpu-operator"
    repo.lay(files(A, B, images=(TAG,)))
    assert repo.drivergate("render").code == 0
    both = listed(repo.out(), folder)
    assert "nvidiadriver-b.yaml" in both
    repo.lay({CLUSTER: cluster(A)})
    assert repo.drivergate("render", "--allow-remove", "east/b").code == 0
    one = listed(repo.out(), folder)
    assert one == [name for name in both if name != "nvidiadriver-b.yaml"]
    assert not (repo.path / folder / "nvidiadriver-b.yaml").exists()


def listed(out: dict[str, str], folder: str) -> list[str]:
    """The sorted resources of a folder, which are exactly the files beside it."""
    text = out[f"{folder}/kustomization.yaml"]
    shows(text, "resources:")
    resources = yaml.safe_load(text)["resources"]
    beside = {path.rpartition("/")[2] for path in out if path.startswith(f"{folder}/")} - {"kustomization.yaml"}
    assert resources == sorted(beside)
    return [str(name) for name in resources]


@pytest.mark.parametrize(("one", "other"), [("gpu_a", "gpu-a"), ("GPU-a", "gpu-a"), ("gpu-a", "gpu-A")], ids=str)
def test_d65_names_that_become_one(repo: CaseRepo, one: str, other: str) -> None:
    """kubernetes-sigs/kustomize#4104."""
    said = repo.refused(files(pool(one, 'branch: "550"'), pool(other, 'branch: "550"'), images=(TAG,)))
    shows(said, one, other, "[inventory/name-clash]")


def test_d65_clusters_whose_folders_are_one(repo: CaseRepo) -> None:
    given = {**files(A, images=(TAG,)), "inventory/clusters/other.yaml": cluster(A, name="East")}
    shows(repo.refused(given), '"East"', '"east"', "[inventory/name-clash]")


GPU_A = pool("gpu-a", 'branch: "550"', selector="{gpu-pool: a}")
GPU_ALPHA = pool("gpu-alpha", 'branch: "550"', selector="{gpu-pool: a}")


def test_d66_a_renamed_pool_takes_its_drivers_down() -> None:
    """argoproj/argo-cd#14277."""
    head = outcome(files(GPU_A, images=(TAG,))).out
    before = driver_objects({path: text.encode() for path, text in head.items()})
    said = outcome(files(GPU_ALPHA, images=(TAG,)), against=before)
    assert said.result is Result.FINDINGS
    (renamed,) = said.of("operator/renamed")
    shows(renamed, '"gpu-a"', "gpu-alpha", "removed", "renamedFrom: gpu-a")


def test_d66_the_last_commit_is_what_is_compared_with(repo: CaseRepo) -> None:
    repo.lay(files(GPU_A, images=(TAG,)))
    assert repo.drivergate("render").code == 0
    repo.git().commit()
    repo.lay(files(GPU_ALPHA, images=(TAG,)))
    refused = repo.drivergate("render")
    assert refused.code == 2
    shows(refused.text, "gpu-a", "--allow-remove east/gpu-a")
    assert repo.drivergate("render", "--allow-remove", "east/gpu-a").code == 0
    said = repo.drivergate("check")
    assert said.code == 1
    shows(said.out, "gpu-a", "gpu-alpha", "[operator/renamed]")


def test_d66_a_name_that_is_kept_is_no_rename() -> None:
    head = outcome(files(GPU_A, images=(TAG,))).out
    before = driver_objects({path: text.encode() for path, text in head.items()})
    kept = pool("gpu-alpha", 'branch: "550"', selector="{gpu-pool: a}", more=", renamedFrom: gpu-a")
    assert "operator/renamed" not in outcome(files(kept, images=(TAG,)), against=before).rules


def test_d66_driver_objects_are_not_pruned_unasked() -> None:
    """`Prune=confirm` keeps an object until somebody says yes, where `Prune=false` would keep it for ever."""
    metadata = yaml.safe_load(outcome(files(A, images=(TAG,))).file("nvidiadriver-a.yaml"))["metadata"]
    assert "Prune=confirm" in metadata["annotations"]["argocd.argoproj.io/sync-options"].split(",")
    assert metadata["annotations"]["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
    off = outcome(files(pool("a", 'branch: "550"', more=", protect: false"), images=(TAG,)))
    hides(off.file("nvidiadriver-a.yaml"), "Prune", "prune")


SYNC = "argocd.argoproj.io/sync-options"


def test_d67_a_missing_crd_does_not_stop_the_dry_run() -> None:
    """argoproj/argo-cd#15095: all options in one annotation, for a second one would be a repeated key."""
    more = ", install: manifest, clusterPolicyBase: bases/policy.yaml"
    base = BASE + "".join(f"  {key}: {{}}\n" for key in required("ClusterPolicy", "v26.7.0") if key != "daemonsets")
    said = outcome({**files(A, images=(TAG,), more=more), "bases/policy.yaml": base.replace("  driver: {}\n", "")})
    assert said.result is Result.OK
    for name in ("nvidiadriver-a.yaml", "clusterpolicy.yaml"):
        text = said.file(name)
        assert text.count(SYNC) == 1
        options = yaml.safe_load(text)["metadata"]["annotations"][SYNC].split(",")
        assert "SkipDryRunOnMissingResource=true" in options
        assert len(options) == 3
    assert SYNC not in said.file("drivergate-images.yaml")
    hides(said.shown, "sync-wave: *[0-9]")


def test_d67_options_and_waves_of_a_users_own_policy_are_kept() -> None:
    """Joined by commas in the one annotation; a wave stays text."""
    more = ", install: manifest, clusterPolicyBase: bases/policy.yaml"
    keys = [key for key in required("ClusterPolicy", "v26.7.0") if key not in {"daemonsets", "driver"}]
    own = f'annotations: {{argocd.argoproj.io/sync-wave: "-1", {SYNC}: "Replace=true,ServerSideApply=true"}}'
    base = BASE.replace("{name: cluster-policy}", f"{{name: cluster-policy, {own}}}")
    base += "".join(f"  {key}: {{}}\n" for key in keys)
    text = outcome({**files(A, images=(TAG,), more=more), "bases/policy.yaml": base}).file("clusterpolicy.yaml")
    assert text.count(SYNC) == 1
    options = yaml.safe_load(text)["metadata"]["annotations"][SYNC].split(",")
    assert {"Replace=true", "ServerSideApply=true", "SkipDryRunOnMissingResource=true"} < set(options)
    assert len(options) == len(set(options)) == 5
    shows(text, 'argocd.argoproj.io/sync-wave: "-1"')


def delivered(top: str) -> dict[str, str | bytes]:
    """One pool in a cluster that says something of its delivery."""
    return {**files(A, images=(TAG,)), CLUSTER: cluster(A, top=top)}


def test_d67_waves_are_text_and_budgets_have_no_options() -> None:
    """Only an Application has a wave; an unquoted one could not be decoded as an annotation."""
    argocd = 'delivery: {argocd: {repoURL: "https://git.example.com/fleet.git"}}\nring: "-1"\n'
    said = outcome(delivered(argocd))
    assert said.result is Result.OK
    shows(said.file("argocd/east.yaml"), 'argocd.argoproj.io/sync-wave: "-1"')
    shows(said.file("nvidiadriver-a.yaml"), "SkipDryRunOnMissingResource=true")
    hides(said.shown, "sync-wave: *[-0-9]")
    for path, text in said.out.items():
        assert (SYNC in text) is ("/nvidiadriver-" in path)


@pytest.mark.parametrize("ring", ["", "canary", "1.5", "0x1", "99999999999999999999"])
def test_d67_a_ring_that_is_no_whole_number_is_no_wave(ring: str) -> None:
    """Argo CD takes such a wave for 0, in silence."""
    argocd = f'delivery: {{argocd: {{repoURL: "https://git.example.com/fleet.git"}}}}\nring: "{ring}"\n'
    hides(outcome(delivered(argocd)).file("argocd/east.yaml"), "sync-wave")


def test_d68_flux_applies_driver_objects_after_the_operator() -> None:
    """fluxcd/kustomize-controller#601: in one set with the chart that brings their CRD they would block everything."""
    flux = "delivery: {flux: {dependsOn: [{name: gpu-operator}]}}\n"
    said = outcome(delivered(flux))
    assert said.result is Result.OK
    text = said.file("flux/east/gpu-drivers.yaml")
    shows(text, "dependsOn")
    spec = yaml.safe_load(text)["spec"]
    assert spec["dependsOn"] == [{"name": "gpu-operator"}]
    assert spec["path"] == "./out/east/gpu-operator"
    kinds = {yaml.safe_load(text)["kind"] for path, text in said.out.items() if path.startswith("east/gpu-operator/")}
    assert kinds == {"Kustomization", "ConfigMap", "NVIDIADriver"}


def test_d68_nothing_to_wait_for_is_refused(repo: CaseRepo) -> None:
    said = repo.refused(delivered("delivery: {flux: {}}\n"))
    shows(said, "delivery.flux.dependsOn is not set", "dependsOn: [{name: gpu-operator}]", "[inventory/schema]")


LARGE = "templates/{cluster}/gpu-operator/large.yaml.j2"


def large(size: int, *, indent: int = 0, annotations: str = "") -> str:
    """A template of a ConfigMap of so many bytes of compact JSON; indented, its YAML is larger still."""
    names = [f"key-{number:05}" for number in range(1000)]
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\n{annotations}"
    document = yaml.safe_load(f"{head}data: {{}}\n") | {"data": dict.fromkeys(names, "")}
    rest, more = divmod(size - len(json.encode(document)), len(names))
    space = " " * indent
    lines = [f"{space}{name}: {'x' * (rest + (number < more))}\n" for number, name in enumerate(names)]
    return f"{head}data:\n" + "".join(lines)


@pytest.mark.parametrize(
    ("size", "indent", "told"),
    [(91_039, 60, False), (262_144, 60, False), (262_145, 2, True), (300_000, 2, True)],
    ids=["the ClusterPolicy CRD's", "the largest", "one more", "300 kB"],
)
def test_d70_size_is_measured_on_compact_json(size: int, indent: int, *, told: bool) -> None:
    """actions/actions-runner-controller#1317."""
    said = outcome({**files(A, images=(TAG,)), LARGE: large(size, indent=indent)})
    assert len(json.encode(yaml.safe_load(said.file("large.yaml")))) == size
    assert ("out/too-large" in said.rules) is told
    assert said.result is (Result.FINDINGS if told else Result.OK)
    if told:
        shows(said.report, "262144", str(size))


def test_d70_aliases_count_as_what_they_stand_for() -> None:
    """50 kB of YAML: an API server never hears of aliases."""
    lines = "".join(f"  key-{number}: *long\n" for number in range(9))
    template = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n  first: &long {'x' * 50_000}\n{lines}"
    )
    said = outcome({**files(A, images=(TAG,)), LARGE: template})
    assert len(said.file("large.yaml")) < 60_000
    assert "out/too-large" in said.rules


def test_d70_an_object_that_is_applied_on_the_server_may_be_larger() -> None:
    annotations = f'  annotations:\n    {SYNC}: "ServerSideApply=true"\n'
    said = outcome({**files(A, images=(TAG,)), LARGE: large(300_000, indent=2, annotations=annotations)})
    assert said.result is Result.OK


def test_d71_versions_are_quoted() -> None:
    """codeready-toolchain/claw-operator PR#157."""
    said = outcome(files(pool("a", 'branch: "580"'), images=(f"580{TAG[3:]}",)))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), 'version: "580"')
    hides(said.shown, "version: 580$")


@pytest.mark.parametrize("tag", ["580", "1e5", "0580", "580.90", "1_000", "on", "12:30"])
def test_d71_a_tag_of_a_users_own_block_of_images_is_quoted(tag: str) -> None:
    """There is no such option: whoever wants the block overrides the template."""
    override = (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
        "{% for file in resources %}\n  - {{ file }}\n{% endfor %}\n"
        f"images:\n  - name: driver\n    newTag: {{{{ '{tag}' }}}}\n"
    )
    name = "templates/{cluster}/gpu-operator/kustomization.yaml.j2"
    text = outcome({**files(A, images=(TAG,)), name: override}).file("kustomization.yaml")
    shows(text, f'newTag: "{tag}"')
    assert yaml.safe_load(text)["images"][0]["newTag"] == tag
