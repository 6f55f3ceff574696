"""Every broken repository below tests/bad/ gives the finding it is named for, and its good/ does not."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from generator.declared.baseline import read_baseline
from generator.finding import Finding, Severity
from generator.layout import BASELINE, MANIFEST, OUT, SOURCES_LOCK
from generator.render.ownership import ownership
from generator.revision.driver_objects import DriverObject
from generator.rules.judge import judge
from generator.rules.table import BY_ID, RULES
from tests.testing.broken import BAD, CASES, rule_of
from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.judging import DAY, revision_of

COMMON = BAD / "_common"
# See bad/README.md.
ABOUT_THE_CASE = frozenset({"expect.txt", "also.txt", "untracked.txt", "allow-remove.txt", "files.json"})
FOLDERS_OF_THE_CASE = frozenset({"good", "against"})
RENDERED = b"as rendered"


class Repository(Struct, frozen=True):
    """Files by path, None for one that is taken away; what a commit would not hold; what render may remove.

    `against` is the out/ compared with, and below inventory/ the inventory of that revision. The last two are None
    where nothing is compared, and nothing written.
    """

    files: dict[str, bytes | None]
    untracked: tuple[str, ...]
    allow_remove: frozenset[str] | None
    against: dict[str, bytes] | None

    def under(self, other: "Repository") -> "Repository":
        """The two laid over one another; what is not tracked is the other's alone."""
        against = self.against if other.against is None else other.against
        allow_remove = self.allow_remove if other.allow_remove is None else other.allow_remove
        files = {path: data for path, data in {**self.files, **other.files}.items() if data is not RENDERED}
        return Repository(files, other.untracked, allow_remove, against)


def repository(folder: Path) -> Repository:
    """What one folder of a case holds."""
    files: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and relative.parts[0] not in FOLDERS_OF_THE_CASE and str(relative) not in ABOUT_THE_CASE:
            files[relative.as_posix()] = path.read_bytes()
    for name, content in json.loads(_text(folder / "files.json") or "{}").items():
        files[name] = _content(content)
    against = None
    if (folder / "against").is_dir():
        found = sorted(path for path in (folder / "against").rglob("*") if path.is_file())
        against = {path.relative_to(folder / "against").as_posix(): path.read_bytes() for path in found}
    named = folder / "allow-remove.txt"
    allow_remove = frozenset(_lines(named)) if named.exists() else None
    return Repository(files, tuple(_lines(folder / "untracked.txt")), allow_remove, against)


def _content(said: str | dict[str, str] | bool | None) -> bytes | None:
    match said:
        case str():
            return said.encode()
        case {"base64": data}:
            return base64.b64decode(data)
        case True:
            return RENDERED
        case None:
            return None
    raise AssertionError(said)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _lines(path: Path) -> list[str]:
    return [line for line in _text(path).splitlines() if line]


def inputs_of(case: Repository) -> dict[str, bytes]:
    """The files that people write."""
    return {path: data for path, data in case.files.items() if data is not None and not path.startswith(f"{OUT}/")}


def outputs_of(case: Repository, rendered: Mapping[str, bytes]) -> dict[str, bytes]:
    """What lies below out/: as it is rendered, but for what the case says of it."""
    out: dict[str, bytes | None] = {f"{OUT}/{path}": data for path, data in rendered.items()}
    out |= {path: data for path, data in case.files.items() if path.startswith(f"{OUT}/")}
    return {path: data for path, data in out.items() if data is not None}


def judged(case: Repository) -> tuple[Finding, ...]:
    """Every finding of a repository."""
    inputs = inputs_of(case)
    earlier = None if case.against is None else earlier_inventory(case.against)
    context, told = revision_of(inputs, against=_driver_objects(case.against), before=earlier)
    present = {path.removeprefix(f"{OUT}/"): data for path, data in outputs_of(case, context.out).items()}
    listed = present[MANIFEST].decode() if MANIFEST in present else None
    context = replace(
        context,
        out=present,
        owned=ownership(listed),
        earlier=None if case.against is None else below_inventory(case.against),
        untracked=dict.fromkeys(case.untracked, False),
        staged=bool(case.untracked),
        allow_remove=case.allow_remove,
    )
    baseline = read_baseline(inputs[BASELINE]) if BASELINE in inputs else None
    told = (*told, *(baseline.findings if baseline else ()))
    return judge(context, RULES, told=told, baseline=baseline).findings


def below_inventory(against: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in against.items() if path.startswith("inventory/")}


def earlier_inventory(against: dict[str, bytes]) -> dict[str, bytes]:
    """The inventory of the revision that is compared with: the shared files, and what the case says of it."""
    shared = inputs_of(repository(COMMON))
    return {path: data for path, data in shared.items() if path.startswith("inventory/")} | below_inventory(against)


