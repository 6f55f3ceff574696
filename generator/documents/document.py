"""YAML documents, read exactly: every scalar as it was written, in one pass over libyaml's events.

Nothing is guessed. A plain scalar that readers disagree about stays `Ambiguous`; duplicate keys, tags,
several documents and oversized aliases are findings; no text makes it raise. Keys are always text. A mapping
keeps the file's order, merged keys behind its own. An alias is a copy: no two places share a list or mapping.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct
from yaml._yaml import CParser, Mark
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from generator.documents.places import DROPPED, ITEM, NEXT_KEY, Locator, Places
from generator.documents.scalar import MERGE, Ambiguous, is_null, key_text, resolve
from generator.documents.syntax import (
    ALIAS_BUDGET,
    MAX_DEPTH,
    Problem,
    character,
    decode,
    explain,
    in_value,
    spelled,
    unreadable,
)
from generator.finding import Finding, Place, invalid

__all__ = ["CATALOG", "INVENTORY", "Ambiguous", "Document", "Places", "Rules", "is_null", "places", "read"]

EMPTY: Final = Ambiguous("")
TOO_DEEP = (f"nested deeper than {MAX_DEPTH} levels", "flatten the document")


class Rules(Struct, frozen=True):
    """The rule ids that a kind of file reports its YAML problems under."""

    schema: str
    duplicate: str
    quoting: str


INVENTORY = Rules("inventory/schema", "inventory/duplicate", "inventory/quoting")
CATALOG = Rules("catalog/schema", "inventory/duplicate", "inventory/quoting")


class Document(Struct, frozen=True):
    """One document of dict, list, str, int, bool and Ambiguous; `value` is None where the file holds none.

    Beside findings it is what could be read, if anything: good for more findings, not for output.
    """

    value: Any
    findings: tuple[Finding, ...] = ()


def read(text: str | bytes, file: str, rules: Rules = INVENTORY) -> Document:
    """The one document of a file. All findings are INVALID; no input raises."""
    reader = _Reader(file, rules)
    decoded = decode(text)
    if isinstance(decoded, Problem):
        reader.problem(decoded)
        return Document(None, tuple(reader.findings))
    value = None
    try:
        problem = unreadable(decoded)
        value = None if problem else reader.read(decoded)
    except (YAMLError, UnicodeEncodeError) as error:
        problem = _explained(error, decoded)
    if problem:
        reader.problem(problem)
    return Document(value, tuple(reader.findings))


def is_yaml(data: bytes) -> bool:
    """Whether it can be taken apart as YAML at all, in a tenth of the time that `read` takes to say what it holds."""
    text = decode(data)
    if isinstance(text, Problem) or unreadable(text):
        return False
    try:
        CParser(text).raw_parse()
    except (YAMLError, UnicodeEncodeError):
        return False
    return True


def places(text: str | bytes, file: str) -> Places:
    """The places of a document, up to where it breaks. A second reading: only for findings and origins."""
    decoded = decode(text)
    if isinstance(decoded, Problem) or unreadable(decoded):
        return Places(file, None)
    locator = Locator(max(ALIAS_BUDGET, len(decoded)))
    with suppress(YAMLError, UnicodeEncodeError):
        _locate(decoded, file, locator)
    return Places(file, locator.root)


def _locate(text: str, file: str, locator: Locator) -> None:
    """Feed the events of the first document, as far as the reader would go."""
    next_event: Callable[[], Any] = CParser(text).get_event
    going = True
    while going:
        event = next_event()
        kind = event.__class__
        if kind is StreamEndEvent or (kind is DocumentStartEvent and locator.root is not None):
            return
        place = _place(file, event.start_mark)
        if kind is ScalarEvent:
            locator.scalar(place, event.value, plain=not event.style, anchor=event.anchor)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            locator.open(place, mapping=kind is MappingStartEvent, anchor=event.anchor)
            going = len(locator.frames) <= MAX_DEPTH
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            going = locator.close()
        elif kind is AliasEvent:
            going = locator.alias(place, event.anchor)


class _Reader:
    """One reading of one file. Its loop is one function on local names: it turns once for each scalar."""

    def __init__(self, file: str, rules: Rules) -> None:
        self.file = file
        self.rules = rules
        self.findings: list[Finding] = []
        self.anchors: dict[str, Any] = {}
        self.budget = ALIAS_BUDGET

    def read(self, text: str) -> Any:
        """The value of the first document, None where it ends early; what follows it is a finding."""
        self.budget = max(ALIAS_BUDGET, len(text))
        next_event: Callable[[], Any] = CParser(text).get_event
        resolved: dict[str, Any] = {"<<": MERGE}  # one object for each spelling: less work, less memory
        root: list[Any] = []
        container: Any = root
        key: Any = ITEM
        marks: dict[str, Mark] = {}  # of the container's keys
        merges: list[Any] = []  # the mappings that its `<<` brings
        anchor: str | None = None
        stack: list[tuple[Any, Any, dict[str, Mark], list[Any], str | None]] = []
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                value: Any = event.value
                if not event.style:
                    if value not in resolved:
                        resolved[value] = resolve(value)
                    value = resolved[value]
                elif event.style == '"' and not value.isprintable():
                    self.characters(event)
                if event.tag is not None:
                    self.tag(event)
                if event.anchor is not None:
                    self.anchors[event.anchor] = value
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if event.tag is not None:
                    self.tag(event)
                if len(stack) == MAX_DEPTH:
                    self.schema(event.start_mark, *TOO_DEEP)
                    return None
                stack.append((container, key, marks, merges, anchor))
                container, key = ({}, NEXT_KEY) if kind is MappingStartEvent else ([], ITEM)
                marks, merges, anchor = {}, [], event.anchor
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = container
                for merged in merges:
                    for name, inner in merged.items():
                        value.setdefault(name, inner)
                if anchor is not None:
                    self.anchors[anchor] = value
                container, key, marks, merges, anchor = stack.pop()
            elif kind is AliasEvent:
                if not self.affords(event, len(stack)):
                    return None
                value = _copy(self.anchors[event.anchor])
            elif kind is DocumentStartEvent and root:
                self.schema(event.start_mark, "a second document begins here", "keep one document in a file")
                return root[0]
            elif kind is StreamEndEvent:
                return root[0] if root and root[0] != EMPTY else None
            else:
                continue

            if key.__class__ is str:
                container[key] = value
                key = NEXT_KEY
            elif key is ITEM:
                container.append(value)
            elif key is NEXT_KEY:
                if value.__class__ is not str:
                    value = self.key(value, event.start_mark, merges)
                if value.__class__ is not str:
                    key = value
                elif value in marks:
                    self.repeated(f'"{value}"', event.start_mark, marks[value])
                    key = DROPPED
                else:
                    marks[value] = event.start_mark
                    key = value
            else:
                if key is MERGE:
                    merges += self.merged(value, event.start_mark)
                key = NEXT_KEY

    def key(self, value: Any, mark: Mark, merges: list[Any]) -> Any:
        """What a key that is not text stands for: its text, MERGE, or DROPPED with a finding."""
        if value is MERGE:
            if merges:
                self.repeated('"<<"', mark, None)
                return DROPPED
            merges.append({})  # so that a second one is seen
            return MERGE
        if isinstance(value, Ambiguous):
            if value.text:
                message = f"the key {value.text} is read as {value.reads_as}, not as text"
                self.add(self.rules.quoting, mark, message, "add quotes")
            else:
                self.schema(mark, "a key is missing", "write a key before the ':'")
            return value.text
        if isinstance(value, dict | list):
            self.schema(mark, "a list or a mapping is used as a key", "write text as the key")
            return DROPPED
        return key_text(value)

    def merged(self, value: Any, mark: Mark) -> list[dict[str, Any]]:
        """The mappings of a `<<`, the winning one first."""
        mappings = value if isinstance(value, list) else [value]
        if all(isinstance(mapping, dict) for mapping in mappings):
            return mappings
        self.schema(mark, '"<<" takes a mapping or a list of mappings', "merge an alias of a mapping")
        return []

    def affords(self, event: Any, depth: int) -> bool:
        """Whether an alias has an anchor, and its copy stays within the limits."""
        name = event.anchor
        if name not in self.anchors:
            hint = f"write &{name} before the value that it stands for"
            self.schema(event.start_mark, f"the alias *{name} has no anchor before it", hint)
            return False
        nodes, inner = _measure(self.anchors[name])
        self.budget -= nodes
        if self.budget < 0:
            message = f"the aliases up to *{name} stand for too many values"
            self.schema(event.start_mark, message, "write the values out, in several files")
            return False
        if depth + inner > MAX_DEPTH:
            self.schema(event.start_mark, *TOO_DEEP)
            return False
        return True

    def tag(self, event: Any) -> None:
        """A tag asks a reader to convert the value; nobody here does."""
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        self.schema(event.start_mark, f"the tag {tag} is not supported", "remove the tag, and quote the value")

    def characters(self, event: Any) -> None:
        """Escapes bring in what the raw text may not hold."""
        if character := in_value(event.value):
            message = f"the value holds the character {spelled(character)}"
            self.schema(event.start_mark, message, "remove the character")

    def repeated(self, key: str, mark: Mark, first: Mark | None) -> None:
        """The same key twice in one mapping."""
        if first is None:
            message, hint = f"{key} stands twice in one mapping", "merge a list of mappings with one <<"
        else:
            message, hint = f"the key {key} stands here and in line {first.line + 1}", "remove one of them"
        self.add(self.rules.duplicate, mark, message, hint)

    def schema(self, mark: Mark, message: str, hint: str) -> None:
        """A finding about the form of the file."""
        self.add(self.rules.schema, mark, message, hint)

    def problem(self, problem: Problem) -> None:
        """A finding about a text that is no document."""
        place = Place(self.file, problem.line, problem.column)
        self.findings.append(invalid(self.rules.schema, place, problem.message, problem.hint))

    def add(self, rule: str, mark: Mark, message: str, hint: str) -> None:
        """A finding at a mark."""
        self.findings.append(invalid(rule, _place(self.file, mark), message, hint))


def _place(file: str, mark: Mark) -> Place:
    return Place(file, mark.line + 1, mark.column + 1)


def _explained(error: YAMLError | UnicodeEncodeError, text: str) -> Problem:
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return character(text) or Problem(1, 1, f"not valid YAML: {error}", "correct the YAML of this file")
    at, start = error.problem_mark, error.context_mark
    began = None if start is None else (start.line, start.column)
    return explain(error.problem or "unreadable", error.context or "", (at.line, at.column), began, text)


def _measure(value: Any) -> tuple[int, int]:
    """Nodes and depth of a value."""
    if not isinstance(value, dict | list):
        return 1, 0
    inner = [_measure(item) for item in (value.values() if isinstance(value, dict) else value)]
    return 1 + sum(nodes for nodes, _ in inner), 1 + max((depth for _, depth in inner), default=0)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
