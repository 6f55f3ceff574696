"""`check --changed-since` and `--shard`: which clusters are judged, and what a run says of its reach."""

import json
from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.inventories import CATALOG, FLEET, HEAD, IMAGE, POOL, cluster
from tests.testing.reports import run_of, suite_of

Capture = pytest.CaptureFixture[str]
NAMES = ("a", "b", "c", "d", "e")
OTHER = IMAGE.replace("name: aws", "name: gcp").replace("5.15.0-1111-aws", "5.15.0-1112-gcp")
OTHER_POOL = POOL.replace("nodeImage: aws", "nodeImage: gcp")
LISTED = CATALOG + '  - {tag: "580-5.15.0-1112-gcp-ubuntu22.04", platforms: [linux/amd64]}\n'


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> Repo:
    """Five clusters, rendered and committed; the last has another node image."""
    isolate(monkeypatch)
    made = Repo(tmp_path / "r")
    made.write({"inventory/fleet.yaml": FLEET, "inventory/aws.yaml": IMAGE, "inventory/gcp.yaml": OTHER})
    made.write({"inventory/catalog.yaml": LISTED})
    for name in NAMES:
        pool = OTHER_POOL if name == "e" else POOL
        made.write({f"inventory/clusters/{name}.yaml": cluster(pool, name=name, more=f'ring: "{NAMES.index(name)}"\n')})
    render(made, capfd)
    made.commit()
    return made


def render(repo: Repo, capfd: Capture) -> None:
    called = call(capfd, "render", root=repo.path)
    assert called.code == 0, called


def judged(repo: Repo, capfd: Capture, *arguments: str) -> tuple[int, str, list[str]]:
    """Exit code, the counts' sentence without its source, and the notes."""
    called = call(capfd, "check", *arguments, root=repo.path)
    notes = [line.removeprefix("note: ") for line in called.err.splitlines() if line.startswith("note: ")]
    return called.code, called.out, notes


def edit(repo: Repo, path: str, old: str, new: str) -> None:
    file = repo.path / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_only_the_clusters_that_a_change_reaches_are_judged(repo: Repo, capfd: Capture) -> None:
    edit(repo, "inventory/clusters/b.yaml", "pool: a", "pool: b")
    code, out, notes = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 1
    assert "out/b/gpu-operator/nvidiadriver-a.yaml" in out
    assert " in 1 cluster, 1 pool, " in out
    assert notes[0] == "judged are only the clusters that the change since HEAD can affect: b"
    assert notes[1].startswith("not judged, since they need all clusters: inventory/unused-mirror, inventory/unused-")


@pytest.mark.parametrize("source", ["work tree", "--staged", "--rev"])
def test_from_every_source(repo: Repo, capfd: Capture, source: str) -> None:
    edit(repo, "inventory/gcp.yaml", "1112", "1113")
    arguments = ["--changed-since", "HEAD"]
    if source == "--staged":
        repo.git("add", "-A")
        arguments += [source]
    if source == "--rev":
        repo.commit()
        arguments = ["--changed-since", "HEAD~1", source, "HEAD"]
    code, out, notes = judged(repo, capfd, *arguments)
    assert code == 1
    assert "580-5.15.0-1113-gcp-ubuntu22.04" in out
    assert notes[0].endswith("can affect: e")


def test_files_are_known_by_who_names_them(repo: Repo, capfd: Capture) -> None:
    """A base of a profile, a team's document and the manifest of its budget reach the clusters that they are for."""
    profile = "profiles:\n  own: {operator: {install: manifest, clusterPolicyBase: bases/own.yaml}}\n"
    repo.write(
        {"inventory/fleet.yaml": f"{FLEET}{profile}", "bases/own.yaml": "kind: a\n", "bases/b.yaml": "kind: a\n"}
    )
    edit(repo, "inventory/clusters/d.yaml", "kind: Cluster\n", "kind: Cluster\nprofile: own\n")
    budget = "disruptionBudget: {existing: {file: bases/b.yaml}}"
    job = f"runsOn: {{clusters: [b], pools: [a]}}, namespace: ns, owner: {{kind: Job}}, {budget}"
    repo.write({"inventory/team.yaml": f"{HEAD}kind: Workloads\nteam: t\nworkloads:\n  job: {{{job}}}\n"})
    repo.commit()
    changes = (
        ("bases/own.yaml", "kind: a", "kind: b", "d"),
        ("inventory/team.yaml", "namespace: ns", "namespace: ml", "b"),
        ("inventory/team.yaml", "[b]", "[c]", "b, c"),
        ("bases/b.yaml", "kind: a", "kind: b", "b"),
    )
    for path, old, new, reached in changes:
        edit(repo, path, old, new)
        _, _, notes = judged(repo, capfd, "--changed-since", "HEAD")
        assert notes[0].endswith(f" can affect: {reached}"), path
        edit(repo, path, new, old)


