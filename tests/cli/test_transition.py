"""The gate and diff on changes whose both ends have their images, and whose way between them does not."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.testing.fleet import EAST, IMAGES, Fleet, catalog, cluster, drivergate, inventory, judged
from tests.testing.gitrepo import Repo, isolate

K1, K2 = "5.15.0-173-generic", "5.15.0-185-generic"
BUILT = (f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04", f"595-{K2}-ubuntu22.04")
MOVED = cluster(kernel=K2) + '    driver: {branch: "595"}\n'
WAY = "image/transition-missing"
NODE_IMAGE = "inventory/node-images/aks.yaml"


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    isolate(monkeypatch)
    made = Fleet(tmp_path / "fleet", {**inventory(), IMAGES: catalog(*BUILT)})
    made.render()
    made.commit()
    return made


def rules(root: Path, *arguments: str) -> list[str]:
    """The rules of the findings of a check, sorted."""
    found = drivergate(root, "check", "--format", "json", *arguments).json["findings"]
    return sorted({finding["rule"] for finding in found})


def move(fleet: Fleet, *, commit: bool = True) -> None:
    fleet.write({EAST: MOVED})
    fleet.render()
    if commit:
        fleet.commit()


SEEN = ["image/kernel-swapped", WAY]


def test_kernel_and_driver_in_one_change_are_refused(fleet: Fleet) -> None:
    move(fleet, commit=False)
    assert rules(fleet.path) == SEEN
    fleet.git("add", "-A")
    assert rules(fleet.path, "--staged") == SEEN
    fleet.git("commit", "-q", "-m", "both")
    assert rules(fleet.path, "--rev", "HEAD") == SEEN
    assert rules(fleet.path, "--against", "HEAD~1") == SEEN
    # Without an upstream, what is committed counts as synced.
    assert rules(fleet.path) == []


def test_two_commits_of_one_pull_request_are_one_change(fleet: Fleet, tmp_path: Path) -> None:
    clone = Repo(tmp_path / "clone", "--bare")
    fleet.git("remote", "add", "origin", clone.root)
    fleet.git("push", "-q", "origin", "main")
    fleet.git("remote", "set-head", "origin", "main")
    fleet.git("switch", "-q", "-c", "work")
    fleet.write({EAST: cluster(kernel=K2)})
    fleet.render()
    fleet.commit(message="kernel")
    assert rules(fleet.path) == ["image/kernel-swapped"]
    move(fleet)
    assert rules(fleet.path) == SEEN
    ended = drivergate(fleet.path, "check")
    assert ended.code == 1
    assert "(merge base with origin/main) is taken as synced" in ended.err
    # Each commit by itself passes: the second one believes that no node runs what the first one took out.
    assert rules(fleet.path, "--rev", "HEAD") == []


def test_the_kernel_first_and_the_driver_when_it_is_merged(fleet: Fleet) -> None:
    fleet.write({EAST: cluster(kernel=K2)})
    fleet.render()
    fleet.commit()
    move(fleet, commit=False)
    assert judged(fleet.path) == []


def test_an_image_that_the_same_change_takes_from_the_catalog_is_still_there(fleet: Fleet) -> None:
    listed = (*BUILT, f"595-{K1}-ubuntu22.04")
    fleet.commit({IMAGES: catalog(*listed)})
    fleet.write({IMAGES: catalog(*BUILT)})
    move(fleet, commit=False)
    assert rules(fleet.path) == ["image/kernel-swapped"]


def test_a_base_that_can_not_be_read_judges_nothing_and_says_so(fleet: Fleet) -> None:
    fleet.write({EAST: "kind: [\n"})
    fleet.commit()
    move(fleet, commit=False)
    ended = drivergate(fleet.path, "check")
    assert "operator/unclaimed and holds that are lifted are not judged where HEAD can't be read" in ended.err


def test_diff_names_the_states_between_and_the_way_back(fleet: Fleet) -> None:
    move(fleet, commit=False)
    ended = drivergate(fleet.path, "diff", "HEAD", "--fail-on", "missing")
    assert ended.code == 1
    image = f"595-{K1}-ubuntu22.04 for linux/amd64"
    asked = f"nodes on {K1} come up without a GPU after the sync: {image} is not built"
    assert asked in ended.out
    assert f"on the way, before the sync, on {K2}: 580-{K2}-ubuntu22.04 for linux/amd64: built" in ended.out
    assert "way back: every image that a revert asks for is built" in ended.out
    (pool,) = drivergate(fleet.path, "diff", "HEAD", "--format", "json").json["clusters"][0]["pools"]
    assert [(passed["moment"], passed["machine"], passed["standing"]) for passed in pool["way"]] == [
        ("after-sync", K1, "missing"),
        ("before-sync", K2, "built"),
    ]


def test_diff_says_what_a_revert_would_miss(fleet: Fleet) -> None:
    fleet.commit({IMAGES: catalog(BUILT[0], f"595-{K1}-ubuntu22.04", BUILT[2])})
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}") + '    driver: {branch: "595"}\n'})
    fleet.render()
    ended = drivergate(fleet.path, "diff", "HEAD")
    assert f"no way back: a revert asks {K2} nodes for 580-{K2}-ubuntu22.04: not built" in ended.out


def test_the_states_between_are_entries_for_reviewers(fleet: Fleet) -> None:
    move(fleet, commit=False)
    printed = drivergate(fleet.path, "diff", "HEAD", "--format", "github").out
    image = f"595-{K1}-ubuntu22.04"
    assert [line for line in printed.splitlines() if "diff/missing" in line and image in line]


def test_nodes_that_another_label_may_select_are_followed(fleet: Fleet) -> None:
    """Nothing says whether nodes of the pool have the label; if they have, they ask for the new driver on K1."""
    pool = cluster(kernel=K2).replace("{example.com/pool: train}", "{example.com/zone: west}")
    fleet.write({EAST: pool + '    driver: {branch: "595"}\n'})
    fleet.render()
    assert WAY in rules(fleet.path)


def test_plan_splits_the_change_into_pull_requests(fleet: Fleet) -> None:
    asked = ("plan", "--kernel", K2, "--branch", "595")
    ended = drivergate(fleet.path, *asked)
    assert ended.code == 0
    assert ended.out.startswith("GO ")
    assert f"1. add {K2} to kernels, and roll the nodes; go on when this ends with 0:\n" in ended.out
    (pool,) = drivergate(fleet.path, *asked, "--format", "json").json["pools"]
    assert [step["move"] for step in pool["steps"]] == ["join", "leave", "driver"]
    assert pool["steps"][0]["seen"] == f"drivergate audit --cluster east --pool train --gone {K1}"


def test_each_step_of_a_plan_passes_the_gate(fleet: Fleet) -> None:
    for written in (
        cluster(kernel=f"{K1}, {K2}"),
        cluster(kernel=K2),
        cluster(kernel=K2) + '    driver: {branch: "595"}\n',
    ):
        fleet.write({EAST: written})
        fleet.render()
        assert judged(fleet.path) == []
        fleet.commit()


def test_plan_holds_where_no_way_leads_there(fleet: Fleet) -> None:
    fleet.commit({IMAGES: catalog(BUILT[0], BUILT[2]), EAST: by_policy(nodes="{min: 1, max: 4}")})
    ended = drivergate(fleet.path, "plan", "--kernel", K2, "--branch", "595")
    assert ended.out.startswith("HOLD ")
    assert "no way there in which every state has its images, without nvcr.io/nvidia/driver:5" in ended.out


def by_policy(kernel: str = K1, driver: str = "580", *, nodes: str = "4", automatic: bool = True) -> str:
    """The cluster under a ClusterPolicy, which has no tolerations of a pool."""
    policy = f"upgradePolicy: {{autoUpgrade: {str(automatic).lower()}}}"
    written = cluster(kernel=kernel) + f'    driver: {{branch: "{driver}", {policy}}}\n'
    written = written.replace("pools:", "operator: {driverApi: ClusterPolicy}\npools:").replace(
        "nodes: 4", f"nodes: {nodes}"
    )
    return written.replace('["example.com/dedicated=train:NoSchedule"]', "[]")


def test_each_step_of_a_pause_passes_the_gate_with_warnings(fleet: Fleet) -> None:
    """Neither driver is built for both kernels: nodes keep theirs until they are replaced, and so the gate warns."""
    fleet.commit({IMAGES: catalog(BUILT[0], BUILT[2]), EAST: by_policy()})
    fleet.render("--allow-remove", "train")
    fleet.commit()
    planned = drivergate(fleet.path, "plan", "--kernel", K2, "--branch", "595", "--format", "json").json["pools"][0]
    assert [step["move"] for step in planned["steps"]] == ["pause", "driver", "join", "leave", "resume"]
    steps = (
        by_policy(automatic=False),
        by_policy(driver="595", automatic=False),
        by_policy(f"{K1}, {K2}", "595", automatic=False),
        by_policy(K2, "595", automatic=False),
        by_policy(K2, "595"),
    )
    seen = []
    for written in steps:
        fleet.write({EAST: written})
        fleet.render()
        found = drivergate(fleet.path, "check", "--format", "json").json["findings"]
        assert {finding["severity"] for finding in found} <= {"warning"}
        seen.append(sorted({finding["rule"] for finding in found}))
        fleet.commit()
    assert seen == [[], [WAY], [WAY], [], []]


def test_each_step_of_a_pool_beside_the_old_one_passes_the_gate(fleet: Fleet) -> None:
    fleet.commit({IMAGES: catalog(BUILT[0], BUILT[2])})
    planned = drivergate(fleet.path, "plan", "--kernel", K2, "--branch", "595", "--format", "json").json["pools"][0]
    assert [step["move"] for step in planned["steps"]] == ["beside", "remove"]
    (old,) = re.findall(r"^  train:\n(?:    .*\n)+", cluster(), re.MULTILINE)
    new = old.replace("  train:", "  train-595:").replace("pool: train", "pool: train-595").replace(K1, K2)
    new += '    driver: {branch: "595"}\n'
    fleet.write({EAST: cluster() + new})
    fleet.render()
    assert judged(fleet.path) == []
    fleet.commit()
    fleet.write({EAST: cluster().replace(old, new)})
    assert drivergate(fleet.path, "render", "--allow-remove", "train").code == 0
    # Nothing in git shows that the old pool is empty.
    assert rules(fleet.path) == ["operator/unclaimed"]


def test_plan_refuses_a_driver_to_pass_through_that_is_none(fleet: Fleet) -> None:
    ended = drivergate(fleet.path, "plan", "--branch", "595", "--via", "fast")
    assert ended.code == 2
    assert '--via "fast" is no driver' in ended.err


def test_plan_answers_for_all_pools_of_one_policy(fleet: Fleet) -> None:
    both = cluster() + (
        "  serve:\n    nodeSelector: {example.com/pool: serve}\n    nodes: 14\n    gpu: {family: hopper}\n"
        f'    os: {{id: ubuntu, version: "22.04"}}\n    arch: [amd64]\n    kernels: [{K2}]\n'
    )
    policy = both.replace("pools:", "operator: {driverApi: ClusterPolicy}\npools:")
    fleet.write({EAST: policy.replace('["example.com/dedicated=train:NoSchedule"]', "[]")})
    fleet.write({IMAGES: catalog(*BUILT, f"595-{K1}-ubuntu22.04").replace(f"595-{K2}", "595-5.15.0-1-generic")})
    ended = drivergate(fleet.path, "plan", "--branch", "595", "--pool", "east/train")
    assert [line.split()[:2] for line in ended.out.splitlines() if line.startswith(("GO ", "HOLD "))] == [
        ["GO", "east/train"],
        ["HOLD", "east/serve"],
    ]


OFF = "upgradePolicy: {autoUpgrade: false}"


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("nodes: 4", f"warning {WAY}"),
        # A node that is added loads the new driver.
        ("nodes: {min: 1, max: 4}", "error image/missing"),
    ],
)
def test_nodes_that_nobody_upgrades_keep_their_driver(fleet: Fleet, nodes: str, expected: str) -> None:
    sized = cluster().replace("nodes: 4", nodes)
    fleet.write({EAST: sized + f"    driver: {{{OFF}}}\n"})
    fleet.render()
    fleet.commit()
    fleet.write({EAST: sized + f'    driver: {{branch: "595", {OFF}}}\n'})
    fleet.render()
    (finding,) = judged(fleet.path)
    assert finding.startswith(f"{expected} ")
    # It stays so when the change is merged: what the nodes run is what they ran.
    fleet.commit()
    assert [line.split(" ")[:2] for line in judged(fleet.path)] == [expected.split(" ")]


def test_a_new_pool_loads_its_driver_whoever_upgrades_it(fleet: Fleet) -> None:
    declared = cluster().partition("pools:\n")[2].replace("train", "second")
    fleet.write({EAST: cluster() + declared + f'    driver: {{branch: "595", {OFF}}}\n'})
    fleet.render()
    assert [line.split(" ")[1] for line in judged(fleet.path)] == ["image/missing"]


def test_diff_finds_what_to_compare_with(fleet: Fleet, tmp_path: Path) -> None:
    """The work tree with HEAD, a clean one with the commit before, and a branch with where it began."""
    first = drivergate(fleet.path, "diff")
    assert (first.code, "there is nothing to compare with" in first.err) == (2, True)
    move(fleet, commit=False)
    assert drivergate(fleet.path, "diff", "--format", "json").json["base"]["named"] == "HEAD"
    fleet.commit()
    assert drivergate(fleet.path, "diff", "--format", "json").json["base"]["named"] == "HEAD~1"
    clone = Repo(tmp_path / "clone", "--bare")
    fleet.git("remote", "add", "origin", clone.root)
    fleet.git("push", "-q", "origin", "HEAD~1:refs/heads/main")
    fleet.git("fetch", "-q", "origin")
    fleet.git("remote", "set-head", "origin", "main")
    base = fleet.git("rev-parse", "HEAD~1")
    printed = drivergate(fleet.path, "diff", "--format", "json").json
    assert printed["base"] == {"named": f"{base[:12]} (merge base with origin/main)", "commit": base}
    assert printed["summary"]["missing"]


def test_a_runbook_has_a_block_for_each_pull_request(fleet: Fleet) -> None:
    ended = drivergate(fleet.path, "upgrade", "runbook", "--kernel", K2, "--branch", "595")
    assert re.findall(r"^### (.*)$", ended.out, re.MULTILINE) == [
        f"`east/train`, {number} of 3" for number in (1, 2, 3)
    ]
    edits = [f"add {K2} to kernels", f"remove {K1} from kernels", "driver 580 -> 595"]
    assert re.findall(r"^\*\*Edit\*\*: (.*)\.$", ended.out, re.MULTILINE) == edits


def following(revision: str, text: str) -> str:
    """The cluster's file with an Application that follows a branch, a tag or a commit."""
    argocd = f"{{repoURL: 'https://git.example.com/f.git', targetRevision: {revision}}}"
    return text.replace("pools:", f"delivery: {{argocd: {argocd}}}\npools:")


