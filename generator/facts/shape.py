"""A CRD's structural schema made ready for the walk of `structural.violations`."""

from collections.abc import Container
from typing import Any, Final

from generator.facts.defaulting import INT_OR_STRING, NO_SCHEMA, Schema

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
