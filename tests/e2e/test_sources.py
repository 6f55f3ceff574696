"""One judgement from work tree, index and commit, in every state that a repository can be in."""

import codecs
import os
from pathlib import Path

import pytest

from generator.cli.app import VERBS
from tests.testing.command import DRIVERGATE
from tests.testing.fleet import (
    EAST,
    IMAGES,
    NEW_IMAGES,
    NEXT,
    NEXT_TAG,
    OBJECT,
    REFERENCES,
    RUNNING,
    TAG,
    WEST,
    Fleet,
    catalog,
    cluster,
    drivergate,
    judged,
    lay,
    run,
    tree,
)
from tests.testing.soak import sizes

UNBUILT = "5.15.0-999-generic"
UNBUILT_TAG = f"580-{UNBUILT}-ubuntu22.04"

# A finding of every kind: a missing image, stale output, a file that isn't read, an unsorted catalog.
BROKEN: dict[str, str | bytes] = {
    EAST: cluster(kernel=f"{RUNNING}, {UNBUILT}"),
    WEST: cluster("west", NEXT),
    "inventory/notes.yaml.bak": "kind: Cluster\n",
    IMAGES: catalog(TAG) + f'  - {{tag: "{TAG.replace("580", "570")}"}}\n',
}


# Every verb that isn't there to edit the inventory.
NODES = Path(__file__).parents[2] / "docs/dumps/ahead/nodes.json"
COMMANDS = (
    ["check"],
    ["check", "--staged"],
    ["check", "--format", "json"],
    ["check", "--write-baseline"],
    ["render", "--check"],
    ["render", "--diff"],
    ["render"],
    ["show"],
    ["show", "east/train", "--origin"],
    ["tag", "east/train", "--why"],
    ["cuda"],
    ["cuda", "13.1"],
    ["plan"],
    ["audit", "--nodes", str(NODES)],
    ["diff", "HEAD"],
    ["rules"],
    ["explain", "image/missing"],
    ["schema", "Cluster"],
    ["upgrade", "simulate", "--cluster", "east"],
    ["upgrade", "runbook"],
)
EDITING = {"catalog", "init", "migrate", "sources"}


class TestTheSameJudgement:
    """What is broken is broken alike wherever it is read from."""

    def test_from_work_tree_index_and_commit(self, fleet: Fleet) -> None:
        fleet.commit(BROKEN)
        found = judged(fleet.path)
        assert len(found) >= 5
        assert any(UNBUILT_TAG in line for line in found)
        assert judged(fleet.path, "--staged") == found
        assert judged(fleet.path, "--rev", "HEAD") == found
        assert judged(fleet.path, "--rev", "main") == found

    def test_from_a_folder_below(self, fleet: Fleet) -> None:
        fleet.commit(BROKEN)
        found = judged(fleet.path)
        assert judged(fleet.path / "inventory/clusters") == found
        assert judged(fleet.path / "out/east", "--staged") == found
        assert judged(fleet.path.parent, "-C", "fleet", "--rev", "HEAD") == found

    def test_each_source_speaks_for_itself(self, fleet: Fleet) -> None:
        fleet.write({EAST: cluster(kernel=f"{RUNNING}, {UNBUILT}")})
        fleet.render()
        fleet.git("add", "-A")
        fleet.write({IMAGES: catalog(TAG, UNBUILT_TAG)})
        assert judged(fleet.path) == []
        assert [line.split()[1] for line in judged(fleet.path, "--staged")] == ["image/missing"]
        assert judged(fleet.path, "--rev", "HEAD") == []

    def test_an_older_commit_is_judged_without_a_checkout(self, fleet: Fleet) -> None:
        fleet.write({IMAGES: catalog(NEXT_TAG)})
        fleet.commit()
        fleet.commit({IMAGES: catalog(TAG)})
        before = tree(fleet.path, "inventory", "out")
        said = fleet.check("--rev", "HEAD~1")
        assert said.code == 1
        assert TAG in said.text
        assert fleet.git("rev-parse", "HEAD~1")[:12] in said.out.splitlines()[-1]
        assert fleet.check("--rev", "HEAD").code == 0
        assert tree(fleet.path, "inventory", "out") == before
        assert fleet.git("status", "--porcelain") == ""


