"""The verbs of the catalog that need no registry."""

import json
from pathlib import Path

import pytest
import yaml

from tests.testing.command import Exit, call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CATALOG, CLUSTER, FLEET, HEAD, repository

Capture = pytest.CaptureFixture[str]
DRIVER = "nvcr.io/nvidia/driver"
RUNNING, UPCOMING = "580-6.8.0-1050-aws-ubuntu24.04", "580-6.8.0-1053-aws-ubuntu24.04"
ARM = "580.126.20-5.14.0-427.37.1.el9_4.aarch64_64k-rhel9"
OLD = "570-6.8.0-1050-aws-ubuntu24.04"
DIGEST, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64
FILE = "inventory/catalog.yaml"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


def text(root: Path) -> str:
    return (root / FILE).read_text(encoding="utf-8")


def mirrored(kind: str) -> str:
    return f"{FLEET}mirrors:\n  {DRIVER}: {{of: ghcr.io/nvidia/driver, kind: {kind}}}\n"


STAGING = f'{HEAD}ImageCatalog\nrepository: ghcr.io/nvidia/driver\nimages:\n  - {{tag: "{UPCOMING}"}}\n'


class TestAdd:
    def test_one_image(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path)
        called = call(capfd, "catalog", "add", f"{DRIVER}:{UPCOMING}@{DIGEST}", "--platform", "linux/amd64", root=root)
        assert called == Exit(0, f"new  {DRIVER}:{UPCOMING}\nwrote {FILE}\n1 new; 0 as before\n", "")
        line = f'  - {{tag: "{UPCOMING}", platforms: [linux/amd64], digest: "{DIGEST}"}}\n'
        first, second = CATALOG.splitlines(keepends=True)[-2:]
        assert text(root) == CATALOG.replace(second, line + second)
        assert first in text(root)
        again = call(capfd, "catalog", "add", f"{DRIVER}:{UPCOMING}", root=root)
        assert again == Exit(0, "1 as before\n", "")

    def test_a_list_of_another_tool(self, tmp_path: Path, capfd: Capture) -> None:
        root, listed = repository(tmp_path), tmp_path / "tags.txt"
        listed.write_text(f"{RUNNING}\n{UPCOMING}\nbase-noble-6.8-generic-580\nlatest\n", encoding="utf-8")
        called = call(capfd, "catalog", "add", "--from-file", str(listed), root=root)
        assert called.out == f"new  {DRIVER}:{UPCOMING}\nwrote {FILE}\n1 new; 1 as before\n"
        left_out = "2 tags are no driver images' and were left out: base-noble-6.8-generic-580, latest\n"
        assert (called.code, called.err) == (0, left_out)

    @pytest.mark.parametrize(
        "listed",
        [
            json.dumps({"Repository": DRIVER, "Tags": [RUNNING, UPCOMING]}, indent=4),  # skopeo list-tags
            "".join(json.dumps({"Repository": DRIVER, "Tag": tag}) + "\n" for tag in (RUNNING, UPCOMING)),
            f"REPOSITORY   TAG   IMAGE ID\n{DRIVER}   {RUNNING}   1a2b\n{DRIVER}   {UPCOMING}   1a2c\n",
        ],
        ids=["skopeo", "docker image ls --format json", "docker image ls"],
    )
    def test_the_lists_that_tools_print(self, listed: str, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path)
        (tmp_path / "list").write_text(listed, encoding="utf-8")
        called = call(capfd, "catalog", "add", "--from-file", str(tmp_path / "list"), root=root)
        assert called == Exit(0, f"new  {DRIVER}:{UPCOMING}\nwrote {FILE}\n1 new; 1 as before\n", "")

    def test_a_catalog_on_one_line_keeps_its_layout(self, tmp_path: Path, capfd: Capture) -> None:
        """Two images, of which one is corrected, and one that is new."""
        head = f"{HEAD}ImageCatalog\nrepository: {DRIVER}\n"
        root = repository(tmp_path, catalog=f'{head}images: [{{tag: "{OLD}"}}, {{tag: "{RUNNING}"}}]  # all\n')
        (tmp_path / "list").write_text(f"{OLD}@{DIGEST}\n{UPCOMING}\n", encoding="utf-8")
        assert call(capfd, "catalog", "add", "--from-file", str(tmp_path / "list"), root=root).code == 0
        made = text(root)
        assert made.startswith(f'{head}images: [{{tag: "{OLD}", digest: ')
        assert made.endswith("}]  # all\n")
        images = [{"tag": OLD, "digest": DIGEST}, {"tag": RUNNING}, {"tag": UPCOMING}]
        assert yaml.safe_load(made)["images"] == images

    def test_check_writes_nothing(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path)
        called = call(capfd, "catalog", "add", UPCOMING, "--check", "--format", "json", root=root)
        told = json.loads(called.out)
        assert (called.code, told["written"], told["done"], text(root)) == (1, [FILE], False, CATALOG)
        assert [(one["change"], one["tag"], one["old"]) for one in told["changes"]] == [("new", UPCOMING, None)]
        assert call(capfd, "catalog", "add", RUNNING, "--check", root=root).code == 0

    def test_a_tag_that_names_another_image_now(self, tmp_path: Path, capfd: Capture) -> None:
        """What was recorded of the old image is not taken for the new one's."""
        recorded = f'platforms: [linux/amd64], driverVersion: "580.1.2", digest: "{DIGEST}"'
        root = repository(tmp_path, catalog=CATALOG.replace("platforms: [linux/amd64]", recorded))
        called = call(capfd, "catalog", "add", f"{DRIVER}:{RUNNING}@{OTHER}", root=root)
        assert called.out.splitlines()[0] == f"re-pushed  {DRIVER}:{RUNNING}  {DIGEST} -> {OTHER}"
        assert f'  - {{tag: "{RUNNING}", digest: "{OTHER}"}}\n' in text(root)

    def test_an_image_that_was_gone_is_back(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=CATALOG.replace("[linux/amd64]", "[linux/amd64], gone: true"))
        called = call(capfd, "catalog", "add", RUNNING, root=root)
        assert called.out.splitlines()[0] == f"back  {DRIVER}:{RUNNING}"
        assert text(root) == CATALOG

    def test_so_it_is_in_a_list_on_one_line(self, tmp_path: Path, capfd: Capture) -> None:
        head = f"{HEAD}ImageCatalog\nrepository: {DRIVER}\n"
        gone = f"{head}images: [{{tag: {RUNNING}, platforms: [linux/amd64], gone: true}}, {{tag: {OLD}}}]  # ours\n"
        root = repository(tmp_path, catalog=gone)
        called = call(capfd, "catalog", "add", RUNNING, root=root)
        assert called.out.splitlines()[0] == f"back  {DRIVER}:{RUNNING}"
        assert text(root) == gone.replace(", gone: true", "")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("not a tag",), '"not a tag" is neither a tag nor REPOSITORY:TAG'),
            ((f"{DRIVER}@{DIGEST}",), f'"{DRIVER}@{DIGEST}" names no tag'),
            (("latest",), '"latest" does not begin with a driver version'),
            ((), "name images, or a list of them with --from-file"),
            ((RUNNING, "--platform", "amd64"), '"amd64" is no platform; write it like linux/amd64'),
            ((RUNNING, "--repository", "driver"), '"driver" is no whole name of a repository'),
            ((RUNNING, "--module-type", "free"), '"free" is no type of kernel modules'),
            (("--from-file", "nowhere.txt"), "can't read `nowhere.txt`: no such file or directory"),
        ],
    )
    def test_what_can_not_be_added(self, tmp_path: Path, capfd: Capture, arguments: tuple[str, ...], said: str) -> None:
        root = repository(tmp_path)
        called = call(capfd, "catalog", "add", *arguments, root=root)
        assert (called.code, text(root)) == (2, CATALOG)
        assert said in called.err

    def test_a_bad_line_of_a_list_is_told_by_number(self, tmp_path: Path, capfd: Capture) -> None:
        root, listed = repository(tmp_path), tmp_path / "tags.txt"
        listed.write_text(f"{UPCOMING}\nError: unauthorized\n", encoding="utf-8")
        called = call(capfd, "catalog", "add", "--from-file", str(listed), root=root)
        assert (called.code, text(root)) == (2, CATALOG)
        assert f'{listed}:2: "Error: unauthorized" is neither' in called.err

    def test_bare_tags_need_a_repository_where_there_are_several(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, fleet=mirrored("copy"), staging=STAGING)
        called = call(capfd, "catalog", "add", UPCOMING, root=root)
        assert called.code == 2
        assert f"(known are ghcr.io/nvidia/driver, {DRIVER})" in called.err.replace("\n", " ")
        assert call(capfd, "catalog", "add", UPCOMING, "--repository", DRIVER, root=root).code == 0
        assert UPCOMING in text(root)

    def test_a_catalog_that_can_not_be_read(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=CATALOG.replace("platforms", "platform"))
        called = call(capfd, "catalog", "add", UPCOMING, root=root)
        assert (called.code, called.err) == (2, "nothing is written\n")
        assert 'unknown key "platform"' in called.out

    def test_what_a_proxy_hands_out_is_listed_of_its_upstream(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, fleet=mirrored("proxy"), staging=STAGING)
        called = call(capfd, "catalog", "add", f"{DRIVER}:{RUNNING}", root=root)
        assert called.out.splitlines()[0] == f"new  ghcr.io/nvidia/driver:{RUNNING}"
        assert called.err == (
            f"{DRIVER} passes on the images of ghcr.io/nvidia/driver (kind: proxy): they are listed there\n"
        )

    def test_a_broken_cluster_is_not_in_the_way(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, one="kind: Cluster\n")
        assert call(capfd, "catalog", "add", f"{DRIVER}:{UPCOMING}", root=root).code == 0


