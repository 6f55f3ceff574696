"""What an API server makes of nulls and absent fields before it validates.

Source: apiextensions-apiserver `pkg/apiserver/schema/defaulting/{prunenulls,algorithm}.go`, Kubernetes v1.36.
"""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

INT_OR_STRING: Final = "x-kubernetes-int-or-string"
PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
NO_SCHEMA: Final[Schema] = {}


def child(schema: Schema, key: str) -> Schema | None:
    """The schema of a field or of a map's value; None where the schema knows neither."""
    field: Schema | None = schema.get("properties", NO_SCHEMA).get(key)
    if field is not None:
        return field
    others = schema.get("additionalProperties")
    return others if isinstance(others, dict) else None


def settled(value: Any, schema: Schema | None, *, present: bool) -> bool:
    """Whether a place holds a value once nulls are dropped and defaults are filled in."""
    if value is not None:
        return True
    if schema is None:
        return present
    return schema.get("default") is not None or (present and bool(schema.get("nullable")))


def defaulted(value: Any, schema: Schema) -> Any:
    """A copy with every default that applies: under present parents, and for nulls that aren't nullable.

    Such a null without a default is dropped from an object and stays in a list. Fields that the schema
    doesn't know stay as they are.
    """
    if isinstance(value, dict):
        return _object(value, schema)
    if isinstance(value, list | tuple):
        items = schema.get("items", NO_SCHEMA)
        return [_unless_null(item, items) for item in value]
    return value


def _object(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    filled = {}
    for key, item in value.items():
        field = child(schema, key)
        if settled(item, field, present=True):
            filled[key] = _unless_null(item, field or NO_SCHEMA)
    for key, field in schema.get("properties", NO_SCHEMA).items():
        if key not in value and field.get("default") is not None:
            filled[key] = defaulted(field["default"], field)
    return filled


def _unless_null(value: Any, schema: Schema) -> Any:
    """A null stays where it is nullable; elsewhere the default takes its place, itself defaulted."""
    if value is None and not schema.get("nullable"):
        value = schema.get("default")
    return defaulted(value, schema)
