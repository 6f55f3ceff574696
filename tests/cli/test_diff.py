"""The verb: its formats, its exit codes, and that what is alike in both revisions is read once."""

import json
from pathlib import Path

import pytest

from generator.cli.outcome import Reporting
from generator.declared.selection import NOTHING, Selection, exactly
from generator.revision import declaration
from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CATALOG, CLUSTER, FLEET, HEAD, IMAGE, repository
from tests.testing.reports import issues_of, run_of, suite_of

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
    loaded: list[tuple[list[str], Selection]] = []
    load = declaration.load

    def watched(files: dict[str, bytes], *, clusters: Selection) -> object:
        loaded.append((sorted(files), clusters))
        return load(files, clusters=clusters)

    monkeypatch.setattr(declaration, "load", watched)
    repository(repo.path, two=OTHER, one=CLUSTER.replace("driver: {kernelModuleType: open}", 'driver: {branch: "595"}'))
    assert "(1 of 2 clusters can be affected)" in call(capfd, "diff", "HEAD", root=repo.path).out
    (head, only), (base, same), (rest, _) = loaded
    assert rest == ["inventory/fleet.yaml", "inventory/stream.yaml", "inventory/two.yaml"]  # has the other one errors?
    assert only == same == exactly({"one"})
    assert {*head} - {*base} == {"inventory/catalog.yaml"}
    loaded.clear()
    silenced = FLEET + "silenced: [{rule: branch/end-of-life, reason: it is known}]\n"
    repository(repo.path, two=OTHER, fleet=silenced)
    assert call(capfd, "diff", "HEAD", root=repo.path).out == "no driver is touched (0 of 2 clusters can be affected)\n"
    repository(repo.path, two=OTHER, stream=IMAGE + "# a comment\n")
    assert call(capfd, "diff", "HEAD", root=repo.path).out == "no driver is touched (0 of 2 clusters can be affected)\n"
    # What is of no cluster is looked at once for each of the two, and no catalog that is as it was.
    assert [(sorted({*head} - {*files}), clusters) for files, clusters in loaded] == [
        (["inventory/catalog.yaml"], NOTHING),
        (["inventory/catalog.yaml"], NOTHING),
    ]


def test_a_revision_is_needed(repo: Repo, capfd: Capture) -> None:
    called = call(capfd, "diff", root=repo.path)
    assert (called.code, called.out) == (2, "")
    assert "BASE" in called.err


