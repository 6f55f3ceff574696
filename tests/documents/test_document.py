"""The exact reader: what documents mean, what is refused, and that nothing makes it raise."""

import copy
import gc
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.documents.document import CATALOG, Ambiguous, Rules, is_null, places, read
from generator.documents.syntax import MAX_DEPTH, in_value
from generator.finding import Finding, Place, Severity
from tests.testing.soak import sizes


def value(text: str | bytes) -> Any:
    document = read(text, "f.yaml")
    assert document.findings == ()
    return document.value


def only(text: str | bytes) -> Finding:
    document = read(text, "f.yaml")
    assert len(document.findings) == 1, document.findings
    return document.findings[0]


def test_the_form_decides_what_is_text() -> None:
    text = "a: 535\nb: '535'\nc: \"535\"\nd: |\n  535\ne: >-\n  on\n  off\nf: true\ng: 'true'\nh: 550.90\n"
    assert value(text) == {
        "a": 535, "b": "535", "c": "535", "d": "535\n", "e": "on off", "f": True, "g": "true",
        "h": Ambiguous("550.90"),
    }  # fmt: skip


def test_the_public_cases_about_types() -> None:
    """D83, D84, D85, D86 and D89: what is refused later is told from text here."""
    text = """\
- {driver_version: 550.90}
- {driver_version: 535.104.05, branch: 535}
- {branch: 0535}
- {branch: 0o1027, build: 72225e2}
- {branch: , kernels: [~]}
"""
    floating, text_and_number, octal, other, empty = value(text)
    assert floating == {"driver_version": Ambiguous("550.90")}
    assert text_and_number == {"driver_version": "535.104.05", "branch": 535}
    assert octal == {"branch": Ambiguous("0535")}
    assert other == {"branch": Ambiguous("0o1027"), "build": Ambiguous("72225e2")}
    assert is_null(empty["branch"])
    assert is_null(empty["kernels"][0])


def test_keys_are_text() -> None:
    assert value('535: a\n"550.90": b\ntrue: c\n"on": d\n"": e\n') == {
        "535": "a", "550.90": "b", "true": "c", "on": "d", "": "e",
    }  # fmt: skip


@pytest.mark.parametrize("key", ["550.90", "2026.04", "on", "0535", "~", "12:30:45", "y"])
def test_an_ambiguous_key_is_a_finding_at_its_place(key: str) -> None:
    finding = only(f"pools:\n  {key}: x\n")
    assert finding.rule == "inventory/quoting"
    assert finding.severity is Severity.INVALID
    assert finding.place == Place("f.yaml", 2, 3)
    assert key in finding.message
    assert finding.hint == "add quotes"


def test_a_key_that_is_missing_or_a_collection_is_a_finding() -> None:
    assert only("? \n: x\n").message == "a key is missing"
    assert only("? [a]\n: b\n").rule == "inventory/schema"
    assert only("{{a: b}: c}").rule == "inventory/schema"


def test_a_repeated_key_names_both_lines() -> None:
    """D80 of the public cases."""
    text = """\
pools:
  - name: a
    kernels: ["5.15.0-117-generic"]
    branch: "535"
    kernels: ["5.15.0-118-generic"]
"""
    finding = only(text)
    assert (finding.rule, finding.severity, finding.place) == (
        "inventory/duplicate",
        Severity.INVALID,
        Place("f.yaml", 5, 5),
    )
    assert '"kernels"' in finding.message
    assert "line 3" in finding.message


def test_a_key_repeated_in_another_spelling_is_repeated() -> None:
    assert only('535: a\n"535": b\n').rule == "inventory/duplicate"
    assert only("a: {b: 1}\n'a': [2]\n").place == Place("f.yaml", 2, 1)


def test_merges() -> None:
    """D81 of the public cases: the own key wins, wherever it stands."""
    text = """\
x-base: &base {branch: "535", os: ubuntu22.04}
x-other: &other {branch: "570", arch: arm64}
pools:
  - {<<: *base, name: a}
  - {branch: "550", <<: *base, name: b}
  - {<<: [*other, *base]}
  - <<: {os: rhel9.4}
    name: c
  - {"<<": text}
"""
    assert value(text)["pools"] == [
        {"branch": "535", "os": "ubuntu22.04", "name": "a"},
        {"branch": "550", "os": "ubuntu22.04", "name": "b"},
        {"branch": "570", "arch": "arm64", "os": "ubuntu22.04"},
        {"os": "rhel9.4", "name": "c"},
        {"<<": "text"},
    ]


