"""`driver.spec`, the user's own fields of the driver API, made to fit the CRD of the declared release.

What is text beyond doubt becomes text; what a reader would have to guess, and what the CRD refuses, is told. Fields
that the release doesn't have stay as they are: operator/unknown-field tells of them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from generator.declared.fleet import Operator
from generator.declared.layers import Level, below, merged, origin
from generator.declared.shape import SMALLER, TOO_LARGE, cut, did_you_mean, quoting, type_names
from generator.documents.places import Path
from generator.documents.scalar import Ambiguous, is_null, is_too_large, key_text
from generator.documents.texts import Texts
from generator.facts import crd
from generator.facts.defaulting import INT_OR_STRING, Schema, child
from generator.facts.release import DriverApi, Release
from generator.facts.structural import Shape, violations
from generator.facts.violation import Flaw, Violation, dotted
from generator.finding import Finding, Place, Severity

# What drivergate itself decides, and the key of the inventory that says it.
_DRIVER: Final = {
    "image": "set driver.repository to the whole name, nvcr.io/nvidia/driver",
    "kernelModuleType": "set driver.kernelModuleType",
    "repository": "set driver.repository",
    "upgradePolicy": "set driver.upgradePolicy",
    "useOpenKernelModules": "set driver.kernelModuleType: open, or proprietary",
    "usePrecompiled": "set driver.mode: precompiled, or compiled",
    "version": "set driver.branch or driver.version",
}
OWNED: Final[Mapping[DriverApi, Mapping[str, str]]] = {
    DriverApi.NVIDIADRIVER: {
        **_DRIVER,
        "default": "set default: true on the pool",
        "nodeSelector": "set nodeSelector on the pool",
        "tolerations": "set taints on the pool: each becomes a toleration",
    },
    DriverApi.CLUSTERPOLICY: {
        **_DRIVER,
        "enabled": "set driver.mode: unmanaged where the operator should bring no driver",
        "useNvidiaDriverCRD": "set operator.driverApi",
    },
}

Lookup = Callable[[Path, bool], Place]  # the place of a path's value, or of its key
NOTHING: Final[Mapping[str, Any]] = {}


def crd_path(api: DriverApi) -> Path:
    """Where the driver's own fields begin below the `spec` of the kind."""
    return ("driver",) if api is DriverApi.CLUSTERPOLICY else ()