def upstream(fleet: Fleet, path: Path) -> None:
    """A remote with the default branch main, as it is now."""
    fleet.git("remote", "add", "origin", Repo(path, "--bare").root)
    fleet.git("push", "-q", "origin", "main")
    fleet.git("remote", "set-head", "origin", "main")


def wrote(fleet: Fleet, text: str, files: dict[str, str] | None = None) -> None:
    fleet.write({EAST: text, **(files or {})})
    fleet.render()
    fleet.commit()


def test_a_cluster_that_follows_a_branch_which_is_not_known_is_named(fleet: Fleet, tmp_path: Path) -> None:
    wrote(fleet, following("stable", cluster()))
    upstream(fleet, tmp_path / "clone")
    fleet.write({EAST: following("stable", MOVED)})
    fleet.render()
    ended = drivergate(fleet.path, "check")
    assert "cluster east follows stable, not main: what it runs is not what is compared" in ended.err


def test_verbs_that_show_a_cluster_say_that_it_follows_another_revision(fleet: Fleet, tmp_path: Path) -> None:
    wrote(fleet, following("stable", cluster()))
    upstream(fleet, tmp_path / "clone")
    wrote(fleet, following("stable", cluster(kernel=f"{K1}, {K2}")))
    nodes = tmp_path / "nodes.json"
    nodes.write_text('{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n"}}]}', encoding="utf-8")
    note = "note: cluster east follows stable, not main: what is declared here may not be what it runs\n"
    for verb in (("show", "east"), ("diff", "HEAD~1"), ("audit", "--nodes", str(nodes))):
        assert note in drivergate(fleet.path, *verb).err
    wrote(fleet, following("main", cluster()))
    wrote(fleet, following("main", cluster(kernel=f"{K1}, {K2}")))
    for verb in (("show", "east"), ("diff", "HEAD~1"), ("audit", "--nodes", str(nodes))):
        assert "follows" not in drivergate(fleet.path, *verb).err


