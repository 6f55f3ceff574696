"""From a document's plain values to a typed shape, or to every finding about it.

The fast way is one msgspec conversion. On its first failure the value is fitted (535 is "535" where text is meant) and
validated against the JSON Schema of the same model, which gives all errors with their paths.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from generator.declared.model import KINDS, strict_schema
from generator.declared.modelparts import Shape, decoded
from generator.documents.document import Ambiguous, Places, is_null
from generator.documents.scalar import is_too_large, named_day
from generator.documents.texts import Texts
from generator.finding import Finding, Place, Severity, invalid

type_names = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
Path = tuple[str | int, ...]
LONGEST = 80  # of what a message quotes
ONE_OF = {"arch": "architecture", "platforms": "platform"}
TOO_LARGE = "which is too large"
SMALLER = "write a smaller number"


class Shaped(NamedTuple):
    """A typed document beside the plain tree it came from; both absent where there are findings."""

    shape: Shape | None
    tree: dict[str, Any]
    findings: tuple[Finding, ...]


def shaped(kind: str, value: Mapping[str, Any], file: str, texts: Texts) -> Shaped:
    """The value as its kind's struct. `x-…` keys at the top hold anchors and notes; they are dropped here."""
    tree = {key: inner for key, inner in value.items() if not key.startswith("x-")}
    try:
        return Shaped(msgspec.convert(tree, KINDS[kind], dec_hook=decoded), tree, ())
    except msgspec.ValidationError:
        pass
    wanted = strict_schema(kind)
    fitting = _Fitting(wanted, texts.places(file))
    fitted = fitting.fit(tree, wanted, ())
    findings = (*fitting.findings, *_schema_findings(wanted, fitted, fitting))
    if findings:
        return Shaped(None, tree, findings)
    return Shaped(msgspec.convert(fitted, KINDS[kind], dec_hook=decoded), fitted, ())


def misfits(wanted: Mapping[str, Any], value: Any, places: Places) -> tuple[Finding, ...]:
    """What doesn't fit in an object of Kubernetes, of which nothing is taken for text that is none."""
    return tuple(_schema_findings(wanted, value, _Fitting(wanted, places)))


