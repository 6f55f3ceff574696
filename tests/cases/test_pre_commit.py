"""Public cases of the area pre-commit: the command as a hook runs it. The hook runners themselves are in tests/e2e."""

import os
import re
from pathlib import Path

import pytest
import yaml

from tests.cases.inventory import CATALOG, CLUSTER, KERNEL, catalog, cluster, files, image, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.gitrepo import Repo
from tests.testing.repository import CaseRepo

ROOT = Path(__file__).parents[2]
TAG = "580-5.15.0-118-generic-ubuntu22.04"
NEXT_KERNEL, NEXT_TAG = "5.15.0-119-generic", "580-5.15.0-119-generic-ubuntu22.04"
A = pool("a", 'branch: "580"')
ROLLED = pool("a", 'branch: "580"', kernels=NEXT_KERNEL)
GIVEN = files(A, images=(TAG,))


@pytest.fixture
def committed(repo: CaseRepo) -> CaseRepo:
    """A repository that is rendered and committed."""
    repo.lay(GIVEN)
    assert repo.drivergate("render").code == 0
    repo.git().commit()
    return repo


def test_d73_the_hook_runs_once_over_everything() -> None:
    """pre-commit/pre-commit#1654."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for hook in hooks} >= {"drivergate-check", "drivergate-render"}
    for hook in hooks:
        assert hook["pass_filenames"] is False
        assert hook["require_serial"] is True


@pytest.mark.parametrize("verb", ["check", "render"])
def test_d73_file_names_can_not_narrow_it(committed: CaseRepo, verb: str) -> None:
    """They are refused, so that nobody believes that part of the fleet was judged."""
    said = committed.drivergate(verb, CLUSTER)
    assert said.code == 2
    shows(said.err, CLUSTER)


def test_d73_five_hundred_files_are_judged_together(repo: CaseRepo) -> None:
    clusters = {f"inventory/clusters/c{n}.yaml": cluster(A, name=f"c{n}") for n in range(499)}
    broken = {"inventory/clusters/last.yaml": cluster(ROLLED, name="last")}
    repo.lay({**{path: text for path, text in GIVEN.items() if path != CLUSTER}, **clusters, **broken})
    assert repo.drivergate("render").code == 0
    said = repo.drivergate("check")
    assert said.code == 1
    shows(said.out, f'"last/a" needs {NEXT_TAG}', "500 clusters, 500 pools")
    assert said.out.count("[image/missing]") == 1


def test_d73_outputs_are_replaced_and_never_written_into(committed: CaseRepo) -> None:
    """Whoever has the old file open, here by a second name, keeps it whole."""
    path = committed.path / "out/east/gpu-operator/drivergate-images.yaml"
    old = path.read_bytes()
    other = committed.path / "kept"
    os.link(path, other)
    committed.lay({CLUSTER: cluster(ROLLED), CATALOG: catalog(image(TAG), image(NEXT_TAG))})
    assert committed.drivergate("render").code == 0
    assert other.read_bytes() == old
    assert NEXT_TAG.encode() in path.read_bytes()


NEW_IMAGE = "inventory/catalog/new-image.yaml"


@pytest.fixture
def with_untracked(committed: CaseRepo) -> CaseRepo:
    """The inventory is staged and needs an image whose catalog is not added."""
    committed.lay({CLUSTER: cluster(ROLLED), NEW_IMAGE: catalog(image(NEXT_TAG))})
    assert committed.drivergate("render").code == 0
    committed.git().git("add", "inventory/clusters", "out")
    return committed


def test_d74_an_untracked_file_is_no_part_of_the_commit(with_untracked: CaseRepo) -> None:
    """pre-commit/pre-commit#1212."""
    said = with_untracked.drivergate("check", "--staged")
    assert said.code == 1
    shows(
        said.out,
        "new-image.yaml",
        "inventory/catalog/new-image.yaml: error: the file is not tracked",
        "[out/not-staged]",
    )
    shows(said.out, f"needs {NEXT_TAG}")


def test_d74_while_working_it_is_a_warning(with_untracked: CaseRepo) -> None:
    said = with_untracked.drivergate("check")
    assert said.code == 0
    shows(said.out, "new-image.yaml", "warning", "[out/not-staged]")


def test_d74_once_it_is_added_nothing_is_said(with_untracked: CaseRepo) -> None:
    with_untracked.git().git("add", NEW_IMAGE)
    for arguments in (["--staged"], []):
        said = with_untracked.drivergate("check", *arguments)
        assert said.code == 0
        hides(said.out, "not-staged", "new-image.yaml")