def test_a_cluster_is_compared_with_the_branch_that_it_follows(fleet: Fleet, tmp_path: Path) -> None:
    """Main has K2 alone since the last change; the branch that the cluster follows still has K1."""
    wrote(fleet, following("stable", cluster(kernel=f"{K1}, {K2}")))
    fleet.git("branch", "stable")
    wrote(fleet, following("stable", cluster(kernel=K2)))
    upstream(fleet, tmp_path / "clone")
    fleet.git("push", "-q", "origin", "stable")
    stable = fleet.git("rev-parse", "stable")
    fleet.write({EAST: following("stable", cluster(kernel=K2)) + '    driver: {branch: "595"}\n'})
    fleet.render()
    assert rules(fleet.path) == [WAY]
    note = f"cluster east follows stable: {stable[:12]} is taken as synced there"
    assert note in drivergate(fleet.path, "check").err
    assert rules(fleet.path, "--against", "HEAD") == []


def test_a_cluster_that_goes_to_another_tag_goes_from_tree_to_tree(fleet: Fleet) -> None:
    """Nothing of the inventory's pools differs between the two commits, and the driver moves all the same."""
    wrote(fleet, cluster())
    fleet.git("tag", "v1")
    wrote(fleet, cluster(kernel=f"{K1}, {K2}"))
    wrote(fleet, cluster(kernel=K2) + '    driver: {branch: "595"}\n')
    fleet.git("tag", "v2")
    wrote(fleet, following("v1", MOVED))
    fleet.write({EAST: following("v2", MOVED)})
    fleet.render()
    ended = drivergate(fleet.path, "check", "--format", "json")
    (finding,) = [found for found in ended.json["findings"] if found["rule"] == WAY]
    assert finding["fact"] == f"595-{K1}-ubuntu22.04"
    assert finding["line"] == 4  # where targetRevision is written
    assert any("cluster east goes from v1 to v2" in note for note in ended.json["notes"])
    told = drivergate(fleet.path, "diff", "HEAD", "--fail-on", "missing")
    assert told.code == 1
    assert f"nodes on {K1} come up without a GPU after the sync: 595-{K1}-ubuntu22.04" in told.out
    assert "no driver is touched" not in told.out