def test_a_cluster_may_go_with_a_change_of_what_all_inherit(repo: Repo, capfd: Capture) -> None:
    edit(repo, "inventory/fleet.yaml", '"580"', '"570"')
    repo.write({"inventory/later.yaml": cluster(POOL, name="later")})
    repo.commit()
    edit(repo, "inventory/fleet.yaml", '"570"', '"580"')
    (repo.path / "inventory/later.yaml").unlink()
    called = call(capfd, "diff", "HEAD", "--cluster", "later", "--format", "json", root=repo.path)
    assert called.code == 0
    assert [reported["cluster"] for reported in called.json["clusters"]] == ["later"]


def test_a_change_of_what_all_inherit_judges_all(repo: Repo, capfd: Capture) -> None:
    edit(repo, "inventory/fleet.yaml", '"580"', '"570"')
    code, out, notes = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 1
    assert " in 5 clusters" in out
    assert notes[0].startswith("all clusters are judged: of what changed since HEAD, inventory/fleet.yaml ")
    assert notes[1:] == ["HEAD is taken as synced, with its operator release running; --against names another"]


def test_a_change_of_no_cluster_judges_none_and_says_so(repo: Repo, capfd: Capture) -> None:
    repo.write({"README.md": "x"})
    code, out, notes = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 0
    assert out.startswith("0 errors, 0 warnings in 0 clusters")
    assert notes[0] == "no cluster is judged: nothing that changed since HEAD can affect one"


def test_what_is_no_clusters_is_judged_all_the_same(repo: Repo, capfd: Capture) -> None:
    repo.write({"inventory/notes.yaml.bak": f"{HEAD}kind: Cluster\nname: z\n"})
    code, out, _ = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 1
    assert "inventory/unread-file" in out


def test_output_of_a_cluster_is_its_own(repo: Repo, capfd: Capture) -> None:
    edit(repo, "out/c/gpu-operator/nvidiadriver-a.yaml", '"580"', '"550"')
    code, out, notes = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 1
    assert out.count("out/drift") == 1
    assert notes[0].endswith("can affect: c")


def test_a_cluster_that_goes_is_looked_for_below_out(repo: Repo, capfd: Capture) -> None:
    (repo.path / "inventory/clusters/d.yaml").unlink()
    code, out, _ = judged(repo, capfd, "--changed-since", "HEAD")
    assert code == 1
    assert "out/d/" in out
    assert "out/e/" not in out


def test_it_compares_with_the_same_revision(repo: Repo, capfd: Capture) -> None:
    """A rename two commits ago would pass unseen against HEAD."""
    edit(repo, "inventory/clusters/a.yaml", "  a: {", "  new: {")
    assert call(capfd, "render", "--allow-remove", "a/a", root=repo.path).code == 0
    repo.commit()
    assert "operator/renamed" not in judged(repo, capfd)[1]
    assert "operator/renamed" in judged(repo, capfd, "--changed-since", "HEAD~1")[1]
    assert "operator/renamed" not in judged(repo, capfd, "--changed-since", "HEAD~1", "--against", "HEAD")[1]


def test_a_revision_that_is_not_there_is_not_clean(repo: Repo, capfd: Capture) -> None:
    for revision in ("nope", ""):
        called = call(capfd, "check", "--changed-since", revision, root=repo.path)
        assert called.code == 3
        assert called.out == ""