def test_two_merges_in_one_mapping_are_a_finding() -> None:
    """D81 of the public cases."""
    finding = only("p: &p {a: 1}\nq: &q {b: 2}\nr:\n  <<: *p\n  <<: *q\n")
    assert finding.rule == "inventory/duplicate"
    assert finding.place == Place("f.yaml", 5, 3)
    assert '"<<"' in finding.message


@pytest.mark.parametrize("merged", ["text", "[a]", "[{a: 1}, 2]", "*s", ""])
def test_only_mappings_merge(merged: str) -> None:
    assert only(f"s: &s text\na:\n  <<: {merged}\n").rule == "inventory/schema"


def test_an_alias_is_a_copy() -> None:
    loaded = value("a: &a {list: [1], map: {x: 1}}\nb: *a\nc: {<<: *a}\nd: {<<: *a}\n")
    before = copy.deepcopy(loaded)
    loaded["b"]["list"].append(2)
    loaded["c"]["map"]["x"] = 2
    loaded["d"]["list"].clear()
    assert loaded["a"] == before["a"]
    assert (loaded["c"]["list"], loaded["d"]["map"]) == ([1], {"x": 1})


def test_aliases_of_scalars_and_keys() -> None:
    assert value('a: &v "550.90"\nb: *v\n*v : c\n') == {"a": "550.90", "b": "550.90", "550.90": "c"}
    assert value("a: &v 550.90\nb: *v\n")["b"] == Ambiguous("550.90")
    assert value("- &x one\n- &x two\n- *x\n") == ["one", "two", "two"]


@pytest.mark.parametrize("text", ["a: *nope", "a: &a [*a]", "a: &a {b: *a}"])
def test_an_alias_without_a_value_is_a_finding(text: str) -> None:
    assert "has no anchor before it" in only(text).message


def laughs(levels: int, width: int = 10) -> str:
    lines = [f"l0: &l0 [{', '.join(['x'] * width)}]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_a_billion_laughs_are_refused_at_once() -> None:
    finding = only(laughs(9))
    assert (finding.rule, finding.severity) == ("inventory/schema", Severity.INVALID)
    assert "aliases" in finding.message
    assert only(laughs(9).replace("[*l7", "{<<: *l7}, [*l7")).rule == "inventory/schema"


def test_ten_thousand_pools_may_share_a_base() -> None:
    text = "x: &x {" + ", ".join(f"k{n}: v" for n in range(30)) + "}\npools:\n"
    text += "".join(f"  pool-{n}: {{<<: *x, nodes: {n}, os: ubuntu22.04, arch: [amd64]}}\n" for n in range(2_500))
    loaded = value(text)
    assert len(loaded["pools"]) == 2_500
    assert loaded["pools"]["pool-7"]["k29"] == "v"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_depth_has_a_limit(opening: str, closing: str) -> None:
    assert value(opening * MAX_DEPTH + "x" + closing * MAX_DEPTH)
    assert "nested deeper" in only(opening * (MAX_DEPTH + 1) + "x" + closing * (MAX_DEPTH + 1)).message
    assert only(opening * 200_000).rule == "inventory/schema"


def test_depth_counts_through_aliases() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100)]
    assert "nested deeper" in only("\n".join(lines)).message
    assert "nested deeper" in only("- " * 50_000 + "x").message


def test_several_documents_are_a_finding_at_the_second() -> None:
    finding = only("a: 1\n---\nb: 2\n---\nc: 3\n")
    assert finding.place == Place("f.yaml", 2, 1)
    assert "second document" in finding.message
    assert value("---\na: 1\n...\n") == {"a": 1}
    assert value("# c\n---\na: 1\n") == {"a": 1}


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf# c\n"]
)
def test_a_file_without_a_document_has_no_value_and_no_finding(text: str | bytes) -> None:
    assert value(text) is None


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    """D90 of the public cases, with a typographic quote in a comment."""
    text = "pools: {a: 1} # the pools\u2019 names\n"
    assert value(b"\xef\xbb\xbf" + text.encode()) == value(text) == value("\ufeff" + text) == {"pools": {"a": 1}}