class TestAgainst:
    """What a driver object was before decides what may become of it: usePrecompiled can't change (CRD, CEL rule)."""

    @pytest.fixture
    def changed(self, fleet: Fleet) -> Fleet:
        compiled = cluster().replace(
            "    kernels: [", "    driver: {mode: compiled, version: 580.126.20}\n    kernels: ["
        )
        fleet.commit({IMAGES: catalog(TAG, "580.126.20-ubuntu22.04"), EAST: compiled})
        fleet.render()
        fleet.commit()
        return fleet

    def test_the_default_is_head_or_the_first_parent(self, changed: Fleet) -> None:
        assert judged(changed.path) == []
        assert any("operator/immutable-change" in line for line in judged(changed.path, "--rev", "HEAD"))

    def test_another_revision(self, changed: Fleet) -> None:
        for source in ((), ("--staged",), ("--rev", "HEAD")):
            assert any(
                "operator/immutable-change" in line for line in judged(changed.path, *source, "--against", "HEAD~2")
            )
            assert judged(changed.path, *source, "--against", "HEAD") == []

    def test_a_revision_that_is_not_there(self, changed: Fleet) -> None:
        said = changed.check("--against", "nonsense")
        assert said.code == 3
        assert "nonsense" in said.err


class TestLittleGit:
    """The gate needs git for the index and history only."""

    def test_no_repository_at_all(self, tmp_path: Path, rendered: dict[str, str | bytes]) -> None:
        lay(tmp_path / "plain", {**rendered, **BROKEN})
        found = judged(tmp_path / "plain")
        assert any(UNBUILT_TAG in line for line in found)
        lay(tmp_path / "good", rendered)
        said = drivergate(tmp_path / "good", "check")
        assert said.code == 0
        assert "not judged" in said.err
        assert "in no git repository" in said.err
        for option in (["--staged"], ["--rev", "HEAD"]):
            said = drivergate(tmp_path / "good", "check", *option)
            assert said.code == 2
            assert "in no git repository" in said.err

    def test_no_git_on_the_path(self, fleet: Fleet, tmp_path: Path) -> None:
        fleet.commit(BROKEN)
        found = judged(fleet.path)
        (tmp_path / "bin").mkdir()
        assert judged(fleet.path, env={"PATH": str(tmp_path / "bin")}) == found
        said = drivergate(fleet.path, "check", "--staged", env={"PATH": str(tmp_path / "bin")})
        assert said.code == 2
        assert "is it installed?" in said.err

    def test_no_commit_yet(self, tmp_path: Path, rendered: dict[str, str | bytes]) -> None:
        repo = Fleet(tmp_path / "new", rendered)
        said = repo.check()
        assert said.code == 0
        assert "none yet" in said.err
        assert f"{EAST}: warning: the file is not tracked by git" in said.out
        repo.git("add", "-A")
        assert repo.check("--staged", "--strict").code == 0
        assert repo.check("--rev", "HEAD").code == 2
        assert repo.check("--against", "HEAD").code == 3

    def test_a_detached_head(self, fleet: Fleet) -> None:
        fleet.commit(BROKEN)
        found = judged(fleet.path)
        fleet.git("switch", "-q", "--detach")
        assert judged(fleet.path) == judged(fleet.path, "--staged") == judged(fleet.path, "--rev", "HEAD") == found

    def test_a_shallow_clone(self, fleet: Fleet, tmp_path: Path) -> None:
        """What CI checks out. The parent isn't there: that is said, and no finding."""
        fleet.commit({IMAGES: catalog(TAG, NEXT_TAG)})
        fleet.git("clone", "-q", "--depth=1", f"file://{fleet.root}", str(tmp_path / "shallow"))
        shallow = Fleet(tmp_path / "shallow")
        assert shallow.check("--strict").code == 0
        said = shallow.check("--rev", "HEAD")
        assert said.code == 0
        assert "operator/immutable-change and upgrade/held are not judged" in said.err
        assert "shallow clone" in said.err
        said = shallow.check("--against", "HEAD~1")
        assert said.code == 3
        assert "shallow clone" in said.err
        assert "fetch-depth: 0" in said.err

    def test_a_sparse_checkout_is_judged_whole(self, fleet: Fleet, tmp_path: Path) -> None:
        fleet.write({WEST: cluster("west")})
        fleet.render()
        fleet.commit()
        fleet.git("clone", "-q", fleet.root, str(tmp_path / "sparse"))
        sparse = Fleet(tmp_path / "sparse")
        sparse.git("sparse-checkout", "set", "inventory/catalog", "out/east")
        assert not (sparse.path / WEST).exists()
        said = sparse.check("--strict")
        assert said.code == 0, said.text
        assert "2 clusters" in said.out
        assert judged(sparse.path, "--staged") == []

    def test_git_variables_of_another_repository(self, fleet: Fleet, tmp_path: Path) -> None:
        """Hooks and scripts run with them set (public case D76)."""
        other = Fleet(tmp_path / "other", {"inventory/fleet.yaml": "broken: [\n"})
        other.commit()
        fleet.commit(BROKEN)
        found = judged(fleet.path)
        theirs = {
            "GIT_DIR": f"{other.root}/.git",
            "GIT_WORK_TREE": other.root,
            "GIT_INDEX_FILE": f"{other.root}/.git/index",
            "GIT_OBJECT_DIRECTORY": f"{other.root}/.git/objects",
            "GIT_PREFIX": "inventory/",
        }
        before = tree(other.path, ".")
        for source in ((), ("--staged",), ("--rev", "HEAD")):
            assert judged(fleet.path, *source, env=theirs) == found
        assert drivergate(fleet.path, "render", env=theirs).code == 0
        assert tree(other.path, ".") == before

    def test_variables_of_a_linked_work_tree(self, fleet: Fleet, tmp_path: Path) -> None:
        fleet.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
        linked = Fleet(tmp_path / "linked", BROKEN)
        linked.git("add", "-A")
        found = judged(linked.path, "--staged")
        assert any(UNBUILT_TAG in line for line in found)
        git_dir = linked.git("rev-parse", "--absolute-git-dir")
        theirs = {"GIT_DIR": git_dir, "GIT_INDEX_FILE": f"{git_dir}/index"}
        before = tree(fleet.path, ".")
        assert judged(linked.path, "--staged", env=theirs) == found
        assert drivergate(linked.path, "render", env=theirs).code == 0
        assert tree(fleet.path, ".") == before