class TestList:
    def test_published_and_missing(self, tmp_path: Path, capfd: Capture) -> None:
        called = call(capfd, "catalog", "list", root=repository(tmp_path))
        assert called.code == 0
        assert [line.split() for line in called.out.splitlines()] == [
            [DRIVER],
            ["TAG", "STATE", "PLATFORMS", "DRIVER", "NEEDED", "BY"],
            [RUNNING, "published", "linux/amd64", "-", "one/train"],
            [UPCOMING, "missing", "-", "-", "one/train", "(upcoming)"],
            [ARM, "published", "linux/arm64", "-", "one/arm"],
        ]

    def test_a_staging_registry_beside_the_public_one(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, fleet=mirrored("copy"), staging=STAGING)
        rows = json.loads(call(capfd, "catalog", "list", "--format", "json", root=root).out)["images"]
        assert [(row["repository"], row["tag"], row["state"], row["at"]) for row in rows] == [
            ("ghcr.io/nvidia/driver", UPCOMING, "built", None),
            (DRIVER, RUNNING, "published", None),
            (DRIVER, UPCOMING, "built", "ghcr.io/nvidia/driver"),
            (DRIVER, ARM, "published", None),
        ]
        assert "built in ghcr.io/nvidia/driver" in call(capfd, "catalog", "list", root=root).out
        call(capfd, "catalog", "add", f"{DRIVER}:{UPCOMING}", root=root)
        rows = json.loads(call(capfd, "catalog", "list", "--format", "json", root=root).out)["images"]
        assert {row["state"] for row in rows} == {"published"}

    def test_what_a_proxy_has_is_its_upstreams(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, fleet=mirrored("proxy"), staging=STAGING)
        rows = json.loads(call(capfd, "catalog", "list", "--format", "json", root=root).out)["images"]
        assert {row["repository"] for row in rows} == {"ghcr.io/nvidia/driver"}
        assert [row["state"] for row in rows] == ["missing", "published", "missing"]

    @pytest.mark.parametrize(
        ("options", "tags"),
        [
            (("--needed",), [RUNNING, UPCOMING, ARM]),
            (("--branch", "570"), [OLD]),
            (("--os", "rhel9"), [ARM]),
            (("--state", "missing"), [UPCOMING]),
            (("--state", "gone"), [OLD]),
            ((DRIVER,), [OLD, RUNNING, UPCOMING, ARM]),
            (("--os", "ubuntu26.04"), []),
        ],
    )
    def test_filters(self, tmp_path: Path, capfd: Capture, options: tuple[str, ...], tags: list[str]) -> None:
        root = repository(tmp_path, catalog=f'{CATALOG}  - {{tag: "{OLD}", gone: true}}\n')
        called = call(capfd, "catalog", "list", *options, "--format", "json", root=root)
        assert [row["tag"] for row in json.loads(called.out)["images"]] == tags
        assert call(capfd, "catalog", "list", *options, root=root).out.count("ubuntu24.04") + (ARM in tags) >= len(tags)

    def test_a_needed_platform_that_is_not_built(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=CATALOG.replace("linux/amd64", "linux/arm64"))
        assert "published, lacks linux/amd64" in call(capfd, "catalog", "list", root=root).out

    def test_an_unknown_state(self, tmp_path: Path, capfd: Capture) -> None:
        called = call(capfd, "catalog", "list", "--state", "lost", root=repository(tmp_path))
        assert called.code == 2
        assert "use one of published, built, missing, gone" in called.err

    @pytest.mark.parametrize("verb", [("list",), ("prune", "--keep", "0"), ("verify",)])
    def test_an_unknown_repository(self, tmp_path: Path, capfd: Capture, verb: tuple[str, ...]) -> None:
        called = call(capfd, "catalog", *verb, "nvcr.io/nvidia/drivers", root=repository(tmp_path))
        assert (called.code, called.out) == (2, "")
        assert f'did you mean "{DRIVER}"?' in called.err


