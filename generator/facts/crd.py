"""The operator's own custom resources, release by release: fields, defaults, and what its API server refuses.

`kind` is ClusterPolicy or NVIDIADriver, `data_release` one of RELEASES. `missing` names the fields, as dotted
paths under `spec`, that an earlier patch release of the same line lacks (v26.3.0: `hostNetwork` of an
NVIDIADriver, `driver.hostNetwork` of a ClusterPolicy). Paths start below `spec`. The data are the CRDs of
NVIDIA/gpu-operator `deployments/gpu-operator/crds` at the release's tag, without descriptions.
"""

from functools import cache
from typing import Any, Final

from generator.facts.data import read_json
from generator.facts.defaulting import PRESERVE, Schema, child
from generator.facts.defaulting import defaulted as with_defaults
from generator.facts.definition import Checks, Definition, checks, define, judge
from generator.facts.violation import Path, Violation

RELEASES: Final = ("v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0")
NONE: Final[frozenset[str]] = frozenset()


@cache
def schema(kind: str, data_release: str, missing: frozenset[str] = NONE) -> Schema:
    """The structural schema of `spec`. Shared: read it, never change it."""
    spec: Schema = _facts(kind, data_release)["spec"]
    for name in missing:
        spec = _without(spec, name.split("."))
    return spec


def violations(kind: str, data_release: str, spec: Any) -> tuple[Violation, ...]:
    """What the API server of that release refuses in a `spec` under fieldValidation=Strict."""
    return judge(_checks(kind, data_release), spec)


def defaulted(kind: str, data_release: str, spec: Any, missing: frozenset[str] = NONE) -> dict[str, Any]:
    """The spec as the API server stores it: defaults under parents that are present, and no nulls."""
    filled: dict[str, Any] = with_defaults(spec, schema(kind, data_release, missing))
    return filled


@cache
def definition(kind: str, data_release: str, missing: frozenset[str] = NONE) -> Definition:
    """The same facts for a whole object, its status being anything."""
    facts = _facts(kind, data_release)
    properties = {"spec": schema(kind, data_release, missing), "status": {"type": "object", PRESERVE: True}}
    root = {"type": "object", "properties": properties}
    return define(facts["group"], facts["version"], kind, root, namespaced=facts["scope"] == "Namespaced")


def field(kind: str, data_release: str, path: Path, missing: frozenset[str] = NONE) -> Schema | None:
    """The schema at a path; a number steps into a list. None where that release has no such field."""
    found: Schema | None = schema(kind, data_release, missing)
    for part in path:
        if found is None:
            return None
        found = found.get("items") if isinstance(part, int) else child(found, part)
    return found


def has_field(kind: str, data_release: str, path: Path, missing: frozenset[str] = NONE) -> bool:
    return field(kind, data_release, path, missing) is not None


def releases_with(kind: str, path: Path) -> tuple[str, ...]:
    """The releases that have the field, oldest first."""
    return tuple(release for release in RELEASES if has_field(kind, release, path))


def field_names(kind: str, data_release: str, path: Path = (), missing: frozenset[str] = NONE) -> tuple[str, ...]:
    """The names of the fields right below a path, sorted; none for a map, a list or a scalar."""
    return tuple(sorted((field(kind, data_release, path, missing) or {}).get("properties", ())))


@cache
def _facts(kind: str, data_release: str) -> dict[str, Any]:
    facts: dict[str, Any] = read_json(f"crd/{data_release}-{kind.lower()}.json")
    return facts


@cache
def _checks(kind: str, data_release: str) -> Checks:
    return checks(schema(kind, data_release))


def _without(spec: Schema, path: list[str]) -> Schema:
    """A copy without one field; the same where it isn't there."""
    first, *rest = path
    properties = spec.get("properties", {})
    if first not in properties:
        return spec
    if rest:
        kept = {**properties, first: _without(properties[first], rest)}
    else:
        kept = {key: value for key, value in properties.items() if key != first}
    return {**spec, "properties": kept}