class TestBytes:
    """Line ends, marks and locales are no content."""

    def test_a_checkout_with_crlf(self, fleet: Fleet, tmp_path: Path) -> None:
        """Public case D77: no difference, and nothing that is written holds a carriage return."""
        template = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: {{ cluster.name }}\ndata:\n  note: >-\n    x\n"
        fleet.write({"templates/{cluster}/gpu-operator/note.yaml.j2": template})
        fleet.render()
        fleet.commit()
        fleet.git("-c", "core.autocrlf=true", "clone", "-q", fleet.root, str(tmp_path / "crlf"))
        crlf = Fleet(tmp_path / "crlf")
        crlf.git("config", "core.autocrlf", "true")
        assert b"\r\n" in (crlf.path / EAST).read_bytes()
        assert b"\r\n" in (crlf.path / OBJECT).read_bytes()
        for source in ((), ("--staged",), ("--rev", "HEAD")):
            assert crlf.check("--strict", *source).code == 0
        assert drivergate(crlf.path, "render", "--exit-non-zero-on-change").code == 0
        crlf.write({EAST: cluster(kernel=f"{RUNNING}, {NEXT}").replace("\n", "\r\n"), IMAGES: catalog(TAG, NEXT_TAG)})
        said = drivergate(crlf.path, "render")
        assert f"wrote {REFERENCES}\n" in said.out
        assert sorted(said.out.splitlines()) == sorted(["wrote out/.drivergate-manifest", f"wrote {REFERENCES}"])
        assert b"\r" not in (crlf.path / REFERENCES).read_bytes()
        assert crlf.check("--strict").code == 0

    def test_a_byte_order_mark_under_any_locale(self, fleet: Fleet) -> None:
        """Public case D90."""
        quoted = "# the node\u2019s \u201cown\u201d note — größer als 0\n"
        for name in ("inventory/fleet.yaml", EAST, IMAGES):
            text = quoted + (fleet.path / name).read_text()
            fleet.write({name: codecs.BOM_UTF8 + text.encode()})
        before = tree(fleet.path, "out")
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
            said = drivergate(fleet.path, "check", env=env)
            assert said.code == 0, said.text
            said = drivergate(fleet.path, "render", env=env)
            assert said.out == "out/ is up to date\n", said.text
        assert tree(fleet.path, "out") == before

    def test_what_is_printed_is_utf8_under_any_locale(self, fleet: Fleet) -> None:
        fleet.write({"inventory/größe.yaml.bak": "kind: Cluster\n"})
        for env in ({}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"PYTHONIOENCODING": "cp1252"}):
            assert (
                "inventory/größe.yaml.bak:1:1: error: the file is not read"
                in drivergate(fleet.path, "check", env=env).out
            )

    def test_no_command_changes_the_inventory(self, fleet: Fleet) -> None:
        """Public case D92: comments, blank lines, anchors, odd spellings stay as people wrote them."""
        written = (
            "# a comment\n\n\nx-note: &note 'kept'\n"
            + cluster().replace("nodes: 4", "nodes:   {min: 0,   max: 4}  # scales")
            + "x-again: *note\n\n\n"
        )
        fleet.write({EAST: written, NEW_IMAGES: catalog(NEXT_TAG).replace("images:", "images:   # by hand")})
        before = tree(fleet.path, "inventory")
        for command in COMMANDS:
            drivergate(fleet.path, *command)
            assert tree(fleet.path, "inventory") == before, command