class TestShow:
    def test_everything_of_one_image(self, tmp_path: Path, capfd: Capture) -> None:
        called = call(capfd, "catalog", "show", RUNNING, root=repository(tmp_path))
        assert called.code == 0
        assert [line.split(maxsplit=1) for line in called.out.splitlines()] == [
            [f"{DRIVER}:{RUNNING}", "published"],
            ["driver", "580"],
            ["kernel", "6.8.0-1050-aws"],
            ["os", "ubuntu24.04"],
            ["version", "not recorded"],
            ["platforms", "linux/amd64"],
            ["modules", "not recorded"],
            ["digest", "not recorded"],
            ["listed", f"{FILE}:5"],
            ["needed", "by   one/train  linux/amd64  running"],
        ]

    def test_one_that_nodes_ask_for_in_vain(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=CATALOG.replace(RUNNING, OLD))
        called = call(capfd, "catalog", "show", f"{DRIVER}:{RUNNING}", root=root)
        assert called.code == 1
        assert called.out.startswith(f"{DRIVER}:{RUNNING}  missing\n")
        upcoming = call(capfd, "catalog", "show", UPCOMING, root=root)
        assert (upcoming.code, upcoming.out.splitlines()[0]) == (0, f"{DRIVER}:{UPCOMING}  missing")

    def test_an_unknown_tag(self, tmp_path: Path, capfd: Capture) -> None:
        called = call(capfd, "catalog", "show", RUNNING.replace("-aws", "-asw"), root=repository(tmp_path))
        assert (called.code, called.out) == (2, "")
        assert f'did you mean "{RUNNING}"?' in called.err


