"""Our hooks under the real pre-commit and the real prek, in real repositories, through the real `git commit`."""

import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.command import BIN, DRIVERGATE, REPO, Exit
from tests.testing.fleet import (
    EAST,
    IMAGES,
    NEW_IMAGES,
    NEXT,
    NEXT_TAG,
    OBJECT,
    REFERENCES,
    TAG,
    WEST,
    Fleet,
    catalog,
    cluster,
    inventory,
    run,
    tree,
)
from tests.testing.gitrepo import IDENTITY

HOOKS: list[dict[str, Any]] = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
CHECK, RENDER = "drivergate-check", "drivergate-render"
UNBUILT = "5.15.0-999-generic"
UNBUILT_TAG = f"580-{UNBUILT}-ubuntu22.04"

Install = Callable[..., None]


def config(*ids: str, command: str = DRIVERGATE) -> str:
    """Our own hooks as local ones that run what is installed here. JSON is YAML."""
    hooks = []
    for hook in HOOKS:
        if hook["id"] in ids:
            entry = re.sub(r"^drivergate\b", shlex.quote(command), hook["entry"])
            hooks.append({**hook, "language": "system", "entry": entry})
    assert len(hooks) == len(ids)
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}, sort_keys=False)


BOTH = ["pre-commit", "prek"]
# For tests in which the runner itself is the point; the others ask the quicker one, and `make soak` both.
of_each_runner = pytest.mark.parametrize("tool", BOTH, indirect=True)