@pytest.mark.parametrize("verb", ["check", "diff"])
def test_a_revision_that_a_cluster_goes_to_and_nobody_can_read_is_exit_3(fleet: Fleet, verb: str) -> None:
    wrote(fleet, following("main", cluster()))
    fleet.write({EAST: following("v9", cluster())})
    fleet.render()
    ended = drivergate(fleet.path, verb)
    assert ended.code == 3
    assert "cluster east follows `v9`, which this clone does not know" in ended.err
    assert "git fetch origin v9" in ended.err


def application(fleet: Fleet, commit: str, release: str = "v26.7.0", *, as_yaml: bool = False) -> str:
    """The name of a file with the Application of east, which was synced at a commit."""
    sources = [{"chart": "gpu-operator"}, {"path": "out/east/gpu-operator"}]
    history = [{"deployedAt": "2026-03-31T00:00:00Z", "revisions": [release, commit]}]
    item = {"kind": "Application", "metadata": {}, "spec": {"sources": sources}, "status": {"history": history}}
    path = fleet.path.parent / "applications"
    text = json.dumps({"kind": "List", "items": [item]})
    path.write_text(yaml.safe_dump(json.loads(text)) if as_yaml else text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("as_yaml", [False, True])
def test_what_was_synced_counts_and_not_what_is_merged(fleet: Fleet, as_yaml: bool) -> None:
    """K1 has left the base, but the cluster still has a commit that declares it; in between K2 joined."""
    wrote(fleet, cluster())
    behind = fleet.git("rev-parse", "HEAD")
    wrote(fleet, cluster(kernel=f"{K1}, {K2}"))
    wrote(fleet, cluster(kernel=K2))
    move(fleet, commit=False)
    assert rules(fleet.path) == []
    file = application(fleet, behind, as_yaml=as_yaml)
    assert rules(fleet.path, "--synced", file) == [WAY]
    assert f"cluster east: {behind[:12]} is synced, by {file}" in drivergate(fleet.path, "check", "--synced", file).err
    told = drivergate(fleet.path, "diff", "HEAD", "--synced", file, "--fail-on", "missing")
    assert told.code == 1
    assert f"nodes on {K1} come up without a GPU after the sync: 595-{K1}-ubuntu22.04" in told.out
    current = application(fleet, fleet.git("rev-parse", "HEAD"))
    assert rules(fleet.path, "--synced", current) == []


def test_diff_compares_with_the_objects_that_were_applied(fleet: Fleet) -> None:
    """595 is merged and the cluster still has 580: to its nodes this change, of an owner's name, brings 595."""
    wrote(fleet, cluster(kernel=K2))
    behind = fleet.git("rev-parse", "HEAD")
    wrote(fleet, cluster(kernel=K2) + '    driver: {branch: "595"}\n')
    fleet.write({EAST: cluster(kernel=K2) + '    owner: ml\n    driver: {branch: "595"}\n'})
    fleet.render()
    assert "train  no effect" in drivergate(fleet.path, "diff", "HEAD").out
    told = drivergate(fleet.path, "diff", "HEAD", "--synced", application(fleet, behind))
    assert "train  reload  driver 580 -> 595" in told.out


def test_the_release_that_runs_is_the_one_that_was_applied(fleet: Fleet) -> None:
    """facts/gpu-operator.md 9: v26.7 drops the minor of RHEL 9, whatever git says the cluster has."""
    kernel = "5.14.0-427.31.1.el9_4.x86_64"
    rhel = cluster(kernel=kernel).replace('{id: ubuntu, version: "22.04"}', '{id: rhel, version: "9.4"}')
    fleet.write({IMAGES: catalog(f"580-{kernel}-rhel9", f"595-{kernel}-rhel9")})
    wrote(fleet, rhel)
    commit = fleet.git("rev-parse", "HEAD")
    fleet.write({EAST: rhel + '    driver: {branch: "595"}\n'})
    fleet.render()
    assert rules(fleet.path, "--synced", application(fleet, commit)) == []
    assert rules(fleet.path, "--synced", application(fleet, commit, "v26.3.3")) == [WAY]


def test_what_flux_attempted_and_the_chart_of_the_policy_count_too(fleet: Fleet) -> None:
    """facts/gitops.md: lastAttemptedRevision is what was applied; the release is that of the ClusterPolicy's labels."""
    wrote(fleet, cluster())
    behind = fleet.git("rev-parse", "HEAD")
    wrote(fleet, cluster(kernel=K2))
    move(fleet, commit=False)
    labels = {"helm.sh/chart": "gpu-operator-v26.7.0"}
    items = [
        {
            "kind": "Kustomization",
            "spec": {"path": "./out/east/gpu-operator"},
            "status": {"lastAttemptedRevision": f"main@sha1:{behind}"},
        },
        {"kind": "ClusterPolicy", "metadata": {"name": "cluster-policy", "labels": labels}},
    ]
    path = fleet.path.parent / "flux.json"
    path.write_text(json.dumps({"kind": "List", "items": items}), encoding="utf-8")
    assert rules(fleet.path) == []
    assert rules(fleet.path, "--synced", str(path)) == [WAY]


@pytest.mark.parametrize("verb", ["check", "diff"])
@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("{}", 2, "holds no Application or Kustomization of ours"),
        ("a: [", 2, "can't read `"),
        ("", 2, "holds no Application or Kustomization of ours"),
    ],
)
def test_a_file_that_says_nothing_of_a_sync_is_refused(fleet: Fleet, verb: str, text: str, code: int, why: str) -> None:
    path = fleet.path.parent / "applications"
    path.write_text(text, encoding="utf-8")
    ended = drivergate(fleet.path, verb, "--synced", str(path), *(("HEAD",) if verb == "diff" else ()))
    assert (ended.code, ended.out) == (code, "")
    assert why in ended.err


