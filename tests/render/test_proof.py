"""A rendered file loads as the values that were printed, or it is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.documents.document import read
from generator.render.environment import environment
from generator.render.proof import Prover, Skeleton
from generator.render.scalar import UnprintableError
from tests.testing.traps import CLEAN, TRAPS

NOT_WHOLE = "a printed value is not one whole YAML scalar"
PLAIN_AND_QUOTED = ("abc", "on")  # one that prints without quotes, one that prints in quotes


def marked(template: str, **values: Any) -> str:
    """What a template prints, its values between marks."""
    return environment({"t": template}).get_template("t").render(values)


def proven(template: str, **values: Any) -> tuple[str, Skeleton]:
    found = Prover().prove(marked(template, **values))
    return found.text, found.skeleton


def problem(template: str, **values: Any) -> str:
    """Why a template of a user's is refused; nothing where it is not."""
    return Prover().prove_in_full(marked(template, **values)).skeleton.problem


def test_a_file_without_printed_values_is_what_it_is() -> None:
    text, skeleton = proven("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    assert text == "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
    assert skeleton.problem == ""
    assert skeleton.is_mapping
    assert (skeleton.identity.api_version, skeleton.identity.kind, skeleton.identity.name) == ("v1", "ConfigMap", "a")


def test_what_a_manifest_is_may_be_printed() -> None:
    template = "apiVersion: {{ api }}\nkind: {{ kind }}\nmetadata:\n  namespace: {{ space }}\n  name: {{ name }}\n"
    made = marked(template, api="v1", kind="Secret", name="on", space="b")
    found = Prover().prove(made)
    identity = found.skeleton.identity
    parts = (identity.api_version, identity.kind, identity.name, identity.namespace)
    assert [found.scalars[part] for part in parts if isinstance(part, int)] == ["v1", "Secret", '"on"', "b"]


@pytest.mark.parametrize("value", PLAIN_AND_QUOTED)
@pytest.mark.parametrize(
    "template",
    [
        "a: {{ v }}",
        "{{ v }}: a",
        "- {{ v }}",
        "a: [{{ v }}, {{ v }}]",
        "a: {b: {{ v }}}",
        "a: {{ v }} # said by {# nobody #}a comment",
        "a:\n  {{ v }}\nb: 1",
        "? {{ v }}\n: b",
        "---\na: {{ v }}",
        "a: &x {{ v }}\nb: *x",
        "a: {{ [v, v] | lines(2) }}\nb: {{ v }}",
        "a:\n  {{ {v: [v]} | block(2) }}",
        "{% macro m(x) %}{{ x }}{% endmacro %}a: {{ m(v) }}",
        "{% set x %}{{ v }}{% endset %}a: {{ x }}",
        "{% macro m() %}a: {{ caller() }}{% endmacro %}{% call m() %}{{ v }}{% endcall %}",
    ],
)
def test_a_value_that_is_one_whole_scalar_is_proven(template: str, value: str) -> None:
    text, skeleton = proven(template, v=value)
    assert skeleton.problem == ""
    assert value in str(read(text, "").value)


@pytest.mark.parametrize("value", PLAIN_AND_QUOTED)
@pytest.mark.parametrize(
    "template",
    [
        "a: x{{ v }}",
        "a: x {{ v }} y",
        "a: {{ v }}x",
        "a: {{ v }} x",
        "a: {{ v }}{{ v }}",
        "a: {{ v }}-{{ v }}",
        "a: {{ v }}:{{ v }}",
        "a: {{ v }}#b",
        "a: -{{ v }}",
        "a:{{ v }}\nb: 1",
        "a: 1 # {{ v }}",
        "# {{ v }}\na: 1",
        'a: "{{ v }}"',
        "a: '{{ v }}'",
        'a: "x {{ v }} y"',
        'a: "{{ v }}\\n"',
        "a: |\n  {{ v }}",
        "a: >-\n  {{ v }}",
        "a: |\n  {{ v }}\n  b",
        "a: |\n  {{ [v] | lines(2) }}",
        "a: {{ v }}\n  {{ v }}",
        "a: &{{ v }} b",
        "a: *{{ v }}",
        "a: !{{ v }} b",
        "a: !!str {{ v }}",
        "a: {b: c}\n<<: {a: {{ v }}}",
        "{{ v }}:b\n",
        "a: { {{ v }}:{{ v }} }",
    ],
)
def test_a_value_that_is_part_of_something_is_refused(template: str, value: str) -> None:
    assert proven(template, v=value)[1].problem


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("a: x{{ v }}y", f"{NOT_WHOLE}: it stands inside 'x{{{{ … }}}}y'"),
        ("a: 1 # {{ v }}", f"{NOT_WHOLE}: it stands in a comment"),
        ('a: "{{ v }}"', f"{NOT_WHOLE}: it stands in quotes already"),
        ("a: '{{ v }}'", f"{NOT_WHOLE}: it stands in quotes already"),
        ("a: 1\n b: {{ v }}", "not valid YAML: mapping values are not allowed in this context"),
        ("a: {{ v }}\n---\nb: 1", "a second document begins here"),
        ("a: {{ v }}\na: 2", 'the key "a" stands here and in line 1'),
    ],
)
def test_a_refusal_says_why(template: str, why: str) -> None:
    assert proven(template, v="abc")[1].problem == why


