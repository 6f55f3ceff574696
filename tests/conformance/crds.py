"""The operator's real CRDs as strict JSON Schemas: an own reading of them, beside the one that ships in facts/."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
import yaml

from generator.facts.release import Release
from tests.testing.shared import operator_data

FILES = {"ClusterPolicy": "clusterpolicies.yaml", "NVIDIADriver": "nvidiadrivers.yaml"}
SAME = ("enum", "pattern", "minimum", "maximum", "required", "minItems", "maxItems", "minLength", "maxLength")
PRESERVE, INT_OR_STRING = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"


def chart_values(release: Release) -> dict[str, Any]:
    """The chart's own values.yaml."""
    values: dict[str, Any] = _load(release.fields, "chart-values.yaml")
    return values


@cache
def schema(kind: str, fields: str) -> Mapping[str, Any]:
    """openAPIV3Schema of a kind's only version."""
    (version,) = _load(fields, FILES[kind])["spec"]["versions"]
    found: Mapping[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


@cache
def validator(kind: str, fields: str) -> jsonschema_rs.Draft202012Validator:
    """Refuses what an API server would refuse, prune or warn of."""
    whole = schema(kind, fields)
    return jsonschema_rs.Draft202012Validator(_closed({**whole, "properties": {**whole["properties"], "metadata": {}}}))


def _load(fields: str, name: str) -> Any:
    folder = operator_data()
    if folder is None:
        pytest.skip("../shared/operator is absent")
    load = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((folder / fields / name).read_text(encoding="utf-8"), load)


def _closed(node: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of a structural schema, with unknown fields refused."""
    closed: dict[str, Any] = {key: node[key] for key in SAME if key in node}
    if node.get(INT_OR_STRING):
        closed["type"] = ["integer", "string"]
    elif "type" in node:
        closed["type"] = node["type"]
    if "items" in node:
        closed["items"] = _closed(node["items"])
    if "properties" in node:
        closed["properties"] = {key: _closed(value) for key, value in node["properties"].items()}
    if isinstance(node.get("additionalProperties"), dict):
        closed["additionalProperties"] = _closed(node["additionalProperties"])
    elif "properties" in node and not node.get(PRESERVE):
        closed["additionalProperties"] = False
    return closed


def defaulted(value: Any, node: Mapping[str, Any]) -> Any:
    """The value as the API server stores it: every default below a parent that is there."""
    if isinstance(value, list):
        return [defaulted(item, node.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    fields, others = node.get("properties", {}), node.get("additionalProperties")
    filled = {key: fields[key]["default"] for key in fields if "default" in fields[key]} | value
    return {key: defaulted(inner, fields.get(key) or others or {}) for key, inner in filled.items()}
