"""Edits of catalog files: only the lines that must change, and no entry is ever lost."""

import tracemalloc
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from generator.catalog.edit import MOST_LINES, Uneditable, edited, fresh
from generator.declared.catalog_file import read_catalog
from generator.declared.entry import Entry, canonical
from tests.testing.soak import sizes

HEAD = "apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\n"
DIGEST = "sha256:" + "0123456789abcdef" * 4
A, B, C = (f"580-6.8.0-{number}-aws-ubuntu24.04" for number in (1050, 1051, 1053))
LINE_A, LINE_C = f'  - {{tag: "{A}", platforms: [linux/amd64]}}\n', f'  - {{tag: "{C}"}}\n'
# What people write: comments everywhere, block style, keys below the images, another indentation.
WRITTEN = f"""# ours
{HEAD}images:   # sorted
  # in the order of their tags
{LINE_A.rstrip()}   # rolled back to in May
  # the canary's
  - tag: {C}  # by hand
    # both since July
    platforms:
      - linux/amd64  # first
x-owner: gpu
# the end
"""


def text(data: str, changes: Mapping[str, Entry | None]) -> str:
    made = edited("c.yaml", data.encode(), changes)
    assert isinstance(made, bytes), made
    return made.decode()


def test_a_new_image_is_put_where_its_tag_sorts() -> None:
    for tag, at in (("500-x-ubuntu24.04", 0), (B, 1), ("600-x-ubuntu24.04", 2)):
        lines = [LINE_A, LINE_C]
        lines.insert(at, f'  - {{tag: "{tag}"}}\n')
        assert text(f"{HEAD}images:\n{LINE_A}{LINE_C}", {tag: Entry(tag)}) == f"{HEAD}images:\n{''.join(lines)}"


def test_other_lines_stay_byte_for_byte() -> None:
    assert text(WRITTEN, {}) == WRITTEN
    assert text(WRITTEN, {A: Entry(A, ("linux/amd64",))}) == WRITTEN
    gone = WRITTEN.replace("[linux/amd64]}   #", "[linux/amd64], gone: true}   #")
    assert text(WRITTEN, {A: Entry(A, ("linux/amd64",), gone=True)}) == gone
    added = WRITTEN.replace("  # the canary's", f'  - {{tag: "{B}"}}\n  # the canary\'s')
    assert text(WRITTEN, {B: Entry(B)}) == added


def test_an_image_in_block_style_becomes_one_line_with_its_comments() -> None:
    made = text(WRITTEN, {C: Entry(C, digest=DIGEST)})
    line = f'  - {{tag: "{C}", digest: "{DIGEST}"}}  # by hand  # first\n'
    assert made.partition("canary's\n")[2] == f"    # both since July\n{line}x-owner: gpu\n# the end\n"
    assert made.partition("  # the canary's")[0] == WRITTEN.partition("  # the canary's")[0]


def test_comments_above_an_image_that_goes_stay() -> None:
    made = text(WRITTEN, {A: None, C: None})
    below = "  # in the order of their tags\n  # the canary's\nx-owner: gpu\n# the end\n"
    assert made == f"# ours\n{HEAD}images: []   # sorted\n{below}"


@pytest.mark.parametrize("nothing", ["images: []", "images: [ ]  # none yet"])
def test_the_first_image_of_an_empty_catalog(nothing: str) -> None:
    comment = nothing.partition("]")[2]
    assert text(f"{HEAD}{nothing}\n", {A: Entry(A)}) == f'{HEAD}images:{comment}\n  - {{tag: "{A}"}}\n'


def test_an_unsorted_file_is_sorted_when_it_is_changed_and_comments_move_with_their_image() -> None:
    before = f"{HEAD}images:\n{LINE_C}  # a is old\n{LINE_A}"
    assert text(before, {}) == before
    new = f'  - {{tag: "{B}"}}\n'
    assert text(before, {B: Entry(B)}) == f"{HEAD}images:\n  # a is old\n{LINE_A}{new}{LINE_C}"


