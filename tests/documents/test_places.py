"""Places: every path of a document has the line and column that a person would point at."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.documents.document import places, read
from generator.finding import Place

TEXT = """\
x-base: &base {branch: "535", os: {id: ubuntu}}
pools:
  h100:
    kernels:
      - 5.15.0-117-generic
      - "5.15.0-118-generic"
    <<: *base
  l40s: {<<: [{os: here}, *base], 535: a, true: b}
  same: *base
"""


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ((), (1, 1), (1, 1)),
        (("pools",), (2, 1), (3, 3)),
        (("pools", "h100"), (3, 3), (4, 5)),
        (("pools", "h100", "kernels", 0), (5, 9), (5, 9)),
        (("pools", "h100", "kernels", 1), (6, 9), (6, 9)),
        (("pools", "h100", "branch"), (1, 16), (1, 24)),
        (("pools", "l40s", "os"), (8, 16), (8, 20)),
        (("pools", "l40s", "branch"), (1, 16), (1, 24)),
        (("pools", "l40s", "535"), (8, 35), (8, 40)),
        (("pools", "l40s", "true"), (8, 43), (8, 49)),
        (("pools", "same"), (9, 3), (1, 9)),
        (("pools", "same", "os", "id"), (1, 36), (1, 40)),
        # what isn't there: the nearest that is
        (("pools", "h100", "kernels", 7), (4, 5), (5, 7)),
        (("pools", "h100", "driver", "branch"), (3, 3), (4, 5)),
        (("nothing",), (1, 1), (1, 1)),
    ],
)
def test_paths(path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int]) -> None:
    found = places(TEXT, "c.yaml")
    assert found.key(path) == Place("c.yaml", *key)
    assert found.value(path) == Place("c.yaml", *value)


def test_a_byte_order_mark_moves_nothing() -> None:
    assert places(b"\xef\xbb\xbfa: 1\n", "f").key(("a",)) == Place("f", 1, 1)


@pytest.mark.parametrize("text", ["", "# nothing\n", b"\xff\xfe", "a\u2028b: 1"])
def test_a_file_without_a_document_is_its_own_place(text: str | bytes) -> None:
    assert places(text, "f").value(("a", 0)) == Place("f")


def test_a_broken_text_has_the_places_before_the_break() -> None:
    found = places('a: 1\nb: {c: 2, d: "x\n', "f")
    assert found.value(("b", "c")) == Place("f", 2, 8)
    assert found.value(("b", "d")) == Place("f", 2, 4)


def test_the_first_of_two_equal_keys_has_the_place_as_it_has_the_value() -> None:
    text = "a: {x: 1}\na: {x: 2}\n"
    assert read(text, "f").value == {"a": {"x": 1}}
    assert places(text, "f").value(("a", "x")) == Place("f", 1, 8)


def test_what_the_reader_refuses_ends_the_walk() -> None:
    for text in ("[" * 10_000, "a: *b", "a: 1\n---\nb: 2", bomb()):
        assert places(text, "f").value(("zz", "a")).line in {0, 1}
    assert places("a: 1\n---\nb: 2", "f").key(("b",)) == Place("f", 1, 1)


def bomb() -> str:
    lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}"]
    lines += [f"b{i}: {{<<: [" + ", ".join(["*a0"] * 200) + "]}" for i in range(200)]
    return "\n".join(lines)


NODES = st.recursive(
    st.sampled_from(["text", '"q"', "535", "true", "550.90", "~"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(["a", "b", '"c"', "535"]), inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"{key}: {item}" for key, item in items.items()) + "}"
        ),
    ),
    max_leaves=12,
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for step, item in inner for found in paths(item, (*path, step)))]


@given(NODES, NODES)
def test_every_path_of_a_document_has_its_own_place(first: str, second: str) -> None:
    text = f"p: &p {first}\nq: &q {{z: {second}}}\nuse: {{a: *p, <<: *q}}\n"
    document = read(text, "f")
    assert document.findings == ()
    found = places(text, "f")
    lines = text.splitlines()
    for path in paths(document.value):
        place = found.key(path)
        if path and isinstance(path[-1], str):
            assert lines[place.line - 1][place.column - 1 :].lstrip('"').startswith(path[-1])
        assert (found.value(path) == found.value(path[:-1])) == (not path)
