"""Public cases of the area yaml-types: text is text, however it is written."""

import io

import pytest
import yaml
from ruamel.yaml import YAML

from tests.cases.inventory import CATALOG, CLUSTER, catalog, files, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"


def compiled(name: str, version: str) -> str:
    """A pool with a version as it is written."""
    return pool(name, f"mode: compiled, version: {version}", kernels="")


def test_d83_a_version_that_reads_as_a_float(repo: CaseRepo) -> None:
    """actions/setup-python#662."""
    said = repo.refused(files(compiled("a", "550.90"), compiled("b", "535.104.05")))
    shows(said, "550.90", "[inventory/quoting]", f"{CLUSTER}:5:", "quotes")
    hides(said, "550.9-", f"{CLUSTER}:6:")


@pytest.mark.parametrize("written", ["580.", "5.8e2", "580.1_0", "0x580"])
def test_d83_other_ways_to_write_a_number(repo: CaseRepo, written: str) -> None:
    said = repo.refused(files(compiled("a", written)))
    shows(said, written, "[inventory/quoting]")


def test_d83_three_parts_are_text() -> None:
    said = outcome(files(compiled("b", "535.104.05"), images=("535.104.05-ubuntu22.04",)))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-b.yaml"), 'version: "535.104.05"')


def test_d84_a_whole_number_loses_nothing() -> None:
    """kubernetes/kubernetes#22506."""
    said = outcome(files(pool("a", "branch: 535"), images=(TAG,)))
    assert said.result is Result.OK
    shows(said.shown, 'version: "535"')
    hides(said.shown, "version: 535$")
    assert said.asked("a") == [f"nvcr.io/nvidia/driver:{TAG}"]


@pytest.mark.parametrize("written", ["0535", "0o1027"])
def test_d85_leading_zeros_and_octal(repo: CaseRepo, written: str) -> None:
    """jupyterhub/chartpress#15."""
    said = repo.refused(files(pool("a", f"branch: {written}")))
    shows(said, written, "[inventory/quoting]")
    hides(said, "349", r"\b535\b")


def test_d85_both_are_told_in_one_run(repo: CaseRepo) -> None:
    said = repo.refused(files(pool("a", "branch: 0535"), pool("b", "branch: 0o1027")))
    shows(said, "0535", "0o1027")


@pytest.mark.parametrize("written", ["72225e2", "1e3", "089", "12:30:45"])
def test_d86_a_build_that_looks_like_another_number(repo: CaseRepo, written: str) -> None:
    """helm/helm#6921; what is recorded of a build is the exact driverVersion of an image. It is refused."""
    line = f'  - {{tag: "580-6.8.0-90-generic-ubuntu24.04", driverVersion: {written}}}\n'
    said = repo.refused({**files(pool("a", 'branch: "580"')), CATALOG: catalog(line)})
    shows(said, written, "quotes", f"{CATALOG}:5:")
    hides(said, "7222500")


@pytest.mark.parametrize("written", ["72225e2", "1e3", "089", "12:30:45"])
def test_d86_such_text_is_printed_in_quotes(written: str) -> None:
    """Read back by a YAML 1.1 and a YAML 1.2 reader it is the same text."""
    one = pool("a", f'branch: "535", spec: {{annotations: {{build: "{written}"}}}}')
    text = outcome(files(one, images=(TAG,))).file("nvidiadriver-a.yaml")
    shows(text, f'build: "{written}"')
    for loaded in (yaml.safe_load(text), YAML(typ="safe", pure=True).load(io.StringIO(text))):
        assert loaded["spec"]["annotations"]["build"] == written


def test_d88_true_as_the_value_of_a_selector() -> None:
    """rancher-archives/rke#1437."""
    one = pool("a", 'branch: "535"', selector="{nvidia.com/gpu.present: true}")
    said = outcome(files(one, images=(TAG,)))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), 'nvidia.com/gpu.present: "true"')
    hides(said.shown, "gpu.present: true$")


@pytest.mark.parametrize("written", ["yes", "on", "True"])
def test_d88_other_words_for_it_are_refused(repo: CaseRepo, written: str) -> None:
    said = repo.refused(files(pool("a", 'branch: "535"', selector=f"{{nvidia.com/gpu.present: {written}}}")))
    shows(said, "nvidia.com/gpu.present", written, "[inventory/quoting]")


@pytest.mark.parametrize("written", ["", "~", "null", '""'])
def test_d89_an_empty_branch(repo: CaseRepo, written: str) -> None:
    """ibm-mas/ansible-devops#1651."""
    said = repo.refused(files(pool("a", f"branch: {written}")))
    shows(said, "branch", f"{CLUSTER}:5:")
    hides(said, "None-", r"\bNone\b", "null-")


@pytest.mark.parametrize("written", ["~", "null", '""'])
def test_d89_an_empty_kernel(repo: CaseRepo, written: str) -> None:
    said = repo.refused(files(pool("a", 'branch: "535"', kernels=written)))
    shows(said, "kernels", f"{CLUSTER}:5:")
    hides(said, "None-", r"\bNone\b", "-null-")


def test_d89_a_branch_and_kernels_that_are_missing(repo: CaseRepo) -> None:
    shows(repo.refused(files(pool("a"))), "driver.branch")
    shows(repo.refused(files(pool("a", 'branch: "535"', kernels=""))), "kernels")
