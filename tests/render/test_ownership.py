"""What render owns, writes and removes: told from the manifest alone, never from a file's look."""

import pytest

from generator.declared.selection import named
from generator.finding import Severity
from generator.layout import MANIFEST
from generator.render.output import Rendered
from generator.render.ownership import (
    HEADER,
    Changes,
    Ownership,
    Taken,
    allowing,
    changes,
    digest,
    manifest,
    needless,
    ownership,
    strays,
    taken_away,
)
from tests.testing.inventories import CLUSTER_FILE, POOL, cluster, files, rendered
from tests.testing.judging import fresh

B = POOL.replace("pool: a", "pool: b")
TWO = {**files(POOL, B), "inventory/two.yaml": cluster(POOL, name="two")}
EMPTY = Rendered((), ())
GONE = "one/gpu-operator/nvidiadriver-b.yaml"


def made(repository: dict[str, str] | None = None) -> Rendered:
    return rendered(TWO if repository is None else repository)


def owned(out: dict[str, bytes]) -> Ownership:
    return ownership(out[MANIFEST].decode())


def against(now: Rendered, out: dict[str, bytes], *only: str) -> Changes:
    return changes(now, out, owned(out) if MANIFEST in out else ownership(None), named(only))


def test_the_manifest_is_sorted_and_read_back() -> None:
    hashes = {"b/x.yaml": "b" * 64, "a/y z.yaml": "a" * 64}
    text = manifest(hashes)
    assert text.splitlines()[1:] == [f"sha256:{'a' * 64}  a/y z.yaml", f"sha256:{'b' * 64}  b/x.yaml"]
    assert text.startswith(HEADER)
    assert ownership(text) == Ownership(hashes, readable=True)
    assert ownership(text.replace("\n", "\r\n")) == Ownership(hashes, readable=True)
    assert ownership(None) == ownership("") == Ownership({}, readable=True)


def test_both_sides_of_a_merge_conflict_are_owned() -> None:
    text = (
        f"<<<<<<< HEAD\nsha256:{'a' * 64}  a.yaml\nsha256:{'b' * 64}  b.yaml\n"
        f"=======\nsha256:{'c' * 64}  a.yaml\n>>>>>>> other\n"
    )
    read = ownership(text)
    assert set(read.hashes) == {"a.yaml", "b.yaml"}
    assert not read.readable


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "./x", "a//b", ".."])
def test_a_line_that_leads_out_of_the_folder_owns_nothing(path: str) -> None:
    assert ownership(f"sha256:{'a' * 64}  {path}\n") == Ownership({}, readable=False)


@pytest.mark.parametrize(
    "line", ["sha256:abc  a", f"sha256:{'a' * 64} a", f"md5:{'a' * 64}  a", f"sha256:{'a' * 64}  "]
)
def test_a_line_that_is_none(line: str) -> None:
    assert ownership(f"{line}\n") == Ownership({}, readable=False)


def test_fresh_output_has_nothing_to_do() -> None:
    out = fresh(made())
    todo = against(made(), out)
    assert (dict(todo.written), todo.removed, todo.foreign, todo.relists, todo.told) == ({}, (), (), False, ())


def test_line_ends_of_a_checkout_are_no_change() -> None:
    out = {path: text.replace(b"\n", b"\r\n") for path, text in fresh(made()).items()}
    todo = against(made(), out)
    assert (dict(todo.written), todo.removed, todo.relists) == ({}, (), False)


def test_a_hash_is_that_of_the_text() -> None:
    # printf 'a\n' | sha256sum
    assert digest("a\n") == "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"


def test_equal_files_that_nobody_owns_are_taken_over() -> None:
    out = fresh(made())
    del out[MANIFEST]
    todo = against(made(), out)
    assert (dict(todo.written), todo.foreign, todo.told) == ({}, (), (MANIFEST,))
    assert ownership(todo.manifest).hashes.keys() == out.keys()


def test_a_file_that_nobody_owns_is_not_overwritten() -> None:
    todo = against(made(), {GONE: b"mine\n"})
    assert todo.foreign == (GONE,)


def test_a_changed_file_that_is_owned_is_written_again() -> None:
    out = fresh(made())
    out[GONE] = b"edited\n"
    todo = against(made(), out)
    assert (list(todo.written), todo.foreign) == ([GONE], ())


def test_what_is_rendered_no_more_is_removed() -> None:
    out = fresh(made())
    todo = against(made(files(POOL)), out, "one")
    assert todo.removed == (GONE,)
    assert GONE not in ownership(todo.manifest).hashes


