"""The day that a state is judged on: the machine's, the one that --today names, or a commit's own."""

import re
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from generator.cli.begin import Wanted, begin
from generator.cli.diff import compare
from generator.cli.repository import Chosen, read_declaration
from generator.cli.state import judged_state
from generator.edges.git.history import named_base
from tests.testing.command import REPO, call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CATALOG, FLEET, repository

Capture = pytest.CaptureFixture[str]
# Verbs that read a state of the inventory in which a date may count.
VERBS = (
    ("check",),
    ("render",),
    ("diff", "HEAD"),
    ("show",),
    ("tag", "one/train"),
    ("plan",),
    ("audit",),
    ("catalog", "list"),
    ("catalog", "show", "580-6.8.0-1050-aws-ubuntu24.04"),
    ("catalog", "export"),
    ("cuda", "pools"),
    ("cuda", "affinity"),
    ("upgrade", "simulate", "--cluster", "one"),
    ("upgrade", "runbook"),
)
OF_A_COMMIT = tuple(verb for verb in VERBS if verb[0] not in {"render", "diff"} and verb[1:2] != ("simulate",))
COMMIT = "--today is the day of the work tree or the index; a commit is judged on the day of its own date"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Committed on 10 March 2026 in UTC, where it was still the 9th."""
    isolate(monkeypatch)
    made = Repo(repository(tmp_path))
    made.git("add", "-A")
    dates = {"GIT_COMMITTER_DATE": "2026-03-09T23:30:00-0800", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+0000"}
    made.git("commit", "-q", "-m", "first", env=dates)
    return made


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("written", ["2026-02-30", "20260331", "2026-W14-2", "31.03.2026", "tomorrow", ""])
def test_what_is_no_date_is_bad_usage(repo: Repo, capfd: Capture, verb: tuple[str, ...], written: str) -> None:
    called = call(capfd, *verb, "--today", written, root=repo.path)
    assert (called.code, called.out) == (2, "")
    assert called.err == f'drivergate: --today "{written}" is no date\n    hint: write it like 2026-03-31\n'


@pytest.mark.parametrize("verb", OF_A_COMMIT, ids=" ".join)
def test_a_commit_has_a_day_of_its_own(repo: Repo, capfd: Capture, verb: tuple[str, ...]) -> None:
    called = call(capfd, *verb, "--today", "2026-03-31", "--rev", "HEAD", root=repo.path)
    assert (called.code, called.out) == (2, "")
    assert called.err == f"drivergate: {COMMIT}\n    hint: leave --today out\n"


def test_the_head_of_a_diff_is_a_commit_too(repo: Repo, capfd: Capture) -> None:
    called = call(capfd, "diff", "HEAD", "HEAD", "--today", "2026-03-31", root=repo.path)
    assert (called.code, called.err) == (2, f"drivergate: {COMMIT}\n    hint: leave --today out\n")


def test_its_help_is_the_same_everywhere(capfd: Capture) -> None:
    helps = set()
    for verb in VERBS:
        words = verb[:2] if verb[0] in {"catalog", "cuda", "upgrade"} else verb[:1]
        printed = call(capfd, *words, "--help").out
        found = re.search(r"--today YYYY-MM-DD\s+(.*?)\n +-", printed, re.DOTALL)
        assert found is not None, printed
        helps.add(" ".join(found[1].split()))
    assert len(helps) == 1, helps


def test_check_judges_on_the_day_of_what_it_reads(repo: Repo) -> None:
    def day(**wanted: object) -> date:
        return judged_state(begin(Wanted(root=repo.root, **wanted))).revision.day

    assert day(rev="HEAD") == date(2026, 3, 10)
    assert day(today="2027-12-31") == day(today="2027-12-31", staged=True) == date(2027, 12, 31)


def test_verbs_that_only_read_have_the_same_day(repo: Repo) -> None:
    def day(**chosen: object) -> date:
        return read_declaration(Chosen(root=repo.root, **chosen), catalogs=False).day

    assert day(rev="HEAD") == date(2026, 3, 10)
    assert day(today="2027-12-31") == day(today="2027-12-31", staged=True) == date(2027, 12, 31)


def test_each_side_of_a_diff_has_its_own_day(repo: Repo) -> None:
    repository(repo.path, fleet=FLEET.replace('"580"', '"595"'))
    sides = compare(named_base("HEAD"), None, root=repo.root, today="2027-12-31", clusters=frozenset()).sides
    assert sides is not None
    assert [side.day for side in sides] == [date(2026, 3, 10), date(2027, 12, 31)]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])  # at any time one of them has another date
def test_the_default_is_the_machines_date_in_utc(repo: Repo, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        before = datetime.now(UTC).date()
        day = read_declaration(Chosen(root=repo.root), catalogs=False).day
        assert before <= day <= datetime.now(UTC).date()
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


NEXT = "      waited for by 4 nodes of one/train; its kernel has been declared for {} days\n"


def test_a_plan_counts_the_days_to_the_day_of_what_it_reads(repo: Repo, capfd: Capture) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.write({"inventory/catalog.yaml": CATALOG + "# nothing new\n"})
    repo.git("commit", "-q", "-a", "-m", "later", env={"GIT_COMMITTER_DATE": "2026-03-15T00:30:00+0000"})
    for options, days in (
        (("--today", "2026-04-10"), 31),
        (("--today", "2026-04-10", "--staged"), 31),
        (("--today", "2026-03-10"), 0),
        (("--today", "2026-03-01"), 0),
        (("--rev", "HEAD"), 5),
        (("--rev", first), 0),
    ):
        called = call(capfd, "plan", *options, root=repo.path)
        assert NEXT.format(days) in called.out, (options, called.out)


def test_the_day_is_no_part_of_what_is_rendered(capfd: Capture) -> None:
    for day in ("0001-01-01", "2026-03-31", "9999-12-31"):
        called = call(capfd, "render", "--check", "--today", day, root=REPO)
        assert (called.code, called.out) == (0, "out/ is up to date\n"), called.err
