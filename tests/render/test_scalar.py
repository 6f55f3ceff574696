"""Whatever is printed comes back unchanged, from readers of YAML 1.1 and 1.2 and from our own."""

import io
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from generator.documents.document import read
from generator.documents.scalar import Ambiguous
from generator.documents.syntax import in_value
from generator.render.scalar import (
    END,
    LONGEST_KEY,
    START,
    Printed,
    UnprintableError,
    block,
    finalize,
    lines,
    quoted,
    scalar,
    text,
)
from tests.testing.traps import ANY, CLEAN, TRAPS

SCALARS = st.one_of(CLEAN, st.booleans(), st.integers(min_value=-(1 << 63), max_value=(1 << 63) - 1))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(CLEAN, inner, max_size=4)),
    max_leaves=15,
)
COLLECTIONS = st.one_of(st.lists(VALUES, max_size=4), st.dictionaries(CLEAN, VALUES, max_size=4))


def yaml11(document: str) -> Any:
    return yaml.load(document, Loader=yaml.CSafeLoader)


def yaml12(document: str) -> Any:
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return reader.load(io.StringIO(document))


def ours(document: str) -> Any:
    result = read(document, "out/a.yaml")
    assert result.findings == ()
    return result.value


def unmarked(printed: str) -> str:
    return printed.replace(START, "").replace(END, "")


def everywhere(printed: str) -> str:
    """A printed text as a value, a key and an item, in block and flow collections, first and last in the file."""
    return (
        f"value: {printed}\n{printed}: key\nlist:\n- {printed}\n-   - {printed}\n"
        f"deep:\n  {printed}:\n    {printed}: {printed}\nflow: [{printed}, {{{printed}: {printed}}}]\nlast: {printed}\n"
    )


def expected(value: str) -> dict[str, Any]:
    fixed = {
        "value": value,
        "list": [value, [value]],
        "deep": {value: {value: value}},
        "flow": [value, {value: value}],
        "last": value,
    }
    return {"value": value, value: "key"} | fixed if value not in fixed else fixed


@pytest.mark.parametrize("value", TRAPS, ids=ascii)
def test_a_trap_comes_back_as_it_was(value: str) -> None:
    document, right = everywhere(text(value)), expected(value)
    assert yaml11(document) == right
    assert yaml12(document) == right
    if not in_value(value):
        assert ours(document) == right


@given(ANY)
def test_any_text_comes_back_from_yaml_1_1(value: str) -> None:
    if value not in expected("").keys() - {""}:
        assert yaml11(everywhere(text(value))) == expected(value)


@given(ANY)
def test_any_text_comes_back_from_yaml_1_2(value: str) -> None:
    if value not in expected("").keys() - {""}:
        assert yaml12(everywhere(text(value))) == expected(value)


@given(CLEAN)
def test_any_text_of_an_inventory_comes_back_from_our_reader(value: str) -> None:
    if value not in expected("").keys() - {""}:
        assert ours(everywhere(text(value))) == expected(value)


@given(ANY)
def test_a_text_is_one_line_of_printable_characters(value: str) -> None:
    printed = text(value)
    assert len(printed.splitlines()) == 1
    assert START not in printed
    assert END not in printed
    assert yaml11(quoted(value)) == value


@pytest.mark.parametrize("value", ["word " * 40, "x" * 5000, "é" * 2000, "a: b # c " * 300])
def test_a_long_text_stays_on_its_line(value: str) -> None:
    """Public case D91: emitters fold at 80 columns; here no width exists."""
    document = f"value: {text(value)}\n"
    assert document.count("\n") == 1
    assert yaml11(document) == yaml12(document) == ours(document) == {"value": value}


@given(ANY)
def test_a_plain_text_is_the_text_itself(value: str) -> None:
    printed = text(value)
    assert printed == value or printed == quoted(value)


def test_what_is_readable_without_quotes_has_none() -> None:
    for value in ("gpu-operator", "nvcr.io/nvidia/driver", "ReadWriteOnce", "a_b", "v26.7.0"):
        assert text(value) == value


