"""Life and reach of branches: facts/driver_branches.yaml, facts/driver-images.md 4."""

from generator.change.driver_choice import Proposal, Proposals
from generator.change.need import Needs
from tests.testing.inventories import HEAD
from tests.testing.planning import RUNNING, catalog, files, pool, read, tag

BOTH = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(RUNNING, "535"), tag(RUNNING, "595"))}


def proposed(more: str, **changed: str) -> Proposal | None:
    fleet, listed, _ = read(files(pool(f"arch: [amd64], kernels: [{RUNNING}], {more}"), **changed))
    cluster = fleet.clusters[0]
    return Proposals(listed).of(cluster, cluster.pools[0])


def test_a_pool_whose_driver_holds_gets_no_proposal() -> None:
    assert proposed("gpu: {family: volta}", **BOTH) is None


def test_a_branch_that_dropped_the_gpu_names_what_could_hold() -> None:
    found = proposed('gpu: {family: volta}, driver: {branch: "595"}', **BOTH)
    assert found is not None
    assert [reason.text for reason in found.against] == ["it does not drive volta GPUs"]
    assert [choice.branch for choice in found.fitting] == ["580"]


def test_an_ended_branch_names_those_that_are_supported_longest_first() -> None:
    """R535 ended in June 2026, R595 ends in March 2027 and R580 in June 2028."""
    found = proposed('driver: {branch: "535"}', **BOTH)
    assert found is not None
    assert "ended in 2026-06" in found.against[0].text
    assert found.against[0].source.startswith("https://docs.nvidia.com/")
    assert [(choice.branch, choice.until) for choice in found.fitting] == [("580", "2028-06"), ("595", "2027-03")]


def test_each_other_branch_says_why_not() -> None:
    found = proposed('gpu: {family: blackwell}, driver: {branch: "535"}', **BOTH)
    assert found is not None
    refused = {choice.branch: [reason.text for reason in choice.against] for choice in found.choices if choice.against}
    assert any("not built" in text for text in refused["620"])
    assert all(reason.source for choice in found.choices for reason in choice.against)


def test_an_image_that_is_not_built_is_a_reason() -> None:
    found = proposed('driver: {branch: "595"}', **{"inventory/catalog.yaml": catalog(tag(RUNNING))})
    assert found is not None
    assert found.against[0].text == f"595-{RUNNING}-ubuntu22.04 for linux/amd64 not built"
    assert [choice.branch for choice in found.fitting] == ["580"]


def test_preinstalled_drivers_are_nobodys_to_choose() -> None:
    assert proposed('driver: {mode: preinstalled, version: "535.104.05"}', **BOTH) is None


def test_a_cuda_need_speaks_against_an_older_branch() -> None:
    """facts/cuda_min_driver.yaml: CUDA 13.x needs 580 at least, 12.x runs from 525.60.13 on."""
    workloads = f"""{HEAD}kind: Workloads
team: ml
workloads:
  trainer:
    runsOn: {{clusters: [one], pools: [a]}}
    namespace: ml
    owner: {{kind: Deployment}}
    podLabels: {{app: trainer}}
    replicas: 2
    cuda: {{toolkit: "13.0"}}
"""
    repository = files(pool(f'arch: [amd64], kernels: [{RUNNING}], driver: {{branch: "535"}}'), **BOTH)
    fleet, listed, _ = read({**repository, "inventory/ml.yaml": workloads})
    cluster = fleet.clusters[0]
    found = Proposals(listed, Needs(fleet, listed).against).of(cluster, cluster.pools[0])
    assert found is not None
    reason = next(one for one in found.against if "trainer" in one.text)
    assert "CUDA 13.0" in reason.text
    assert reason.source.startswith("inventory/ml.yaml:")
    assert [choice.branch for choice in found.fitting] == ["580", "595"]