class TestPrune:
    def test_it_shows_first(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=f'{CATALOG}  - {{tag: "{OLD}"}}\n')
        shown = call(capfd, "catalog", "prune", "--keep", "0", root=root)
        told = f"to remove  {DRIVER}:{OLD}  {FILE}:7\nwould write {FILE}\n1 to remove\n"
        assert shown == Exit(0, told, "nothing is written; remove them with --yes\n")
        assert OLD in text(root)
        done = call(capfd, "catalog", "prune", "--keep", "0", "--yes", root=root)
        assert done == Exit(0, f"removed  {DRIVER}:{OLD}  {FILE}:7\nwrote {FILE}\n1 removed\n", "")
        assert text(root) == CATALOG
        assert call(capfd, "catalog", "prune", "--keep", "0", "--yes", root=root).out == "nothing to change\n"

    def test_upcoming_images_are_kept(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, catalog=f'{CATALOG}  - {{tag: "{UPCOMING}"}}\n')
        assert call(capfd, "catalog", "prune", "--keep", "0", "--yes", root=root).out == "nothing to change\n"

    def test_what_the_last_commits_needed_is_kept(self, tmp_path: Path, capfd: Capture) -> None:
        """A rollback is a revert of one of them."""
        repo = Repo(repository(tmp_path, catalog=f'{CATALOG}  - {{tag: "{OLD}"}}\n'))
        repo.git("-c", "core.autocrlf=false", "add", "-A")
        branch = {"inventory/fleet.yaml": FLEET.replace('"580"', '"570"')}
        repo.commit(branch, "on 570")
        repo.commit({"inventory/fleet.yaml": FLEET}, "on 580")
        for number in range(3):
            repo.commit({"inventory/catalog/other.yaml": STAGING, "note": f"{number}"}, "only the catalog")
        kept = call(capfd, "catalog", "prune", DRIVER, "--keep", "2", root=tmp_path)
        assert (kept.code, kept.out) == (0, "nothing to change\n")
        pruned = call(capfd, "catalog", "prune", DRIVER, "--keep", "1", root=tmp_path)
        assert pruned.out.startswith(f"to remove  {DRIVER}:{OLD}")

    def test_a_commit_that_can_not_be_read_keeps_whatever_it_names(self, tmp_path: Path, capfd: Capture) -> None:
        named = "560-6.8.0-1049-aws-ubuntu24.04"
        lines = f'  - {{tag: "{named}"}}\n  - {{tag: "{OLD}"}}\n'.replace("570-6.8.0-1050", "570-6.8.0-1048")
        repo = Repo(repository(tmp_path, catalog=CATALOG + lines))
        stream = repo.path / "inventory/stream.yaml"
        whole = stream.read_text(encoding="utf-8")
        repo.commit({"inventory/stream.yaml": whole.replace("1050", "1049") + "oops: 1\n"}, "broken")
        repo.commit({"inventory/stream.yaml": whole}, "whole")
        called = call(capfd, "catalog", "prune", root=tmp_path)
        assert [line for line in called.out.splitlines() if line.startswith("to remove")] == [
            f"to remove  {DRIVER}:{OLD.replace('1050', '1048')}  {FILE}:8"
        ]
        assert "can't be read whole: every image whose kernel or version it names is kept" in called.err

    def test_a_shallow_clone_is_told_and_nothing_removed(self, tmp_path: Path, capfd: Capture) -> None:
        repo = Repo(repository(tmp_path / "a" if (tmp_path / "a").mkdir() is None else tmp_path))
        repo.commit({FILE: f'{CATALOG}  - {{tag: "{OLD}"}}\n'})
        repo.commit({"inventory/one.yaml": CLUSTER.replace('ring: "0"', 'ring: "1"')})
        repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "b"))
        called = call(capfd, "catalog", "prune", "--yes", root=tmp_path / "b")
        assert called.code == 3
        assert "the clone is shallow: 1 of the last 20 commits" in called.err
        assert OLD in text(tmp_path / "b")
        assert call(capfd, "catalog", "prune", "--keep", "1", "--yes", root=tmp_path / "b").code == 0
        assert OLD not in text(tmp_path / "b")

    def test_without_git_it_says_so(self, tmp_path: Path, capfd: Capture) -> None:
        called = call(capfd, "catalog", "prune", root=repository(tmp_path))
        assert called.code == 2
        assert "git" in called.err

    def test_an_inventory_that_can_not_be_read_needs_everything(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, one="kind: Cluster\n", catalog=f'{CATALOG}  - {{tag: "{OLD}"}}\n')
        called = call(capfd, "catalog", "prune", "--keep", "0", "--yes", root=root)
        assert called.code == 2
        assert OLD in text(root)

    def test_what_a_copy_is_of_is_needed_too(self, tmp_path: Path, capfd: Capture) -> None:
        root = repository(tmp_path, fleet=mirrored("copy"), staging=f'{STAGING}  - {{tag: "{OLD}"}}\n')
        called = call(capfd, "catalog", "prune", "--keep", "0", root=root)
        assert called.out.splitlines()[0] == f"to remove  ghcr.io/nvidia/driver:{OLD}  inventory/staging.yaml:6"


def test_a_file_that_is_no_list_is_told_by_its_first_lines(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    (tmp_path / "notes.txt").write_text("not a tag\n" * 500, encoding="utf-8")
    called = call(capfd, "catalog", "add", "--from-file", str(tmp_path / "notes.txt"), root=root)
    assert called.code == 2
    assert called.err.count("is neither a tag") == 10
    assert "and 490 lines more\n" in called.err
