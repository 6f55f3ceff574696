"""Edits of what people wrote: each layout with the whole text that must come out, written by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.documents.changes import (
    AddItem,
    CantEdit,
    Change,
    MoveKey,
    RemoveItem,
    RemoveKey,
    SetKey,
    scalar,
)
from generator.documents.document import read
from generator.documents.edit import edited

RUNNING, UPCOMING = ("pools", "a", "kernels"), ("pools", "a", "upcomingKernels")
ADD = AddItem(RUNNING, "k9")
# What the audit does: a kernel that was to come runs now.
MOVE = (RemoveItem((*UPCOMING, 0)), AddItem(RUNNING, "k2"))

# Name, text, changes, and the text that must come out.
LAYOUTS: list[tuple[str, str, tuple[Change, ...], str]] = [
    (
        "block lists, the only item of one goes",
        """\
pools:
  a:   # the only one
    kernels:
      # what runs
      - k1   # since May
    upcomingKernels:
      - k2   # soon
""",
        MOVE,
        """\
pools:
  a:   # the only one
    kernels:
      # what runs
      - k1   # since May
      - k2
    upcomingKernels: []
""",
    ),
    (
        "flow lists in a flow mapping, a comment beside them",
        "pools:\n  a: {kernels: [k1], upcomingKernels: [ k2 , k3]}  # both\n",
        MOVE,
        "pools:\n  a: {kernels: [k1, k2], upcomingKernels: [ k3]}  # both\n",
    ),
    (
        "flow lists, the only item goes",
        "pools:\n  a:\n    kernels: [k1]  # runs\n    upcomingKernels: [k2]  # next\n",
        MOVE,
        "pools:\n  a:\n    kernels: [k1, k2]  # runs\n    upcomingKernels: []  # next\n",
    ),
    (
        "comments above, beside, between and below",
        """\
# the file
pools:
  # the pool
  a:
    # runs
    kernels:   # all of them
      # the first
      - k1  # beside
      # between

      - k3
      # below
    # to come
    upcomingKernels:   # listed
      # above k2
      - k2  # goes
      # above k4
      - k4  # stays
      # below k4

    # the system
    os: x
# the end
""",
        MOVE,
        """\
# the file
pools:
  # the pool
  a:
    # runs
    kernels:   # all of them
      # the first
      - k1  # beside
      # between

      - k3
      - k2
      # below
    # to come
    upcomingKernels:   # listed
      # above k2
      # above k4
      - k4  # stays
      # below k4

    # the system
    os: x
# the end
""",
    ),
    (
        "the only item goes, with comments all around it",
        """\
pools:
  a:
    kernels: [k1]
    upcomingKernels:   # listed
      # above k2
      - k2  # goes
      # below k2

    # the system
    os: x
""",
        MOVE,
        """\
pools:
  a:
    kernels: [k1, k2]
    upcomingKernels: []   # listed
      # above k2
      # below k2

    # the system
    os: x
