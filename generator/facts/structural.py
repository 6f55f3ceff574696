"""What an API server refuses in a value under a CRD's structural schema, as a strict client hears it.

An own walk, for it was measured: importing jsonschema-rs and building one validator costs as much as walking
some 1,500 rendered NVIDIADrivers, and most runs have fewer. It also tells what is wrong in our own words.

Sources, as in Kubernetes v1.36: apiextensions-apiserver `pkg/apiserver/schema/{defaulting,pruning}` and
kube-openapi `pkg/validation/validate`.
"""

import re
from collections.abc import Callable, Container, Mapping
from functools import cache
from typing import Any, Final

from generator.facts.defaulting import INT_OR_STRING, NO_SCHEMA, PRESERVE, Schema, defaulted
from generator.facts.violation import Flaw, Path, Violation, said

Found = list[Violation]
EMBEDDED: Final = "x-kubernetes-embedded-resource"
_META: Final = ("apiVersion", "kind", "metadata")
# The types of the values that are read from YAML and JSON, and which `type` of a schema takes them.
_FITS: Final[dict[type, frozenset[str]]] = {
    str: frozenset({"string", "int-or-string", ""}),
    bool: frozenset({"boolean", ""}),
    int: frozenset({"integer", "number", "int-or-string", ""}),
    float: frozenset({"number", ""}),
    dict: frozenset({"object", ""}),
    list: frozenset({"array", ""}),
    tuple: frozenset({"array", ""}),
    type(None): frozenset({""}),
}
_TYPES: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "object": "an object",
    "array": "a list",
    "int-or-string": "an integer or a string",
}
BITS: Final = {"int32": 31, "int64": 63}
_COMPOSED: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "minProperties", "maxProperties"})
_EITHER: Final = [{"type": "integer"}, {"type": "string"}]
_SIMPLE: Final = frozenset(
    {"type", "default", "description", "enum", "minimum", "format", "nullable", "anyOf", INT_OR_STRING}
)


class Shape:
    """A schema made ready for the walk; its fields follow when a value first needs them."""

    __slots__ = ("_fields", "_items", "composed", "ok", "schema", "wanted")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.wanted: str = "int-or-string" if INT_OR_STRING in schema else schema.get("type", "")
        self.ok = _ok(schema, self.wanted)
        self.composed = _composes(schema)
        self._fields: dict[str, Shape] | None = None
        self._items: Shape | None = None

    def fields(self) -> "dict[str, Shape]":
        if self._fields is None:
            self._fields = {key: Shape(field) for key, field in self.schema.get("properties", NO_SCHEMA).items()}
        return self._fields

    def items(self) -> "Shape":
        """The shape of a list's items, or of a map's values: a schema has only one of the two."""
        if self._items is None:
            schema = self.schema.get("items", self.schema.get("additionalProperties", NO_SCHEMA))
            # `additionalProperties: true` knows no field below it: pruning/algorithm.go.
            self._items = Shape(NO_SCHEMA if schema is True else schema)
        return self._items


def _ok(schema: Schema, wanted: str) -> dict[type, Container[Any] | None]:
    """The values, by exact type, that need no further look: those in a container, with None all."""
    if schema.keys() - _SIMPLE or _composes(schema):
        return {}
    if "enum" in schema:
        return {str: tuple(schema["enum"])} if wanted == "string" else {}
    if wanted == "string":
        return {str: None}
    if wanted == "integer" and isinstance(schema.get("minimum", 0), int):
        limit = 1 << BITS.get(schema.get("format", ""), 63)
        return {int: range(schema.get("minimum", -limit), limit)}
    if wanted == "boolean":
        return {bool: None}
    return {str: None} if wanted == "int-or-string" else {}


def _composes(schema: Schema) -> bool:
    """Whether allOf and its like say more than x-kubernetes-int-or-string does."""
    found = _COMPOSED.intersection(schema)
    return bool(found) and not (found == {"anyOf"} and INT_OR_STRING in schema and schema["anyOf"] == _EITHER)


