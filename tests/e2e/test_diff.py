"""What a change does to the fleet, asked of real repositories in every state that git knows."""

from pathlib import Path

import pytest

from tests.testing.command import Exit
from tests.testing.fleet import EAST, FLEET, IMAGES, NEXT, TAG, WEST, Fleet, catalog, cluster, drivergate

BRANCH = FLEET.replace('"580"', '"595"')
QUIET = "no driver is touched (0 of 1 cluster can be affected)\n"
RELOADED = "    train  reload  driver 580 -> 595; 4 nodes, 1 at a time\n"


def diff(fleet: Fleet | Path, *arguments: str) -> Exit:
    return drivergate(fleet if isinstance(fleet, Path) else fleet.path, "diff", *arguments)


def test_nothing_changed(fleet: Fleet) -> None:
    assert diff(fleet, "HEAD").text == QUIET
    assert diff(fleet, "HEAD", "HEAD").text == QUIET


def test_work_tree_index_and_commit_say_the_same(fleet: Fleet) -> None:
    fleet.write({"inventory/fleet.yaml": BRANCH})
    unstaged = diff(fleet, "HEAD")
    assert RELOADED in unstaged.out
    fleet.git("add", "-A")
    assert diff(fleet, "HEAD").out == unstaged.out
    fleet.commit()
    assert diff(fleet, "HEAD").text == QUIET
    assert diff(fleet, "HEAD^").out == unstaged.out
    assert diff(fleet, "HEAD^", "HEAD").out == unstaged.out


def test_untracked_staged_and_removed_files_count(fleet: Fleet) -> None:
    fleet.write({WEST: cluster("west")})
    added = diff(fleet, "HEAD")
    assert "  west, new\n    train  driver comes  driver 580; 4 nodes\n" in added.out
    fleet.git("add", WEST)
    assert diff(fleet, "HEAD").out == added.out
    fleet.commit()
    fleet.git("rm", "-q", "--cached", WEST)
    assert diff(fleet, "HEAD").text == QUIET.replace("1 cluster", "2 clusters")  # it is in the work tree still
    (fleet.path / WEST).unlink()
    assert "  west, no longer declared\n    train  driver goes" in diff(fleet, "HEAD").out


def test_a_file_that_moves_is_no_change(fleet: Fleet) -> None:
    fleet.git("mv", EAST, "inventory/east.yaml")
    assert "    train  no effect\n" in diff(fleet, "HEAD").out
    fleet.commit()
    assert "    train  no effect\n" in diff(fleet, "HEAD^", "HEAD").out


def test_a_renamed_pool(fleet: Fleet) -> None:
    fleet.write({EAST: cluster().replace("  train:", "  trainers:")})
    said = diff(fleet, "HEAD", "--fail-on", "blocked")
    assert said.code == 1
    assert 'set renamedFrom: train on pool "trainers"' in said.out
    fleet.write({EAST: cluster().replace("  train:\n", "  trainers:\n    renamedFrom: train\n")})
    assert "    trainers  no effect\n" in diff(fleet, "HEAD").out


def test_a_merge(fleet: Fleet) -> None:
    fleet.git("checkout", "-q", "-b", "side")
    fleet.commit({EAST: cluster(kernel=NEXT)})
    fleet.git("checkout", "-q", "main")
    fleet.commit({"inventory/fleet.yaml": BRANCH})
    fleet.git("merge", "-q", "--no-edit", "side")
    assert RELOADED in diff(fleet, "HEAD^2", "HEAD").out
    of_side = diff(fleet, "HEAD^1", "HEAD").out
    assert "    train  no effect\n" in of_side
    assert f"image 595-{NEXT}-ubuntu22.04 for linux/amd64: not built" in of_side.replace(
        "595-5.15.0-173-generic-ubuntu22.04 -> ", ""
    )


