"""The API server's semantics by hand-made schemas; each line names where the server says so."""

from typing import Any

import pytest

from generator.facts.defaulting import defaulted
from generator.facts.structural import EMBEDDED, Shape, expression, violations
from generator.facts.violation import Flaw, Violation, dotted
from tests.model.closed_schema import closed

TEXT = {"type": "string"}
KEEP = {"x-kubernetes-preserve-unknown-fields": True}


def of(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"f": field}}


FILLED = of({**TEXT, "default": "d"})


def kinds(value: Any, schema: dict[str, Any]) -> list[tuple[str, str]]:
    return [(dotted(found.path), found.kind.value) for found in violations(value, Shape(schema))]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        # kube-openapi validate/type.go
        ({"type": "integer"}, 1.0, []),
        ({"type": "integer"}, 1.5, [("f", "type")]),
        ({"type": "integer"}, True, [("f", "type")]),
        ({"type": "number"}, 1, []),
        ({"type": "boolean"}, 1, [("f", "type")]),
        ({"type": "object"}, [], [("f", "type")]),
        ({"type": "array", "items": TEXT}, ("a", "b"), []),
        ({"x-kubernetes-int-or-string": True}, "25%", []),
        ({"x-kubernetes-int-or-string": True}, 3, []),
        ({"x-kubernetes-int-or-string": True}, True, [("f", "type")]),
        ({"x-kubernetes-int-or-string": True}, 1.5, [("f", "type")]),
        # kube-openapi validate/validator.go, numberValidator: formats hold since January 2026
        ({"type": "integer", "format": "int32"}, 2**31, [("f", "range")]),
        ({"type": "integer", "format": "int32"}, -(2**31), []),
        ({"type": "integer"}, 2**63, [("f", "range")]),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, 1, [("f", "range")]),
        ({"type": "number", "maximum": 1}, 1.5, [("f", "range")]),
        ({"type": "number", "multipleOf": 0.1}, 0.3, []),
        ({"type": "number", "multipleOf": 0.1}, 0.35, [("f", "range")]),
        # validator.go, basicCommonValidator: a null is in no enum
        ({"type": "string", "enum": ["a"]}, "b", [("f", "enum")]),
        ({"type": "string", "enum": ["a"], "nullable": True}, None, [("f", "enum")]),
        ({"type": "integer", "enum": [1]}, 1.0, []),
        # prunenulls.go, algorithm.go
        ({"type": "string"}, None, []),
        ({"type": "string", "nullable": True}, None, []),
        ({"type": "array", "items": TEXT}, ["a", None], [("f[1]", "type")]),
        ({"type": "array", "items": {**TEXT, "default": "d"}}, [None], []),
        ({"type": "object", "additionalProperties": TEXT}, {"k": None}, []),
        # pruning/algorithm.go
        ({"type": "object"}, {"k": 1}, [("f.k", "unknown")]),
        ({"type": "object", **KEEP}, {"k": {"deep": 1}}, []),
        ({**of({"type": "object"}), **KEEP}, {"f": {"q": 1}}, [("f.f.q", "unknown")]),
        ({"type": "array", "items": {"type": "object"}, **KEEP}, [{"k": 1}], []),
        ({"type": "object", "additionalProperties": True}, {"k": {"deep": 1}}, [("f.k.deep", "unknown")]),
        ({"type": "object", EMBEDDED: True}, {"kind": "A", "x": 1}, [("f.x", "unknown")]),
        ({**KEEP}, {"any": [None, {}]}, []),
        # validate/values.go: RE2 searches, and its `$` is the very end
        ({**TEXT, "pattern": "b+"}, "abc", []),
        ({**TEXT, "pattern": "^a$"}, "a\n", [("f", "pattern")]),
        ({**TEXT, "pattern": "^[$]a\\$$"}, "$a$", []),
        ({**TEXT, "maxLength": 1}, "éé", [("f", "range")]),
        ({**TEXT, "minLength": 1}, "", [("f", "range")]),
        ({"type": "array", "items": TEXT, "maxItems": 1}, ["a", "b"], [("f", "range")]),
        ({"type": "object", "additionalProperties": TEXT, "minProperties": 1}, {"k": None}, [("f", "range")]),
        ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a", "a"], [("f[1]", "rule")]),
        # validate/schema_props.go
        ({**TEXT, "oneOf": [{"pattern": "a"}, {"pattern": "b"}]}, "ab", [("f", "rule")]),
        ({**TEXT, "oneOf": [{"pattern": "a"}, {"pattern": "b"}]}, "a", []),
        ({**TEXT, "anyOf": [{"pattern": "a"}, {"pattern": "b"}]}, "c", [("f", "rule")]),
        ({**TEXT, "allOf": [{"pattern": "a"}, {"maxLength": 1}]}, "ab", [("f", "range")]),
        ({**TEXT, "not": {"enum": ["a"]}}, "a", [("f", "rule")]),
    ],
)  # fmt: skip
def test_values(field: dict[str, Any], value: Any, expected: list[tuple[str, str]]) -> None:
    assert kinds({"f": value}, of(field)) == expected