def test_what_is_told_holds_the_manifest_where_it_changes() -> None:
    out = fresh(made())
    out[GONE] = b"edited\n"
    assert against(made(), out).told == (GONE,)
    todo = against(made(), {})
    assert todo.told == tuple(sorted([*todo.written, MANIFEST]))
    assert against(made(), {path: text for path, text in fresh(made()).items() if path != MANIFEST}).told == (MANIFEST,)


def test_only_some_clusters_leaves_the_lines_of_the_others() -> None:
    out = fresh(made())
    lines = {path for path in owned(out).hashes if path.startswith("two/")}
    todo = against(
        made(files(POOL, B)), {path: text for path, text in out.items() if not path.startswith("two/")}, "one"
    )
    assert (todo.removed, todo.relists) == ((), False)
    assert lines <= set(ownership(todo.manifest).hashes)


def test_an_empty_fleet_and_no_output_need_no_manifest() -> None:
    assert changes(EMPTY, {}, ownership(None)).relists is False


def test_strays_are_what_nobody_owns_and_nothing_renders() -> None:
    out = {**fresh(made()), "notes.md": b"x", "one/gpu-operator/mine.yaml": b"x"}
    assert strays(out, made(), owned(out)) == ("notes.md", "one/gpu-operator/mine.yaml")


def taken(now: Rendered, out: dict[str, bytes], *only: str) -> list[tuple[str, str]]:
    found = taken_away(now, out, against(now, out, *only).removed)
    return [(one.path, one.name) for one in found]


def test_a_cluster_s_folder_is_taken_away_as_one() -> None:
    assert taken(made(files(POOL, B)), fresh(made())) == [("two", "two")]


def test_a_driver_object_is_taken_away_by_its_name() -> None:
    out = fresh(made(files(POOL, B)))
    assert taken(made(files(POOL)), out) == [(GONE, "one/b")]
    (one,) = taken_away(made(files(POOL)), out, [GONE])
    assert one.names == {"one/b", "one"}


def needed(present: dict[str, bytes], *names: str) -> tuple[str, ...]:
    now = made({**files(), "inventory/two.yaml": cluster(POOL, name="two")})
    removed = against(now, fresh(made())).removed
    return needless(names, list(taken_away(now, present, removed)), removed, present)


def test_a_name_that_allows_nothing_is_needless() -> None:
    before = fresh(made())
    assert needed(before, "one/b", "one") == ()
    assert needed(before, "b", "nope", "two", "one/b", "one/c") == ("nope", "one/c", "two")


def test_what_a_killed_run_was_allowed_its_next_one_may_be_allowed_again() -> None:
    before = fresh(made())
    del before[GONE]
    assert needed(before, "one/b", "one", "two/b", "b") == ("b", "two/b")


def test_a_cluster_policy_is_a_driver_object() -> None:
    path = "one/gpu-operator/clusterpolicy.yaml"
    out = {path: b"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata:\n  name: cluster-policy\n"}
    (one,) = taken_away(made(files(POOL)), out, [path])
    assert one.name == "one/cluster-policy"


def test_an_object_that_moves_to_another_file_stays() -> None:
    before = fresh(made(files(POOL, B)))
    repository = files(POOL)
    repository[CLUSTER_FILE] += f"  c: {{{B}, renamedFrom: b}}\n"
    now = made(repository)
    assert against(now, before).removed == (GONE,)
    assert taken(now, before) == []


def test_other_files_go_without_asking() -> None:
    out = {"one/gpu-operator/x.yaml": b"kind: ConfigMap\nmetadata: {name: x}\n", "one/y.yaml": b"kind: NVIDIADriver\n"}
    assert list(taken_away(made(files(POOL)), out, [*out, "one/not-there.yaml"])) == []


def test_nothing_of_it_is_invalid() -> None:
    assert [one for one in made().findings if one.severity is Severity.INVALID] == []


def test_a_pools_name_allows_its_removal_unless_two_clusters_have_it() -> None:
    def removal(cluster: str, pool: str) -> Taken:
        return Taken(path=f"{cluster}/{pool}.yaml", cluster=cluster, what="", name=f"{cluster}/{pool}")

    names = allowing([removal("one", "a"), removal("two", "a"), removal("one", "b")])
    assert names == {
        "one/a.yaml": {"one/a", "one"},
        "two/a.yaml": {"two/a", "two"},
        "one/b.yaml": {"one/b", "one", "b"},
    }