def _driver_objects(against: dict[str, bytes] | None) -> tuple[DriverObject, ...] | None:
    if against is None:
        return None
    from generator.revision.driver_objects import driver_objects

    inventory = below_inventory(against)
    return driver_objects({path: data for path, data in against.items() if path not in inventory})


def said(finding: Finding) -> str:
    """What expect.txt speaks of."""
    return f"{finding.place} {finding.severity} {finding.rule} {finding.message} {finding.hint}"


def serious(findings: tuple[Finding, ...]) -> dict[str, list[str]]:
    """The findings that no --strict is needed to fail by, by rule."""
    found: dict[str, list[str]] = {}
    for finding in findings:
        if finding.severity is not Severity.WARNING:
            found.setdefault(finding.rule, []).append(said(finding))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(BAD)))
def test_a_bad_repository_is_refused_for_its_rule_alone(case: Path) -> None:
    rule = BY_ID[rule_of(case)]
    findings = judged(repository(COMMON).under(repository(case)))
    mine = [said(finding) for finding in findings if finding.rule == rule.id]
    assert mine, [said(finding) for finding in findings]
    for line in _lines(case / "expect.txt"):
        assert any(line in text for text in mine), f"{line!r} is not in {mine}"
    assert {finding.severity for finding in findings if finding.rule == rule.id} == {rule.severity}
    also = set(_lines(case / "also.txt"))
    others = {name: told for name, told in serious(findings).items() if name != rule.id}
    assert set(others) == also, others


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(BAD)))
def test_its_good_neighbour_is_clean(case: Path) -> None:
    assert (case / "good").is_dir()
    bad = repository(COMMON).under(repository(case))
    before, after = judged(bad), judged(bad.under(repository(case / "good")))
    assert [said(finding) for finding in after if finding.rule == rule_of(case)] == []
    assert serious(after) == {}
    new = {(finding.rule, finding.message) for finding in after} - {
        (finding.rule, finding.message) for finding in before
    }
    # What a refused document hides comes to light once it is accepted.
    if not any(finding.severity is Severity.INVALID for finding in before):
        assert new == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(BAD)))
def test_every_finding_has_a_place_a_hint_and_the_severity_of_its_rule(case: Path) -> None:
    for finding in judged(repository(COMMON).under(repository(case))):
        assert finding.place.file, finding
        assert finding.hint, finding
        assert finding.message == finding.message.strip().rstrip("."), finding
        assert "\n" not in finding.message, finding
        assert finding.severity in {BY_ID[finding.rule].severity, Severity.WARNING}, finding


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(BAD)))
def test_the_command_reports_the_same(
    case: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = repository(COMMON).under(repository(case))
    reason = _why_not_by_command(whole)
    if reason:
        pytest.skip(reason)
    isolate(monkeypatch)
    root = tmp_path / "repository"
    rendered, _ = revision_of(inputs_of(whole), against=_driver_objects(whole.against))
    files = inputs_of(whole) | outputs_of(whole, rendered.out)
    _lay(whole, files, root)
    called = call(capfd, "check", "--today", str(DAY), "--format", "json", root=root)
    told = {(found["rule"], found["severity"], found["message"], found["hint"]) for found in called.json["findings"]}
    expected = {(found.rule, _word(found.severity), found.message, found.hint) for found in judged(whole)}
    assert told == expected


def _why_not_by_command(case: Repository) -> str:
    """Why a case can't be laid as files for the command; tests of the command have these by themselves."""
    if case.allow_remove is not None:
        return "what render may remove is no option of check: tests/cli/test_render.py"
    if case.untracked:
        return "an index that holds what it does not hold can't be made: tests/e2e/test_hook.py"
    if SOURCES_LOCK in case.files:
        return "what it pins would be fetched: tests/e2e/test_sources.py"
    if any(".." in path.split("/") for path in case.files):
        return "no file has such a path: tests/render/test_rendered.py"
    return ""


def _lay(case: Repository, files: Mapping[str, bytes], root: Path) -> None:
    """Writes a repository; in git, and with a commit before, where the case has a past."""
    if case.against is None:
        write(root, files)
        return
    repo = Repo(root)
    inventory = below_inventory(case.against)
    output = {f"{OUT}/{path}": data for path, data in case.against.items() if path not in inventory}
    earlier = earlier_inventory(case.against)
    repo.commit({**earlier, **output})
    for path in (*earlier, *output):
        (root / path).unlink()
    write(root, files)
    repo.git("add", "--all")


def write(root: Path, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def _word(severity: Severity) -> str:
    return "error" if severity is Severity.INVALID else str(severity)


def test_the_shared_files_are_clean() -> None:
    assert judged(repository(COMMON)) == ()


def test_every_folder_is_a_case() -> None:
    """A folder without expect.txt would never be judged."""
    folders = {path for path in BAD.glob("*/*") if path.is_dir() and path.parent != COMMON}
    assert folders == set(CASES)