def test_map_lists_are_unique_by_their_keys() -> None:
    item = {"type": "object", "properties": {"type": TEXT, "status": TEXT}}
    field = {
        "type": "array",
        "items": item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
    }
    value = [{"type": "Ready", "status": "True"}, {"type": "Ready", "status": "False"}, {"type": "Error"}]
    assert kinds({"f": value}, of(field)) == [("f[1]", "rule")]


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        ({}, ["bare", "null"]),
        ({"bare": None, "filled": None, "null": None}, ["bare"]),
        ({"bare": "a", "filled": "b", "null": "c"}, []),
    ],
)
def test_required(value: dict[str, Any], missing: list[str]) -> None:
    """Required counts after defaulting and after nulls are gone, but a nullable null stays."""
    properties = {"bare": TEXT, "filled": {**TEXT, "default": "d"}, "null": {**TEXT, "nullable": True}}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    assert kinds(value, schema) == [(key, "missing") for key in missing]


def test_forms_are_judged_after_defaulting() -> None:
    field = {
        "type": "object",
        "properties": {"a": {**TEXT, "default": "d"}, "b": TEXT},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert kinds({"f": {}}, of(field)) == []
    assert kinds({"f": {"b": "x"}}, of(field)) == [("f", "rule")]
    assert kinds({"f": {"zzz": 1}}, of(field)) == [("f.zzz", "unknown")]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (of({**TEXT, "default": "d"}), {}, {"f": "d"}),
        (of({**TEXT, "default": "d"}), {"f": None}, {"f": "d"}),
        (of({**TEXT, "default": "d", "nullable": True}), {"f": None}, {"f": None}),
        (of({**TEXT, "default": "d", "nullable": True}), {}, {"f": "d"}),
        (of(TEXT), {"f": None, "x": None}, {"x": None}),
        (of(FILLED), {}, {}),
        (of({**FILLED, "default": {}}), {}, {"f": {"f": "d"}}),
        (of({"type": "array", "items": FILLED}), {"f": [{}, None]}, {"f": [{"f": "d"}, None]}),
        ({"type": "object", "additionalProperties": FILLED}, {"k": {}}, {"k": {"f": "d"}}),
        (of(TEXT), [], []),
    ],
)  # fmt: skip
def test_defaulting(schema: dict[str, Any], value: Any, expected: Any) -> None:
    assert defaulted(value, schema) == expected


def test_messages_quote_what_was_written() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {**TEXT, "enum": ["x", "y"]}}}
    found = violations({"a": "true", "b": "z", "c": 1}, Shape(schema))
    assert found == [
        Violation(("a",), Flaw.TYPE, 'must be a boolean, not "true"'),
        Violation(("b",), Flaw.ENUM, 'must be one of "x", "y", not "z"'),
        Violation(("c",), Flaw.UNKNOWN, "is not a field"),
    ]


@pytest.mark.parametrize("pattern", [r"\p{L}", r"[[:alpha:]]", r"(?s).", r"(", r"a\z"])
def test_patterns_that_only_go_reads(pattern: str) -> None:
    assert expression(pattern) is None
    assert kinds({"f": "a"}, of({**TEXT, "pattern": pattern})) == []


def test_closed_keeps_bounds_exclusive() -> None:
    schema = of({"type": "integer", "minimum": 1, "exclusiveMinimum": True, "format": "int32"})
    field = closed(schema)["properties"]["f"]
    assert field == {"type": ["integer", "null"], "exclusiveMinimum": 1, "maximum": 2**31 - 1}