def test_a_detached_head_and_a_worktree(fleet: Fleet, tmp_path: Path) -> None:
    fleet.commit({"inventory/fleet.yaml": BRANCH})
    fleet.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"), "HEAD^")
    assert diff(tmp_path / "other", "HEAD").text == QUIET
    assert "driver 595 -> 580" in diff(tmp_path / "other", "main").out


def test_a_root_below_the_top_and_a_submodule(fleet: Fleet, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    top = Fleet(tmp_path / "top", {"README.md": "x"})
    top.write({f"gpu/{path}": text for path, text in {"inventory/fleet.yaml": FLEET, EAST: cluster()}.items()})
    top.commit()
    top.write({"gpu/inventory/fleet.yaml": BRANCH})
    assert RELOADED in diff(top.path / "gpu", "HEAD").out
    assert RELOADED in diff(top, "HEAD", "-C", "gpu").out
    top.git("submodule", "--quiet", "add", fleet.root, "vendored")
    (top.path / "vendored/inventory/fleet.yaml").write_text(BRANCH)
    assert RELOADED in diff(top.path / "vendored", "HEAD").out


def test_a_shallow_clone(fleet: Fleet, tmp_path: Path) -> None:
    first = fleet.git("rev-parse", "HEAD")
    fleet.commit({"inventory/fleet.yaml": BRANCH})
    fleet.git("clone", "-q", "--depth=1", f"file://{fleet.root}", str(tmp_path / "shallow"))
    said = diff(tmp_path / "shallow", first)
    assert said.code == 3
    assert f"`{first}` names no commit in this shallow clone" in said.err
    assert "fetch-depth: 0" in said.err
    assert said.out == ""
    assert diff(tmp_path / "shallow", "HEAD").text == QUIET


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nope",), 2, "`nope` names no commit of this repository"),
        (("main...HEAD",), 2, "what git merge-base prints"),
        (("HEAD", "nope"), 2, "`nope` names no commit of this repository"),
        (("",), 3, "BASE is empty"),
        (("HEAD", ""), 3, "HEAD is empty"),
        (("HEAD", "--cluster", "eats"), 2, 'no cluster is named "eats"'),
    ],
)
def test_a_revision_or_cluster_that_is_not_there(
    fleet: Fleet, arguments: tuple[str, ...], code: int, said: str
) -> None:
    fleet.write({"inventory/fleet.yaml": BRANCH})
    found = diff(fleet, *arguments)
    assert (found.code, found.out) == (code, "")
    assert said in found.err


def test_no_commit_yet_and_no_repository(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path / "new", {"inventory/fleet.yaml": FLEET, EAST: cluster()})
    said = diff(fleet, "HEAD")
    assert (said.code, said.out) == (2, "")
    assert "the repository has none yet" in said.err
    (tmp_path / "new/.git").rename(tmp_path / "gone")
    said = diff(fleet, "HEAD")
    assert (said.code, said.out) == (2, "")
    assert "is in no git repository" in said.err


def test_what_can_t_be_read_is_not_compared(fleet: Fleet) -> None:
    fleet.write({EAST: cluster().replace("nodes: 4", "nodes: four")})
    said = diff(fleet, "HEAD")
    assert (said.code, said.out) == (2, "")
    assert "no valid manifest can be made from the work tree: nothing is compared" in said.err
    fleet.commit()
    fleet.write({EAST: cluster()})
    said = diff(fleet, "HEAD")
    assert said.code == 2
    assert "no valid manifest can be made from the commit " in said.err
    assert diff(fleet, "HEAD", "--format", "json").json["findings"]


def test_a_base_that_was_written_for_another_drivergate(fleet: Fleet) -> None:
    fleet.commit({"inventory/fleet.yaml": FLEET.replace("defaults:", 'requires: ">=99"\ndefaults:')})
    fleet.write({"inventory/fleet.yaml": BRANCH})
    assert RELOADED in diff(fleet, "HEAD").out
    # Nobody can say here what another drivergate makes of it.
    assert diff(fleet, "HEAD^", "HEAD").code == 2
    fleet.write({"inventory/fleet.yaml": BRANCH.replace("defaults:", 'requires: ">=99"\ndefaults:')})
    said = diff(fleet, "HEAD")
    assert said.code == 2
    assert 'this repository requires drivergate ">=99"' in said.err


