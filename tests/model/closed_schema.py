"""A CRD's structural schema as a closed JSON Schema (draft 2020-12), as another validator
judges it.

Says the same as `structural.violations` but for CEL rules, sets and map lists.
"""

from typing import Any, Final

from generator.facts.defaulting import INT_OR_STRING, PRESERVE, Schema
from generator.facts.structural import EMBEDDED

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SAME: Final = (
    "default", "description", "enum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "pattern", "uniqueItems",
)  # fmt: skip
_BOUNDS: Final = {
    "int32": {"minimum": -(1 << 31), "maximum": (1 << 31) - 1},
    "int64": {"minimum": -(1 << 63), "maximum": (1 << 63) - 1},
}


def closed(schema: Schema) -> dict[str, Any]:
    """The whole schema with unknown fields refused wherever an API server would prune them."""
    return {"$schema": DIALECT, **_node(schema)}


def _node(schema: Schema, *, null: bool = False, branch: bool = False) -> dict[str, Any]:
    """`null`: a field whose null the server drops or defaults, so that it is no error."""
    out: dict[str, Any] = {key: schema[key] for key in _SAME if key in schema}
    types = ["integer", "string"] if INT_OR_STRING in schema else [schema["type"]] if "type" in schema else []
    null = null or bool(schema.get("nullable"))
    if types:
        out["type"] = [*types, "null"] if null else types[0] if len(types) == 1 else types
    if null and "enum" in schema and not schema.get("nullable"):
        out["enum"] = [*schema["enum"], None]
    if "integer" in types and INT_OR_STRING not in schema:
        out = {**_BOUNDS.get(schema.get("format", "int64"), {}), **out}
    for bound in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{bound}"):
            out[f"exclusive{bound}"] = out.pop(bound.lower())
    if "items" in schema:
        out["items"] = _node(schema["items"], null="default" in schema["items"], branch=branch)
    _object(schema, out, branch=branch)
    _branches(schema, out)
    return out


def _object(schema: Schema, out: dict[str, Any], *, branch: bool) -> None:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    if properties:
        out["properties"] = {key: _node(field, null=True, branch=branch) for key, field in properties.items()}
    needed = [key for key in schema.get("required", ()) if properties.get(key, {}).get("default") is None]
    for key in needed:
        if key in properties and not branch:
            out["properties"][key] = _node(properties[key])
    if needed:
        out["required"] = needed
    if isinstance(others, dict):
        out["additionalProperties"] = _node(others, null=True, branch=branch)
    elif schema.get("type") == "object" and not (others or branch or PRESERVE in schema):
        if EMBEDDED in schema:
            out["properties"] = {"apiVersion": {}, "kind": {}, "metadata": {}, **out.get("properties", {})}
        out["additionalProperties"] = False


def _branches(schema: Schema, out: dict[str, Any]) -> None:
    if INT_OR_STRING in schema and "allOf" not in schema:
        return  # its anyOf says integer or string once more
    for word in ("allOf", "anyOf", "oneOf"):
        if word in schema:
            out[word] = [_node(branch, branch=True) for branch in schema[word]]
    if "not" in schema:
        out["not"] = _node(schema["not"], branch=True)