@pytest.fixture(params=[pytest.param("pre-commit", marks=pytest.mark.soak), "prek"])
def tool(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The runner of hooks, with a cache of its own."""
    for name in ("HOME", "XDG_CACHE_HOME", "PRE_COMMIT_HOME", "PREK_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache" / name))
    (tmp_path / "cache" / "HOME").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    return str(BIN / request.param)


@pytest.fixture
def install(tool: str) -> Install:
    """Install the hooks into a repository; their configuration is committed unless it holds no commit yet."""

    def installed(repo: Fleet, *ids: str, command: str = DRIVERGATE, commit: bool = True) -> None:
        repo.write({".pre-commit-config.yaml": config(*(ids or (CHECK,)), command=command)})
        if commit:
            repo.commit()
        said = run(repo.path, tool, "install", "-t", "pre-commit", "-t", "pre-merge-commit")
        assert said.code == 0, said.text

    return installed


def committed(repo: Fleet, *arguments: str) -> Exit:
    """Try `git commit`; whether it was stopped is told by its exit code and by HEAD alike."""
    before = run(repo.path, "git", "rev-parse", "HEAD").out
    said = run(repo.path, "git", *IDENTITY, "commit", "-m", "change", *arguments)
    assert (run(repo.path, "git", "rev-parse", "HEAD").out == before) == bool(said.code), said.text
    return said


def break_east(repo: Fleet) -> None:
    """A kernel without an image, rendered: nothing but the image is missing."""
    repo.write({EAST: cluster(kernel=UNBUILT)})
    repo.render()


@of_each_runner
def test_a_missing_image_stops_the_commit_and_an_added_one_lets_it_pass(fleet: Fleet, install: Install) -> None:
    install(fleet)
    break_east(fleet)
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 1
    assert UNBUILT_TAG in said.text
    assert "image/missing" in said.text
    assert f"{EAST}:12" in said.text
    fleet.write({NEW_IMAGES: catalog(UNBUILT_TAG)})
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 0, said.text


def test_a_commit_that_only_deletes_a_used_catalog_file_is_stopped(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.git("rm", "-q", IMAGES)
    said = committed(fleet)
    assert said.code == 1
    assert TAG in said.text


def test_a_stale_out_is_stopped(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.write({EAST: cluster(kernel=NEXT), IMAGES: catalog(TAG, NEXT_TAG)})
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 1
    assert "out/drift" in said.text
    assert REFERENCES in said.text
    assert OBJECT not in said.text  # the kernel is no field of the object


def test_an_unstaged_out_is_stopped_and_kept(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.write({EAST: cluster(kernel=NEXT), IMAGES: catalog(TAG, NEXT_TAG)})
    fleet.render()
    fleet.git("add", "inventory")
    before = tree(fleet.path, "inventory", "out")
    said = committed(fleet)
    assert said.code == 1
    assert REFERENCES in said.text
    assert "git add out" in said.text
    assert tree(fleet.path, "inventory", "out") == before
    assert fleet.git("diff", "--cached", "--name-only", "--", "out") == ""  # it never stages anything itself
    fleet.git("add", "out")
    assert committed(fleet).code == 0


def test_an_untracked_file_that_the_result_depends_on_is_named(fleet: Fleet, install: Install) -> None:
    install(fleet)
    break_east(fleet)
    fleet.git("add", "-A")
    fleet.write({NEW_IMAGES: catalog(UNBUILT_TAG)})
    said = committed(fleet)
    assert said.code == 1
    assert f"{NEW_IMAGES}: error: the file is not tracked by git" in said.text
    assert f"git add {NEW_IMAGES}" in said.text
    fleet.git("add", NEW_IMAGES)
    assert committed(fleet).code == 0


def test_an_untracked_file_that_nothing_depends_on_stops_nothing(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.write({NEW_IMAGES: catalog(NEXT_TAG)})
    assert committed(fleet, "--allow-empty").code == 0


@of_each_runner
def test_unstaged_edits_do_not_leak_in(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.write({IMAGES: catalog(TAG, NEXT_TAG)})
    fleet.git("add", "-A")
    fleet.write({EAST: cluster(kernel=UNBUILT), IMAGES: "broken: [\n"})
    said = committed(fleet)
    assert said.code == 0, said.text
    assert (fleet.path / IMAGES).read_text() == "broken: [\n"

    fleet.write({EAST: cluster(kernel=UNBUILT), IMAGES: catalog(TAG)})
    fleet.render()
    fleet.git("add", "-A")
    fleet.write({IMAGES: catalog(TAG, UNBUILT_TAG)})
    said = committed(fleet)
    assert said.code == 1
    assert UNBUILT_TAG in said.text


def test_commit_of_a_path_judges_that_path_alone(fleet: Fleet, install: Install) -> None:
    """`git commit PATH` builds an index of its own and names it in GIT_INDEX_FILE."""
    install(fleet)
    break_east(fleet)
    fleet.git("add", "-A")
    fleet.write({"README.md": "read me\n"})
    fleet.git("add", "README.md")
    said = committed(fleet, "README.md")
    assert said.code == 0, said.text
    said = committed(fleet, EAST, "out")
    assert said.code == 1
    assert UNBUILT_TAG in said.text


def test_commit_all_judges_what_it_takes(fleet: Fleet, install: Install) -> None:
    install(fleet)
    break_east(fleet)
    said = committed(fleet, "-a")
    assert said.code == 1
    assert UNBUILT_TAG in said.text
    fleet.write({IMAGES: catalog(TAG, UNBUILT_TAG)})
    said = committed(fleet, "-a")
    assert said.code == 0, said.text


@of_each_runner
def test_a_commit_that_passes_shows_its_warnings(fleet: Fleet, install: Install) -> None:
    """pre-commit hides what a hook that passes says, unless it is `verbose` (pre-commit.com, "Creating new hooks")."""
    install(fleet)
    said = committed(fleet, "--allow-empty")
    assert said.code == 0, said.text
    own = [line.strip() for line in said.text.splitlines() if " errors, " in line or ": warning: " in line]
    assert own == ["0 errors, 0 warnings in 1 cluster, 1 pool, 1 image of the index"]
    fleet.write({EAST: f"{cluster()}    upcomingKernels: [{NEXT}]\n"})
    fleet.render()
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 0, said.text
    assert "[image/upcoming-missing]" in said.text
    assert NEXT_TAG in said.text


def test_the_first_commit_of_a_repository(
    tmp_path: Path, rendered: dict[str, str | bytes], tool: str, install: Install
) -> None:
    repo = Fleet(tmp_path / "new", {**rendered, IMAGES: catalog(NEXT_TAG)})
    install(repo, commit=False)
    repo.git("add", "-A")
    said = committed(repo)
    assert said.code == 1
    assert TAG in said.text
    repo.write({IMAGES: catalog(TAG)})
    repo.git("add", "-A")
    said = committed(repo)
    assert said.code == 0, said.text


def test_a_merge_of_two_clean_branches_can_be_wrong(fleet: Fleet, install: Install) -> None:
    """One side takes an image out of the catalog, the other needs it: no line conflicts."""
    fleet.commit({NEW_IMAGES: catalog(NEXT_TAG)})
    install(fleet)
    fleet.git("switch", "-q", "-c", "side")
    fleet.write({WEST: cluster("west", NEXT)})
    fleet.render()
    fleet.git("add", "-A")
    assert committed(fleet).code == 0
    fleet.git("switch", "-q", "main")
    fleet.git("rm", "-q", NEW_IMAGES)
    assert committed(fleet).code == 0
    before = fleet.git("rev-parse", "HEAD")
    said = run(fleet.path, "git", *IDENTITY, "merge", "--no-edit", "side")
    assert said.code == 1
    assert NEXT_TAG in said.text
    assert fleet.git("rev-parse", "HEAD") == before


def test_a_resolved_conflict_is_judged(fleet: Fleet, install: Install) -> None:
    install(fleet)
    fleet.git("switch", "-q", "-c", "side")
    fleet.write({EAST: cluster(kernel=NEXT), IMAGES: catalog(TAG, NEXT_TAG)})
    fleet.render()
    fleet.git("add", "-A")
    assert committed(fleet).code == 0
    fleet.git("switch", "-q", "main")
    fleet.write(
        {EAST: cluster(kernel="5.15.0-185-generic"), IMAGES: catalog(TAG, "580-5.15.0-185-generic-ubuntu22.04")}
    )
    fleet.render()
    fleet.git("add", "-A")
    assert committed(fleet).code == 0
    assert run(fleet.path, "git", *IDENTITY, "merge", "side").code
    fleet.git("checkout", "-q", "--theirs", EAST, "out")
    fleet.git("checkout", "-q", "--ours", IMAGES)
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 1
    assert NEXT_TAG in said.text
    fleet.write({IMAGES: catalog(TAG, NEXT_TAG, "580-5.15.0-185-generic-ubuntu22.04")})
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 0, said.text


def test_a_linked_work_tree_is_judged_for_itself(fleet: Fleet, tmp_path: Path, install: Install) -> None:
    install(fleet)
    fleet.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Fleet(tmp_path / "linked")
    fleet.write({EAST: "broken: [\n"})
    fleet.git("add", "-A")
    before = tree(fleet.path, "inventory", "out", ".git/worktrees")
    assert committed(linked, "--allow-empty").code == 0
    break_east(linked)
    linked.git("add", "-A")
    said = committed(linked)
    assert said.code == 1
    assert UNBUILT_TAG in said.text
    assert tree(fleet.path, "inventory", "out") == {p: h for p, h in before.items() if not p.startswith(".git")}
    assert fleet.git("diff", "--cached", "--name-only") == EAST


def test_a_submodule_checkout_is_judged_for_itself(fleet: Fleet, tmp_path: Path, install: Install) -> None:
    outer = Fleet(tmp_path / "outer", {"inventory/fleet.yaml": "broken: [\n"})
    outer.commit()
    outer.git("submodule", "--quiet", "add", fleet.root, "fleet")
    inner = Fleet(outer.path / "fleet")
    install(inner)
    break_east(inner)
    inner.git("add", "-A")
    said = committed(inner)
    assert said.code == 1
    assert UNBUILT_TAG in said.text
    inner.write({IMAGES: catalog(TAG, UNBUILT_TAG)})
    inner.git("add", "-A")
    said = committed(inner)
    assert said.code == 0, said.text


@of_each_runner
def test_a_path_with_spaces_and_umlauts(tmp_path: Path, rendered: dict[str, str | bytes], install: Install) -> None:
    repo = Fleet(tmp_path / "GPU-Flotte für München", rendered)
    repo.write({"inventory/catalog/für später.yaml": catalog("580-5.15.0-185-generic-ubuntu22.04")})
    repo.commit()
    install(repo)
    break_east(repo)
    repo.git("add", "-A")
    repo.write({"inventory/catalog/Größe 2.yaml": catalog(UNBUILT_TAG)})
    said = committed(repo)
    assert said.code == 1
    assert UNBUILT_TAG in said.text
    assert "inventory/catalog/Größe 2.yaml: error: the file is not tracked" in said.text
    repo.git("add", "-A")
    said = committed(repo)
    assert said.code == 0, said.text


def test_hook_and_hand_say_the_same(fleet: Fleet, install: Install) -> None:
    """pre-commit hides unstaged changes, a run by hand sees them: --staged must not care."""
    install(fleet)
    fleet.write({EAST: cluster(kernel=UNBUILT), WEST: cluster("west", "5.15.0-998-generic")})
    fleet.git("add", "-A")
    fleet.write({EAST: cluster(kernel=NEXT), IMAGES: catalog(TAG, NEXT_TAG, UNBUILT_TAG), NEW_IMAGES: catalog(TAG)})
    fleet.render()
    by_hand = fleet.check("--staged")
    assert by_hand.code == 1
    assert by_hand.out.count("image/missing") == 2
    assert "errors" in by_hand.out.splitlines()[-1]
    said = committed(fleet)
    assert said.code == 1
    lines = [line.strip() for line in said.text.splitlines()]
    assert [line for line in by_hand.out.splitlines() if line.strip() not in lines] == []


@of_each_runner
def test_one_process_judges_the_whole_repository(fleet: Fleet, tmp_path: Path, tool: str, install: Install) -> None:
    """pre-commit splits long lists of files over processes (public case D73)."""
    counting = tmp_path / "counting"
    calls = tmp_path / "calls"
    counting.write_text(f'#!/bin/sh\necho "$@" >> "{calls}"\nexec "{DRIVERGATE}" "$@"\n')
    counting.chmod(0o755)
    fleet.write(
        {
            f"inventory/catalog/more/{index:03}.yaml": catalog(f"580-5.15.0-{2000 + index}-generic-ubuntu22.04")
            for index in range(500)
        }
    )
    fleet.write({EAST: cluster(kernel=UNBUILT)})
    fleet.render()
    install(fleet, command=str(counting))
    for arguments in (["--all-files"], ["--files", IMAGES, "README.md"]):
        calls.write_text("")
        said = run(fleet.path, tool, "run", *arguments)
        assert said.code == 1
        assert UNBUILT_TAG in said.text
        assert calls.read_text().splitlines() == ["check --staged"]


@of_each_runner
def test_render_hook_fails_for_new_files_alone(fleet: Fleet, tool: str, install: Install) -> None:
    """Both tools take a run that only made untracked files for a success."""
    install(fleet, RENDER, CHECK)
    fleet.write({WEST: cluster("west")})
    fleet.git("add", "-A")
    said = run(fleet.path, tool, "run", RENDER)
    assert said.code == 1
    assert "wrote out/west/gpu-operator/nvidiadriver-train.yaml" in said.text
    said = committed(fleet)
    assert said.code  # rendered now, but not added
    assert "out/drift" in said.text
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 0, said.text


def test_render_hook_fails_for_a_lost_manifest_alone(fleet: Fleet, tool: str, install: Install) -> None:
    install(fleet, RENDER)
    fleet.git("rm", "-q", "out/.drivergate-manifest")
    said = run(fleet.path, tool, "run", RENDER)
    assert said.code == 1
    assert "wrote out/.drivergate-manifest" in said.text
    assert run(fleet.path, tool, "run", RENDER).code == 0


@of_each_runner
def test_render_hook_fails_for_changed_files(fleet: Fleet, tool: str, install: Install) -> None:
    install(fleet, RENDER)
    fleet.write({EAST: cluster(kernel=NEXT), IMAGES: catalog(TAG, NEXT_TAG)})
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 1
    assert f"wrote {REFERENCES}" in said.text
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 0, said.text
    assert NEXT in fleet.git("show", f"HEAD:{REFERENCES}")


def test_the_configuration_that_we_use_ourselves() -> None:
    """Our own hooks run on our own inventory, as a user's would."""
    own = yaml.safe_load((REPO / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    local = [repo for repo in own["repos"] if repo["repo"] == "local"]
    assert [hook["id"] for repo in local for hook in repo["hooks"]] == [RENDER, CHECK]
    for hook in (hook for repo in local for hook in repo["hooks"]):
        published = next(one for one in HOOKS if one["id"] == hook["id"])
        same = published.keys() - {"language", "description", "entry"}
        assert {key: hook.get(key) for key in same} == {key: published[key] for key in same}
        assert hook["entry"].removeprefix(".venv/bin/") == published["entry"]


@pytest.mark.soak  # an environment of its own; tests/conformance installs the wheel in every run
def test_installed_the_way_users_do(fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`language: python` from a tag of this repository, fetched with --depth=1, into an environment of its own."""
    if run(tmp_path, sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(tmp_path), "hatchling").code:
        pytest.skip("pip reaches no package index")
    published = Fleet(tmp_path / "published")
    listed = run(REPO, "git", "ls-files", "-z", "-c", "-o", "--exclude-standard").out.split("\0")[:-1]
    published.write({name: (REPO / name).read_bytes() for name in listed if (REPO / name).is_file()})
    published.commit()
    published.git("tag", "v0.1.0")
    for name in ("HOME", "PRE_COMMIT_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache" / name))
    (tmp_path / "cache" / "HOME").mkdir(parents=True)
    hooks = [{"id": RENDER}, {"id": CHECK}]
    users = {"repos": [{"repo": published.root, "rev": "v0.1.0", "hooks": hooks}]}
    fleet.commit({".pre-commit-config.yaml": yaml.safe_dump(users)})
    tool = str(BIN / "pre-commit")
    assert run(fleet.path, tool, "install").code == 0
    said = committed(fleet, "--allow-empty")
    assert said.code == 0, said.text
    assert fleet.git("status", "--porcelain") == ""  # its templates are those that made out/
    break_east(fleet)
    fleet.git("add", "-A")
    said = committed(fleet)
    assert said.code == 1
    assert UNBUILT_TAG in said.text


def test_the_small_fleet_is_clean(fleet: Fleet) -> None:
    said = fleet.check("--strict")
    assert said.code == 0, said.text
    assert inventory().keys() == {"inventory/fleet.yaml", EAST, IMAGES}