def test_lines_that_a_merge_doubled_become_one() -> None:
    twice = f"{HEAD}images:\n{LINE_A}{LINE_A}{LINE_C}"
    assert text(twice, {C: Entry(C)}) == twice
    one = text(twice, {A: Entry(A, ("linux/amd64", "linux/arm64"))})
    assert one.count(A) == 1
    assert text(twice, {A: Entry(A, ("linux/amd64",))}) == f"{HEAD}images:\n{LINE_A}{LINE_C}"


def test_line_ends_and_byte_order_mark_are_kept() -> None:
    windows = f"\ufeff{HEAD}images:\n{LINE_A}{LINE_C}".replace("\n", "\r\n")
    made = text(windows, {B: Entry(B), C: Entry(C, gone=True)})
    assert made.startswith("\ufeff")
    assert made.count("\n") == made.count("\r\n") == windows.count("\n") + 1
    no_end = f"{HEAD}images:\n{LINE_A}".rstrip("\n")
    assert text(no_end, {C: Entry(C)}) == f"{HEAD}images:\n{LINE_A}{LINE_C}"


def test_the_indentation_of_the_file_is_kept() -> None:
    flat = f"{HEAD}images:\n- {{tag: {A}}}\n"
    assert text(flat, {C: Entry(C)}) == f'{flat}- {{tag: "{C}"}}\n'


OTHERWISE = [
    (
        "one line",
        f'images: [{{tag: "{A}"}}, {{tag: "{C}"}}]\n',
        f'images: [{{tag: "{A}", gone: true}}, {{tag: {B}}}]\n',
    ),
    (
        "an empty list below its key",
        "images:\n  []\n",
        f"images:\n  [{{tag: {B}}}]\n",
    ),
    (
        "a key in quotes",
        f'"images":\n  - {{tag: "{A}"}}  # kept\n  # of the canary\n  - {{tag: "{C}"}}\n',
        f'"images":\n  - {{tag: "{A}", gone: true}}  # kept\n  - {{tag: {B}}}\n  # of the canary\n',
    ),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in OTHERWISE], ids=[case[0] for case in OTHERWISE])
def test_a_catalog_in_another_layout_keeps_it(before: str, after: str) -> None:
    changes: dict[str, Entry | None] = {B: Entry(B)}
    if A in before:
        changes |= {A: Entry(A, gone=True), C: None}
    assert text(f"{HEAD}{before}", {}) == f"{HEAD}{before}"
    made = text(f"{HEAD}{before}", changes)
    assert made == f"{HEAD}{after}"
    assert text(made, changes) == made


def test_another_layout_is_too_long_for_a_round_trip_at_some_point() -> None:
    notes = "# a note\n" * MOST_LINES
    made = edited("c.yaml", f'{HEAD}images: [{{tag: "{A}"}}]\n{notes}'.encode(), {A: None})
    assert isinstance(made, Uneditable)
    assert made.reason.endswith("in more than 5,000 lines")


@pytest.mark.parametrize(
    ("images", "reason"),
    [
        (
            f"images:\n  - {{tag: {A}, platforms: &both [linux/amd64]}}\n  - {{tag: {C}, platforms: *both}}\n",
            "images.1.platforms uses the same text as images.0.platforms, by an alias or a merge",
        ),
        (f'images:\n  - {{tag: "{A}", color: red}}\n', 'unknown key "color" (line 5)'),
        ("images:\n  - {tag: 550.90}\n", "tag: 550.90 is read as a number, not as text (line 5)"),
    ],
)
def test_what_can_not_be_kept_is_refused(images: str, reason: str) -> None:
    made = edited("c.yaml", f"{HEAD}{images}".encode(), {A: Entry(A, gone=True)})
    assert isinstance(made, Uneditable)
    assert reason in made.reason


