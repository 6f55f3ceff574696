"""Plain scalars against the resolvers of others: PyYAML (YAML 1.1), the YAML 1.2 core schema, go-yaml."""

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from generator.documents.scalar import Ambiguous, is_null, key_text, resolve

# YAML 1.2.2, 10.3.2 "Tag Resolution", the core schema's table; what matches none of them is text.
CORE = (
    ("null", r"null|Null|NULL|~|"),
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN",
    ),
)
# yaml.org/type/bool.html, which PyYAML leaves out.
SHORT_BOOL = r"y|Y|n|N"
RESOLVER = yaml.resolver.Resolver()


def core(text: str) -> str:
    return next((name for name, pattern in CORE if re.fullmatch(pattern, text)), "str")


def yaml_1_1(text: str) -> str:
    if re.fullmatch(SHORT_BOOL, text):
        return "bool"
    if text in {"!", "&", "*"}:  # PyYAML's tag "yaml", for what no plain scalar can be
        return "str"
    return RESOLVER.resolve(yaml.ScalarNode, text, (True, False)).rpartition(":")[2]


def go_number(text: str) -> bool:
    """go-yaml v3 resolve.go, `resolve`, hints D and S: without underscores, then ParseInt with base 0."""
    if text[:1] not in set("0123456789+-"):
        return False
    plain = text.replace("_", "")
    base_0 = r"[-+]?(0|[1-9][0-9]*|0[0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)"
    prefixed = r"0b[-+]?[01]+|0o[-+]?[0-7]+"
    floating = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
    return any(re.fullmatch(pattern, plain) for pattern in (base_0, prefixed, floating))


NUMBERISH = st.text("0123456789+-._:eExXoObB", min_size=1, max_size=12)
CLOCK = r"[Tt ][0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?(Z| *[-+][0-9]{1,2}(:[0-9]{2})?)?"
DATEISH = st.from_regex(rf"[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}({CLOCK})?", fullmatch=True)
WORDISH = st.sampled_from(
    ["yes", "no", "on", "off", "y", "n", "true", "false", "null", "~", "", "<<", "=", ".inf", ".nan", "-.inf"]
).flatmap(lambda word: st.sampled_from([word, word.upper(), word.title(), word + " x", "x" + word]))


SCALARS = st.one_of(NUMBERISH, DATEISH, WORDISH, st.text())


@given(SCALARS.filter(lambda text: isinstance(resolve(text), Ambiguous)))
@example("0b-1")
@example("+_1")
@example("1_")
@example("0x_")
@example("2001-01-01 00:00:00")
def test_what_readers_disagree_about_keeps_its_text(text: str) -> None:
    value = resolve(text)
    assert isinstance(value, Ambiguous)
    assert value.text == text


@given(SCALARS.filter(lambda text: not isinstance(resolve(text), Ambiguous)))
@example("535.104.05")
def test_what_comes_back_as_text_or_number_is_that_to_every_reader(text: str) -> None:
    value = resolve(text)
    assert not isinstance(value, Ambiguous)
    kind = {str: "str", int: "int", bool: "bool"}[type(value)]
    assert core(text) == kind
    assert yaml_1_1(text) == kind
    assert go_number(text) == (kind == "int")
    assert key_text(value) == text


@given(st.integers())
def test_integers_up_to_64_bits_are_numbers(number: int) -> None:
    fits = -(2**63) <= number < 2**63
    assert resolve(str(number)) == (number if fits else Ambiguous(str(number)))


@pytest.mark.parametrize(
    "text",
    [
        # driver versions, kernels and tags; D83 of the public cases names the first one
        "535.104.05", "580.126.20", "5.15.0-173-generic", "6.8.0-1050-aws", "v26.7.0",
        "nvcr.io/nvidia/driver", "580-6.8.0-106-generic-ubuntu24.04", "ubuntu24.04", "25%", "10Gi", "500m",
        "linux/amd64", "10.0.0.1", "10.0.0.1:8080", "00:1a:2b:3c:4d:5e", "-generic", "...", "--", "none",
        "Never", "nope", "only", "1.2.3", "1e", "e1", "2026-04-01-nightly", "sha256:ab", "0.1.2", ">=0.1",
        "truely", ".", "./base", "_1", "+", "-",
    ],
)  # fmt: skip
def test_everyday_text_stays_text(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("reads_as", "texts"),
    [
        (
            "a number",
            # D83, D85 and D86 of the public cases, then YAML 1.1's and 1.2's other forms
            ["550.90", "580.", "5.8e2", "0535", "0o1027", "72225e2", "1e3", "089", "12:30:45",
             "6.10", "22.10", "2026.04", ".5", ".inf", "-.INF", ".NaN", "0o17", "0x1F", "0b11", "1_000",
             "550_90", "1:20", "+1", "-0", "9223372036854775808", "1" * 5000],
        ),
        ("true or false", ["yes", "No", "on", "OFF", "y", "N", "True", "FALSE"]),
        ("null", ["null", "Null", "~", ""]),
        ("a date", ["2026-04-01", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5"]),
        ("something other than text", ["=", "<<"]),
    ],
)  # fmt: skip
def test_what_readers_disagree_about_is_ambiguous_and_says_why(reads_as: str, texts: list[str]) -> None:
    for text in texts:
        value = resolve(text)
        assert value == Ambiguous(text)
        assert isinstance(value, Ambiguous)
        assert not isinstance(value, str)
        assert value.reads_as == reads_as


def test_canonical_numbers_and_truths_are_values() -> None:
    assert [resolve(text) for text in ("0", "-5", "535", "true", "false")] == [0, -5, 535, True, False]
    assert [type(resolve(text)) for text in ("0", "true")] == [int, bool]


def test_null_in_every_spelling() -> None:
    assert all(is_null(resolve(text)) for text in ("", "~", "null", "Null", "NULL"))
    assert is_null(None)
    assert not any(is_null(resolve(text)) for text in ("0", "no", "nil", "none", "false", "0x0"))
    assert not is_null("null")
