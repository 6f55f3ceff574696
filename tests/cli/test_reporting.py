"""`check --format` and `--output`: the same findings in every format, valid and where they were asked for."""

import json
from pathlib import Path

import pytest

from generator.cli.outcome import Reporting
from generator.layout import BASELINE
from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import repository
from tests.testing.reports import issues_of, run_of, suite_of


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fleet below a git repository's top, that was never rendered and lacks an image."""
    isolate(monkeypatch)
    Repo(tmp_path / "top")
    made = repository(_made(tmp_path / "top" / "gpu"))
    (made / "inventory" / "catalog.yaml").write_text(
        "apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages: []\n"
    )
    monkeypatch.chdir(made)
    return made


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def test_every_format_tells_the_same(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = [f"--output={name}=build/{name}" for name in Reporting]
    called = call(capfd, "check", "--format", "github", *files)
    assert called.code == 1
    texts = {name: (root / "build" / name).read_text(encoding="utf-8") for name in Reporting}
    assert texts[Reporting.GITHUB] == called.out
    told = json.loads(texts[Reporting.JSON])["findings"]
    assert {"image/missing", "out/drift"} <= {one["rule"] for one in told}
    assert len(run_of(texts[Reporting.SARIF])["results"]) == len(told)
    assert len(issues_of(texts[Reporting.GITLAB])) == len(told)
    failures = suite_of(texts[Reporting.JUNIT]).findall("testcase/failure")
    assert {one.get("type") for one in failures} == {one["rule"] for one in told if one["severity"] == "error"}
    for one in told:
        assert one["rule"] in texts[Reporting.MARKDOWN]
        assert one["message"] in texts[Reporting.TEXT]


def test_places_are_relative_to_the_top_of_the_git_repository(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call(capfd, "check", "-o", "gitlab=build/quality.json", "-o", "sarif=build/x.sarif")
    paths = {one["location"]["path"] for one in issues_of((root / "build/quality.json").read_text())}
    assert paths
    assert all(path.startswith("gpu/") for path in paths)
    results = run_of((root / "build/x.sarif").read_text())["results"]
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results}
    assert uris == paths
    assert call(capfd, "check").out.startswith("inventory/")


def test_rules_come_with_their_documentation(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = run_of(call(capfd, "check", "--format", "sarif").out)
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {one["ruleId"] for one in run["results"]}
    assert rules["image/missing"]["help"]["markdown"].startswith("## image/missing\n")


def test_what_can_not_be_rendered_is_reported_and_no_rule_has_passed(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "inventory" / "one.yaml").write_text(
        "apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: one\npool: 1\n"
    )
    called = call(capfd, "check", "--format", "junit", "-o", "sarif=x.sarif")
    assert called.code == 2
    suite = suite_of(called.out)
    cases = suite.findall("testcase")
    assert not [case for case in cases if len(case) == 0]
    run = run_of((root / "x.sarif").read_text())
    assert [one["level"] for one in run["results"]].count("error") >= 1
    assert len(run["invocations"][0]["toolExecutionNotifications"]) > 50


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "sarif"], "FORMAT=FILE"),
        (["-o", "=x"], "FORMAT=FILE"),
        (["-o", "xml=x"], "FORMAT=FILE"),
        (["-o", "sarif=out/x.sarif"], "won't write"),
        (["-o", "sarif=inventory/x.sarif"], "won't write"),
        (["-o", "sarif=.git/x"], "won't write"),
        (["-o", "sarif=inventory"], "is a folder"),
        (["-o", "sarif=a", "-o", "junit=./b/../a"], "two reports"),
        (["-o", "sarif=a", "--write-baseline"], "--write-baseline"),
        (["--format", "sarif", "--write-baseline"], "--write-baseline"),
    ],
)
def test_bad_usage_is_told_and_nothing_is_written(
    root: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    called = call(capfd, "check", *arguments)
    assert called.code == 2
    assert told in called.err
    assert called.out == ""
    assert not (root / "a").exists()
    assert not (root / BASELINE).exists()


def test_what_stands_in_the_way_of_a_file_is_told(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "plain").write_text("x")
    (root / "link").symlink_to("plain")
    for file in ("plain/x.sarif", "link"):
        called = call(capfd, "check", "-o", f"sarif={file}")
        assert called.code == 2
        assert "won't write" in called.err
    assert (root / "plain").read_text() == "x"


def test_without_git_places_are_the_roots(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    issues = issues_of(call(capfd, "check", "--format", "gitlab").out)
    assert all(one["location"]["path"].startswith(("inventory/", "out/")) for one in issues)


def test_a_terminal_gets_no_color_in_a_file(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call(capfd, "check", "-o", "text=report.txt")
    assert "\x1b" not in (root / "report.txt").read_text()