def violations(value: Any, shape: Shape) -> Found:
    """Every violation of a value of dicts, lists and scalars, CEL rules apart, in the value's own order."""
    found: Found = []
    _value(value, shape, (), found)
    return found


def _value(value: Any, shape: Shape, path: Path, found: Found, *, kept: bool = False, branch: bool = False) -> None:
    """Judges one value. `kept`: a list above keeps unknown fields. `branch`: so does a schema under allOf."""
    actual = type(value)
    schema, wanted = shape.schema, shape.wanted
    if not (wanted in _FITS[actual] or (actual is float and _whole(value, wanted)) or _null(value, schema)):
        message = f"must be {_TYPES.get(wanted, wanted)}, not {said(value)}"
        found.append(Violation(path, Flaw.TYPE, message))
        return
    if actual is dict:
        _fields(value, shape, path, found, kept=kept, branch=branch)
        _required(value, shape, path, found, branch=branch)
    elif actual is list or actual is tuple:
        _items(value, shape, path, found, kept=kept, branch=branch)
    elif actual is str:
        _text(value, schema, path, found)
    elif actual is int or actual is float:
        _number(value, schema, path, found)
    if "enum" in schema and not _listed(value, schema["enum"]):
        listed = ", ".join(said(choice) for choice in schema["enum"])
        found.append(Violation(path, Flaw.ENUM, f"must be one of {listed}, not {said(value)}"))
    if shape.composed:
        _composed(defaulted(value, schema), schema, path, found)


def _whole(value: float, wanted: str) -> bool:
    """JSON's 1.0 is an integer: kube-openapi type.go."""
    return wanted in {"integer", "int-or-string"} and value.is_integer()


def _null(value: Any, schema: Schema) -> bool:
    return value is None and bool(schema.get("nullable"))


def _fields(value: Mapping[str, Any], shape: Shape, path: Path, found: Found, *, kept: bool, branch: bool) -> None:
    fields, schema = shape.fields(), shape.schema
    others = shape.items() if "additionalProperties" in schema else None
    for key, item in value.items():
        field = fields.get(key, others)
        if field is None:
            if not (kept or branch or PRESERVE in schema or (EMBEDDED in schema and key in _META)):
                found.append(Violation((*path, key), Flaw.UNKNOWN, "is not a field"))
            continue
        within = field.ok.get(type(item), ())
        # Null without nullable is dropped or takes its default before anybody validates: prunenulls.go.
        if within is None or item in within or (item is None and not field.schema.get("nullable")):
            continue
        _value(item, field, (*path, key), found, branch=branch)


def _required(value: Mapping[str, Any], shape: Shape, path: Path, found: Found, *, branch: bool) -> None:
    for key in shape.schema.get("required", ()):
        if value.get(key) is None and not (branch and key in value) and not _filled(key, key in value, shape):
            found.append(Violation((*path, key), Flaw.MISSING, "is required"))


def _filled(key: str, present: bool, shape: Shape) -> bool:
    """Whether a null or absent field counts as given: by its default, or as a null that may stay."""
    field = shape.fields().get(key)
    return field is not None and (_default(field) or (present and bool(field.schema.get("nullable"))))


def _default(shape: Shape) -> bool:
    return shape.schema.get("default") is not None


def _items(value: Any, shape: Shape, path: Path, found: Found, *, kept: bool, branch: bool) -> None:
    items, schema = shape.items(), shape.schema
    kept = kept or PRESERVE in schema  # a list hands it on to its items: pruning/algorithm.go, skipPrune
    for index, item in enumerate(value):
        within = items.ok.get(type(item), ())
        if within is not None and item not in within and (item is not None or not _default(items)):
            _value(item, items, (*path, index), found, kept=kept, branch=branch)
    _size(len(value), schema, "Items", path, found)
    if schema.get("uniqueItems") or schema.get("x-kubernetes-list-type") in {"set", "map"}:
        _unique(value, schema.get("x-kubernetes-list-map-keys", ()), path, found)