def test_d74_a_file_that_changes_nothing_fails_no_commit(committed: CaseRepo) -> None:
    committed.lay({NEW_IMAGE: catalog(image(NEXT_TAG))})
    assert committed.drivergate("check", "--staged").code == 0


def test_d75_the_inventory_is_staged_without_what_it_renders(committed: CaseRepo) -> None:
    """pre-commit/pre-commit#30; our folder is out/."""
    git = committed.git()
    committed.lay({CLUSTER: cluster(ROLLED), CATALOG: catalog(image(TAG), image(NEXT_TAG))})
    assert committed.drivergate("render").code == 0
    git.git("add", "inventory")
    before, index = committed.hashes(), git.git("ls-files", "--stage")
    said = committed.drivergate("check", "--staged")
    assert said.code == 1
    stale = re.findall(r"^(out/\S+): error", said.out, re.MULTILINE)
    assert stale == ["out/east/gpu-operator/drivergate-images.yaml"]
    shows(said.out, "out/", "git add out")
    assert (committed.hashes(), git.git("ls-files", "--stage")) == (before, index)
    assert committed.drivergate("check").code == 0
    # As pre-commit does: what is not staged is put aside while the hook runs.
    git.git("checkout-index", "--force", "--all")
    assert committed.drivergate("check", "--staged") == said
    assert committed.drivergate("check").code == 1


def of_the_hook(repo: Path) -> dict[str, str]:
    """The variables that git sets for the hooks of a work tree."""
    folder = Repo(repo).git("rev-parse", "--absolute-git-dir")
    return {"GIT_DIR": folder, "GIT_INDEX_FILE": f"{folder}/index", "GIT_PREFIX": ""}


@pytest.mark.parametrize("staged", [["--staged"], []], ids=["index", "work tree"])
def test_d76_a_linked_work_tree_is_judged_for_itself(committed: CaseRepo, tmp_path: Path, staged: list[str]) -> None:
    """MFlowCode/MFC#1776: the main checkout is clean, the linked one lacks an image."""
    linked = tmp_path / "w1"
    committed.git().git("worktree", "add", "-q", "-b", "w1", str(linked))
    (linked / CLUSTER).write_text(cluster(ROLLED), encoding="utf-8")
    Repo(linked).git("add", "-A")
    main = committed.hashes()
    bare = committed.process("check", *staged, cwd=linked)
    in_hook = committed.process("check", *staged, cwd=linked, env=of_the_hook(linked))
    assert bare.code == 1
    shows(bare.out, f"needs {NEXT_TAG}")
    assert in_hook == bare
    assert committed.process("render", cwd=linked, env=of_the_hook(linked)).code == 0
    assert committed.hashes() == main
    assert committed.process("check", *staged).code == 0


def test_d76_a_submodule_is_judged_for_itself(committed: CaseRepo, tmp_path: Path) -> None:
    outer = Repo(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(committed.path), "fleet")
    outer.commit()
    inner = tmp_path / "outer" / "fleet"
    env = of_the_hook(inner)
    assert committed.process("check", "--staged", cwd=inner, env=env).code == 0
    (inner / CLUSTER).write_text(cluster(ROLLED), encoding="utf-8")
    Repo(inner).git("add", "-A")
    said = committed.process("check", "--staged", cwd=inner, env=env)
    assert said.code == 1
    shows(said.out, f"needs {NEXT_TAG}")


def test_d77_a_checkout_with_crlf(committed: CaseRepo) -> None:
    """pre-commit/pre-commit-hooks#436."""
    for name in committed.hashes("inventory", "out"):
        path = committed.path / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    said = committed.drivergate("check")
    assert said.code == 0, said.text
    hides(said.text, "\r", "drift")
    again = committed.drivergate("render", "--check")
    assert again.code == 0, again.text


def test_d77_render_writes_lf_only(repo: CaseRepo) -> None:
    as_crlf = {path: str(text).replace("\n", "\r\n") for path, text in GIVEN.items()}
    repo.lay(as_crlf)
    assert repo.drivergate("render").code == 0
    out = "".join(repo.out().values())
    hides(out, "\r")
    repo.lay(GIVEN)
    assert repo.drivergate("render", "--check").code == 0


