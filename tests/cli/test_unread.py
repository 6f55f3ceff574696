"""Verbs that read a part of the inventory say what they did not read, where that has errors."""

from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CATALOG, CLUSTER, repository

Capture = pytest.CaptureFixture[str]
OTHER = CLUSTER.replace("name: one", "name: two")
MISSPELT = OTHER.replace("pools:", "poolz:")
CLUSTER_NOTE = "note: not read: inventory/two.yaml, which has errors; run drivergate check\n"
CATALOG_NOTE = "note: not read: inventory/catalog.yaml, which has errors; run drivergate check\n"
ABOUT_ONE_CLUSTER = (
    ("check", "--cluster", "one"),
    ("render", "--cluster", "one"),
    ("render", "--check", "--cluster", "one", "--format", "json"),
    ("diff", "HEAD", "--cluster", "one"),
    ("diff", "HEAD", "--cluster", "one", "--format", "json"),
    ("show", "one"),
    ("show", "one/train", "--format", "json"),
    ("tag", "one/train"),
    ("cuda", "--cluster", "one"),
    ("cuda", "affinity", ">=580", "--cluster", "one"),
)
WITHOUT_CATALOGS = (
    ("show",),
    ("show", "one"),
    ("cuda", "affinity", ">=580"),
    ("upgrade", "simulate", "--cluster", "one"),
)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> Repo:
    """Two clusters, rendered and committed."""
    isolate(monkeypatch)
    made = Repo(repository(tmp_path, two=OTHER))
    call(capfd, "render", root=made.path)
    made.commit()
    return made


@pytest.mark.parametrize("verb", ABOUT_ONE_CLUSTER, ids=" ".join)
def test_another_cluster_that_has_errors_is_named(repo: Repo, capfd: Capture, verb: tuple[str, ...]) -> None:
    clean = call(capfd, *verb, root=repo.path)
    assert "not read" not in clean.text
    repository(repo.path, two=MISSPELT)
    said = call(capfd, *verb, root=repo.path)
    assert (said.code, said.out, said.err) == (clean.code, clean.out, clean.err + CLUSTER_NOTE)


@pytest.mark.parametrize("verb", WITHOUT_CATALOGS, ids=" ".join)
def test_a_catalog_that_has_errors_is_named(repo: Repo, capfd: Capture, verb: tuple[str, ...]) -> None:
    clean = call(capfd, *verb, root=repo.path)
    repository(repo.path, catalog=f"{CATALOG}  - {{tag: oops\n", two=OTHER)
    said = call(capfd, *verb, root=repo.path)
    assert (said.code, said.out, said.err) == (clean.code, clean.out, clean.err + CATALOG_NOTE)


def test_programs_find_it_among_the_notes_of_check(repo: Repo, capfd: Capture) -> None:
    repository(repo.path, two=MISSPELT)
    said = call(capfd, "check", "--cluster", "one", "--format", "json", root=repo.path)
    assert said.json["notes"] == [CLUSTER_NOTE.removeprefix("note: ").rstrip("\n")]
    assert said.err == ""
    assert (
        CLUSTER_NOTE.removeprefix("note: ")[:40]
        in call(capfd, "diff", "HEAD", "--cluster", "one", "--format", "sarif", root=repo.path).out
    )


def test_the_command_to_run_is_about_the_same_state(repo: Repo, capfd: Capture) -> None:
    repository(repo.path, two=MISSPELT)
    repo.git("add", "-A")
    repository(repo.path, two=OTHER)
    for verb in (("check", "--cluster", "one"), ("show", "one")):
        assert "not read" not in call(capfd, *verb, root=repo.path).err
        said = call(capfd, *verb, "--staged", root=repo.path)
        assert CLUSTER_NOTE.replace("check\n", "check --staged\n") in said.err
    assert call(capfd, "check", "--staged", root=repo.path).code == 2
    repo.git("commit", "-q", "-m", "broken")
    for verb in (("check", "--cluster", "one", "--rev", "HEAD"), ("show", "one", "--rev", "HEAD")):
        assert CLUSTER_NOTE.replace("check\n", "check --rev HEAD\n") in call(capfd, *verb, root=repo.path).err
    said = call(capfd, "diff", "HEAD~1", "HEAD", "--cluster", "one", root=repo.path)
    assert said.err == CLUSTER_NOTE.replace("check\n", "check --rev HEAD\n")


def test_what_a_change_can_not_affect_is_named_by_check_and_diff(repo: Repo, capfd: Capture) -> None:
    repository(repo.path, two=MISSPELT)
    repo.commit()
    repository(repo.path, two=MISSPELT, one=CLUSTER.replace("Müller", "Meier"))
    for verb in (("check", "--changed-since", "HEAD"), ("diff", "HEAD")):
        said = call(capfd, *verb, root=repo.path)
        assert (said.code, CLUSTER_NOTE in said.err) == (0 if verb[0] == "diff" else said.code, True), said.text
    assert "not read" not in call(capfd, "check", "--shard", "2/2", root=repo.path).err


def test_a_cluster_that_can_not_be_read_is_not_said_to_be_undeclared(repo: Repo, capfd: Capture) -> None:
    repository(repo.path, two=MISSPELT)
    said = call(capfd, "upgrade", "simulate", "--cluster", "two", root=repo.path)
    assert said.code == 2
    assert said.err.startswith('inventory/two.yaml:7:1: error: unknown key "poolz" [inventory/schema]\n')
    assert 'no cluster that can be read is named "two"; use one of one' in " ".join(said.err.split())


def test_completion_stays_silent(repo: Repo, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(repo.path, catalog=f"{CATALOG}  - {{tag: oops\n", two=OTHER)
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("_DRIVERGATE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "drivergate show ")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        call(capfd)
    said = capfd.readouterr()
    assert "one" in said.out.split()
    assert said.err == ""


def test_of_much_that_is_unread_only_the_syntax_is_looked_at(repo: Repo, capfd: Capture) -> None:
    """revision/unread.py: beyond 256 KiB a misspelt key is left to check, and what is no YAML is named."""
    padding = f"# {'x' * 300_000}\n"
    repository(repo.path, two=MISSPELT + padding)
    assert "not read" not in call(capfd, "show", "one", root=repo.path).err
    repository(repo.path, two=f"{OTHER}x: [\n{padding}")
    assert CLUSTER_NOTE in call(capfd, "show", "one", root=repo.path).err
