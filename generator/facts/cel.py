"""The CEL rules of a CRD that are known here by their text. No other rule is judged.

Rules that compare with the object before ("self == oldSelf") are none of one object: operator/immutable-change.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from generator.facts.defaulting import NO_SCHEMA, Schema
from generator.facts.violation import Flaw, Violation

_RULES_KEY: Final = "x-kubernetes-validations"


class Rule(Struct, frozen=True):
    """One CEL rule at a path of object fields. `text` has its white space collapsed."""

    path: tuple[str, ...]
    text: str
    message: str


def _default_without_selector(spec: Any) -> bool:
    """Reads the spec as it was written: both fields' defaults pass, and a null in the selector is dropped."""
    selector = spec.get("nodeSelector") or {}
    return spec.get("default") is not True or all(value is None for value in selector.values())


# NVIDIADriver's rule of one object in every supported release: api/nvidia/v1alpha1/nvidiadriver_types.go.
_KNOWN: Final[dict[str, Callable[[Any], bool]]] = {
    "has(self.default) && self.default ? !has(self.nodeSelector) || size(self.nodeSelector) == 0 : true": (
        _default_without_selector
    ),
}


def rules(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[Rule]:
    """The known rules of a schema and of the fields below it; one visit of them all, so keep the answer."""
    for rule in schema.get(_RULES_KEY, ()):
        text = " ".join(rule["rule"].split())
        if text in _KNOWN:
            yield Rule(path, text, rule.get("message", f"breaks the rule {text}"))
    for key, field in schema.get("properties", NO_SCHEMA).items():
        yield from rules(field, (*path, key))


def broken(known: tuple[Rule, ...], value: Any) -> Iterator[Violation]:
    """The known rules that a structurally sound value breaks."""
    for rule in known:
        at = _written(value, rule.path)
        if at is not None and not _KNOWN[rule.text](at):
            yield Violation(rule.path, Flaw.RULE, rule.message)


def _written(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