def test_every_verb_is_among_the_commands() -> None:
    assert {verb.name for verb in VERBS} - EDITING == {command[0] for command in COMMANDS}


class TestOddFiles:
    """Nothing in a repository makes the gate hang, crash, or pass over in silence."""

    def test_links(self, fleet: Fleet) -> None:
        (fleet.path / "inventory/loop").symlink_to("../inventory")
        (fleet.path / "inventory/self").symlink_to("self")
        (fleet.path / "inventory/outside.yaml").symlink_to("/etc/hostname")
        (fleet.path / "inventory/nowhere.yaml").symlink_to("nowhere")
        fleet.git("add", "-A")
        links = ["inventory/loop", "inventory/nowhere.yaml", "inventory/outside.yaml", "inventory/self"]
        for source in ((), ("--staged",)):
            found = judged(fleet.path, *source)
            assert [line.split()[2].split(":")[0] for line in found if "symbolic link" in line] == links
        fleet.git("commit", "-q", "-m", "links")
        assert judged(fleet.path, "--rev", "HEAD") == judged(fleet.path)

    def test_a_submodule_below_the_inventory(self, fleet: Fleet, tmp_path: Path) -> None:
        part = Fleet(tmp_path / "part", {"west.yaml": cluster("west")})
        part.commit()
        fleet.git("submodule", "--quiet", "add", part.root, "inventory/part")
        fleet.git("commit", "-q", "-m", "part")
        for source in ((), ("--staged",), ("--rev", "HEAD")):
            found = judged(fleet.path, *source)
            assert len(found) == 1
            assert "inventory/part:1:1 the file is not read: it is a submodule" in found[0]

    def test_a_pipe_is_not_waited_for(self, fleet: Fleet) -> None:
        os.mkfifo(fleet.path / "inventory/pipe.yaml")
        assert any("inventory/pipe.yaml:1:1 the file is not read" in line for line in judged(fleet.path))

    @pytest.mark.parametrize("keys", sizes(44_000, soak=440_000))
    def test_megabytes_of_yaml(self, fleet: Fleet, keys: int) -> None:
        text = cluster("west") + "x-filler:\n" + "".join(f"  key-{index}: [a, b, c]\n" for index in range(keys))
        fleet.write({WEST: text})
        said = drivergate(fleet.path, "check", "--format", "json")
        assert said.code == 1
        assert {finding["rule"] for finding in said.json["findings"]} == {"out/drift", "out/not-staged"}

    def test_a_bomb_of_aliases(self, fleet: Fleet) -> None:
        levels = "".join(f"x-{n}: &n{n} [{', '.join([f'*n{n - 1}'] * 9)}]\n" for n in range(1, 12))
        fleet.write({WEST: f"x-0: &n0 boom\n{levels}" + cluster("west")})
        found = judged(fleet.path)
        assert any(line.startswith("error") and WEST in line and "alias" in line for line in found), found

    def test_deep_nesting(self, fleet: Fleet) -> None:
        fleet.write({WEST: f"x-deep: {'[' * 20_000}{']' * 20_000}\n" + cluster("west")})
        found = judged(fleet.path)
        assert any(line.startswith("error") and WEST in line for line in found), found

    def test_binary_rubbish(self, fleet: Fleet) -> None:
        fleet.write({WEST: bytes(range(256)) * 100})
        found = judged(fleet.path)
        assert any(line.startswith("error") and WEST in line for line in found), found

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
    def test_an_unreadable_file(self, fleet: Fleet) -> None:
        (fleet.path / EAST).chmod(0)
        said = fleet.check()
        assert said.code == 2
        assert f"can't read `{EAST}`: permission denied" in said.err

    def test_a_reader_that_goes_away(self, fleet: Fleet) -> None:
        """`drivergate check | head -1` ends quietly."""
        fleet.write({f"inventory/{index}.yaml.bak": "kind: Cluster\n" for index in range(2000)})
        said = run(fleet.path, "sh", "-c", f'"{DRIVERGATE}" check | head -1')
        assert said.out.startswith("inventory/0.yaml.bak:1:1: ")
        assert said.err == ""