def test_a_commit_that_this_clone_does_not_know_is_exit_3(fleet: Fleet) -> None:
    move(fleet, commit=False)
    ended = drivergate(fleet.path, "check", "--synced", application(fleet, "f" * 40))
    assert ended.code == 3
    assert f"cluster east has {'f' * 40}, which this clone does not know" in ended.err
    assert "git fetch" in ended.err


def audited(fleet: Fleet, *kernels: str, time: str | None = "2026-03-31T06:00:00Z", release: str | None = None) -> str:
    """The name of a file beside the repository, as `audit --format json` writes it of nodes with these kernels."""
    more = {} if release is None else {"release": release}
    nodes = [{"node": f"n{number}", "pool": "train", "kernel": kernel, **more} for number, kernel in enumerate(kernels)]
    path = fleet.path.parent / "audit.json"
    path.write_text(json.dumps({"time": time, "clusters": [{"cluster": "east", "nodes": nodes}]}), encoding="utf-8")
    return str(path)


DAY = ("--today", "2026-03-31")


def test_evidence_that_no_node_runs_the_old_kernel_beats_what_git_declares(fleet: Fleet) -> None:
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}")})
    fleet.render()
    fleet.commit()
    move(fleet, commit=False)
    assert rules(fleet.path, *DAY) == [WAY]
    seen = ("--observed", audited(fleet, K2, K2, K2, K2))
    ended = drivergate(fleet.path, "check", *DAY, *seen)
    assert ended.code == 0
    assert f"none of 4 nodes of east/train runs {K1}" in ended.err
    assert drivergate(fleet.path, "diff", "HEAD", *DAY, *seen, "--fail-on", "missing").code == 0
    assert drivergate(fleet.path, "diff", "HEAD", *DAY, "--fail-on", "missing").code == 1
    still = ("--observed", audited(fleet, K2, K2, K2, K1))
    assert rules(fleet.path, *DAY, *still) == [WAY]