def test_shards_together_judge_every_cluster_once(repo: Repo, capfd: Capture) -> None:
    for name in NAMES:
        edit(repo, f"inventory/clusters/{name}.yaml", "pool: a", "pool: z")
    whole = call(capfd, "check", "--format", "json", root=repo.path)
    found: list[str] = []
    clusters = 0
    for number in (1, 2, 3):
        called = call(capfd, "check", "--format", "json", "--shard", f"{number}/3", root=repo.path)
        assert called.code == 1
        value = json.loads(called.out)
        clusters += value["summary"]["clusters"]
        found += [json.dumps(one) for one in value["findings"]]
        assert value["notes"][0].startswith(f"shard {number}/3 judges ")
    assert clusters == 5
    assert sorted(found) == sorted(json.dumps(one) for one in json.loads(whole.out)["findings"])


def test_rules_over_all_clusters_are_the_first_shards(repo: Repo, capfd: Capture) -> None:
    """A and c are in the first of two, b and d in the second: the driver of d is newer than c's."""
    edit(repo, "inventory/clusters/d.yaml", "pools:", 'driver: {branch: "590"}\npools:')
    repo.write({"inventory/more.yaml": CATALOG.replace("580-", "590-")})
    render(repo, capfd)
    assert "upgrade/ring-order" in judged(repo, capfd, "--shard", "1/2")[1]
    code, out, notes = judged(repo, capfd, "--shard", "2/2")
    assert "upgrade/ring-order" not in out
    assert "upgrade/ring-order" in notes[-1]
    assert code == 0


def test_what_is_no_clusters_is_told_by_the_first_shard_alone(repo: Repo, capfd: Capture) -> None:
    edit(repo, "inventory/catalog.yaml", LISTED[-20:], LISTED[-20:] + LISTED.splitlines()[-1] + "\n")
    outs = [judged(repo, capfd, "--shard", f"{number}/3")[1] for number in (1, 2, 3)]
    assert ["catalog/duplicate" in out for out in outs] == [True, False, False]


def test_a_broken_cluster_stops_its_own_shard_and_the_first(repo: Repo, capfd: Capture) -> None:
    repo.write({"inventory/clusters/b.yaml": f"{HEAD}kind: Cluster\nname: b\npools: [\n"})
    assert [judged(repo, capfd, "--shard", f"{number}/3")[0] for number in (1, 2, 3)] == [2, 2, 0]


def test_a_document_in_flow_style_is_in_one_shard(repo: Repo, capfd: Capture) -> None:
    text = f"{{apiVersion: drivergate.dev/v1alpha1, kind: Cluster, name: f, pools: {{a: {{{POOL}}}}}}}\n"
    repo.write({"inventory/clusters/f.yaml": text})
    outs = [judged(repo, capfd, "--shard", f"{number}/2")[1] for number in (1, 2)]
    assert ["out/f/" in out for out in outs] == [False, True]


def test_both_together_split_what_changed(repo: Repo, capfd: Capture) -> None:
    for name in ("a", "b"):
        edit(repo, f"inventory/clusters/{name}.yaml", "pool: a", "pool: z")
    outs = [judged(repo, capfd, "--changed-since", "HEAD", "--shard", f"{number}/2")[1] for number in (1, 2)]
    assert [("out/a/" in out, "out/b/" in out) for out in outs] == [(True, False), (False, True)]


def test_reports_know_their_shard_and_what_was_not_judged(repo: Repo, capfd: Capture) -> None:
    out = call(capfd, "check", "--shard", "2/3", "--format", "sarif", root=repo.path).out
    run = run_of(out)
    assert run["automationDetails"]["id"] == "drivergate/check/2-of-3/"
    told = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert "upgrade/ring-order is not judged: it compares clusters, and only some are judged" in told
    suite = suite_of(call(capfd, "check", "--shard", "2/3", "--format", "junit", root=repo.path).out)
    skipped = {case.get("name") for case in suite.findall("testcase") if case.find("skipped") is not None}
    assert skipped == {"upgrade/ring-order", "inventory/unused-mirror", "inventory/unused-silence"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--shard", "0/2"),
        ("--shard", "3/2"),
        ("--shard", ""),
        ("--shard", "1/2", "--cluster", "a"),
        ("--changed-since", "HEAD", "--cluster", "a"),
        ("--changed-since", "HEAD", "--write-baseline"),
        ("--shard", "1/2", "--write-baseline"),
    ],
)
def test_bad_usage(repo: Repo, capfd: Capture, arguments: tuple[str, ...]) -> None:
    called = call(capfd, "check", *arguments, root=repo.path)
    assert called.code == 2
    assert called.out == ""
    assert "hint: " in called.err
