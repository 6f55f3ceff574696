"""Public cases of the area cli: exit codes, and what a crash may say."""

import pytest

from generator.cli import begin
from generator.cli.outcome import BUG, CLEAN, FOUND, INTERRUPTED, NOT_VERIFIED, UNUSABLE
from generator.cli.run import run
from tests.cases.inventory import CLUSTER, files, pool
from tests.cases.outcome import hides, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"
GOOD = files(pool("a", 'branch: "535"'), images=(TAG,))
A_119 = pool("a", 'branch: "535"', kernels="5.15.0-119-generic")
MISSING = files(A_119, images=(TAG,))
BROKEN = {**GOOD, CLUSTER: "kind: Cluster\npools: {a: ]\n"}


def test_d95_a_bare_call_prints_help_once_and_ends_with_2(repo: CaseRepo) -> None:
    """pallets/click#2909."""
    said = repo.process()
    assert said.code == 2
    assert said.text.count("Usage:") == 1
    assert "render" in said.text
    hides(said.text, "Error", "[╭│╰]", "Traceback")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_d95_help_ends_with_0(repo: CaseRepo, flag: str) -> None:
    said = repo.process(flag)
    assert (said.code, said.err) == (0, "")
    assert said.out.count("Usage:") == 1


@pytest.mark.parametrize("arguments", [["nosuch"], ["check", "--nosuch"], ["check", "nosuch"]])
def test_d95_an_unknown_word_ends_with_2(repo: CaseRepo, arguments: list[str]) -> None:
    said = repo.process(*arguments)
    assert (said.code, said.out) == (2, "")
    shows(said.err, "nosuch")


@pytest.mark.parametrize("verb", ["check", "render"])
def test_d96_a_crash_says_where_and_never_what(
    repo: CaseRepo, verb: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """openonion/connectonion PR#258: neither locals nor the error's own words nor source lines are printed."""
    monkeypatch.setenv("REGISTRY_TOKEN", "s3cr3t-value")
    repo.lay(GOOD)

    def crash(path: str) -> str:
        token = "s3cr3t-value"
        raise ValueError(f"no luck with {token} at {path}")

    monkeypatch.setattr(begin, "find_root", crash)
    code = run([verb, "--root", str(repo.path)])
    said = capfd.readouterr()
    assert code == BUG == 70
    shows(said.err, "bug in drivergate", "ValueError", "in crash")
    hides(said.out + said.err, "s3cr3t-value", "Traceback", "no luck")


def test_d96_nothing_prints_the_environment(repo: CaseRepo) -> None:
    repo.lay(MISSING)
    said = repo.process("check", env={"REGISTRY_TOKEN": "s3cr3t-value"})
    hides(said.text, "s3cr3t-value")


@pytest.mark.parametrize(
    ("given", "code"), [(GOOD, 0), (MISSING, 1), (BROKEN, 2)], ids=["all good", "a missing image", "broken YAML"]
)
def test_d97_each_kind_of_end_has_its_own_status(repo: CaseRepo, given: dict[str, str | bytes], code: int) -> None:
    """instrumenta/kubeval#126."""
    repo.lay(given)
    repo.drivergate("render")
    assert repo.drivergate("check").code == code


def test_d97_what_could_not_be_looked_at_is_3(repo: CaseRepo) -> None:
    """Here a revision to compare with; an unreachable registry ends the same way."""
    repo.lay(GOOD)
    repo.drivergate("render")
    repo.git().commit()
    said = repo.drivergate("check", "--against", "nosuch")
    assert said.code == 3
    shows(said.err, "nosuch")


def test_d97_the_statuses_are_distinct() -> None:
    assert (CLEAN, FOUND, UNUSABLE, NOT_VERIFIED, BUG, INTERRUPTED) == (0, 1, 2, 3, 70, 130)


def test_d97_unusable_input_counts_more_than_a_missing_image(repo: CaseRepo) -> None:
    repo.lay(files(A_119, pool("b", 'branch: "535-open"'), images=(TAG,)))
    said = repo.drivergate("check")
    assert said.code == 2
    shows(said.out, "[image/missing]", "[image/version-has-suffix]")