def test_an_audit_that_is_too_old_is_no_evidence_and_says_so(fleet: Fleet) -> None:
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}")})
    fleet.render()
    fleet.commit()
    move(fleet, commit=False)
    seen = ("--observed", audited(fleet, K2, K2, K2, K2, time="2026-03-20T06:00:00Z"))
    assert rules(fleet.path, *DAY, *seen) == [WAY]
    assert "is no evidence for east: it is of 2026-03-20T06:00:00Z" in drivergate(fleet.path, "check", *DAY, *seen).err


@pytest.mark.parametrize(("release", "left"), [("202605.1", []), ("202604.1", [WAY]), (None, [WAY])])
def test_nodes_of_the_newest_release_prove_that_no_other_comes_up(
    fleet: Fleet, release: str | None, left: list[str]
) -> None:
    """A pool that may grow: what its nodes are labelled with says what another one comes up with."""
    image = """apiVersion: drivergate.dev/v1alpha1
kind: NodeImage
name: aks
os: {id: ubuntu, version: "22.04"}
arch: [amd64]
kernels: {"202604.1": %s, "202605.1": %s}
running: [%s]
"""
    lines = [line for line in cluster().splitlines() if not line.lstrip().startswith(("os:", "arch:", "kernels:"))]
    grows = "\n".join([*lines, "    nodeImage: aks\n"]).replace("nodes: 4", "nodes: {min: 2, max: 8}")
    wrote(fleet, grows, {NODE_IMAGE: image % (K1, K2, '"202604.1", "202605.1"')})
    fleet.write({EAST: grows + '    driver: {branch: "595"}\n', NODE_IMAGE: image % (K1, K2, '"202605.1"')})
    fleet.render()
    assert WAY in rules(fleet.path, *DAY)
    found = rules(fleet.path, *DAY, "--observed", audited(fleet, K2, K2, release=release))
    assert [rule for rule in found if rule == WAY] == left


