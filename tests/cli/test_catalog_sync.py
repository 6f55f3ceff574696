"""The catalog against a registry: a server that does as it is told."""

import json
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.catalog.edit import MOST_LINES
from generator.declared.catalog_file import read_catalog
from tests.testing.command import Exit, start
from tests.testing.levels import CLUSTER, FLEET
from tests.testing.registry import keeping
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, error
from tests.testing.registry.images import FORMS, Manifest, in_form, index
from tests.testing.registry.keeping import FILE, NAME, OTHERS, A, B, C, Kept, built, line

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


def serve(images: Mapping[str, Manifest]) -> FaultServer:
    return FaultServer(Holding(images))


class TestSync:
    def test_an_empty_catalog(self, tmp_path: Path, capfd: Capture) -> None:
        images = {A: built(A), B: built(B), OTHERS: built(OTHERS), "latest": built(A)}
        with serve(images) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            called = kept.sync()
        assert called.code == 0
        assert called.out == (
            f"new  {kept.name}:{A}\nnew  {kept.name}:{B}\nwrote {FILE}\n"
            f"{kept.name}: 2 new; 0 as before, 1 of other branches and systems (--all takes them)\n"
        )
        assert called.err == f"note: {kept.name}: 1 tag is no driver image's and was left out: latest\n"
        assert kept.lines == [line(A, images[A]), line(B, images[B])]

    def test_without_any_catalog_file(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            (kept.root / FILE).unlink()
            kept.sync()
        path = kept.root / f"inventory/catalog/{kept.name.replace(':', '_')}/580-ubuntu24.04.yaml"
        assert path.read_text(encoding="utf-8") == f"{kept.head}\n{line(A, built(A))}\n"

    def test_only_what_is_new_or_changed_is_fetched_again(self, tmp_path: Path, capfd: Capture) -> None:
        images = {A: built(A), B: built(B)}
        with serve(images) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
            before, server.script = kept.text, Holding({**images, C: built(C)})
            server.asked.clear()
            called = kept.sync()
            asked = [(one.method, one.path.rpartition("/")[2]) for one in server.asked if one.path != "/v2/"]
        assert called.out.splitlines()[0] == f"new  {kept.name}:{C}"
        assert kept.text == f"{before}{line(C, built(C))}\n"
        assert ("HEAD", A) in asked
        assert ("HEAD", B) in asked
        fetched = [reference for method, reference in asked if method == "GET" and reference != "list"]
        assert (len(fetched), C in fetched) == (2, True)  # the manifest and the config of the new one

    def test_a_tag_that_points_elsewhere_is_told_with_both_digests(self, tmp_path: Path, capfd: Capture) -> None:
        old, new = built(A), built(A, "580.159.04")
        with serve({A: old}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
            server.script = Holding({A: new})
            called = kept.sync()
        assert called.code == 0
        assert called.out.splitlines()[0] == f"re-pushed  {kept.name}:{A}  {old.digest} -> {new.digest}"
        assert kept.lines == [line(A, new, version="580.159.04")]

    def test_what_vanished_is_marked_and_what_is_back_is_unmarked(self, tmp_path: Path, capfd: Capture) -> None:
        images = {A: built(A), B: built(B)}
        with serve(images) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
            server.script = Holding({B: images[B]})
            gone = kept.sync()
            marked = kept.lines
            server.script = Holding(images)
            back = kept.sync()
        assert gone.out.splitlines()[0] == f"gone  {kept.name}:{A}"
        assert marked[0] == line(A, images[A]).replace("}", ", gone: true}")
        assert back.out.splitlines()[0] == f"back  {kept.name}:{A}"
        assert kept.lines == [line(A, images[A]), line(B, images[B])]

    def test_a_list_that_leaves_out_what_is_there_proves_nothing(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
            before = kept.text
            assert isinstance(server.script, Holding)
            server.script.tags = []
            called = kept.sync()
        assert (called.code, kept.text) == (0, before)
        assert "it is there, though the registry's list of tags lacks it" in called.err

    def test_lines_of_a_merge_that_contradict_each_other_become_one(self, tmp_path: Path, capfd: Capture) -> None:
        """`catalog/conflict` keeps the gate from judging; the registry knows which line is right."""
        lines = "".join(f'  - {{tag: "{A}", digest: "sha256:{digit * 64}"}}\n' for digit in "01")
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, lines)
            assert kept.sync().code == 0
        assert kept.lines == [line(A, built(A))]

    def test_platforms_of_an_index_without_its_attestation(self, tmp_path: Path, capfd: Capture) -> None:
        both = index({"linux/amd64": built(A), "linux/arm64": built(A, arch="arm64")}, attested=True)
        with serve({A: both}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
        assert kept.lines == [line(A, both, platforms="linux/amd64, linux/arm64")]

    def test_what_somebody_wrote_and_no_image_tells_is_kept(self, tmp_path: Path, capfd: Capture) -> None:
        written = f'  # signed by us\n  - {{tag: "{A}", moduleType: open}}   # since May\n'
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, written)
            called = kept.sync()
        assert called.out.splitlines()[0] == f"learned  {kept.name}:{A}"
        told = line(A, built(A)).replace(", digest", ", moduleType: open, digest")
        assert kept.lines == ["  # signed by us", f"{told}   # since May"]

    def test_all_takes_everything_that_is_a_driver(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A), OTHERS: built(OTHERS), "latest": built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync("--all")
        assert [one.split('"')[1] for one in kept.lines] == [OTHERS, A]

    @pytest.mark.parametrize(("option", "code"), [("--dry-run", 0), ("--check", 1)])
    def test_to_look_and_not_write(self, tmp_path: Path, capfd: Capture, option: str, code: int) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            before = kept.text
            called = kept.sync(option)
            assert (called.code, kept.text) == (code, before)
            assert f"new  {kept.name}:{A}\nwould write {FILE}\n" in called.out
            kept.sync()
            assert kept.sync(option).code == 0

    def test_an_image_that_contradicts_its_name_is_told(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(B, "570.86.15")}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            called = kept.sync()
        assert "it was built for kernel 6.8.0-1053-aws, which is not the 6.8.0-1050-aws of its name" in called.err
        assert "it holds driver 570.86.15, which is not of the branch 580 of its name" in called.err

    def test_a_repository_that_the_registry_does_not_know(self, tmp_path: Path, capfd: Capture) -> None:
        with FaultServer(lambda _: error(404, "NAME_UNKNOWN")) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            called = kept.sync()
        assert called.code == 1
        assert f"error: the registry knows no repository {kept.name}" in called.err

    def test_a_proxy_is_not_asked_but_its_upstream(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            mirrors = f"mirrors:\n  proxy.example.com/driver: {{of: {kept.name}, kind: proxy}}\n"
            fleet = FLEET.replace("nvcr.io/nvidia/driver", "proxy.example.com/driver")
            (kept.root / "inventory/fleet.yaml").write_text(fleet + mirrors, encoding="utf-8")
            called = kept.sync("proxy.example.com/driver")
        assert called.err.startswith(f"proxy.example.com/driver passes on the images of {kept.name} (kind: proxy)")
        assert kept.lines == [line(A, built(A))]

    def test_a_copy_and_what_it_is_of_are_both_asked(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as public, serve({A: built(A), B: built(B)}) as staging:
            kept = Kept(tmp_path / "r", capfd, public.address)
            fleet = kept.root / "inventory/fleet.yaml"
            mirrors = f"mirrors:\n  {kept.name}: {{of: {staging.address}/{NAME}, kind: copy}}\n"
            fleet.write_text(fleet.read_text(encoding="utf-8") + mirrors, encoding="utf-8")
            assert kept.sync().code == 0
        rows = json.loads(kept.call("list", "--format", "json").out)["images"]
        states = {row["tag"]: (row["state"], row["at"]) for row in rows if row["repository"] == kept.name}
        assert states[A] == ("published", None)
        assert states[B] == ("built", f"{staging.address}/{NAME}")

    @pytest.mark.parametrize("form", FORMS)
    def test_every_form_of_an_image(self, tmp_path: Path, capfd: Capture, form: str) -> None:
        with serve({A: in_form(form)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
        assert "platforms: [linux/amd64]" in kept.lines[0]


class TestTrouble:
    """What is no answer is never "missing": exit code 3, and the lines stay."""

    @pytest.mark.parametrize("status", [401, 403])
    def test_the_list_is_refused(self, tmp_path: Path, capfd: Capture, status: int) -> None:
        with FaultServer(lambda _: error(status, "DENIED")) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{A}"}}\n')
            before = kept.text
            called = kept.sync()
        assert (called.code, kept.text) == (3, before)
        assert "could not look: " in called.err
        assert f"answers {status}" in called.err
        assert "missing" not in called.out

    def test_nobody_listens(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({}) as server:
            address = server.address
        kept = Kept(tmp_path / "r", capfd, address, f'  - {{tag: "{A}"}}\n')
        before = kept.text
        called = kept.sync()
        assert (called.code, kept.text) == (3, before)

    def test_half_way_what_was_learned_is_written(self, tmp_path: Path, capfd: Capture) -> None:
        holding = Holding({A: built(A), B: built(B), C: built(C)})

        def script(asked: Asked) -> Reply:
            if asked.path.endswith((f"/{B}", f"/{C}")):
                time.sleep(0.3)
                return error(403, "DENIED")
            return holding(asked)

        with FaultServer(script) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{OTHERS}"}}\n')
            holding.tags.append(OTHERS)
            called = kept.sync()
        assert called.code == 3
        assert kept.lines == [f'  - {{tag: "{OTHERS}"}}', line(A, built(A))]
        assert "were not looked at, and their lines are left as they are" in called.err

    def test_one_image_that_can_not_be_read_does_not_stop_the_others(self, tmp_path: Path, capfd: Capture) -> None:
        broken = Manifest("application/vnd.oci.image.manifest.v1+json", b"{")
        with serve({A: broken, B: built(B)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{A}", platforms: [linux/amd64]}}\n')
            called = kept.sync()
        assert called.code == 3
        assert kept.lines == [f'  - {{tag: "{A}", platforms: [linux/amd64]}}', line(B, built(B))]
        assert f"could not look: {kept.name}:{A} can't be read" in called.err

    def test_one_registry_that_is_down_does_not_stop_another(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as server, FaultServer(lambda _: error(403, "DENIED")) as denied:
            kept = Kept(tmp_path / "r", capfd, server.address)
            called = kept.sync(f"{denied.address}/{NAME}", kept.name)
        assert called.code == 3
        assert kept.lines == [line(A, built(A))]

    def test_bad_names(self, tmp_path: Path, capfd: Capture) -> None:
        kept = Kept(tmp_path / "r", capfd, "example.com")
        called = kept.sync("driver")
        assert called.code == 2
        assert "is no repository of a registry" in called.err

    def test_a_file_that_can_not_be_changed_in_place_is_told_before_anything_is_asked(
        self, tmp_path: Path, capfd: Capture
    ) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            flow = f"{kept.head} [{{tag: {A}}}]\n" + "# a note\n" * MOST_LINES
            (kept.root / FILE).write_text(flow, encoding="utf-8")
            called = kept.sync()
            assert server.asked == []
        assert (called.code, kept.text) == (2, flow)
        assert f"can't change `{FILE}` in place: its images don't stand one below the other" in called.err

    def test_an_inventory_that_can_not_be_read(self, tmp_path: Path, capfd: Capture) -> None:
        kept = Kept(tmp_path / "r", capfd, "example.com")
        (kept.root / "inventory/one.yaml").write_text(CLUSTER.replace("pools:", "pool:"), encoding="utf-8")
        called = kept.sync()
        assert (called.code, called.err) == (2, "nothing is written\n")


class TestStopping:
    def slow(self, images: Mapping[str, Manifest]) -> FaultServer:
        holding = Holding(images)

        def script(asked: Asked) -> Reply:
            if asked.path.endswith("/list"):
                return holding(asked)
            time.sleep(0.05)
            return holding(asked)

        return FaultServer(script)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_an_interruption_leaves_a_valid_file_with_what_was_learned(
        self, tmp_path: Path, capfd: Capture, number: signal.Signals
    ) -> None:
        tags = [f"580-6.8.0-{1000 + one}-aws-ubuntu24.04" for one in range(200)]
        with self.slow({tag: built(tag) for tag in tags}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{OTHERS}"}}  # keep\n')
            started = start("catalog", "sync", "-C", str(kept.root), env={"HOME": str(tmp_path)})
            while len(server.asked) < 100:  # some thirty images
                time.sleep(0.05)
                assert started.poll() is None
            started.send_signal(number)
            _, said = started.communicate(timeout=20)
        assert started.returncode == 130, said.decode()
        assert f"interrupted; what was learned is in {FILE}" in said.decode()
        read = read_catalog(FILE, kept.text)
        assert read.findings == ()
        assert read.unsorted is None
        assert 4 < len(read.entries) < 150
        assert f'  - {{tag: "{OTHERS}"}}  # keep' in kept.lines

    def test_a_file_that_somebody_edits_meanwhile_keeps_the_edit(self, tmp_path: Path, capfd: Capture) -> None:
        holding = Holding({A: built(A)})
        edited = f'  - {{tag: "{B}"}}  # by hand\n'

        def script(asked: Asked) -> Reply:
            if asked.path.endswith("/list"):
                (kept.root / FILE).write_text(f"{kept.head}\n{edited}", encoding="utf-8")
            return holding(asked)

        with FaultServer(script) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
        assert kept.lines == [line(A, built(A)), edited.rstrip()]


class TestVerify:
    def test_everything_is_as_listed(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A), B: built(B)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address)
            kept.sync()
            assert kept.call("verify") == Exit(0, f"{kept.name}: 2 as listed\n", "")

    @pytest.mark.parametrize(
        ("claim", "said"),
        [
            (f'tag: "{B}"', f'has no "{B}"'),
            (f'tag: "{A}", platforms: [linux/amd64, linux/arm64]', "is listed for linux/arm64 and has linux/amd64"),
            (f'tag: "{A}", driverVersion: "580.1.2"', "is listed with driver 580.1.2 and holds 580.126.20"),
            (f'tag: "{A}", digest: "sha256:{"0" * 64}"', f"was pushed again: it is listed with sha256:{'0' * 64}"),
            (f'tag: "{A}", gone: true', f'"{A}" is listed as gone, and '),
        ],
    )
    def test_what_is_not_as_listed(self, tmp_path: Path, capfd: Capture, claim: str, said: str) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f"  - {{{claim}}}\n")
            before = kept.text
            called = kept.call("verify")
            (told,) = json.loads(kept.call("verify", "--format", "json").out)["repositories"]
        assert (called.code, kept.text) == (1, before)
        assert called.out.startswith(f"{FILE}:5:1: error: ")
        assert said in called.out
        assert f"hint: run `drivergate catalog sync {kept.name}`" in called.out
        assert [(one["file"], one["line"]) for one in told["wrong"]] == [(FILE, 5)]

    def test_a_bare_line_and_a_gone_one_claim_little(self, tmp_path: Path, capfd: Capture) -> None:
        lines = f'  - {{tag: "{A}"}}\n  - {{tag: "{B}", gone: true}}\n'
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, lines)
            assert kept.call("verify").code == 0

    def test_only_what_is_needed(self, tmp_path: Path, capfd: Capture) -> None:
        with serve({A: built(A)}) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{A}"}}\n  - {{tag: "{C}"}}\n')
            assert kept.call("verify", "--needed").code == 0
            assert kept.call("verify", kept.name).code == 1

    def test_no_answer_is_no_verdict(self, tmp_path: Path, capfd: Capture) -> None:
        with FaultServer(lambda _: error(403, "DENIED")) as server:
            kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{A}"}}\n')
            called = kept.call("verify")
        assert called.code == 3
        assert called.out == f"{kept.name}: 0 as listed, 1 could not be looked at\n"

    def test_nothing_to_verify(self, tmp_path: Path, capfd: Capture) -> None:
        kept = Kept(tmp_path / "r", capfd, "example.com")
        assert kept.call("verify").code == 0