""",
    ),
    (
        "the last item of a block goes, and the comment of the next key stays",
        "pools:\n  a:\n    kernels:\n      - k1\n      - k2  # goes\n    # the system\n    os: x\n",
        (RemoveItem((*RUNNING, 1)),),
        "pools:\n  a:\n    kernels:\n      - k1\n    # the system\n    os: x\n",
    ),
    (
        "the first item of a block goes, and the comment of the second stays",
        "pools:\n  a:\n    kernels:\n      - k1  # goes\n      # the second\n      - k2\n",
        (RemoveItem((*RUNNING, 0)),),
        "pools:\n  a:\n    kernels:\n      # the second\n      - k2\n",
    ),
    (
        "an empty list",
        "pools:\n  a:\n    kernels: [ ]  # none yet\n",
        (ADD,),
        "pools:\n  a:\n    kernels: [k9]  # none yet\n",
    ),
    (
        "a key without a value",
        "pools:\n  a:\n    kernels:  # none yet\n    os: x\n",
        (ADD,),
        "pools:\n  a:\n    kernels: [k9]  # none yet\n    os: x\n",
    ),
    (
        "no key yet in a block",
        "pools:\n  a:\n    os: x  # the system\n    # of b\n  b: {}\n",
        (ADD,),
        "pools:\n  a:\n    os: x  # the system\n    kernels: [k9]\n    # of b\n  b: {}\n",
    ),
    ("no key yet in braces", "pools: {a: {os: x}}\n", (ADD,), "pools: {a: {os: x, kernels: [k9]}}\n"),
    ("no key yet in an empty mapping", "pools: {a: {}}\n", (ADD,), "pools: {a: {kernels: [k9]}}\n"),
    (
        "three spaces behind the dash",
        "pools:\n  a:\n    kernels:\n      -   k1  # runs\n    upcomingKernels:\n      -   k2\n",
        MOVE,
        "pools:\n  a:\n    kernels:\n      -   k1  # runs\n      -   k2\n    upcomingKernels: []\n",
    ),
    (
        "an item below its dash",
        (
            "pools:\n  a:\n    kernels:\n      -\n        k1  # runs\n"
            "    upcomingKernels:\n      -\n        k2\n      - k3\n"
        ),
        MOVE,
        "pools:\n  a:\n    kernels:\n      -\n        k1  # runs\n      - k2\n    upcomingKernels:\n      - k3\n",
    ),
    (
        "dashes as far left as their key",
        "pools:\n  a:\n    kernels:\n    - k1\n    upcomingKernels:\n    - k2\n    - k3\n",
        MOVE,
        "pools:\n  a:\n    kernels:\n    - k1\n    - k2\n    upcomingKernels:\n    - k3\n",
    ),
    (
        "levels that are indented by different widths",
        "x:\n      why: b\npools:\n    a:\n     kernels:\n        - k1\n     os: x\n",
        (ADD,),
        "x:\n      why: b\npools:\n    a:\n     kernels:\n        - k1\n        - k9\n     os: x\n",
    ),
    (
        "CRLF",
        "pools:\r\n  a:\r\n    kernels:\r\n      - k1  # runs\r\n      # below\r\n    upcomingKernels: [k2]\r\n",
        MOVE,
        (
            "pools:\r\n  a:\r\n    kernels:\r\n      - k1  # runs\r\n      - k2\r\n      # below\r\n"
            "    upcomingKernels: []\r\n"
        ),
    ),
    (
        "no newline at the end, an item more",
        "pools:\n  a:\n    kernels:\n      - k1",
        (ADD,),
        "pools:\n  a:\n    kernels:\n      - k1\n      - k9",
    ),
    (
        "no newline at the end, an item less",
        "pools:\n  a:\n    kernels:\n      - k1\n      - k2",
        (RemoveItem((*RUNNING, 1)),),
        "pools:\n  a:\n    kernels:\n      - k1",
    ),
    (
        "a byte order mark",
        "\ufeffpools: {a: {kernels: [k1]}}\n",
        (ADD,),
        "\ufeffpools: {a: {kernels: [k1, k9]}}\n",
    ),
    (
        "both kinds of quotes",
        "pools:\n  a:\n    kernels: ['k1', \"k3\"]   # 'quoted' \"twice\"\n    upcomingKernels: [\"k2\", 'it''s']\n",
        MOVE,
        "pools:\n  a:\n    kernels: ['k1', \"k3\", k2]   # 'quoted' \"twice\"\n    upcomingKernels: ['it''s']\n",
    ),
    (
        "a list over several lines",
        (
            "pools:\n  a:\n    kernels: [k1,\n      k3\n      ]\n"
            "    upcomingKernels: [\n      k2,  # goes\n      # k4's\n      k4\n    ]\n"
        ),
        MOVE,
        (
            "pools:\n  a:\n    kernels: [k1,\n      k3, k2\n      ]\n"
            "    upcomingKernels: [\n      # k4's\n      k4\n    ]\n"
        ),
    ),
    (
        "a comma behind the last item",
        "pools:\n  a:\n    kernels: [\n      k1,  # one\n      k3,  # three\n    ]\n",
        (RemoveItem((*RUNNING, 0)), ADD),
        "pools:\n  a:\n    kernels: [\n      k3, k9,  # three\n    ]\n",
    ),
    (
        "an anchor that nothing uses",
        "pools:\n  a:\n    kernels: &k   # named\n      - k1\n    upcomingKernels: &u\n      - k2\n",
        MOVE,
        "pools:\n  a:\n    kernels: &k   # named\n      - k1\n      - k2\n    upcomingKernels: &u []\n",
    ),
    (
        "an alias of a note that nothing else uses",
        "x-kernels: &k [k1]  # ours\npools:\n  a: {kernels: *k}\n  b: {kernels: [k1]}\n",
        (ADD,),
        "x-kernels: &k [k1, k9]  # ours\npools:\n  a: {kernels: *k}\n  b: {kernels: [k1]}\n",
    ),
    (
        "a merge key of a note that nothing else uses",
        "x-pool: &p\n  kernels:\n  - k1  # ours\npools:\n  a:\n    <<: *p\n    os: x\n",
        (ADD,),
        "x-pool: &p\n  kernels:\n  - k1  # ours\n  - k9\npools:\n  a:\n    <<: *p\n    os: x\n",
    ),
    (
        "a merge that the other pool overrides",
        "pools:\n  a: &a\n    kernels: [k1]\n  b:\n    <<: *a\n    kernels: [k7]\n",
        (ADD,),
        "pools:\n  a: &a\n    kernels: [k1, k9]\n  b:\n    <<: *a\n    kernels: [k7]\n",
    ),
    (
        "the same kernel in both lists",
        "pools:\n  a:\n    kernels:\n      - k1\n      - k2  # runs\n    upcomingKernels:\n      - k2  # goes\n",
        (RemoveItem((*UPCOMING, 0)),),
        "pools:\n  a:\n    kernels:\n      - k1\n      - k2  # runs\n    upcomingKernels: []\n",
    ),
    (
        "values that readers disagree about, and what the round trip would write otherwise",
        '---\na: [yes, 0x1F, ~, 2026-01-01, 1_000, 1.10, {name: x}]  # as it is\nb: ~\nc: "\\u00e9"\nlist: [x]\n...\n',
        (AddItem(("list",), "1.10"),),
        (
            "---\na: [yes, 0x1F, ~, 2026-01-01, 1_000, 1.10, {name: x}]  # as it is\n"
            'b: ~\nc: "\\u00e9"\nlist: [x, "1.10"]\n...\n'
        ),
    ),
    (
        "text of several lines that looks like comments",
        (
            "pools:\n  a:\n    note: |  # a note\n      # no comment\n\n      text\n\n"
            "    # a comment\n    kernels:\n    - k1\n\n# end\n"
        ),
        (ADD,),
        (
            "pools:\n  a:\n    note: |  # a note\n      # no comment\n\n      text\n\n"
            "    # a comment\n    kernels:\n    - k1\n    - k9\n\n# end\n"
        ),
    ),
    (
        "a list of lists",
        "a:\n  - - x\n    - z\n  - q\n",
        (AddItem(("a", 0), "k"), AddItem(("a",), "l")),
        "a:\n  - - x\n    - z\n    - k\n  - q\n  - l\n",
    ),
    (
        "a mapping as an item, with a comment in it",
        "a:\n  # first\n  - name: x  # goes\n    # inside\n    size: s\n  # second\n  - name: z\n",
        (RemoveItem(("a", 0)),),
        "a:\n  # first\n    # inside\n  # second\n  - name: z\n",
    ),
    (
        "a key with another name, in its place",
        "pools:\n  a:\n    selector: {b: c}  # which\n    # owner\n    owner: us\n",
        (MoveKey(("pools", "a", "selector"), ("pools", "a", "nodeSelector")),),
        "pools:\n  a:\n    nodeSelector: {b: c}  # which\n    # owner\n    owner: us\n",
    ),
    (
        "a key with all below it to another mapping",
        "pools:\n  a:\n    deep:\n      x:\n      - q\n      - why: r\n    os: x\n\n# end\n",
        (MoveKey(("pools", "a", "deep"), ("deep",)),),
        "pools:\n  a:\n    os: x\ndeep:\n  x:\n  - q\n  - why: r\n\n# end\n",
    ),
    (
        "a key more above a line that changes, too",
        'kernels:\n    "1": a\n# runs\nrunning: ["1"]\n',
        (SetKey(("kernels", "2"), "b"), AddItem(("running",), "2")),
        'kernels:\n    "1": a\n    "2": b\n# runs\nrunning: ["1", "2"]\n',
    ),
    (
        "keys set, added and removed",
        "pools:\n  a: {os: x, size: s}\n  b:\n    os: x\n    size: s  # big\n",
        (
            RemoveKey(("pools", "a", "os")),
            SetKey(("pools", "b", "size"), "two words"),
            SetKey(("pools", "b", "gone"), True),
            SetKey(("pools", "b", "labels"), {"why": ["b"]}),
        ),
        (
            'pools:\n  a: {size: s}\n  b:\n    os: x\n    size: "two words"  # big\n'
            "    gone: true\n    labels: {why: [b]}\n"
        ),
    ),
]


@pytest.mark.parametrize(
    ("text", "changes", "wanted"), [layout[1:] for layout in LAYOUTS], ids=[layout[0] for layout in LAYOUTS]
)
def test_only_the_lines_of_the_edit_change(text: str, changes: tuple[Change, ...], wanted: str) -> None:
    assert edited(text, changes) == wanted


@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        ("pools:\n  a: {kernels: &k [k1]}\n  b: {kernels: *k}\n", (ADD,), "pools.b.kernels uses the same text"),
        ("pools:\n  b: &b\n    kernels: [k1]\n  a:\n    <<: *b\n", (ADD,), "pools.b.kernels uses the same text"),
        ("pools:\n  b: &b\n    kernels: [k1]\n  a: *b\n", (ADD,), "pools.b.kernels uses the same text"),
        ("pools: {a: {kernels: [k1]\n", (ADD,), "it can't be read"),
        ("pools: {a: {kernels: k1}}\n", (ADD,), "it has no list pools.a.kernels"),
        ("pools: {b: {kernels: [k1]}}\n", (ADD,), "it has no a"),
        ("pools: {a: {upcomingKernels: []}}\n", MOVE, "it has no item pools.a.upcomingKernels.0"),
        ("pools: {a: {kernels: [k1, k1]}}\n", (RemoveItem((*RUNNING, 1)),), "holds the same item more than once"),
        (
            "pools:\n  a:\n    owner: us  # why\n",
            (MoveKey(("pools", "a", "owner"), ("owner",)),),
            "line 3 holds a comment that would be lost",
        ),
        (
            "pools:\n  a:\n    owner: us  # why\n    os: x\n",
            (RemoveKey(("pools", "a", "owner")),),
            "line 3 holds a comment that would be lost",
        ),
        ("pools: {}\n", (RemoveKey(("pools", "a")),), "it has no pools.a"),
    ],
)
def test_what_cannot_be_kept_is_left_to_its_writer(text: str, changes: tuple[Change, ...], reason: str) -> None:
    result = edited(text, changes)
    assert isinstance(result, CantEdit)
    assert reason in result.reason


def test_all_changes_are_made_or_none() -> None:
    shared = "pools:\n  a: {kernels: &k [k1], upcomingKernels: [k2]}\n  b: {kernels: *k}\n"
    assert isinstance(edited(shared, MOVE), CantEdit)
    assert edited(shared, MOVE[:1]) == shared.replace("[k2]", "[]")


@pytest.mark.parametrize(
    "text", ["0X", "1e5", "0x1f", "y", "No", "NULL", "2026.04", "580.126.20", "a b", 'say "a"', "", "é"]
)
def test_what_yaml_takes_for_something_else_is_quoted(text: str) -> None:
    assert scalar(text).startswith('"')
    assert read(f"a: {scalar(text)}\n", "").value == {"a": text}


TEXTS = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True), TEXTS, st.booleans())
def test_whatever_is_added_is_read_back(items: list[str], more: str, block: bool) -> None:
    written = [scalar(item) for item in items]
    text = "a:\n" + "".join(f"- {item}\n" for item in written) if block else f"a: [{', '.join(written)}]\n"
    longer = edited(text, [AddItem(("a",), more)])
    assert isinstance(longer, str)
    assert read(longer, "").value == {"a": [*items, more]}
    if more not in items:
        assert edited(longer, [RemoveItem(("a", len(items)))]) == text


COMMENTED = st.lists(st.sampled_from(["", "  # c", "\n      # above", "\n"]), min_size=2, max_size=5)


@settings(max_examples=30, deadline=None)
@given(COMMENTED, st.integers(0, 4), st.booleans())
def test_no_comment_is_lost_whatever_item_goes(layout: list[str], index: int, last: bool) -> None:
    """A comment behind the item that goes is lost with it, and no other."""
    index %= len(layout)
    lines = [
        f"{above}\n      - k{number}" if "\n" in above else f"\n      - k{number}{above}"
        for number, above in enumerate(layout)
    ]
    text = f"a:\n  list:{''.join(lines)}\n" + ("" if last else "  # next\n  next: x\n")
    without = lines[index].replace(f"\n      - k{index}", "").removesuffix("  # c")
    wanted = (
        f"a:\n  list:{''.join([*lines[:index], without, *lines[index + 1 :]])}\n"
        + text[text.index(lines[-1]) + len(lines[-1]) + 1 :]
    )
    assert edited(text, [RemoveItem(("a", "list", index))]) == wanted
