"""Public cases of the area determinism: the same content gives the same bytes."""

import pytest

import generator
from generator.declared.build import build
from generator.declared.inventory import load
from generator.facts import data
from generator.render.rendered import render
from generator.render.template import collect
from tests.cases.inventory import CATALOG, CLUSTER, catalog, cluster, files, image, pool
from tests.cases.outcome import hides, outcome
from tests.testing.repository import CaseRepo

KERNELS = ("5.15.0-117-generic", "5.15.0-118-generic")
TAGS = tuple(f"535-{kernel}-ubuntu22.04" for kernel in KERNELS)
SPEC = "spec: {imagePullSecrets: [zeta, alpha], labels: {b: two, a: one}}"
TAINTS = ', taints: ["b=1:NoSchedule", "a=2:NoSchedule"]'
A = pool("a", f'branch: "535", {SPEC}', kernels=", ".join(KERNELS), selector="{z: one, b: two}", more=TAINTS)
B = pool("b", 'branch: "535"', selector="{z: two}")
GIVEN = files(A, B, images=TAGS)
REORDERED_SPEC = "spec: {labels: {a: one, b: two}, imagePullSecrets: [zeta, alpha]}"
REORDERED = {
    **GIVEN,
    CATALOG: catalog(image(TAGS[1]), image(TAGS[0])),
    CLUSTER: cluster(
        B,
        pool(
            "a",
            f'{REORDERED_SPEC}, branch: "535"',
            kernels=", ".join(reversed(KERNELS)),
            selector="{b: two, z: one}",
            more=TAINTS,
        ),
    ),
}


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("given", [GIVEN, REORDERED], ids=["as it is", "in another order"])
def test_d103_the_same_content_gives_the_same_bytes(repo: CaseRepo, seed: str, given: dict[str, str | bytes]) -> None:
    """openchoreo/openchoreo#3302."""
    repo.lay(given)
    said = repo.process("render", env={"PYTHONHASHSEED": seed})
    assert said.code == 0, said.text
    out = {path.removeprefix("out/"): text for path, text in repo.out().items() if "manifest" not in path}
    assert out == outcome(GIVEN).out
    text = out["east/gpu-operator/nvidiadriver-a.yaml"]
    assert text.index("- zeta") < text.index("- alpha")
    assert text.index("key: b") < text.index("key: a")


def test_d103_a_catalog_in_other_files_changes_nothing() -> None:
    split = {path: text for path, text in GIVEN.items() if path != CATALOG}
    split |= {f"inventory/{name}.yaml": catalog(image(tag)) for name, tag in zip("zy", TAGS, strict=True)}
    assert outcome(split).out == outcome(GIVEN).out


def test_d104_another_version_of_the_tool_renders_the_same() -> None:
    """NVIDIA/gpu-operator PR#2527."""
    content = {path: str(text).encode() for path, text in GIVEN.items()}
    templates = collect(data.templates(), {})
    made = [render(build(load(content), version=version).fleet, templates, {}).files for version in ("1.0", "1.1")]
    assert [file.text for file in made[0]] == [file.text for file in made[1]]


def test_d104_a_version_in_the_package_reaches_no_file(repo: CaseRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.lay(GIVEN)
    repo.drivergate("render")
    before = repo.out()
    monkeypatch.setattr(generator, "__version__", "9.8.7")
    monkeypatch.setattr("generator.revision.declaration.__version__", "9.8.7")
    assert repo.drivergate("render", "--check").code == 0
    hides("".join(before.values()), "9\\.8\\.7", generator.__version__.replace(".", "\\."), "generated.*20[0-9][0-9]-")


def test_d104_input_that_is_none_of_its_own_leaves_a_driver_object_alone() -> None:
    more = {
        **GIVEN,
        CATALOG: catalog(*(image(tag) for tag in TAGS), image("580-6.8.0-90-generic-ubuntu24.04")),
        CLUSTER: cluster(A, B, pool("c", 'branch: "535"', selector="{z: three}")),
        "inventory/clusters/west.yaml": cluster(A, name="west"),
    }
    name = "east/gpu-operator/nvidiadriver-a.yaml"
    assert outcome(more).out[name] == outcome(GIVEN).out[name]