def test_every_format_for_reviewers_in_one_run(repo: Repo, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each valid by its own schema; places are relative to the top of the git repository."""
    repository(repo.path, fleet=FLEET.replace('"580"', '"595"'))
    monkeypatch.chdir(repo.path)
    files = [f"--output={name}=build/{name}" for name in Reporting]
    called = call(capfd, "diff", "HEAD", "--format", "github", "--fail-on", "missing", *files)
    assert called.code == 1
    texts = {name: (repo.path / "build" / name).read_text(encoding="utf-8") for name in Reporting}
    assert texts[Reporting.GITHUB] == called.out
    run, issues, suite = run_of(texts[Reporting.SARIF]), issues_of(texts[Reporting.GITLAB]), suite_of(texts["junit"])
    levels = {(one["ruleId"], one["level"]) for one in run["results"]}
    assert levels == {("diff/reload", "warning"), ("diff/missing", "error")}
    assert run["automationDetails"]["id"] == "drivergate/diff/"
    rules = {one["id"]: one for one in run["tool"]["driver"]["rules"]}
    assert rules["diff/missing"]["help"]["markdown"].startswith("## diff/missing\n")
    assert len(issues) == len(run["results"])
    assert {one["location"]["path"] for one in issues} == {"inventory/fleet.yaml", "inventory/stream.yaml"}
    assert {one.get("type") for one in suite.findall("testcase/failure")} == {"diff/missing"}
    for name in ("text", "json", "markdown"):
        assert texts[name] == call(capfd, "diff", "HEAD", "--format", name).out
    only = run_of(call(capfd, "diff", "HEAD", "--format", "sarif", "--cluster", "one").out)
    assert only["automationDetails"]["id"] == "drivergate/diff/one/"


def test_what_is_quiet_is_valid_too(repo: Repo, capfd: Capture) -> None:
    assert run_of(call(capfd, "diff", "HEAD", "--format", "sarif", root=repo.path).out)["results"] == []
    assert issues_of(call(capfd, "diff", "HEAD", "--format", "gitlab", root=repo.path).out) == []
    assert suite_of(call(capfd, "diff", "HEAD", "--format", "junit", root=repo.path).out).get("tests") == "0"


def test_a_revision_that_can_t_be_read_is_reported_where_reviewers_look(
    repo: Repo, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(repo.path, one=CLUSTER.replace("nodes: 2", "nodes: two"))
    monkeypatch.chdir(repo.path)
    called = call(capfd, "diff", "HEAD", "-o", "sarif=x.sarif", "-o", "markdown=x.md", "-o", "junit=x.xml")
    assert (called.code, called.out) == (2, "")
    (one,) = run_of((repo.path / "x.sarif").read_text())["results"]
    assert (one["ruleId"], one["level"]) == ("inventory/schema", "error")
    suite = suite_of((repo.path / "x.xml").read_text())
    assert [case.get("name") for case in suite.findall("testcase")] == ["inventory/schema"]
    comment = (repo.path / "x.md").read_text()
    assert comment.startswith("<!-- drivergate:diff -->\n")
    assert "no valid manifest can be made from the work tree: nothing is compared" in comment
    assert call(capfd, "diff", "HEAD", "--format", "markdown").out == comment


@pytest.mark.parametrize(
    ("output", "told"),
    [("xml=x", "FORMAT=FILE"), ("sarif", "FORMAT=FILE"), ("sarif=out/x", "won't write"), ("sarif=inventory", "folder")],
)
def test_bad_outputs_are_told_before_anything_is_compared(
    repo: Repo, capfd: Capture, monkeypatch: pytest.MonkeyPatch, output: str, told: str
) -> None:
    monkeypatch.chdir(repo.path)
    called = call(capfd, "diff", "HEAD", "-o", output)
    assert (called.code, called.out) == (2, "")
    assert told in called.err


def _one(name: str, operator: str, *pools: str, driver: str = 'branch: "580"') -> str:
    listed = "".join(
        f"  {pool}: {{nodeSelector: {{x/pool: {pool}}}, nodes: 4, nodeImage: stream, driver: {{{driver}}}}}\n"
        for pool in pools
    )
    return f"{HEAD}Cluster\nname: {name}\noperator: {{{operator}}}\npools:\n{listed}"


def test_another_root_of_the_host_reloads_every_driver(repo: Repo, capfd: Capture) -> None:
    """Of NVIDIADrivers too, whose objects stay: the ClusterPolicy says it (gpu-operator internal/state/driver.go)."""
    parts = "daemonsets dcgm dcgmExporter devicePlugin driver gfd nodeStatusExporter operator toolkit"
    spec = "".join(f"  {part}: {{}}\n" for part in parts.split(" "))
    base = f"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {{name: cluster-policy}}\nspec:\n{spec}"
    rooted = _one("rooted", "install: olm, clusterPolicyBase: bases/policy.yaml", "a")
    (repo.path / "bases").mkdir()
    (repo.path / "bases/policy.yaml").write_text(base, encoding="utf-8")
    repository(repo.path, rooted=rooted)
    repo.commit()
    (repo.path / "bases/policy.yaml").write_text(f"{base}  hostPaths: {{rootFS: /host}}\n", encoding="utf-8")
    (cluster,) = call(capfd, "diff", "HEAD", "--format", "json", root=repo.path).json["clusters"]
    assert [(pool["pool"], pool["outcome"]) for pool in cluster["pools"]] == [("a", "reload")]
    assert [change["path"] for change in cluster["pools"][0]["changes"]] == ["hostPaths.rootFS"]


def test_what_is_dangerous_about_whole_clusters(repo: Repo, capfd: Capture) -> None:
    """Each cluster is changed in one way that its nodes feel beyond their own reload."""
    note = "a note of more than eighty characters, so that only the part where two differ is shown: %s"
    before = {
        "switched": _one("switched", "driverApi: ClusterPolicy", "a"),
        "deleted": _one("deleted", "driverApi: ClusterPolicy, version: v26.3.3", "a"),
        "back": _one("back", "driverApi: NVIDIADriver", "a"),
        "moved": _one("moved", "namespace: gpu-operator", "a"),
        "newer": _one("newer", "version: v26.3.3", "a"),
        "smaller": _one("smaller", "version: v26.7.0", "a", "b"),
        "policy": _one("policy", "driverApi: ClusterPolicy", "a"),
        "noted": _one("noted", "version: v26.7.0", "a", driver=f"spec: {{annotations: {{note: '{note % 'old'}'}}}}"),
    }
    after = {
        "switched": _one("switched", "driverApi: NVIDIADriver", "a"),
        "deleted": _one("deleted", "driverApi: NVIDIADriver, version: v26.3.3", "a"),
        "back": _one("back", "driverApi: ClusterPolicy", "a"),
        "moved": _one("moved", "namespace: nvidia", "a"),
        "newer": _one("newer", "version: v26.7.0", "a"),
        "smaller": _one("smaller", "version: v26.7.0", "a"),
        "policy": _one("policy", "driverApi: ClusterPolicy", "a", driver='branch: "595"'),
        "noted": _one("noted", "version: v26.7.0", "a", driver=f"spec: {{annotations: {{note: '{note % 'new'}'}}}}"),
    }
    repository(repo.path, **before)
    repo.commit()
    repository(repo.path, **after)
    comment = repo.path / "comment.md"
    told = call(capfd, "diff", "HEAD", "-o", f"markdown={comment}", root=repo.path)
    for words in (
        "cluster switched goes from ClusterPolicy to NVIDIADriver: the pods that run become orphans",
        "cluster deleted goes from ClusterPolicy to NVIDIADriver: operator v26.3.3 deletes all driver pods at once",
        "cluster back goes from NVIDIADriver to ClusterPolicy: its DaemonSet comes beside those of the NVIDIADrivers",
        "the operator of cluster moved moves from namespace gpu-operator to nvidia",
        "operator v26.3.3 -> v26.7.0: ",
        'NVIDIADriver "b" drives nodes of smaller and waits for somebody to confirm its pruning',
    ):
        assert words in told.out
        assert words in comment.read_text(encoding="utf-8")
    assert any(line.count("…") == 2 and "shown: old" in line and "shown: new" in line for line in told.out.splitlines())
    made = call(capfd, "diff", "HEAD", "--format", "json", root=repo.path).json["clusters"]
    dangers = {one["cluster"]: [(each["kind"], each["blocks"]) for each in one["dangers"]] for one in made}
    assert dangers == {
        "back": [("driver-api", True)],
        "deleted": [("driver-api", True)],
        "moved": [("namespace", False)],
        "newer": [("operator", False)],
        "noted": [],
        "policy": [],
        "smaller": [],
        "switched": [("driver-api", False)],
    }
    annotations = call(capfd, "diff", "HEAD", "--format", "github", root=repo.path).out
    # Where each is said: the setting of the cluster, in the file that the change is in.
    assert "file=inventory/moved.yaml,line=4," in annotations
    assert "file=inventory/back.yaml,line=4," in annotations


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("inventory/w.yaml", "kind: Workloads\nteam: t\nworkloads: 7\n", "workloads is 7, a mapping is wanted"),
        ("inventory/i.yaml", "kind: ImageCatalog\nrepository: r.example/d\nimages: 7\n", "images is no list"),
    ],
)
def test_a_file_of_no_cluster_that_can_not_be_read_is_no_all_clear(
    repo: Repo, capfd: Capture, path: str, text: str, message: str
) -> None:
    repo.write({path: f"apiVersion: drivergate.dev/v1alpha1\n{text}"})
    called = call(capfd, "diff", "HEAD", root=repo.path)
    assert called.code == 2
    assert message in called.err
    assert "no driver is touched" not in called.out


def test_whole_commit_ids_are_shortened_and_named(repo: Repo, capfd: Capture) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    branch = repo.git("symbolic-ref", "--short", "HEAD").strip()
    repository(repo.path, fleet=FLEET.replace('"580"', '"595"'))
    repo.commit()
    named = f"{first[:12]}"
    comment = call(capfd, "diff", first, "HEAD", "--format", "markdown", root=repo.path).out
    assert f"From `{named}` to `HEAD`." in comment
    head = repo.git("rev-parse", "HEAD").strip()
    told = call(capfd, "diff", first, head, "--format", "json", root=repo.path).json
    assert told["head"] == {"named": f"{head[:12]} ({branch})", "commit": head}
    assert "#### Gate: " in comment


def test_a_hold_that_is_lifted_and_a_workload_that_is_new_are_named(repo: Repo, capfd: Capture) -> None:
    held = CLUSTER.replace("  train:\n", "  train:\n    hold: {reason: a long run}\n", 1)
    repository(repo.path, two=OTHER, one=held)
    repo.commit()
    workload = f"{HEAD}Workloads\nteam: ml\nworkloads:\n  api: {{runsOn: {{pools: [train]}}, namespace: serving, "
    workload += "owner: {kind: Deployment}, podLabels: {app: api}, replicas: 3}\n"
    repository(repo.path, two=OTHER, ml=workload)
    printed = call(capfd, "diff", "HEAD", "--cluster", "one", root=repo.path).out
    assert 'danger: the hold of pool "one/train" is lifted ("a long run")\n' in printed
    assert "    workload api of ml is new\n" in printed
    gone = held.replace("  train:", "  trainers:").replace("    hold: {reason: a long run}\n", "")
    repository(repo.path, two=OTHER, one=gone.replace("pool: train", "pool: trainers"))
    printed = call(capfd, "diff", "HEAD", "--cluster", "one", root=repo.path).out
    assert '("a long run"), and no pool declares its nodes any more' in printed
