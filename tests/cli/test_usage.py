"""The command line as a whole. D95 to D97 are public cases: ../shared/cases/public-cases.yaml."""

import os
import pty
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from generator import __version__
from generator.cli.app import VERBS as COMMANDS
from generator.cli.group import Verbs
from tests.testing.command import REPO, call, process, start
from tests.testing.levels import CATALOG, CLUSTER, HEAD, repository

Capture = pytest.CaptureFixture[str]
VERBS = [verb.name for verb in COMMANDS]
GROUPS = {group.name: list(group.commands) for group in COMMANDS if isinstance(group, Verbs)}


def test_d95_a_bare_call_prints_its_help_once_and_is_bad_usage() -> None:
    called = process()
    assert (called.code, called.out) == (2, "")
    assert called.err.count("Usage: drivergate") == 1
    assert "Error" not in called.err
    assert called.err == process("--help").out


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_d95_help_is_a_result(option: str) -> None:
    called = process(option)
    assert (called.code, called.err) == (0, "")
    for verb in VERBS:
        assert f"\n  {verb} " in called.out


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_a_list_of_verbs_has_a_whole_line_for_each_on_80_columns(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    called = call(capfd, *filter(None, [group]), "--help")
    listed = called.out.partition("\nCommands:\n")[2].splitlines()
    names = GROUPS[group] if group else VERBS
    assert [line.split()[0] for line in listed] == names
    for line in listed:
        assert re.fullmatch(r"  [a-z]+ +[A-Z].{9,54}", line), line
        assert not line.endswith((".", "..."))
        assert len(line) <= 80


EVERY_VERB = [
    *((verb,) for verb in VERBS if verb not in GROUPS),
    *((group, verb) for group, verbs in GROUPS.items() for verb in verbs),
]


@pytest.mark.parametrize("verb", EVERY_VERB, ids=" ".join)
def test_every_verb_has_help(capfd: Capture, verb: tuple[str, ...]) -> None:
    called = call(capfd, *verb, "--help")
    assert (called.code, called.err) == (0, "")
    assert called.out.startswith(f"Usage: drivergate {' '.join(verb)} ")
    assert call(capfd, *verb, "-h").out == called.out


def test_every_option_and_argument_has_help() -> None:
    verbs = [verb for group in COMMANDS for verb in (group.commands.values() if isinstance(group, Verbs) else [group])]
    parameters = [(verb.name, parameter) for verb in verbs for parameter in verb.load().params]
    assert len(parameters) > 100
    assert [(verb, parameter.name) for verb, parameter in parameters if not parameter.help] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nosuch",), "No such command 'nosuch'"),
        (("--nosuch",), "No such option: --nosuch"),
        (("show", "--nosuch"), "No such option: --nosuch"),
        (("show", "a", "b"), "unexpected extra argument"),
        (("show", "--format", "yaml"), "'yaml' is not one of 'text', 'json'"),
        (("explain",), "Missing argument 'RULE'"),
    ],
)
def test_d95_what_is_not_known_is_bad_usage(capfd: Capture, arguments: tuple[str, ...], told: str) -> None:
    called = call(capfd, *arguments)
    assert (called.code, called.out) == (2, "")
    assert told in called.err
    assert "Usage: drivergate" in called.err


@pytest.mark.parametrize("page", sorted((REPO / "docs" / "rules").glob("*.md")), ids=lambda page: page.stem)
def test_no_page_of_a_rule_names_a_command_that_there_is_not(page: Path) -> None:
    code = re.findall(r"`[^`\n]+`", page.read_text(encoding="utf-8"))
    assert {verb for one in code for verb in re.findall(r"\bdrivergate ([a-z]+)", one)} <= set(VERBS)


def test_the_version(capfd: Capture) -> None:
    assert call(capfd, "--version") == (0, f"drivergate {__version__}\n", "")


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "generator", "--version"], cwd=REPO, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.decode() == f"drivergate {__version__}\n"


FORCED = """
import os
from generator.cli import state
def fail(wanted):
    token = os.environ["REGISTRY_TOKEN"]
    try:
        raise ValueError("the registry said no to " + token)
    except ValueError as error:
        raise RuntimeError("can't go on with " + token) from error
state.judged_state = fail
"""


@pytest.mark.parametrize(
    "debug",
    [
        {},
        {"TYPER_STANDARD_TRACEBACK": "1", "_TYPER_STANDARD_TRACEBACK": "1"},
        {"PYTHONDEVMODE": "1"},
        {"PYTHONVERBOSE": "", "PYTHONFAULTHANDLER": "1", "DEBUG": "1"},
    ],
)
def test_d96_a_bug_shows_where_it_is_and_no_value(debug: dict[str, str]) -> None:
    called = process("check", code=FORCED, env={"REGISTRY_TOKEN": "s3cr3t-value", **debug})
    assert (called.code, called.out) == (70, "")
    assert "s3cr3t-value" not in called.err
    assert "this is a bug in drivergate (RuntimeError)" in called.err
    assert "in fail" in called.err
    assert len(called.err.splitlines()) <= 10


def clean(tmp_path: Path, capfd: Capture) -> Path:
    """A rendered repository in which every image is built."""
    built = CATALOG.replace(
        "images:\n", 'images:\n  - {tag: "580-6.8.0-1053-aws-ubuntu24.04", platforms: [linux/amd64]}\n'
    )
    root = repository(tmp_path, catalog=built)
    assert call(capfd, "render", root=root).code == 0
    return root


