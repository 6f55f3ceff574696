"""Public cases of the area check: settings that contradict what was there, or one another."""

import pytest

from generator.finding import Severity
from generator.revision.driver_objects import driver_objects
from tests.cases.inventory import files, pool
from tests.cases.outcome import Result, outcome, shows
from tests.testing.repository import CaseRepo

PRECOMPILED = pool("a", 'branch: "550"')
COMPILED = pool("a", 'mode: compiled, version: "550.90.07"', kernels="")
VGPU = pool("a", 'mode: compiled, version: "550.90.07", spec: {driverType: vgpu}', kernels="")
BUILT = ("550-5.15.0-118-generic-ubuntu22.04", "550.90.07-ubuntu22.04")


def test_d33_precompiled_can_not_be_changed_in_place() -> None:
    """NVIDIA/gpu-operator#2166."""
    head = outcome(files(PRECOMPILED, images=BUILT)).out
    before = driver_objects({path: text.encode() for path, text in head.items()})
    said = outcome(files(COMPILED, images=BUILT), against=before)
    assert said.result is Result.FINDINGS
    (changed,) = said.of("operator/immutable-change")
    shows(changed, "usePrecompiled", "new name", "drain")


def test_d33_the_last_commit_is_what_is_compared_with(repo: CaseRepo) -> None:
    repo.lay(files(PRECOMPILED, images=BUILT))
    assert repo.drivergate("render").code == 0
    repo.git().commit()
    repo.lay(files(COMPILED, images=BUILT))
    assert repo.drivergate("render").code == 0
    said = repo.drivergate("check")
    assert said.code == 1
    shows(said.out, "usePrecompiled", "[operator/immutable-change]")


def test_d33_nor_can_the_type_of_the_driver() -> None:
    head = outcome(files(PRECOMPILED, images=BUILT)).out
    before = driver_objects({path: text.encode() for path, text in head.items()})
    said = outcome(files(VGPU, images=BUILT), against=before)
    assert any("driverType" in one for one in said.of("operator/immutable-change"))


def test_d33_a_pool_with_a_new_name_is_the_way_out() -> None:
    """Its own rule asks for a new object; the old one may only go once its nodes are drained."""
    head = outcome(files(PRECOMPILED, images=BUILT)).out
    before = driver_objects({path: text.encode() for path, text in head.items()})
    new = pool("b", 'mode: compiled, version: "550.90.07"', kernels="", selector="{gpu-pool: b}")
    said = outcome(files(PRECOMPILED, new, images=BUILT), against=before)
    assert said.result is Result.OK
    assert "operator/immutable-change" not in said.rules


ENV = (
    'spec: {manager: {env: [{name: ENABLE_AUTO_DRAIN, value: "true"}, {name: ENABLE_GPU_POD_EVICTION, value: "true"}]}}'
)


def test_d41_the_managers_own_drain_is_dead_with_auto_upgrade() -> None:
    """NVIDIA/gpu-operator#901; told as a warning."""
    one = pool("a", f'branch: "550", upgradePolicy: {{autoUpgrade: true}}, {ENV}')
    said = outcome(files(one, images=BUILT))
    found = said.of("upgrade/manager-env-ignored")
    assert said.severity("upgrade/manager-env-ignored") is Severity.WARNING
    shows("".join(found), "ENABLE_AUTO_DRAIN", "ENABLE_GPU_POD_EVICTION", "upgradePolicy", "drain", "podDeletion")


@pytest.mark.parametrize("strict", [False, True])
def test_d41_a_warning_counts_with_strict(repo: CaseRepo, *, strict: bool) -> None:
    one = pool("a", f'branch: "550", upgradePolicy: {{autoUpgrade: true}}, {ENV}')
    repo.lay(files(one, images=BUILT))
    assert repo.drivergate("render").code == 0
    said = repo.drivergate("check", *(["--strict"] if strict else []))
    assert said.code == (1 if strict else 0)
    shows(said.out, "[upgrade/manager-env-ignored]")


def test_d41_without_auto_upgrade_they_are_used() -> None:
    one = pool("a", f'branch: "550", upgradePolicy: {{autoUpgrade: false}}, {ENV}')
    assert "upgrade/manager-env-ignored" not in outcome(files(one, images=BUILT)).rules
