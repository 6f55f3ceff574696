"""Custom resources as a CustomResourceDefinition declares them, and the strict judgement of an object."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

from generator.facts.cel import Rule, broken, rules
from generator.facts.defaulting import PRESERVE, Schema
from generator.facts.structural import Shape, violations
from generator.facts.violation import Flaw, Violation

# strategy.go hasBlockingErr: with one of these, CEL rules aren't looked at.
_BLOCKING: Final = frozenset({Flaw.MISSING, Flaw.TYPE, Flaw.ENUM})
_TEXT: Final = {"type": "string"}
_TIME: Final = {"type": "string", "nullable": True}
_NUMBER: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_TEXTS: Final = {"type": "object", "additionalProperties": _TEXT}
_OWNER: Final = {
    **dict.fromkeys(("apiVersion", "kind", "name", "uid"), _TEXT),
    **dict.fromkeys(("blockOwnerDeletion", "controller"), _FLAG),
}
# apimachinery pkg/apis/meta/v1/types.go ObjectMeta.
_METADATA: Final[dict[str, Any]] = {
    **dict.fromkeys(("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"), _TEXT),
    **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), _TIME),
    **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), _NUMBER),
    **dict.fromkeys(("labels", "annotations"), _TEXTS),
    "finalizers": {"type": "array", "items": _TEXT},
    "ownerReferences": {"type": "array", "items": {"type": "object", "properties": _OWNER}},
    "managedFields": {"type": "array", "items": {"type": "object", PRESERVE: True}},
}


_SCALARS: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("type", "pattern", "format", "x-kubernetes-list-type"), str),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), (int, float)),
    **{f"{end}{what}": int for end in ("min", "max") for what in ("Length", "Items", "Properties")},
    "x-kubernetes-list-map-keys": list,
}


class Checks(Struct, frozen=True):
    """A schema with what is worked out from it once: the shape for the walk and the known CEL rules."""

    schema: Schema
    shape: Shape
    rules: tuple[Rule, ...]


def checks(schema: Schema) -> Checks:
    return Checks(schema, Shape(schema), tuple(rules(schema)))


class Definition(Struct, frozen=True, kw_only=True):
    """One served version of a custom resource; `checks` are for the whole object."""

    group: str
    version: str
    kind: str
    namespaced: bool
    checks: Checks

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"


def definitions(crd: Any) -> tuple[Definition, ...]:
    """The served versions that a parsed CustomResourceDefinition (apiextensions.k8s.io/v1) declares.

    Empty for anything else, and without the versions whose schema an API server would not take.
    """
    match crd:
        case {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {"group": str(group), "names": {"kind": str(kind)}, "versions": list(versions), **spec},
        }:
            namespaced = spec.get("scope") == "Namespaced"
            keep = {PRESERVE: True} if spec.get("preserveUnknownFields") is True else {}
            found = [(str(name), root) for name, root in _served(versions) if _sound(root)]
            return tuple(define(group, name, kind, {**root, **keep}, namespaced=namespaced) for name, root in found)
    return ()


def define(group: str, version: str, kind: str, root: Schema, *, namespaced: bool) -> Definition:
    """A definition over the schema of the whole object, with the metadata that every object has."""
    own = root.get("properties", {})
    metadata = {
        "type": "object",
        "properties": {**_METADATA, **own.get("metadata", {}).get("properties", {})},
    }
    every = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": metadata}
    schema = {**root, "properties": {**own, **every}}
    return Definition(group=group, version=version, kind=kind, namespaced=namespaced, checks=checks(schema))


def judge(judged: Checks, value: Any) -> tuple[Violation, ...]:
    """Everything that strict validation refuses in a value.

    CEL rules are looked at only where the structure lets an API server look at them. A field that is wrong in
    both is said as well, though an API server lets it pass unchanged (KEP-4008, ratcheting).
    """
    found = violations(value, judged.shape)
    if judged.rules and not any(violation.kind in _BLOCKING for violation in found):
        found += broken(judged.rules, value)
    return tuple(found)


def _served(versions: list[Any]) -> Iterable[tuple[str, Any]]:
    for version in versions:
        match version:
            case {"name": str(name), "served": True, "schema": {"openAPIV3Schema": root}}:
                yield name, root


def _sound(schema: Any) -> bool:
    """Whether each part of a schema is of the type that the walk relies on."""
    if not isinstance(schema, dict) or schema.get("additionalProperties") is False:
        return False
    properties, required = schema.get("properties", {}), schema.get("required", [])
    branches = [schema.get(word, []) for word in ("allOf", "anyOf", "oneOf")]
    rules_of = schema.get("x-kubernetes-validations", [])
    listed = [*branches, required, schema.get("enum", []), rules_of]
    if not isinstance(properties, dict) or not all(isinstance(part, list) for part in listed):
        return False
    if not all(isinstance(rule, dict) and isinstance(rule.get("rule"), str) for rule in rules_of):
        return False
    if not all(isinstance(schema[word], kind) for word, kind in _SCALARS.items() if word in schema):
        return False
    others = schema.get("additionalProperties", True)
    nested = [*properties.values(), *(part for branch in branches for part in branch)]
    nested += [schema[key] for key in ("items", "not") if key in schema]
    nested += [] if others is True else [others]
    return all(_sound(part) for part in nested)