def test_d97_each_outcome_has_its_own_exit_code(tmp_path: Path, capfd: Capture) -> None:
    root = clean(tmp_path, capfd)
    good = call(capfd, "check", root=root)
    assert good.code == 0, good.out
    (root / "inventory" / "catalog.yaml").write_text(CATALOG.replace("1050-aws", "1051-aws"), encoding="utf-8")
    missing = call(capfd, "check", root=root)
    assert missing.code == 1
    assert "[image/missing]" in missing.out
    (root / "inventory" / "two.yaml").write_text(f"{HEAD}Cluster\nname: [two\n", encoding="utf-8")
    broken = call(capfd, "check", root=root)
    assert broken.code == 2
    assert "inventory/two.yaml:" in broken.out


def test_results_go_to_stdout_and_talk_to_stderr(tmp_path: Path, capfd: Capture) -> None:
    root = clean(tmp_path, capfd)
    (root / "inventory" / "one.yaml").write_text(CLUSTER.replace("nodes: 2", "nodes: {}"), encoding="utf-8")
    rendered = call(capfd, "render", root=root)
    assert rendered.code == 2
    assert "nothing is written" in rendered.err
    assert "inventory/one.yaml" in rendered.out
    shown = call(capfd, "show", root=root)
    assert "inventory/one.yaml" in shown.err
    assert "inventory/one.yaml" not in shown.out


def test_a_reader_that_goes_early_is_no_error_of_ours() -> None:
    for arguments in (("rules",), ("--help",), ("show",)):
        reading, writing = os.pipe()
        os.close(reading)
        started = start(*arguments, stdout=writing)
        os.close(writing)
        _, err = started.communicate(timeout=60)
        assert (started.returncode, err) == (141, b""), arguments


def test_an_interrupt_ends_without_a_traceback() -> None:
    interrupt = """
import os, signal, time
from generator.edges import given
def wait(path):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
given.read_given = wait
"""
    called = process("tag", "--node", "-", code=interrupt)
    assert called == (130, "", "drivergate: interrupted\n")


@pytest.mark.parametrize("env", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX"}])
def test_names_are_utf_8_in_every_locale(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "Fürth").mkdir()
    root = repository(tmp_path / "Fürth")
    shown = process("show", "one/train", "-C", str(root), env=env)
    assert (shown.code, shown.err) == (0, "")
    assert 'owner: "Müller"' in shown.out
    assert "Müller" in process("show", "-C", str(root), env=env).out
    unknown = process("show", "Köln", "-C", str(root), env=env)
    assert (unknown.code, unknown.out) == (2, "")
    assert 'no cluster is named "Köln"' in unknown.err
    assert "Köln" in process("Köln", env=env).err


def on_a_terminal(root: Path, **env: str) -> str:
    """What check says on a terminal."""
    reading, writing = pty.openpty()
    started = start("check", "-C", str(root), stdout=writing, env={"TERM": "xterm", **env})
    os.close(writing)
    said = b""
    while True:
        try:
            piece = os.read(reading, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        said += piece
    started.communicate(timeout=60)
    os.close(reading)
    return said.decode()


def test_color_is_for_terminals_that_want_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    assert "\x1b[" in on_a_terminal(root)
    assert "\x1b[" in on_a_terminal(root, NO_COLOR="")  # no-color.org: "when present and not an empty string"
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        said = on_a_terminal(root, **env)
        assert "unknown key" in said
        assert "\x1b[" not in said
    assert "\x1b[" not in process("check", "-C", str(root)).out


LOADED = "import atexit\natexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))"


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (("--version",), ("jinja2", "yaml", "jsonschema_rs", "rich", "generator.declared", "generator.facts")),
        (("--help",), ("jinja2", "yaml", "jsonschema_rs", "rich", "generator.declared", "generator.facts")),
        (("schema",), ("jinja2", "yaml", "jsonschema_rs", "rich", "generator.declared", "generator.facts")),
        (("schema", "Fleet"), ("jinja2", "yaml", "jsonschema_rs", "rich", "generator.declared")),
        (("rules",), ("jsonschema_rs", "rich", "generator.edges.git.command")),
        (("show",), ("jsonschema_rs", "rich", "generator.rules")),
        (("tag", "aws-use1/a100-train"), ("jsonschema_rs", "rich", "urllib3")),
        (("check",), ("urllib3", "ssl")),
        (("catalog", "list"), ("urllib3", "ssl")),
    ],
)
def test_no_verb_loads_what_it_does_not_need(arguments: tuple[str, ...], unneeded: tuple[str, ...]) -> None:
    called = process(*arguments, code=LOADED)
    assert called.code == 0
    loaded = called.err.split()
    assert "typer" in loaded or arguments == ("check",)
    assert [name for name in unneeded if name in loaded] == []


def test_a_fleet_without_workloads_does_not_wait_for_what_they_need() -> None:
    without = Path(__file__).parents[1] / "golden/nvidiadriver-per-pool"
    called = process("check", "-C", str(without), code=LOADED)
    loaded = called.err.split()
    assert "generator.rules.table" in loaded
    workloads = (
        "declared.workloads",
        "declared.budgetfile",
        "declared.coverage",
        "facts.cuda",
        "facts.affinity",
        "facts.budget",
    )
    needs = (
        "operator.carries",
        "operator.cuda_placement",
        "operator.upgraded",
        "rules.cuda_needs",
        "rules.disruption.room",
        "rules.disruption.interplay",
        "rules.upgrade.emptying",
    )
    # A module that was renamed would be looked for in vain.
    assert [name for name in (*workloads, *needs) if find_spec(f"generator.{name}") is None] == []
    assert [name for name in (*workloads, *needs) if f"generator.{name}" in loaded] == []