def _unique(value: Any, keys: list[str], path: Path, found: Found) -> None:
    seen: list[Any] = []
    for index, item in enumerate(value):
        identity = [item.get(key) for key in keys] if keys and isinstance(item, dict) else item
        if identity in seen:
            found.append(Violation((*path, index), Flaw.RULE, "repeats an earlier item"))
        seen.append(identity)


def _text(value: str, schema: Schema, path: Path, found: Found) -> None:
    pattern = schema.get("pattern")
    if pattern is not None:
        readable = expression(pattern)
        if readable is not None and not readable.search(value):
            found.append(Violation(path, Flaw.PATTERN, f"must match {pattern}, not {said(value)}"))
    _size(len(value), schema, "Length", path, found)


def _size(size: int, schema: Schema, what: str, path: Path, found: Found) -> None:
    noun = {"Items": "items", "Length": "characters", "Properties": "fields"}[what]
    least, most = schema.get(f"min{what}", size), schema.get(f"max{what}", size)
    if size < least:
        found.append(Violation(path, Flaw.RANGE, f"must have at least {least} {noun}, not {size}"))
    if size > most:
        found.append(Violation(path, Flaw.RANGE, f"must have at most {most} {noun}, not {size}"))


def _number(value: float, schema: Schema, path: Path, found: Found) -> None:
    least, most, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    wrong = []
    if least is not None and (value < least or (above and value == least)):
        wrong.append(f"must be {'above' if above else 'at least'} {least}, not {value}")
    if most is not None and (value > most or (below and value == most)):
        wrong.append(f"must be {'below' if below else 'at most'} {most}, not {value}")
    if step and abs(value / step - round(value / step)) > 1e-9:  # the tolerance of swag's IsFloat64AJSONInteger
        wrong.append(f"must be a multiple of {step}, not {value}")
    limit = 1 << BITS.get(schema.get("format", ""), 63)
    if schema.get("type") == "integer" and not -limit <= value < limit:
        wrong.append(f"must fit {schema.get('format', 'int64')}, unlike {value}")
    found.extend(Violation(path, Flaw.RANGE, text) for text in wrong)


def _listed(value: Any, choices: list[Any]) -> bool:
    """Membership by JSON's equality: true is not 1, and a null is in no enum (kube-openapi validator.go)."""
    return value is not None and any(
        choice == value and isinstance(choice, bool) is isinstance(value, bool) for choice in choices
    )


def _composed(value: Any, schema: Schema, path: Path, found: Found) -> None:
    """Judges by allOf and its like, over the value as it is after defaulting."""

    def of(branch: Schema) -> Found:
        inner: Found = []
        _value(value, Shape(branch), path, inner, branch=True)
        return inner

    for branch in schema.get("allOf", ()):
        found.extend(of(branch))
    passing = _passing(schema.get("oneOf"), of)
    if passing not in {None, 1}:
        found.append(Violation(path, Flaw.RULE, f"must fit exactly one form of oneOf, not {passing}"))
    if _passing(schema.get("anyOf"), of) == 0:
        found.append(Violation(path, Flaw.RULE, "must fit a form of anyOf"))
    if "not" in schema and not of(schema["not"]):
        found.append(Violation(path, Flaw.RULE, "must not have the form that `not` gives"))
    if isinstance(value, dict):
        _size(len(value), schema, "Properties", path, found)


def _passing(branches: list[Schema] | None, of: Callable[[Schema], Found]) -> int | None:
    return None if branches is None else sum(not of(branch) for branch in branches)


@cache
def expression(pattern: str) -> re.Pattern[str] | None:
    """An RE2 pattern for Python, or None where Python reads it otherwise: then it isn't judged."""
    if re.search(r"\[\[:|\\[pPCQz]|\(\?[a-zA-Z]*[sU]", pattern):
        return None
    # RE2's `$` is the very end, Python's also stands before a last line feed.
    ends = re.sub(r"\\.|\[\^?\]?(?:\\.|[^]\\])*\]|\$", lambda m: r"\Z" if m[0] == "$" else m[0], pattern)
    try:
        return re.compile(ends, re.ASCII)
    except re.error:
        return None