class _Fitting:
    """Turns what is text beyond doubt into text, and tells of what is not."""

    def __init__(self, root: Mapping[str, Any], places: Places) -> None:
        self.root = root
        self.defs = root["$defs"]
        self.places = places
        self.findings: list[Finding] = []
        self.reported: set[Path] = set()

    def fit(self, value: Any, wanted: Mapping[str, Any], path: Path) -> Any:
        wanted = self.resolved(wanted)
        if isinstance(value, dict):
            return {key: self.fit(inner, self.member(wanted, key), (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            items = self.items(wanted)
            return [self.fit(inner, items, (*path, index)) for index, inner in enumerate(value)]
        if wanted.get("format") == "date" and isinstance(value, (str, Ambiguous)) and not is_null(value):
            return self.day(value, wanted, path)
        if isinstance(value, Ambiguous):
            return self.ambiguous(value, wanted, path)
        if isinstance(value, (int, bool)) and self.kinds(wanted) == {"string"}:
            return str(value).lower() if isinstance(value, bool) else str(value)
        return value

    def day(self, value: str | Ambiguous, wanted: Mapping[str, Any], path: Path) -> str:
        """The text of a day: YAML 1.1 alone reads a date where none is quoted, and the same one."""
        text = value.text if isinstance(value, Ambiguous) else value
        if text and named_day(text) is None:
            self.reported.add(path)
            about = wanted["description"]
            message = f'{_name(path)} is "{cut(text)}", {about} is wanted'
            self.findings.append(invalid("inventory/schema", self.places.value(path), message, f"write {about}"))
        return text

    def ambiguous(self, value: Ambiguous, wanted: Mapping[str, Any], path: Path) -> Any:
        kinds = self.kinds(wanted)
        if not kinds:  # a field of the driver API: judged where its release is known
            return value
        self.reported.add(path)
        place = self.places.value(path)
        if is_null(value):
            written = f' (written "{value.text}")' if value.text else ""
            self.findings.append(
                invalid(
                    "inventory/schema", place, f"{_name(path)} is empty{written}", "give a value or leave the key out"
                )
            )
        elif "integer" in kinds and is_too_large(value.text):
            self.findings.append(
                invalid("inventory/schema", place, f"{_name(path)} is {cut(value.text)}, {TOO_LARGE}", SMALLER)
            )
        elif "string" in kinds and "integer" not in kinds:
            self.findings.append(quoting(place, _name(path), value.text))
        else:
            about = self.described(wanted) or _wanted(kinds)
            message = f"{_name(path)} is {cut(value.text)}, {about} is wanted"
            self.findings.append(invalid("inventory/schema", place, message, f"write {about}"))
        return value.text

    def resolved(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in wanted:
            wanted = self.defs[wanted["$ref"].rpartition("/")[2]]
        return wanted

    def alternatives(self, wanted: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [self.resolved(one) for one in wanted.get("anyOf", (wanted,))]

    def member(self, wanted: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        for one in self.alternatives(wanted):
            if key in one.get("properties", ()):
                return one["properties"][key]  # type: ignore[no-any-return]
            extra = one.get("additionalProperties")
            if isinstance(extra, Mapping):
                return extra
        return {}

    def items(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        return next((one["items"] for one in self.alternatives(wanted) if "items" in one), {})

    def described(self, wanted: Mapping[str, Any]) -> str:
        """What a pattern says that it takes, "" where none says it."""
        told = (one["description"] for one in self.alternatives(wanted) if "pattern" in one and "description" in one)
        return str(next(told, "")).replace("'", '"')

    def kinds(self, wanted: Mapping[str, Any]) -> set[str]:
        return {kind for one in self.alternatives(wanted) for kind in _kinds(one)}


def _kinds(wanted: Mapping[str, Any]) -> Iterator[str]:
    if "type" in wanted:
        yield wanted["type"]
    elif "enum" in wanted:
        yield "string"


def quoting(place: Place, name: str, text: str) -> Finding:
    """A plain scalar that YAML readers take for something else than the text that is meant."""
    text = cut(text)
    message = f"{name} is written {text} without quotes, which YAML readers don't take as that text"
    return Finding(
        rule="inventory/quoting",
        severity=Severity.INVALID,
        place=place,
        message=message,
        hint=f'add quotes: "{text}"',
        fact=text,
    )


def _schema_findings(wanted: Mapping[str, Any], value: Any, known: _Fitting, below: Path = ()) -> Iterator[Finding]:
    import jsonschema_rs

    for error in jsonschema_rs.validator_for(dict(wanted)).iter_errors(_as_json(value)):
        path: Path = (*below, *error.instance_path)
        meant = _meant(error, path, known)
        if meant is not None:
            yield from _schema_findings({**meant, "$defs": known.defs}, error.instance, known, path)
            continue
        # What stands in for a refused value may make all alternatives of its parent unfit.
        inside = type(error.kind).__name__ == "AnyOf" and any(seen[: len(path)] == path for seen in known.reported)
        if not inside and not any(path[: len(seen)] == seen for seen in known.reported):
            yield from _told(error, path, known)


def _meant(error: Any, path: Path, known: _Fitting) -> Mapping[str, Any] | None:
    """Of several alternatives the one that a mapping or a list is meant for, so that it is told what is wrong in it."""
    if type(error.kind).__name__ != "AnyOf":
        return None
    kind = "object" if isinstance(error.instance, dict) else "array" if isinstance(error.instance, list) else ""
    meant = [one for one in known.alternatives(_at(known, path)) if kind and one.get("type") == kind]
    return meant[0] if len(meant) == 1 else None


def _as_json(value: Any) -> Any:
    """The same value for a validator that knows JSON only: what is still ambiguous stands where anything may."""
    if isinstance(value, dict):
        return {key: _as_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_json(inner) for inner in value]
    return value.text if isinstance(value, Ambiguous) else value


def _told(error: Any, path: Path, known: _Fitting) -> Iterator[Finding]:
    kind, places = type(error.kind).__name__, known.places
    if kind == "AdditionalProperties":
        allowed = sorted({key for one in known.alternatives(_at(known, path)) for key in one.get("properties", ())})
        for key in error.kind.unexpected:
            hint = (
                _deeper(key, path, allowed, known)
                or did_you_mean(key, allowed)
                or f"remove it; known keys are {', '.join(allowed)}"
            )
            yield invalid(
                "inventory/schema", places.key((*path, key)), f'unknown key "{cut(key)}"{_inside(path)}', hint
            )
        return
    place = places.value(path)
    if kind == "Required":
        missing = error.kind.property
        yield invalid("inventory/schema", place, f'"{missing}" is missing{_inside(path)}', f"add {missing}")
    elif kind == "Enum":
        options = [str(option) for option in error.kind.options]
        message = f"{_name(path)} is {_shown(error.instance)}, one of {', '.join(options)} is wanted"
        yield invalid(
            "inventory/schema",
            place,
            message,
            did_you_mean(str(error.instance), options) or f"write {' or '.join(options)}",
        )
    elif kind == "MinItems":
        one = f"at least one {ONE_OF.get(str(path[-1]), 'entry')}"
        yield invalid("inventory/schema", place, f"{_name(path)} is empty, {one} is wanted", f"name {one}")
    elif not (kind == "Pattern" and error.instance == "" and _at(known, path).get("minLength")):  # told as that
        about = _about(known, path, kind, error)
        misfit = _misfit(error.instance, about, _at(known, path)["pattern"]) if kind == "Pattern" else ""
        message = f"{_name(path)} is {_shown(error.instance)}, {misfit or f'{about} is wanted'}"
        yield invalid("inventory/schema", place, message, f"write {about}")


def _deeper(key: str, path: Path, allowed: Iterable[str], known: _Fitting) -> str:
    """A key that stands one level too high."""
    inner = {one: known.alternatives(_at(known, (*path, one))) for one in allowed}
    homes = [one for one, wanted in inner.items() if any(key in each.get("properties", ()) for each in wanted)]
    return f"write it inside {' or '.join(homes)}" if homes else ""


def _misfit(text: str, about: str, pattern: str) -> str:
    """How a name breaks its pattern, whose description says which characters it takes; "" where it doesn't say."""
    holds = re.search(r"\(((?:lower-case )?letters\b[^)]*)\)", about)
    if holds is None or not text:
        return ""
    if not all(re.search(pattern, f"a{char}a") for char in set(text)):
        return f"which holds more than {holds[1]}"
    end = next((char for char in (text[0], text[-1]) if not re.search(pattern, char)), "")
    return f'which begins or ends with "{end}"' if end else ""


def _about(known: _Fitting, path: Path, kind: str, error: Any) -> str:
    """What the schema wants at a path, in words."""
    wanted = _at(known, path)
    if kind in {"Pattern", "AnyOf"} and (told := known.described(wanted)):
        return told
    if kind == "Pattern":
        return f"text that matches {wanted.get('pattern', '')}"
    limits = {
        "MinLength": "text that is not empty",
        "Minimum": f"a number of at least {wanted.get('minimum', 0)}",
        "MaxLength": f"text of at most {wanted.get('maxLength', '')} characters",
    }
    if kind in limits:
        return limits[kind]
    parts = []
    for one in known.alternatives(wanted):
        keys = f" with {', '.join(one['properties'])}" if kind == "AnyOf" and "properties" in one else ""
        parts += [type_names[name] + keys for name in _kinds(one)]
    return " or ".join(parts) or str(error.message)


def _at(known: _Fitting, path: Path) -> Mapping[str, Any]:
    wanted = known.resolved(known.root)
    for step in path:
        wanted = known.resolved(known.items(wanted) if isinstance(step, int) else known.member(wanted, step))
    return wanted


def did_you_mean(word: str, known: list[str]) -> str:
    """`did you mean "…"?`, or nothing where no known word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1, cutoff=0.6) if len(word) <= LONGEST else ()
    return f'did you mean "{near[0]}"?' if near else ""


def _wanted(kinds: set[str]) -> str:
    return " or ".join(type_names[kind] for kind in sorted(kinds))


def _name(path: Path) -> str:
    return ".".join(cut(str(step)) for step in path) or "the document"


def _inside(path: Path) -> str:
    return f" in {_name(path)}" if path else ""


def cut(text: str) -> str:
    """As much of a text as a message quotes."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{cut(value)}"' if value else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else str(value)
