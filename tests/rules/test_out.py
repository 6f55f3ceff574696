"""out/ against the inventory: drift, strays, removals, input where output belongs."""

import pytest
from msgspec.structs import replace

from generator.declared.selection import exactly
from generator.finding import Finding
from generator.layout import MANIFEST
from generator.render.ownership import ownership
from generator.revision.revision import Revision
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.inventories import CLUSTER_FILE, POOL, cluster, files
from tests.testing.judging import revision_of

B = POOL.replace("pool: a", "pool: b")
GONE = "one/gpu-operator/nvidiadriver-b.yaml"


def revision(*pools: str, more: dict[str, str] | None = None) -> Revision:
    return revision_of({**files(*pools), **(more or {})})[0]


def with_out(given: Revision, out: dict[str, bytes | None], **changed: object) -> Revision:
    merged = {**given.out, **out}
    present = {path: text for path, text in merged.items() if text is not None}
    listed = present[MANIFEST].decode() if MANIFEST in present else None
    return replace(given, out=present, owned=ownership(listed), **changed)


def told(given: Revision) -> list[Finding]:
    return [one for one in judge(given, RULES).findings if one.rule.startswith("out/")]


def said(given: Revision) -> list[tuple[str, str, str]]:
    return [(one.rule, one.place.file, one.severity) for one in told(given)]


def test_fresh_output_is_silent() -> None:
    assert told(revision()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"x\n", "the file differs from what the inventory renders"), (None, "the file is missing")],
)
def test_drift(content: bytes | None, message: str) -> None:
    (finding,) = told(with_out(revision(POOL, B), {GONE: content}))
    assert (finding.rule, finding.place.file, finding.severity) == ("out/drift", f"out/{GONE}", "error")
    assert (finding.message, finding.hint) == (message, "run: drivergate render")
    assert (finding.cluster, finding.fact) == ("one", f"out/{GONE}")


def test_drift_of_the_index_says_to_add_it() -> None:
    (finding,) = told(with_out(revision(POOL, B), {GONE: None}, staged=True))
    assert finding.hint == "run: drivergate render, then: git add out"


def test_drift_of_the_manifest_alone() -> None:
    given = revision()
    text = given.out[MANIFEST]
    assert said(with_out(given, {MANIFEST: None})) == [("out/drift", f"out/{MANIFEST}", "error")]
    (finding,) = told(with_out(given, {MANIFEST: b"<<<<<<< HEAD\n" + text + b"=======\n>>>>>>> x\n"}))
    assert finding.message == "the file has lines that are no entry of a file"


def test_a_line_of_a_file_that_is_gone_already_is_drift() -> None:
    """Somebody deleted by hand what the inventory no longer renders: only the manifest still speaks of it."""
    before, given = revision(POOL, B), revision(POOL)
    assert said(with_out(given, {MANIFEST: before.out[MANIFEST]})) == [("out/drift", f"out/{MANIFEST}", "error")]


def test_one_mistake_in_the_inventory_is_no_drift() -> None:
    before = dict(revision(POOL, B).out)
    broken = {CLUSTER_FILE: f"{files(POOL, B)[CLUSTER_FILE]}bogus: 1\n"}
    given, problems = revision_of(
        {**files(POOL, B), **broken, **{f"out/{path}": text for path, text in before.items()}}
    )
    given = replace(given, allow_remove=frozenset())
    assert [one.rule for one in judge(given, RULES, told=problems).findings] == ["inventory/schema"]


def test_a_stray_is_a_warning() -> None:
    assert said(with_out(revision(), {"notes.md": b"x"})) == [("out/stray", "out/notes.md", "warning")]
    assert said(with_out(revision(), {"two/x.yaml": b"x"}, selection=exactly({"one"}))) == []


def test_our_own_input_below_the_output() -> None:
    document = b"apiVersion: drivergate.dev/v1alpha1\nkind: Fleet\n"
    assert said(with_out(revision(), {"x.yaml": document})) == [("out/contains-input", "out/x.yaml", "invalid")]


def removed(given: Revision, *allowed: str) -> list[Finding]:
    after = revision(POOL)
    given = with_out(after, dict(given.out), allow_remove=frozenset(allowed))
    return [one for one in told(given) if one.rule == "out/removal"]


def test_a_driver_object_needs_a_name_to_go() -> None:
    (finding,) = removed(revision(POOL, B))
    assert (finding.severity, finding.place.file, finding.cluster) == ("invalid", f"out/{GONE}", "one")
    assert finding.message == "NVIDIADriver b of cluster one would be removed from git, and its drivers with it"
    assert finding.hint == "keep it, or run: drivergate render --allow-remove one/b"


@pytest.mark.parametrize("name", ["one/b", "one"])
def test_names_that_let_it_go(name: str) -> None:
    assert removed(revision(POOL, B), "else", name) == []


@pytest.mark.parametrize("name", ["two/b", "a", "One", "", "b/one", "*"])
def test_names_that_don_t(name: str) -> None:
    assert len(removed(revision(POOL, B), name)) == 1


def test_a_cluster_needs_its_name() -> None:
    before = revision(POOL, more={"inventory/two.yaml": cluster(POOL, name="two")})
    (finding,) = removed(before)
    assert (finding.place.file, finding.cluster) == ("out/two", "two")
    assert "everything of cluster two" in finding.message
    assert removed(before, "two") == []


@pytest.mark.parametrize(("staged", "then"), [(False, ""), (True, ", then: git add out")])
def test_the_gate_says_what_render_will_ask_for(staged: bool, then: str) -> None:
    given = with_out(revision(POOL), dict(revision(POOL, B).out), staged=staged)
    assert {one.rule for one in told(given)} == {"out/drift"}
    hints = {one.place.file: one.hint for one in told(given)}
    assert hints.pop(f"out/{GONE}") == f"run: drivergate render --allow-remove one/b{then}"
    assert set(hints.values()) == {f"run: drivergate render{then}"}


def test_the_gate_asks_for_a_whole_cluster_by_its_name() -> None:
    before = revision(POOL, more={"inventory/two.yaml": cluster(POOL, name="two")})
    hints = {one.place.file: one.hint for one in told(with_out(revision(POOL), dict(before.out)))}
    assert len(hints) > 2
    assert set(hints.values()) == {"run: drivergate render --allow-remove two"}


def test_a_file_that_nobody_owns_is_never_overwritten() -> None:
    given = with_out(revision(), {MANIFEST: None, GONE.replace("-b", "-a"): b"mine\n"})
    found = [one for one in told(given) if one.place.file == f"out/{GONE.replace('-b', '-a')}"]
    assert [(one.rule, one.severity) for one in found] == [("out/removal", "invalid")]


def test_untracked_input_fails_the_commit_and_warns_in_the_work_tree() -> None:
    given = replace(revision(), untracked={"inventory/new.yaml": False})
    assert said(given) == [("out/not-staged", "inventory/new.yaml", "warning")]
    drifted = with_out(revision(POOL, B), {GONE: None}, untracked={"inventory/new.yaml": False}, staged=True)
    assert ("out/not-staged", "inventory/new.yaml", "error") in said(drifted)
    assert said(replace(given, staged=True)) == []  # the commit stands without it


def test_what_git_ignores_is_added_by_force() -> None:
    """git-add(1): an ignored file is refused without -f."""
    (finding,) = told(replace(revision(), untracked={"inventory/new.yaml": True}))
    assert finding.message.endswith("is ignored by git, so it is no part of a commit")
    assert finding.hint == "run: git add -f inventory/new.yaml"
