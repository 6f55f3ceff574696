"""The verb: its formats, its exit codes, and that what is alike in both revisions is read once."""

import json
from pathlib import Path

import pytest

from generator.cli import comparing
from tests.cli.calling import call
from tests.cli.fleet import CATALOG, CLUSTER, FLEET, IMAGE, repository
from tests.gitrepo import Repo, isolate

Capture = pytest.CaptureFixture[str]
OTHER = CLUSTER.replace("name: one", "name: two")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    isolate(monkeypatch)
    made = Repo(tmp_path / "fleet")
    repository(made.path, two=OTHER)
    made.commit()
    return made


def test_every_format_tells_of_the_same(repo: Repo, capfd: Capture) -> None:
    repository(repo.path, fleet=FLEET.replace('"580"', '"595"'))
    told = call(capfd, "diff", "HEAD", root=repo.path)
    assert (told.code, told.err) == (0, "")
    assert "    train  reload  driver 580 -> 595; 1 to 4 nodes, 1 at a time\n" in told.out
    assert "    arm    no effect\n" in told.out
    made = json.loads(call(capfd, "diff", "HEAD", "--format", "json", root=repo.path).out)
    assert [[pool["outcome"] for pool in one["pools"]] for one in made["clusters"]] == [["reload", "none", "none"]] * 2
    assert made["base"] == {"named": "HEAD", "commit": repo.git("rev-parse", "HEAD")}
    assert made["head"] == {"named": "work tree", "commit": ""}
    comment = call(capfd, "diff", "HEAD", "--format", "markdown", "--cluster", "one", root=repo.path).out
    assert comment.startswith("<!-- drivergate:diff/one -->\n")
    assert "| **`train`** | **reload** |" in comment


@pytest.mark.parametrize(
    ("changed", "fails"),
    [
        ({}, set()),
        ({"fleet": FLEET.replace('"580"', '"595"')}, {"reload", "missing"}),
        (
            {"one": CLUSTER.replace("spec: {rdma: {enabled: true}}", "spec: {rdma: {enabled: true}, labels: {a: b}}")},
            set(),
        ),
        ({"one": CLUSTER.replace("  train:", "  trainers:")}, {"reload", "blocked"}),
        ({"one": CLUSTER.replace("nodeImage: stream", "nodeImage: stream\n    kernelSource: floating")}, set()),
        ({"fleet": FLEET.replace("v26.7.0", "v26.9.0")}, {"unknown"}),
        ({"catalog": CATALOG.replace("1050", "1051")}, {"missing"}),
    ],
)
def test_what_it_fails_on_is_asked_for(repo: Repo, capfd: Capture, changed: dict[str, str], fails: set[str]) -> None:
    repository(repo.path, two=OTHER, **changed)
    assert call(capfd, "diff", "HEAD", root=repo.path).code == 0
    for what in ("reload", "missing", "blocked", "unknown"):
        called = call(capfd, "diff", "HEAD", "--fail-on", what, root=repo.path)
        assert called.code == (1 if what in fails else 0), (what, called.out)
    every = [word for what in ("reload", "missing", "blocked", "unknown") for word in ("--fail-on", what)]
    assert call(capfd, "diff", "HEAD", *every, root=repo.path).code == bool(fails)


def test_unchanged_clusters_and_catalogs_are_not_read_twice(
    repo: Repo, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[tuple[list[str], frozenset[str]]] = []
    load = comparing.load

    def watched(files: dict[str, bytes], *, only_clusters: frozenset[str]) -> object:
        loaded.append((sorted(files), only_clusters))
        return load(files, only_clusters=only_clusters)

    monkeypatch.setattr(comparing, "load", watched)
    repository(repo.path, two=OTHER, one=CLUSTER.replace("driver: {kernelModuleType: open}", 'driver: {branch: "595"}'))
    assert "(1 of 2 clusters can be affected)" in call(capfd, "diff", "HEAD", root=repo.path).out
    (head, only), (base, same) = loaded
    assert only == same == {"one"}
    assert {*head} - {*base} == {"inventory/catalog.yaml"}
    loaded.clear()
    silenced = FLEET + "silenced: [{rule: branch/end-of-life, reason: it is known}]\n"
    repository(repo.path, two=OTHER, fleet=silenced)
    assert call(capfd, "diff", "HEAD", root=repo.path).out == "no driver is touched (0 of 2 clusters can be affected)\n"
    repository(repo.path, two=OTHER, stream=IMAGE + "# a comment\n")
    assert call(capfd, "diff", "HEAD", root=repo.path).out == "no driver is touched (0 of 2 clusters can be affected)\n"
    assert loaded == []


def test_a_revision_is_needed(repo: Repo, capfd: Capture) -> None:
    called = call(capfd, "diff", root=repo.path)
    assert (called.code, called.out) == (2, "")
    assert "BASE" in called.err
