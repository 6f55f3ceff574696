"""The CEL rules of a CRD that are known here by their text; all others are counted, never guessed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from generator.facts.defaulting import NO_SCHEMA, Schema, defaulted
from generator.facts.structural import expression
from generator.facts.violation import Flaw, Violation

_RULES_KEY: Final = "x-kubernetes-validations"


class Rule(Struct, frozen=True):
    """One CEL rule at a path of object fields. `text` has its white space collapsed."""

    path: tuple[str, ...]
    text: str
    message: str


class Rules(Struct, frozen=True):
    """The rules that `broken` judges, and how many constraints of the schema nobody here judges."""

    known: tuple[Rule, ...] = ()
    unjudged: int = 0


def _default_without_selector(spec: Any) -> bool:
    """Reads the spec as it was written: both fields' defaults pass, and a null in the selector is dropped."""
    selector = spec.get("nodeSelector") or {}
    return spec.get("default") is not True or all(value is None for value in selector.values())


# NVIDIADriver's rules in every supported release: api/nvidia/v1alpha1/nvidiadriver_types.go.
_UNCHANGED: Final = "self == oldSelf"
_KNOWN: Final[dict[str, Callable[[Any], bool]]] = {
    "has(self.default) && self.default ? !has(self.nodeSelector) || size(self.nodeSelector) == 0 : true": (
        _default_without_selector
    ),
}


def rules(schema: Schema) -> Rules:
    """Every rule of a schema; one visit of the whole schema, so keep the answer."""
    known: list[Rule] = []
    unjudged = 0
    for path, node in _nodes(schema, ()):
        for rule in node.get(_RULES_KEY, ()):
            text = " ".join(rule["rule"].split())
            if path is None or text not in {_UNCHANGED, *_KNOWN} or "optionalOldSelf" in rule:
                unjudged += 1
            else:
                known.append(Rule(path, text, rule.get("message", f"breaks the rule {text}")))
        unjudged += _unread(node)
    return Rules(tuple(known), unjudged)


def broken(known: tuple[Rule, ...], schema: Schema, new: Any, old: Any | None = None) -> Iterator[Violation]:
    """The known rules that a structurally sound value breaks; transition rules only where `old` is given."""
    for rule in known:
        if rule.text == _UNCHANGED:
            # Compared as stored; with one side absent it is no transition (k8s docs, "Transition rules").
            before = _stored(old, schema, rule.path)
            held = before is None or _stored(new, schema, rule.path) in (None, before)
        else:
            at = _written(new, rule.path)
            held = at is None or _KNOWN[rule.text](at)
        if not held:
            yield Violation(rule.path, Flaw.RULE, rule.message)


def _written(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _stored(value: Any, schema: Schema, path: tuple[str, ...]) -> Any:
    """What defaulting leaves at a path, without a copy of everything beside it."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        schema = schema["properties"][key]
        value = value.get(key)
        value = schema.get("default") if value is None else value
    return defaulted(value, schema)


def _nodes(schema: Schema, path: tuple[str, ...] | None) -> Iterator[tuple[tuple[str, ...] | None, Schema]]:
    """Each node with its path; None below lists and maps, where old and new need correlation."""
    yield path, schema
    for key, field in schema.get("properties", NO_SCHEMA).items():
        yield from _nodes(field, None if path is None else (*path, key))
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from _nodes(inner, None)


def _unread(node: Schema) -> int:
    """Formats of strings, and patterns that Python can't read."""
    pattern = node.get("pattern")
    return (node.get("type") == "string" and "format" in node) + (pattern is not None and expression(pattern) is None)