@given(COLLECTIONS)
@example({"a": [[], {}, [[]], {"b": {}}, [{"c": [], "d": 1}]]})
@example([["a", ["b"]], [{"k": {"l": "m"}}]])
@example({})
@example([])
@example({"on": "off", "1": -1, "": "", "true": True})
def test_a_block_comes_back(value: Any) -> None:
    document = unmarked(block(value)) + "\n"
    assert yaml11(document) == value
    assert yaml12(document) == value
    assert ours(document) == value


@given(COLLECTIONS, st.integers(min_value=1, max_value=12))
def test_a_block_stands_below_a_key_at_any_indentation(value: Any, indent: int) -> None:
    document = f"head:\n{' ' * indent}{unmarked(block(value, indent))}\ntail: 1\n"
    right = {"head": value, "tail": 1}
    assert yaml11(document) == right
    assert yaml12(document) == right
    assert ours(document) == right


@given(st.lists(CLEAN, max_size=5), st.integers(min_value=4, max_value=9))
@example(["# no comment", "a: b", "--- ", "---", "...", "- x"], 4)
@example(["a", ""], 4)
@example([" a", "b"], 4)
def test_lines_come_back_each_with_its_line_end(value: list[str], indent: int) -> None:
    document = f"data:\n  one: {unmarked(lines(value, indent))}\n  two: 2\n"
    right = {"data": {"one": "".join(f"{line}\n" for line in value), "two": 2}}
    assert yaml11(document) == right
    assert yaml12(document) == right
    assert ours(document) == right


def test_lines_are_readable_line_by_line() -> None:
    assert unmarked(lines(["a:1", "b"], 4)) == "|\n    a:1\n    b"


def test_what_a_users_manifest_says_ambiguously_is_said_again() -> None:
    """clusterPolicyBase: a number or a truth stays as written, so that `oc diff` shows nothing."""
    for written in ("0535", "550.90", "on", "Yes", "2001-12-14", "12:30", "0x1f", "1e3"):
        assert scalar(Ambiguous(written)) == written
    for written in ("", "~", "Null"):
        assert scalar(Ambiguous(written)) == "null"


def test_a_printed_value_stands_between_marks() -> None:
    assert finalize("on") == f'{START}"on"{END}'
    assert finalize(7) == f"{START}7{END}"
    assert finalize(value=True) == f"{START}true{END}"


def test_text_that_is_template_output_already_is_not_quoted_again() -> None:
    made = block({"a": "on"})
    assert finalize(made) is made


@pytest.mark.parametrize("forged", ["\x02a\x03", "\x02", f"a{START}b"])
def test_marks_that_no_filter_made_are_refused(forged: str) -> None:
    with pytest.raises(UnprintableError):
        finalize(forged)


def test_the_end_mark_alone_is_escaped_like_any_control_character() -> None:
    assert finalize(END) == f'{START}"\\u0003"{END}'


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "None"),
        (1.5, "a float"),
        ({"a": 1}, "a dict"),
        ([1], "a list"),
        (1 << 63, "64 bits"),
        (object(), "an? object"),
    ],
)
def test_what_is_no_scalar_is_refused(value: object, why: str) -> None:
    with pytest.raises(UnprintableError, match=why):
        finalize(value)


@pytest.mark.parametrize("value", ["text", 1, None, Printed("a")])
def test_block_and_lines_take_collections_only(value: Any) -> None:
    with pytest.raises(UnprintableError):
        block(value)
    with pytest.raises(UnprintableError):
        lines(value, 2)


def test_a_key_is_as_long_as_yaml_allows() -> None:
    """A reader gives up on a ':' that is more than 1024 characters behind where its key began."""
    longest = "x" * LONGEST_KEY
    assert ours(unmarked(block({longest: 1}))) == yaml11(unmarked(block({longest: 1}))) == {longest: 1}
    with pytest.raises(UnprintableError, match="1025 characters"):
        block({longest + "x": 1})
    with pytest.raises(UnprintableError):
        block({"\n" * 600: 1})