def test_carriage_returns_of_line_ends_are_no_part_of_values() -> None:
    """D77 of the public cases."""
    text = 'a: x\nb: |\n  one\n  two\nc: "x\n  y"\nd: >\n  p\n\n  q\ne: [1,\n  2]\n'
    assert value(text.replace("\n", "\r\n")) == value(text)
    assert value(text.replace("\n", "\r\n").encode()) == value(text)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a: 1\nb: caf\xe9\n", (2, 7)),
        (b"\xff\xfea\x00", (1, 1)),
        ("\u00e9: x\n".encode() + b"\xc3(", (2, 1)),
        (b"\xed\xa0\x80", (1, 1)),
    ],
)
def test_what_is_not_utf_8_has_the_place_of_its_first_byte(data: bytes, place: tuple[int, int]) -> None:
    finding = only(data)
    assert finding.place == Place("f.yaml", *place)
    assert "not UTF-8" in finding.message


@pytest.mark.parametrize(
    "char", ["\x00", "\x07", "\x1b", "\x7f", "\x80", "\x85", "\x9f", "\u2028", "\u2029", "\ufeff", "\ufffe"]
)
def test_characters_that_no_document_may_hold(char: str) -> None:
    """Raw in a value, raw in a comment, and by an escape."""
    name = f"U+{ord(char):04X}"
    for text in (f"a: 1\nb: x{char}y\n", f"a: 1\n#  {char}b: hidden\n", f'a: 1\nb: "x\\u{ord(char):04x}y"\n'):
        finding = only(text)
        assert finding.rule == "inventory/schema"
        assert finding.place in {Place("f.yaml", 2, 5), Place("f.yaml", 2, 4)}
        assert name in finding.message


def test_lone_surrogates() -> None:
    assert "U+D800" in only("a: \ud800").message
    assert "not valid YAML" in only('a: "\\ud800"').message


def test_tabs_and_newlines_are_text() -> None:
    assert value('a: "x\\ty\\nz"\nb: |\n  x\ty\n') == {"a": "x\ty\nz", "b": "x\ty\n"}


def test_a_carriage_return_by_an_escape_is_refused() -> None:
    assert "U+000D" in only('a: "x\\r"').message


@pytest.mark.parametrize(
    "text",
    [
        "a: !!str 550.90",
        "a: !foo x",
        "a: !!map {}",
        "- !!binary aGk=",
        "!!python/object:os.system x",
        "! x: y",
    ],
)
def test_tags_are_refused(text: str) -> None:
    finding = only(text)
    assert finding.rule == "inventory/schema"
    assert "tag" in finding.message


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ('a: "open\nb: 1\n', (1, 4), "close the quotes"),
        ("a: 'open\nb: 1\n", (1, 4), "close the quotes"),
        ("a:\n\tb: 1\n", (2, 1), "indent with spaces, not with tabs"),
        ("a: [1, 2\nb: 3\n", (2, 2), "close the bracket, and put a comma between its items"),
        ("a: {b: 1\n", (2, 1), "close the bracket, and put a comma between its items"),
        ("a: b: c\n", (1, 5), "indent the line like its neighbours, or quote a value that holds ': '"),
        ("a: @x\n", (1, 4), "put the value in quotes"),
        ("a: `x`\n", (1, 4), "put the value in quotes"),
        ("a:\n  b: >=550.54\n", (2, 7), "put the value in quotes: a plain one can't begin with '>' or '|'"),
        ('a: "\\d"\n', (1, 5), "double the backslash, or use single quotes"),
        ("- a\nb: 1\n", (2, 1), "indent the items of one list alike, each with its '-'"),
        ("a: 1\n b: 2\n", (2, 3), "indent the line like its neighbours, or quote a value that holds ': '"),
        ("a: 1\nb\nc: 2\n", (3, 1), "write 'key: value', and indent the lines of one mapping alike"),
        ("%YAML 9.9\n---\na: 1\n", (1, 1), "remove the %YAML line"),
    ],
)
def test_broken_syntax_has_a_place_and_a_plain_hint(text: str, place: tuple[int, int], hint: str) -> None:
    finding = only(text)
    assert finding.rule == "inventory/schema"
    assert finding.severity is Severity.INVALID
    assert finding.place == Place("f.yaml", *place)
    assert finding.message.startswith("not valid YAML: ")
    assert not finding.message.endswith(".")
    assert finding.hint == hint