def fitted(
    api: DriverApi, release: Release, spec: Mapping[str, Any], place: Lookup
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The spec without what drivergate owns, of dicts, lists and JSON's scalars, and what is wrong with it."""
    fitting = _Fitting(place)
    kept = {}
    for key, value in spec.items():
        if key in OWNED[api]:
            fitting.owned(key, OWNED[api][key])
        else:
            kept[key] = value
    shape = _shape(api, release.fields, release.lacks(api))
    made: dict[str, Any] = fitting.fit(kept, shape.schema, ())
    for violation in violations(made, shape):
        fitting.refused(violation, made, f"{api} of operator {release.version}")
    # What reads the spec relies on the types of the CRD, so a field that doesn't have them goes no further.
    unfit = {path[0] for path in fitting.refused_at if path}
    return {key: value for key, value in made.items() if key not in unfit}, tuple(fitting.findings)


def unknown_fields(api: DriverApi, release: Release, spec: Mapping[str, Any]) -> Iterator[Path]:
    """The paths of a fitted spec at which the CRD of the release ends."""
    for violation in violations(spec, _shape(api, release.fields, release.lacks(api))):
        if violation.kind is Flaw.UNKNOWN:
            yield violation.path


class Specs:
    """Fits each distinct spec of one inventory once, and tells each mistake once.

    A spec is known by the mappings that it is merged from: the inventory holds them for as long as this lives.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.findings: list[Finding] = []
        self._made: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        self._told: set[tuple[Place, str]] = set()

    def fitted(self, driver: tuple[Level, ...], operator: Operator) -> Mapping[str, Any]:
        """The effective `spec` of a driver's levels, nearest first."""
        levels = below(driver, "spec")
        if not levels:
            return NOTHING
        key = (operator.driver_api, operator.release.version, *(id(level.value) for level in levels))
        found = self._made.get(key)
        if found is None:
            place = _place(levels, self.texts)
            found, problems = fitted(operator.driver_api, operator.release, merged(levels), place)
            self._made[key] = found
            for problem in problems:
                if (problem.place, problem.message) not in self._told:
                    self._told.add((problem.place, problem.message))
                    self.findings.append(problem)
        return found


def _place(levels: tuple[Level, ...], texts: Texts) -> Lookup:
    def look(path: Path, key: bool) -> Place:
        for end in range(len(path), -1, -1):
            if found := origin(levels, path[:end]):
                level, whole = found
                return (texts.key if key else texts.value)(level.file, whole)
        return Place(levels[0].file)

    return look


@cache
def _shape(kind: str, data_release: str, lacks: frozenset[str]) -> Shape:
    found = crd.field(kind, data_release, crd_path(DriverApi(kind)), lacks)
    assert found is not None
    return Shape(found)


class _Fitting:
    """One walk of a spec: the values that fit, and the findings about those that don't."""

    def __init__(self, place: Lookup) -> None:
        self.place = place
        self.findings: list[Finding] = []
        self.reported: set[Path] = set()
        self.refused_at: list[Path] = []

    def owned(self, key: str, hint: str) -> None:
        message = f"{_name((key,))} is what drivergate sets from the inventory's own keys"
        self._told((key,), message, hint, key=True)

    def fit(self, value: Any, schema: Schema | None, path: Path) -> Any:
        if isinstance(value, dict):
            return {
                key: self.fit(inner, None if schema is None else child(schema, key), (*path, key))
                for key, inner in value.items()
            }
        if isinstance(value, list):
            items = None if schema is None else schema.get("items")
            return [self.fit(inner, items, (*path, index)) for index, inner in enumerate(value)]
        if isinstance(value, Ambiguous):
            if schema is not None:
                self._ambiguous(value, schema, path)
            return value.text
        wants_text = schema is not None and schema.get("type") == "string" and INT_OR_STRING not in schema
        return key_text(value) if wants_text and isinstance(value, int) else value

    def _ambiguous(self, value: Ambiguous, schema: Schema, path: Path) -> None:
        kind = "string" if INT_OR_STRING in schema else schema.get("type", "string")
        self.reported.add(path)
        self.refused_at.append(path)
        if is_null(value):
            written = f' (written "{value.text}")' if value.text else ""
            self._told(path, f"{_name(path)} is empty{written}", "give a value or leave the key out")
        elif kind == "string":
            self.findings.append(quoting(self.place(path, False), _name(path), value.text))
        elif kind == "integer" and is_too_large(value.text):
            self._told(path, f"{_name(path)} is {cut(value.text)}, {TOO_LARGE}", SMALLER)
        else:
            wanted = type_names[kind]
            self._told(path, f"{_name(path)} is {cut(value.text)}, {wanted} is wanted", f"write {wanted}")

    def refused(self, violation: Violation, made: Any, by: str) -> None:
        """What the CRD refuses; unknown fields are the rules' to tell."""
        path = violation.path
        if violation.kind is Flaw.UNKNOWN or any(path[: len(seen)] == seen for seen in self.reported):
            return
        self.refused_at.append(path)
        hint = "write what the field takes, or leave it out"
        if violation.kind is Flaw.MISSING:
            hint = f"add {path[-1]}"
        elif violation.kind is Flaw.ENUM:
            choices = violation.message.partition(", not ")[0].split('"')[1::2]
            hint = did_you_mean(str(_at(made, path)), choices) or "write one of them"
        self._told(path, f"{_name(path)} {violation.message} ({by})", hint)

    def _told(self, path: Path, message: str, hint: str, *, key: bool = False) -> None:
        place = self.place(path, key)
        finding = Finding(rule="inventory/schema", severity=Severity.INVALID, place=place, message=message, hint=hint)
        self.findings.append(finding)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _name(path: Path) -> str:
    return f"driver.spec.{dotted(path)}" if path else "driver.spec"