def test_plan_needs_no_step_for_a_kernel_that_no_node_runs(fleet: Fleet) -> None:
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}")})
    asked = ("plan", "--kernel", K2, "--branch", "595", *DAY, "--format", "json")
    steps = drivergate(fleet.path, *asked).json["pools"][0]["steps"]
    assert [step["move"] for step in steps] == ["leave", "driver"]
    ended = drivergate(fleet.path, *asked, "--observed", audited(fleet, K2, K2, K2, K2))
    assert [step["move"] for step in ended.json["pools"][0]["steps"]] == ["driver"]
    assert ended.json["pools"][0]["verdict"] == "GO"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is no audit"),
        ("{}", "it is no audit"),
        ('{"time": null, "clusters": []}', "it says no time"),
        ('{"time": "yesterday", "clusters": []}', 'its time "yesterday" is none'),
        ('{"time": "2026-13-01T00:00:00Z", "clusters": []}', "is none"),
        ('{"time": "2026-03-31T06:00:00Z", "clusters": [{"cluster": "east", "nodes": 3}]}', "it is no audit"),
    ],
)
@pytest.mark.parametrize("verb", ["check", "diff", "plan"])
def test_what_is_no_audit_is_refused(fleet: Fleet, verb: str, text: str, why: str) -> None:
    path = fleet.path.parent / "audit.json"
    path.write_text(text, encoding="utf-8")
    ended = drivergate(fleet.path, verb, "--observed", str(path), *(("HEAD",) if verb == "diff" else ()))
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err
    assert "audit --format json" in ended.err
    assert drivergate(fleet.path, verb, "--observed", "nowhere.json").code == 2


def test_audit_prints_what_observed_reads(fleet: Fleet) -> None:
    """A kubelet's heartbeat is the time of nodes that were written down."""
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-31T05:59:00Z"}
    labels = {
        "example.com/pool": "train",
        "nvidia.com/gpu.present": "true",
        "kubernetes.io/arch": "amd64",
        "feature.node.kubernetes.io/kernel-version.full": K2,
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "22.04",
        "kubernetes.azure.com/node-image-version": "AKSUbuntu-2204gen2containerd-202603.1.0",
    }
    info = {"kernelVersion": K2}
    nodes = [
        {
            "kind": "Node",
            "metadata": {"name": f"n{n}", "labels": labels},
            "status": {"conditions": [ready], "nodeInfo": info},
        }
        for n in range(4)
    ]
    given = fleet.path.parent / "nodes.json"
    given.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": nodes}), encoding="utf-8")
    printed = drivergate(fleet.path, "audit", "--nodes", str(given), "--format", "json")
    assert printed.json["time"] == "2026-03-31T05:59:00Z"
    seen = printed.json["clusters"][0]["nodes"][0]
    assert (seen["kernel"], seen["uname"], seen["release"]) == (K2, K2, "202603.1.0")
    file = fleet.path.parent / "audit.json"
    file.write_text(printed.out, encoding="utf-8")
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}")})
    fleet.render()
    fleet.commit()
    move(fleet, commit=False)
    assert drivergate(fleet.path, "check", *DAY, "--observed", str(file)).code == 0


def test_on_the_default_branch_every_commit_since_the_last_green_one_counts(fleet: Fleet) -> None:
    """Merged one by one although the gate failed: the nodes run K1 of the first, while the last moves the driver."""
    green = fleet.git("rev-parse", "HEAD")
    for kernel, driver in ((f"{K1}, {K2}", "580"), (K2, "580"), (K2, "595")):
        fleet.write({EAST: cluster(kernel=kernel) + f'    driver: {{branch: "{driver}"}}\n'})
        fleet.render()
        fleet.commit()
    assert rules(fleet.path, "--rev", "HEAD") == []
    since = ("--rev", "HEAD", "--against", green)
    assert rules(fleet.path, *since) == SEEN
    assert rules(fleet.path, *since, "--merged") == [WAY]  # K2 was declared in between: nothing is swapped at once
    fleet.write({EAST: cluster(kernel=K2) + '    driver: {branch: "595"}\n# a word\n'})
    assert rules(fleet.path, "--against", green, "--merged") == [WAY]


