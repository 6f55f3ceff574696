"""What a shell completes, through the environment variable by which it asks."""

from pathlib import Path

import pytest

from generator.cli.run import run
from generator.cli.schema import SLUGS
from tests.testing.command import REPO, call, process
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CATALOG, FLEET, HEAD, repository

Capture = pytest.CaptureFixture[str]
MIRROR = "registry.example.com/nvidia/driver"
FILES = {
    "fleet": f"{FLEET}mirrors:\n  {MIRROR}: {{of: nvcr.io/nvidia/driver, kind: copy}}\n",
    "serving": f"""{HEAD}Workloads
team: inference
workloads:
  chat:
    runsOn: {{clusters: [one], pools: [train]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: chat}}
    replicas: 2
""",
}


def completed(capfd: Capture, monkeypatch: pytest.MonkeyPatch, line: str) -> tuple[list[str], str]:
    """What bash is offered for the last word of a line, and what it would print into the middle of the line."""
    monkeypatch.setenv("_DRIVERGATE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code == 0
    captured = capfd.readouterr()
    return captured.out.split(), captured.err


def test_names_of_sources(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = "sources:\n  kernels: {url: 'https://example.com/kernels.git', ref: main, path: gpu}\n"
    monkeypatch.chdir(repository(tmp_path, fleet=FLEET + sources))
    assert completed(capfd, monkeypatch, "drivergate sources update k") == (["kernels"], "")
    monkeypatch.delenv("_DRIVERGATE_COMPLETE")
    repository(tmp_path, fleet=FLEET + sources.replace("https://example.com", "https://user:hunter2@example.com"))
    for more, printed in (([], "inventory/source"), (["--format", "json"], '"done": false')):
        called = call(capfd, "sources", "update", *more)
        assert (called.code, called.err) == (2, "nothing is written\n")
        assert printed in called.out
        assert "hunter2" not in called.out


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("check --cluster ", ["one"]),
        ("render --cluster o", ["one"]),
        ("tag --cluster o", ["one"]),
        ("show o", ["one", "one/arm", "one/host", "one/train"]),
        ("tag one/t", ["one/train"]),
        ("plan --pool ", ["arm", "host", "one/arm", "one/host", "one/train", "train"]),
        ("upgrade runbook --pool one/a", ["one/arm"]),
        ("audit --ring ", ["0"]),
        ("plan --kernel ", ["5.14.0-427.37.1.el9_4.aarch64+64k", "6.8.0-1050-aws", "6.8.0-1053-aws"]),
        ("plan --kernel 6.8.0-1053", ["6.8.0-1053-aws"]),
        ("plan --branch ", ["570", "570.86.15", "580", "580.126.20"]),
        ("plan --os ", ["rhel9.4", "ubuntu24.04"]),
        ("plan --node-image ", ["stream"]),
        ("catalog export --to ", [MIRROR]),
        ("catalog list ", ["nvcr.io/nvidia/driver", MIRROR]),
        ("catalog sync r", [MIRROR]),
        ("catalog add --repository n", ["nvcr.io/nvidia/driver"]),
        ("cuda --cluster ", ["one"]),
        ("cuda affinity ", ["chat"]),
        ("cuda ", ["pools", "affinity"]),
        ("cuda --cl", ["--cluster"]),
        ("schema ", [*SLUGS]),
        ("explain image/mi", ["image/missing", "image/missing-platform"]),
        ("explain diff/r", ["diff/reload"]),
        ("rules im", ["image"]),
        ("upgrade ", ["status", "simulate", "runbook"]),
    ],
)
def test_names_of_the_repository(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch, line: str, names: list[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path, **FILES))
    assert completed(capfd, monkeypatch, f"drivergate {line}") == (names, "")


@pytest.mark.parametrize("line", ["check --rev ", "check --against ", "check --changed-since ", "diff ", "diff HEAD "])
def test_branches_and_tags_of_git(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path), "-b", "main")
    repo.commit()
    repo.git("tag", "release-1")
    monkeypatch.chdir(tmp_path)
    assert completed(capfd, monkeypatch, f"drivergate {line}") == (["main", "release-1"], "")


def test_the_root_that_the_line_names_counts(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path)
    monkeypatch.chdir("/")
    assert completed(capfd, monkeypatch, f"drivergate check -C {root} --cluster ") == (["one"], "")


@pytest.mark.parametrize(
    "line", ["check --cluster ", "plan --kernel ", "catalog list ", "check --rev ", "plan --node-image "]
)
def test_outside_a_repository_there_are_no_names(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed(capfd, monkeypatch, f"drivergate {line}") == ([], "")


def test_what_can_be_read_of_a_broken_inventory(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"two": f"{HEAD}Cluster\nname: [two\n", "catalog": CATALOG.replace("images:", "images: [")}
    monkeypatch.chdir(repository(tmp_path, **broken))
    (tmp_path / "inventory" / "loop.yaml").symlink_to("loop.yaml")
    assert completed(capfd, monkeypatch, "drivergate check --cluster ") == (["one"], "")
    assert completed(capfd, monkeypatch, "drivergate catalog list ") == (["nvcr.io/nvidia/driver"], "")


def test_a_bug_while_reading_is_not_shown_in_the_line(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    monkeypatch.setattr("generator.edges.files.find_root", lambda _: 1 / 0)
    monkeypatch.setattr("generator.cli.repository.read_declaration", lambda *_, **__: 1 / 0)
    assert completed(capfd, monkeypatch, "drivergate check --cluster ") == ([], "")
    assert completed(capfd, monkeypatch, "drivergate check --rev ") == ([], "")


def test_a_process_completes_clusters_of_the_sample() -> None:
    asked = {"_DRIVERGATE_COMPLETE": "complete_bash", "COMP_WORDS": "drivergate show o", "COMP_CWORD": "2"}
    called = process(env=asked)
    names = sorted(path.stem for path in (REPO / "inventory" / "clusters").glob("o*.yaml"))
    assert (called.code, called.err) == (0, "")
    assert [name for name in called.out.split() if "/" not in name] == names


@pytest.mark.parametrize(
    ("shell", "env", "line"),
    [
        ("bash", {"COMP_WORDS": "drivergate s", "COMP_CWORD": "1"}, "show"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "drivergate s"}, '"show":'),
        ("fish", {"_TYPER_COMPLETE_ARGS": "drivergate s", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "show\t"),
    ],
)
def test_verbs(shell: str, env: dict[str, str], line: str) -> None:
    called = process(env={"_DRIVERGATE_COMPLETE": f"complete_{shell}", **env})
    assert (called.code, called.err) == (0, "")
    assert line in called.out
    assert "render" not in called.out
    script = process(env={"_DRIVERGATE_COMPLETE": f"source_{shell}"})
    assert script.code == 0
    assert f"_DRIVERGATE_COMPLETE=complete_{shell}" in script.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_completion_is_shown_for_the_shell_in_use(shell: str) -> None:
    in_use = f"import shellingham\nshellingham.detect_shell = lambda *_: ({shell!r}, {shell!r})"
    called = process("--show-completion", code=in_use)
    assert (called.code, called.err) == (0, "")
    assert f"_DRIVERGATE_COMPLETE=complete_{shell}" in called.out