def test_an_edit_needs_no_more_than_some_times_the_file() -> None:
    """A file may hold 100,000 images: 18 MB. Text and entries once before and once after are four times that."""
    entries = [Entry(f"570-5.15.0-{abi}-generic-ubuntu22.04", ("linux/amd64",), digest=DIGEST) for abi in range(4000)]
    data = fresh("nvcr.io/nvidia/driver", entries[::2])
    changes = {entry.tag: entry for entry in entries[1::2]}
    tracemalloc.start()
    try:
        made = edited("c.yaml", data, changes)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made == fresh("nvcr.io/nvidia/driver", entries)
    assert peak < 6 * len(made)


TAGS = st.sampled_from([f"580-6.8.0-{number}-aws-ubuntu24.04" for number in range(1040, 1052)])
ENTRIES = st.builds(
    Entry,
    TAGS,
    st.sampled_from([None, ("linux/amd64",), ("linux/amd64", "linux/arm64")]),
    st.sampled_from([None, "580.126.20"]),
    st.sampled_from([None, "open"]),
    st.sampled_from([None, DIGEST]),
    st.booleans(),
)
ABOVE = st.sampled_from(["", "", "", "  # a comment\n", "\n", "# at the left\n", "      # far in\n\n"])


def block(entry: Entry) -> str:
    """The same image as somebody writes it who doesn't know of one line."""
    keys = {
        "tag": entry.tag,
        "driverVersion": f'"{entry.driver_version}"' if entry.driver_version else None,
        "platforms": "".join(f"\n    - {one}" for one in entry.platforms) if entry.platforms else None,
        "moduleType": entry.module_type,
        "digest": entry.digest,
        "gone": "true" if entry.gone else None,
    }
    lines = [f"{key}: {value}" for key, value in keys.items() if value]
    return "  - " + "\n    ".join(lines)


@given(
    st.lists(st.tuples(ENTRIES, ABOVE, st.booleans(), st.sampled_from(["", "  # why"])), max_size=10),
    st.dictionaries(TAGS, st.one_of(st.none(), ENTRIES)),
    st.sampled_from(["", "x-note: a\n", "# the end", "...\n"]),
    st.booleans(),
)
def test_to_edit_and_read_is_to_read_and_edit(
    lines: list[tuple[Entry, str, bool, str]], wanted: dict[str, Entry | None], tail: str, windows: bool
) -> None:
    body = "".join(
        f"{above}{block(entry) if in_block else canonical(entry)}{comment}\n"
        for entry, above, in_block, comment in lines
    )
    before = f"{HEAD}images:{'' if lines else ' []'}\n{body}{tail}"
    before = before.replace("\n", "\r\n") if windows else before
    changes = {tag: None if entry is None else replace(entry, tag=tag) for tag, entry in wanted.items()}
    after = text(before, changes)
    kept = [entry for entry, *_ in lines if entry.tag not in changes]
    expected = [*kept, *(entry for entry in changes.values() if entry is not None)]
    read = read_catalog("c.yaml", after)
    assert read.findings == ()
    found = [replace(entry, file="", line=0) for entry in read.entries]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert after == before or read.unsorted is None
    assert after.count("# a comment") == before.count("# a comment")
    written = tuple(canonical(entry) for entry in changes.values() if entry is not None)
    new = set(after.splitlines()) - {*before.splitlines(), "images:", "images: []"}
    assert [line for line in new if not line.startswith(written)] == []  # nothing is rewritten but what was asked for
    assert text(after, changes) == after


@pytest.mark.parametrize("images", sizes(10_000, soak=100_000))
def test_an_edit_of_a_large_file_rewrites_nothing_else(images: int) -> None:
    tags = [f"580-5.15.0-{number}-generic-ubuntu22.04" for number in range(images)]
    before = f"{HEAD}images:\n" + "".join(f"{canonical(Entry(tag))}\n" for tag in sorted(tags))
    made = text(before, {tags[5]: None, tags[7]: Entry(tags[7], gone=True), B: Entry(B)})
    assert len(made.splitlines()) == images + 4