def test_a_refusal_says_the_line_of_the_rendered_file() -> None:
    """A block of three lines is one line of the skeleton, and three of the file."""
    template = "data:\n  a: {{ x | lines(4) }}\n  b: 1\n  b: 2\n"
    text, skeleton = proven(template, x=["1", "2", "3"])
    assert skeleton.problem == 'the key "b" stands here and in line 4'
    assert text.splitlines()[skeleton.line - 1] == "  b: 2"


@pytest.mark.parametrize("indent", [0, 1, 2])
def test_lines_that_are_not_deeper_than_their_key_are_refused(indent: int) -> None:
    """A line of a value would become a key: `kind: Secret`."""
    assert problem("data:\n  a: {{ x | lines(i) }}\n", x=["b: c", "kind: Secret"], i=indent)
    assert problem("data:\n  a: {{ x | lines(3) }}\n", x=["b: c", "kind: Secret"]) == ""


def test_a_template_that_holds_the_word_of_the_proof_proves_nothing_by_it() -> None:
    assert proven("a: skeletonValue0.\nb: {{ v }}", v="abc")[1].problem == ""
    assert proven("a: skeletonValue0. # {{ v }}", v="abc")[1].problem == f"{NOT_WHOLE}: it stands in a comment"
    assert proven("a: skeletonValue0.\nb: skeletonValuex0. # {{ v }}", v="abc")[1].problem


def test_values_that_look_like_the_proofs_own_words_are_values() -> None:
    for value in ("skeletonValue0.", "skeletonValue1.", "|", "{{ v }}"):
        text, skeleton = proven("a: {{ v }}\nb: {{ w }}", v=value, w="x")
        assert skeleton.problem == ""
        assert read(text, "").value == {"a": value, "b": "x"}


@pytest.mark.parametrize("value", ["\x02", "\x02abc\x03", "x\x02|\n  y\x03"])
def test_a_value_can_not_bring_marks_of_its_own(value: str) -> None:
    with pytest.raises(UnprintableError):
        marked("a: {{ v }}", v=value)
    for template in ("a: {{ {'k': v} | block }}", "a: {{ {v: 1} | block }}", "a: {{ [v] | lines(2) }}"):
        made = marked(template, v=value)
        assert made.count("\x02") == made.count("\x03") == (2 if "1" in template else 1)
        assert value not in made or value == "\x02"


@pytest.mark.parametrize(
    "value", ["\x03", "\x04", "a\x03b", "\x04\x03", "\x00", "\x7f", "\x85", "\u2028", "\ufeff", "\r"]
)
def test_a_character_that_no_document_may_hold_is_refused_in_a_users_template(value: str) -> None:
    """No inventory can hold one; a template can make one with an escape in a text of its own."""
    assert "the value holds the character U+" in problem("a: {{ v }}", v=value)


def test_equal_keys_that_a_users_template_prints_are_refused() -> None:
    template = "data:\n  {{ a }}: 1\n  {{ b }}: 2\n"
    assert problem(template, a="x", b="y") == ""
    assert problem(template, a="x", b="x") == 'the key "x" stands here and in line 2'
    assert problem(template, a="1", b=1) == 'the key "1" stands here and in line 2'
    assert problem("x: 1\n{{ a }}: 2\n", a="x") == 'the key "x" stands here and in line 1'


def test_a_printed_merge_key_is_text() -> None:
    template = "a: &a {b: 1}\nc:\n  {{ k }}: *a\n"
    found = Prover().prove_in_full(marked(template, k="<<"))
    assert found.skeleton.problem == ""
    assert '"<<": *a' in found.text
    assert read(found.text, "").value == {"a": {"b": 1}, "c": {"<<": {"b": 1}}}


def test_a_printed_key_that_yaml_has_no_room_for_is_refused() -> None:
    assert problem("{{ k }}: 1\n", k="x" * 1024) == ""
    assert problem("{{ k }}: 1\nb: 2\n", k="x" * 1100).startswith("not valid YAML")


def test_skeletons_are_shared_by_files_whose_values_differ() -> None:
    prover = Prover()
    skeletons = {
        id(prover.prove(marked("a: {{ v }}", v=value)).skeleton) for value in TRAPS if not value.startswith("\x02")
    }
    assert len(skeletons) == 1
    sizes = {id(prover.prove(marked("a: {{ v | lines(2) }}", v=["x"] * size)).skeleton) for size in range(1, 5)}
    assert len(sizes) == 1


@given(st.lists(CLEAN, min_size=4, max_size=4, unique=True), st.lists(CLEAN, max_size=4))
def test_what_is_proven_loads_as_it_was_printed(texts: list[str], several: list[str]) -> None:
    key, other, value, name = texts
    template = (
        "name: {{ name }}\nplain:\n  {{ key }}: {{ value }}\n  {{ other }}: [{{ value }}, {k: {{ name }} }]\n"
        "block:\n  {{ made | block(2) }}\nlines: {{ several | lines(2) }}\n"
    )
    made = {key: [value, {other: name}], other: {}, value: [[]]}
    values = {"key": key, "other": other, "value": value, "name": name, "several": several, "made": made}
    found = Prover().prove_in_full(marked(template, **values))
    text, skeleton = found.text, found.skeleton
    assert skeleton.problem == ""
    assert read(text, "").value == {
        "name": name,
        "plain": {key: value, other: [value, {"k": name}]},
        "block": made,
        "lines": "".join(f"{line}\n" for line in several),
    }