def test_d77_values_hold_no_carriage_return(repo: CaseRepo) -> None:
    """A literal text of several lines, read from a file with CRLF."""
    literal = (
        "  a:\n    nodeSelector: {gpu-pool: a}\n    os: {id: ubuntu, version: '22.04'}\n    arch: [amd64]\n"
        f"    kernels: [{KERNEL}]\n    driver:\n      branch: '580'\n      spec:\n        annotations:\n"
        "          note: |\n            one\n            two\n"
    )
    repo.lay({**GIVEN, CLUSTER: cluster(literal).replace("\n", "\r\n")})
    assert repo.drivergate("render").code == 0
    text = repo.out()["out/east/gpu-operator/nvidiadriver-a.yaml"]
    assert yaml.safe_load(text)["spec"]["annotations"] == {"note": "one\ntwo\n"}
    hides(text, "\r", r"\\r")


def test_d79_one_document_a_file() -> None:
    """pre-commit/pre-commit#635."""
    said = outcome(files(A, pool("b", 'branch: "580"'), images=(TAG,)))
    assert said.result is Result.OK
    assert len(said.out) > 3
    for text in said.out.values():
        assert isinstance(yaml.safe_load(text), dict)
        hides(text, "^---\\n[\\s\\S]*^---")


def test_d79_a_users_template_can_not_print_two(repo: CaseRepo) -> None:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
    said = repo.refused({**GIVEN, "templates/{cluster}/two.yaml.j2": f"{one}---\n{one}"})
    shows(said, "two.yaml", "[template/not-a-manifest]")


def test_d80_a_key_that_stands_twice(repo: CaseRepo) -> None:
    """redhat-appstudio/infra-deployments PR#8533."""
    twice = cluster() + (
        "  a:\n    nodeSelector: {gpu-pool: a}\n    kernels: [5.15.0-117-generic]\n"
        '    driver: {branch: "535"}\n    kernels: [5.15.0-118-generic]\n'
    )
    said = repo.refused({**GIVEN, CLUSTER: twice})
    line = twice.splitlines().index("    kernels: [5.15.0-118-generic]") + 1
    shows(said, f"{CLUSTER}:{line}:5", "kernels", "[inventory/duplicate]")


def test_d80_a_pool_that_stands_twice(repo: CaseRepo) -> None:
    said = repo.refused(files(A, pool("b", 'branch: "580"'), A, images=(TAG,)))
    shows(said, f"{CLUSTER}:7:3", '"a"', "[inventory/duplicate]")


def test_d80_a_cluster_that_stands_twice(repo: CaseRepo) -> None:
    said = repo.refused({**GIVEN, "inventory/other.yaml": cluster(A)})
    shows(said, "inventory/other.yaml:3", CLUSTER, '"east"', "[inventory/duplicate]")


ANCHORED = """\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: east
x-base: &base
  os: &id {id: ubuntu, version: "22.04"}
  arch: [amd64]
  driver: {branch: "535"}
pools:
  a:
    <<: *base
    nodeSelector: {gpu-pool: a}
    kernels: &kernels [5.15.0-118-generic]
  b:
    <<: *base
    nodeSelector: {gpu-pool: b}
    driver: {branch: "550"}
    kernels: *kernels
"""
TWO_BRANCHES = tuple(f"{branch}-{KERNEL}-ubuntu22.04" for branch in ("535", "550"))


def test_d81_anchors_and_merge_keys_are_read_and_never_written() -> None:
    """pre-commit/pre-commit-hooks#814."""
    said = outcome({**files(images=TWO_BRANCHES), CLUSTER: ANCHORED})
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), 'version: "535"')
    shows(said.file("nvidiadriver-b.yaml"), 'version: "550"')
    hides(said.shown, "<<:", "&id", "[&*](base|kernels)")
    out = "".join(text for path, text in said.out.items())
    assert not set("&*") & set(out)


def test_d81_two_merge_keys_in_one_mapping(repo: CaseRepo) -> None:
    twice = ANCHORED.replace("x-base:", "x-more: &more {gpu: {family: hopper}}\nx-base:", 1)
    twice = twice.replace("    <<: *base\n", "    <<: *base\n    <<: *more\n", 1)
    said = repo.refused({**files(images=TWO_BRANCHES), CLUSTER: twice})
    shows(said, f"{CLUSTER}:12:5", '"<<"', "list")


def test_d81_a_list_of_mappings_is_merged() -> None:
    listed = ANCHORED.replace("x-base:", "x-more: &more {gpu: {family: hopper}}\nx-base:", 1)
    listed = listed.replace("    <<: *base\n", "    <<: [*base, *more]\n", 1)
    said = outcome({**files(images=TWO_BRANCHES), CLUSTER: listed})
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), 'version: "535"')