def test_a_change_that_was_merged_and_taken_back_may_have_reached_nodes(fleet: Fleet) -> None:
    """After 595 with its kernel came 580 with the old one again: 580 is not built for what nodes may run by now."""
    fleet.commit({IMAGES: catalog(BUILT[0], BUILT[2])})
    green = fleet.git("rev-parse", "HEAD")
    move(fleet)
    fleet.write({EAST: cluster()})
    fleet.render()
    fleet.commit()
    since = ("--rev", "HEAD", "--against", green)
    assert rules(fleet.path, *since) == []
    printed = drivergate(fleet.path, "check", *since, "--merged")
    assert printed.code == 1
    assert f"ask for 580-{K2}-ubuntu22.04" in printed.out


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("--merged",), 2, "--merged counts the commits since --against"),
        (("--against", "other", "--merged"), 3, "`other` is no ancestor of `HEAD`"),
    ],
)
def test_merged_needs_a_commit_before(fleet: Fleet, arguments: tuple[str, ...], code: int, why: str) -> None:
    fleet.git("switch", "-q", "--orphan", "other")
    fleet.write({EAST: cluster()})
    fleet.commit()
    fleet.git("switch", "-q", "main")
    fleet.write({EAST: cluster(kernel=f"{K1}, {K2}")})
    ended = drivergate(fleet.path, "check", *arguments)
    assert ended.code == code
    assert why in ended.err


def test_autoupgrade_that_is_switched_on_loads_what_nodes_went_without_since_it_was_off(fleet: Fleet) -> None:
    """Off, the driver and the kernel moved in one change, with a warning: nodes on K1 kept 580, and K1 left git."""
    policy = "upgradePolicy: {autoUpgrade: %s}"
    on, off = (policy % text for text in ("true", "false"))
    wrote(fleet, cluster() + f'    driver: {{branch: "580", {on}}}\n')
    fleet.write({EAST: cluster(kernel=K2) + f'    driver: {{branch: "595", {off}}}\n'})
    fleet.render()
    found = drivergate(fleet.path, "check", "--format", "json").json["findings"]
    assert {finding["severity"] for finding in found} == {"warning"}
    fleet.commit()
    wrote(fleet, cluster(kernel=K2) + f'    owner: ml\n    driver: {{branch: "595", {off}}}\n')
    fleet.write({EAST: cluster(kernel=K2) + f'    owner: ml\n    driver: {{branch: "595", {on}}}\n'})
    fleet.render()
    ended = drivergate(fleet.path, "check", "--format", "json")
    (finding,) = [found for found in ended.json["findings"] if found["rule"] == WAY]
    assert (finding["fact"], finding["severity"]) == (f"595-{K1}-ubuntu22.04", "error")
    assert drivergate(fleet.path, "diff", "HEAD", "--fail-on", "missing").code == 1


def test_a_pause_that_moved_no_driver_leaves_no_node_without_one(fleet: Fleet) -> None:
    policy = "upgradePolicy: {autoUpgrade: %s}"
    on, off = (policy % text for text in ("true", "false"))
    wrote(fleet, cluster(kernel=f"{K1}, {K2}") + f'    driver: {{branch: "580", {on}}}\n')
    wrote(fleet, cluster(kernel=f"{K1}, {K2}") + f'    driver: {{branch: "580", {off}}}\n')
    wrote(fleet, cluster(kernel=K2) + f'    driver: {{branch: "580", {off}}}\n')
    wrote(fleet, cluster(kernel=K2) + f'    driver: {{branch: "595", {off}}}\n')
    fleet.write({EAST: cluster(kernel=K2) + f'    driver: {{branch: "595", {on}}}\n'})
    fleet.render()
    assert rules(fleet.path) == []


def test_a_kernel_that_left_with_a_driver_while_upgrades_were_off_is_not_believed_gone(fleet: Fleet) -> None:
    """Three drivers, of which none but the first is built for K1; only the change in the middle moves both."""
    policy = "upgradePolicy: {autoUpgrade: %s}"
    on, off = (policy % text for text in ("true", "false"))
    wrote(fleet, cluster() + f'    driver: {{branch: "580", {on}}}\n')
    wrote(fleet, cluster() + f'    driver: {{branch: "580", {off}}}\n')
    wrote(fleet, cluster(kernel=K2) + f'    driver: {{branch: "595", {off}}}\n')
    fleet.write({EAST: cluster(kernel=K2) + f'    driver: {{branch: "595", {on}}}\n'})
    fleet.render()
    assert rules(fleet.path) == [WAY]


def test_a_history_that_can_not_be_read_is_said(fleet: Fleet, tmp_path: Path) -> None:
    policy = "upgradePolicy: {autoUpgrade: %s}"
    on, off = (policy % text for text in ("true", "false"))
    wrote(fleet, cluster(kernel=K2) + f'    driver: {{branch: "580", {off}}}\n')
    wrote(fleet, cluster(kernel=K2) + f'    driver: {{branch: "595", {off}}}\n')
    fleet.git("clone", "-q", "--depth", "1", f"file://{fleet.path}", str(tmp_path / "shallow"))
    shallow = tmp_path / "shallow"
    text = (shallow / EAST).read_text(encoding="utf-8")
    (shallow / EAST).write_text(text.replace(off, on), encoding="utf-8")
    ended = drivergate(shallow, "check")
    assert "what nodes of cluster east ran when autoUpgrade was switched off is not judged" in ended.err
