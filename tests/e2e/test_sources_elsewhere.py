"""A fleet whose node images and catalog live in another repository: real git, a cache of its own, the real command."""

import json
import re
import shutil
from pathlib import Path

import pytest

from generator.layout import SOURCES_LOCK
from tests.testing.command import Exit
from tests.testing.fleet import drivergate
from tests.testing.gitrepo import Repo
from tests.testing.inventories import CATALOG, FLEET, IMAGE, POOL, cluster

ALLOW = "DRIVERGATE_ALLOW_FILE_SOURCES"
HELD = {
    "gpu/images/aws.yaml": IMAGE,
    "gpu/catalog.yaml": CATALOG,
    "gpu/README.md": "# theirs\n",
    "other.yaml": "x: 1\n",
}


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(ALLOW, "1")


@pytest.fixture
def theirs(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "theirs")
    made.commit(HELD)
    return made


@pytest.fixture
def ours(tmp_path: Path, theirs: Repo) -> Repo:
    """Our fleet: rendered and committed, pinned to their first commit."""
    made = Repo(tmp_path / "ours")
    sources = f"sources:\n  kernels: {{url: 'file://{theirs.root}', ref: main, path: gpu}}\n"
    made.write({"inventory/fleet.yaml": FLEET + sources, "inventory/one.yaml": cluster(POOL)})
    said = update(made)
    assert said.code == 0, said.text
    said = drivergate(made.path, "render")
    assert said.code == 0, said.text
    made.commit()
    return made


def update(repo: Repo, *arguments: str) -> Exit:
    return drivergate(repo.path, "sources", "update", *arguments)


def check(repo: Repo, *arguments: str) -> Exit:
    return drivergate(repo.path, "check", *arguments)


def pinned(repo: Repo) -> str:
    commit = json.loads((repo.path / SOURCES_LOCK).read_text())["sources"]["kernels"]["commit"]
    assert isinstance(commit, str)
    return commit


def newer(theirs: Repo) -> str:
    return theirs.commit({"gpu/images/aws.yaml": IMAGE.replace("1111", "1112")})


def test_it_is_read_as_if_it_lay_here(ours: Repo, theirs: Repo) -> None:
    assert pinned(ours) == theirs.git("rev-parse", "HEAD")
    for source in ((), ("--staged",), ("--rev", "HEAD")):
        said = check(ours, *source)
        assert said.code == 0, said.text
        assert " in 1 cluster, 1 pool, 1 image of the " in said.out
    said = drivergate(ours.path, "show", "one/a", "--origin")
    assert said.code == 0
    assert "inventory/@kernels/images/aws.yaml:5" in said.text


def test_a_newer_commit_counts_when_it_is_pinned(ours: Repo, theirs: Repo) -> None:
    first, second = pinned(ours), newer(theirs)
    assert check(ours).code == 0
    assert update(ours, "--check").code == 1
    assert pinned(ours) == first
    said = update(ours)
    assert said.out == f"kernels  pinned to {second[:12]} (main); was {first[:12]}, 1 commit before\n"
    said = check(ours)
    assert said.code == 1
    assert "inventory/@kernels/images/aws.yaml:7:14: error: " in said.out
    assert "580-5.15.0-1112-aws-ubuntu22.04" in said.out
    assert update(ours, "--check").code == 0


def test_each_state_of_the_repository_has_its_own_pin(ours: Repo, theirs: Repo) -> None:
    newer(theirs)
    update(ours)
    assert [check(ours, *source).code for source in ((), ("--staged",), ("--rev", "HEAD"))] == [1, 0, 0]
    ours.git("add", SOURCES_LOCK)
    assert [check(ours, *source).code for source in (("--staged",), ("--rev", "HEAD"))] == [1, 0]