def test_a_catalog_that_unblocks_and_one_that_loses_an_image(fleet: Fleet) -> None:
    upcoming = cluster().replace("    kernels:", f"    upcomingKernels: [{NEXT}]\n    kernels:")
    fleet.commit({EAST: upcoming})
    fleet.write({IMAGES: catalog(TAG, f"580-{NEXT}-ubuntu22.04")})
    said = diff(fleet, "HEAD", "--fail-on", "missing")
    assert said.code == 0
    assert f"upcoming image 580-{NEXT}-ubuntu22.04 for linux/amd64: built now\n" in said.out
    fleet.write({IMAGES: catalog(f"580-{NEXT}-ubuntu22.04")})
    said = diff(fleet, "HEAD", "--fail-on", "missing")
    assert said.code == 1
    assert f"      image {TAG} for linux/amd64: not built: no catalog lists it for nvcr.io/nvidia/driver\n" in said.out


def test_only_what_changed_is_looked_at(fleet: Fleet) -> None:
    fleet.commit({WEST: cluster("west")})
    fleet.write({EAST: cluster() + '    driver: {branch: "595"}\n'})
    said = diff(fleet, "HEAD")
    assert said.out.endswith("1 pool reloads, 1 image is not built (1 of 2 clusters can be affected)\n")
    assert "west" not in said.out
    fleet.write({"inventory/fleet.yaml": BRANCH, EAST: cluster()})
    said = diff(fleet, "HEAD")
    assert "(2 of 2 clusters can be affected: inventory/fleet.yaml changes defaults)" in said.out
    assert "east" not in diff(fleet, "HEAD", "--cluster", "west").out


def test_a_cluster_policy_base_that_changes(tmp_path: Path) -> None:
    base = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {%s}\n"
    operator = "operator: {install: manifest, clusterPolicyBase: bases/p.yaml, driverApi: ClusterPolicy}\n"
    files = {"inventory/fleet.yaml": FLEET, EAST: cluster().replace("pools:\n", f"{operator}pools:\n")}
    fleet = Fleet(tmp_path / "fleet", {**files, "bases/p.yaml": base % ""})
    fleet.commit()
    fleet.write({"bases/p.yaml": base % "toolkit: {version: v1.20.0}"})
    assert "    train  no effect\n" in diff(fleet, "HEAD").out
    fleet.write({"bases/p.yaml": base % "daemonsets: {labels: {team: x}}"})
    assert 'because daemonsets.labels.team absent -> "x"\n' in diff(fleet, "HEAD").out
    fleet.write({"bases/p.yaml": base % "hostPaths: {rootFS: /host}"})
    said = diff(fleet, "HEAD", "--fail-on", "reload")
    assert said.code == 1
    assert 'because hostPaths.rootFS absent -> "/host"\n' in said.out


def test_a_cluster_is_known_by_either_revision(fleet: Fleet) -> None:
    """A mistyped name is told even where nothing changed; one that goes may be asked for, whatever else changes."""
    said = diff(fleet, "HEAD", "--cluster", "eats")
    assert (said.code, said.out) == (2, "")
    assert 'did you mean "east"?' in said.err
    assert diff(fleet, "HEAD", "--cluster", "east").text == QUIET
    fleet.commit({WEST: cluster("west")})
    (fleet.path / WEST).unlink()
    for files in ({}, {"inventory/fleet.yaml": BRANCH}):
        fleet.write(files)
        said = diff(fleet, "HEAD", "--cluster", "west")
        assert (said.code, said.err) == (0, "")
        assert "  west, no longer declared\n" in said.out
        assert "east" not in said.out
