import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.documents.document import read
from generator.documents.edit import CantEdit, add_item, add_key, remove_item, scalar

IMAGE = """# a stream
kernels:
  "2026.04": 6.8.0-1050-aws   # the first
  "2026.05": 6.8.0-1053-aws
running: ["2026.04"]          # today
upcoming:
  - "2026.05"   # next
"""


def test_an_item_goes_behind_the_last_and_comments_stay() -> None:
    assert add_item(IMAGE, ("running",), "2026.05") == IMAGE.replace('["2026.04"]', '["2026.04", "2026.05"]')
    added = '  - "2026.05"   # next\n  - "2026.06"\n'
    assert add_item(IMAGE, ("upcoming",), "2026.06") == IMAGE.replace('  - "2026.05"   # next\n', added)


def test_a_key_goes_behind_the_last() -> None:
    line = '  "2026.05": 6.8.0-1053-aws\n'
    added = f'{line}  "2026.06": 6.8.0-1060-aws\n'
    assert add_key(IMAGE, ("kernels", "2026.06"), "6.8.0-1060-aws") == IMAGE.replace(line, added)
    flow = "kernels: {a: x, b: y}  # two\n"
    assert add_key(flow, ("kernels", "c"), "z") == "kernels: {a: x, b: y, c: z}  # two\n"


@pytest.mark.parametrize(
    ("text", "index", "wanted"),
    [
        ("a: [x, y, z]\n", 0, "a: [y, z]\n"),
        ("a: [x, y, z]\n", 1, "a: [x, z]\n"),
        ("a: [x, y, z] # c\n", 2, "a: [x, y] # c\n"),
        ("a: [x]\n", 0, "a: []\n"),
        ("a:\n  - x\n  - y # c\nb: 1\n", 1, "a:\n  - x\nb: 1\n"),
    ],
)
def test_an_item_less(text: str, index: int, wanted: str) -> None:
    assert remove_item(text, ("a", index)) == wanted


@pytest.mark.parametrize("text", ["a: []\n", "a: [ ]\n"])
def test_an_empty_list_gets_its_first(text: str) -> None:
    made = add_item(text, ("a",), "x")
    assert isinstance(made, str)
    assert read(made, "").value == {"a": ["x"]}


def test_line_ends_stay_as_they_are() -> None:
    assert add_item("a:\r\n  - x\r\nb: y\r\n", ("a",), "z") == "a:\r\n  - x\r\n  - z\r\nb: y\r\n"
    assert add_item("a:\n  - x", ("a",), "z") == "a:\n  - x\n  - z\n"


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("a: &x [b]\nc: *x\n", ("c",), "only whoever wrote it"),
        ("a:\n  - |\n    b\n", ("a",), "only whoever wrote it"),
        ("a: [b\n", ("a",), "can't be read"),
        ("a:\n", ("a",), "no list a"),
        ("a: b\n", ("a",), "no list a"),
        ("b: [c]\n", ("a",), "no list a"),
        ("b: [c]\n", ("b", "c", "d"), "no list b.c.d"),
    ],
)
def test_what_is_written_otherwise_is_left_to_its_writer(text: str, path: tuple[str, ...], reason: str) -> None:
    made = add_item(text, path, "z")
    assert isinstance(made, CantEdit)
    assert reason in made.reason


def test_a_list_over_several_lines_grows_at_its_last_item() -> None:
    assert add_item("a: [b,\n  c\n  ]\n", ("a",), "z") == "a: [b,\n  c, z\n  ]\n"


def test_the_only_item_of_a_block_is_left_to_its_writer() -> None:
    assert isinstance(remove_item("a:\n  - x\n", ("a", 0)), CantEdit)


TEXTS = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=1, max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS, st.booleans())
def test_whatever_is_added_is_read_back(items: list[str], more: str, block: bool) -> None:
    written = [scalar(item) for item in items]
    text = "a:\n" + "".join(f"- {item}\n" for item in written) if block else f"a: [{', '.join(written)}]\n"
    made = add_item(text, ("a",), more)
    assert isinstance(made, str)
    assert read(made, "").value == {"a": [*items, more]}
    assert remove_item(made, ("a", len(items))) == text