def test_the_rules_are_the_callers() -> None:
    rules = Rules("template/syntax", "template/twice", "template/quoting")
    found = read("on: 1\non: 2\na: [", "f", rules).findings
    assert [finding.rule for finding in found] == [
        "template/quoting",
        "template/quoting",
        "template/twice",
        "template/syntax",
    ]
    assert read("a: [", "f", CATALOG).findings[0].rule == "catalog/schema"


def test_a_manifest_keeps_what_it_says_and_its_order() -> None:
    """What a user's own Kubernetes manifest needs: verbatim plain scalars, empty collections, order."""
    text = "spec:\n  b: 1.10\n  a: {}\n  c: []\n  d:\n  e: ~\n  f: 0644\n  g: Null\n"
    spec = value(text)["spec"]
    assert list(spec) == list("bacdefg")
    assert spec == {
        "b": Ambiguous("1.10"), "a": {}, "c": [], "d": Ambiguous(""), "e": Ambiguous("~"),
        "f": Ambiguous("0644"), "g": Ambiguous("Null"),
    }  # fmt: skip


@given(
    st.one_of(
        st.binary(max_size=80),
        st.text("ab:-[]{}&*<>|!%@`'\"#?,\n\t\r \\x0\x85\ufeff\ud800~=.1e", max_size=60),
    )
)
def test_no_input_raises(data: str | bytes) -> None:
    document = read(data, "f")
    for finding in document.findings:
        assert finding.place.line >= 1
        assert finding.place.column >= 1
        assert finding.severity is Severity.INVALID
        assert finding.hint
    places(data, "f").value(("a", 0, "b"))


SAFE_TEXT = st.text().filter(lambda text: not in_value(text))


@given(
    st.recursive(SAFE_TEXT, lambda inner: st.one_of(st.lists(inner), st.dictionaries(SAFE_TEXT, inner)), max_leaves=8)
)
def test_quoted_text_comes_back_unchanged(data: Any) -> None:
    """JSON is YAML, but for the surrogate pairs of its escapes."""
    assert value(json.dumps(data, ensure_ascii=False)) == data
    assert value(json.dumps(data, ensure_ascii=False, indent=1).encode()) == data


@given(
    st.recursive(
        st.from_regex(r"[a-z]{1,3}", fullmatch=True),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.from_regex("[a-z]{3}", fullmatch=True), inner)),
        max_leaves=20,
    )
)
def test_block_style_reads_as_pyyaml_reads_it(data: Any) -> None:
    text = yaml.safe_dump(data, default_style='"', sort_keys=False)
    assert value(text) == yaml.load(text, yaml.CSafeLoader) == data


def test_tag_directives_are_refused_before_libyaml_compares_them_all() -> None:
    text = "".join(f"%TAG !t{number}! x\n" for number in range(50_000)) + "---\na: 1\n"
    finding = only("# c\n" + text)
    assert (finding.place, finding.rule) == (Place("f.yaml", 2, 1), "inventory/schema")
    assert "%TAG" in finding.message
    assert value("a: 100%TAG\n") == {"a": "100%TAG"}


def test_reading_leaves_no_reference_cycles() -> None:
    texts = ("a: &a {b: [1, 2]}\nc: {<<: *a}\n", "a: [", "on: 1\non: 2\n", "a: !x y", laughs(9), catalog_of(100))
    gc.collect()
    gc.disable()
    try:
        for text in texts:
            read(text, "f")
            places(text, "f")
        assert gc.collect() == 0
    finally:
        gc.enable()


def catalog_of(entries: int) -> str:
    line = '  - {{tag: "580-6.8.0-{}-generic-ubuntu24.04", platforms: [linux/amd64, linux/arm64], gone: true}}\n'
    return "images:\n" + "".join(line.format(number) for number in range(entries))


@pytest.mark.parametrize("images", sizes(11_000, soak=110_000))
def test_megabytes_are_read_whole(images: int) -> None:
    large = catalog_of(images)
    assert len(large) > 90 * images
    assert len(value(large)["images"]) == images