def test_what_is_pinned_and_was_read_needs_no_network(
    ours: Repo, theirs: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(theirs.path)
    monkeypatch.delenv(ALLOW)
    assert check(ours).code == 0
    said = update(ours)
    assert said.code == 3
    assert "Traceback" not in said.text


def test_a_fresh_machine_fetches_what_is_pinned(ours: Repo, theirs: Repo, tmp_path: Path) -> None:
    newer(theirs)
    shutil.rmtree(tmp_path / "cache")
    said = check(ours)
    assert said.code == 0, said.text
    [copy] = (tmp_path / "cache" / "drivergate" / "sources").iterdir()
    assert (copy / "HEAD").is_file()  # bare: nothing is ever checked out
    assert not (copy / "gpu").exists()


def test_what_can_not_be_fetched_is_not_clean_and_not_missing(
    ours: Repo, theirs: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.delenv(ALLOW)
    said = check(ours)
    assert said.code == 3
    assert f"is no place that may be read from here\n    hint: set {ALLOW}=1" in said.err
    monkeypatch.setenv(ALLOW, "1")
    shutil.rmtree(theirs.path)
    said = check(ours)
    assert said.code == 3
    assert said.out == ""
    assert "can't be reached" in said.err


def test_a_rewritten_ref_is_told_and_left(ours: Repo, theirs: Repo) -> None:
    first = pinned(ours)
    theirs.git("commit", "-q", "--amend", "-m", "another")
    second = theirs.git("rev-parse", "HEAD")
    assert first != second
    said = update(ours)
    assert said.code == 1
    assert said.out == f"kernels  left at {first[:12]}: main was rewritten, and names {second[:12]}\n"
    assert "drivergate sources update --allow-rewritten kernels" in said.err
    assert pinned(ours) == first
    said = update(ours, "--allow-rewritten", "kernels")
    assert said.code == 0
    assert pinned(ours) == second


def test_a_commit_that_was_swept_away_is_told(ours: Repo, theirs: Repo, tmp_path: Path) -> None:
    theirs.git("commit", "-q", "--amend", "-m", "another")
    theirs.git("reflog", "expire", "--expire=now", "--all")
    theirs.git("gc", "-q", "--prune=now")
    assert check(ours).code == 0
    shutil.rmtree(tmp_path / "cache")
    said = check(ours)
    assert said.code == 3
    assert "any more: what pointed to it was rewritten" in said.err


def test_tags_and_commits_are_followed_too(ours: Repo, theirs: Repo) -> None:
    first = theirs.git("rev-parse", "HEAD")
    theirs.git("tag", "-a", "v1", "-m", "v1")
    newer(theirs)
    fleet = ours.path / "inventory" / "fleet.yaml"
    for ref in ("v1", first):
        fleet.write_text(fleet.read_text().replace("ref: main", f"ref: {ref}").replace("ref: v1,", f"ref: {ref},"))
        assert "pins one with ref" in check(ours).out
        said = update(ours)
        assert said.code == 0, said.text
        assert pinned(ours) == first
        assert check(ours).code == 0
    fleet.write_text(fleet.read_text().replace(first, "nope"))
    said = update(ours)
    assert said.code == 2
    assert "has no branch, tag or commit `nope`" in said.err


def test_what_is_declared_twice_is_told_with_both_places(ours: Repo) -> None:
    ours.write({"inventory/aws.yaml": IMAGE})
    said = check(ours)
    assert said.code == 2
    assert 'NodeImage "aws" is declared twice, the first is at inventory/@kernels/images/aws.yaml:3:7' in said.out


def test_a_folder_in_its_place_is_told(ours: Repo) -> None:
    ours.write({"inventory/@kernels/x.yaml": IMAGE})
    said = check(ours)
    assert said.code == 2
    assert "lies where the files of the source kernels are read as if they lay" in said.err


def test_links_of_theirs_are_not_followed(ours: Repo, theirs: Repo) -> None:
    (theirs.path / "gpu" / "leak.yaml").symlink_to("/etc/passwd")
    theirs.commit()
    update(ours)
    said = check(ours)
    assert "inventory/@kernels/leak.yaml" in said.out
    assert "symbolic link" in said.out
    assert "root:" not in said.text


def test_a_folder_that_is_not_there_is_told(ours: Repo) -> None:
    fleet = ours.path / "inventory" / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("path: gpu", "path: nope"))
    assert update(ours).code == 0
    said = check(ours)
    assert said.code == 2
    assert "the source kernels has no nope/ at commit" in said.err


def test_a_catalog_of_theirs_is_kept_there(ours: Repo) -> None:
    said = drivergate(ours.path, "catalog", "add", "580-5.15.0-1112-aws-ubuntu22.04")
    assert said.code == 2
    assert "is a catalog of another repository" in said.err
    assert not (ours.path / "inventory" / "@kernels").exists()


def test_a_moved_pin_is_about_all_clusters(ours: Repo, theirs: Repo) -> None:
    newer(theirs)
    update(ours)
    said = check(ours, "--changed-since", "HEAD")
    assert said.code == 1
    assert SOURCES_LOCK in said.err


def test_bad_usage_and_a_broken_lock_file(ours: Repo) -> None:
    assert update(ours, "kernel").code == 2
    assert 'did you mean "kernels"' in update(ours, "kernel").text
    before = (ours.path / SOURCES_LOCK).read_text()
    (ours.path / SOURCES_LOCK).write_text("{")
    said = check(ours)
    assert said.code == 2
    assert f"can't read {SOURCES_LOCK}" in said.err
    assert update(ours).code == 0
    assert (ours.path / SOURCES_LOCK).read_text() == before


def test_a_source_that_is_no_longer_declared_leaves_the_lock(ours: Repo) -> None:
    fleet = ours.path / "inventory" / "fleet.yaml"
    fleet.write_text(FLEET)
    assert check(ours).code == 2
    assert update(ours).code == 0
    assert json.loads((ours.path / SOURCES_LOCK).read_text()) == {"sources": {}}


def test_json_tells_the_same(ours: Repo, theirs: Repo) -> None:
    first, second = pinned(ours), newer(theirs)
    told = update(ours, "--format", "json").json
    assert told == {
        "sources": [
            {
                "name": "kernels",
                "ref": "main",
                "old": first,
                "new": second,
                "commits": 1,
                "rewritten": False,
                "refused": False,
            }
        ],
        "done": True,
    }


def test_a_diff_reads_each_revision_at_its_own_pin(ours: Repo, theirs: Repo) -> None:
    """A pin that moves brings the node image's kernel: the diff says which pools that concerns."""
    ours.write({"inventory/two.yaml": cluster(POOL.replace("nodeImage: aws", "nodeImage: other"), name="two")})
    ours.write({"inventory/other.yaml": IMAGE.replace("name: aws", "name: other")})
    ours.commit()
    newer(theirs)
    update(ours)
    for head in ((), ("HEAD",)):
        if head:
            ours.commit()
        said = drivergate(ours.path, "diff", "HEAD" if not head else "HEAD~1", *head, "--format", "json")
        assert said.code == 0, said.text
        assert "5.15.0-1112-aws" in said.out
        assert '"one"' in said.out
        assert '"two"' not in said.out
    said = drivergate(ours.path, "diff", "HEAD~1", "HEAD~1", "--format", "json")
    assert "1112" not in said.out


def test_a_diff_compares_nothing_where_the_sources_are_not_what_is_pinned(ours: Repo) -> None:
    """As check refuses it: whatever is read of that source is not what the Fleet asks for."""
    fleet = (ours.path / "inventory/fleet.yaml").read_text()
    moved = fleet.replace("ref: main", "ref: next")
    refusal = (
        'inventory/fleet.yaml:8:\\d+: error: the source kernels has ref "next", and .drivergate-sources.lock pins one '
        'with ref "main" \\[inventory/source\\]\n    hint: run: drivergate sources update\n'
        "no valid manifest can be made from the work tree: nothing is compared\n"
    )
    for changed in (moved, moved.replace('"580"', '"595"')):  # no cluster is compared for the first, each for the other
        ours.write({"inventory/fleet.yaml": changed})
        assert check(ours).code == 2
        said = drivergate(ours.path, "diff", "HEAD")
        assert (said.code, said.out) == (2, "")
        assert re.fullmatch(refusal, said.err)
    ours.commit()
    ours.write({"inventory/fleet.yaml": fleet})
    said = drivergate(ours.path, "diff", "HEAD")
    assert said.code == 2
    assert said.err.endswith(f"from the commit {ours.git('rev-parse', 'HEAD')[:12]}: nothing is compared\n")
