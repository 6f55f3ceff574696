"""Edits of a document that people wrote: an item more or less, a key set, moved or removed. No other line changes.

ruamel.yaml edits the tree, and what that changes in its round trip is put into the people's own text. Then the edit is
proven: the exact reader must find exactly what was meant in the whole document, and every comment and blank line must
still be there, in order, but a comment behind an item that was removed. All changes of an edit are made, or none is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString
from ruamel.yaml.tag import Tag
from ruamel.yaml.tokens import (
    DirectiveToken,
    DocumentEndToken,
    DocumentStartToken,
    StreamEndToken,
    StreamStartToken,
)

from generator.documents.changes import (
    AddItem,
    CantEdit,
    Change,
    MoveKey,
    RemoveItem,
    RemoveKey,
    SetKey,
    dotted,
    scalar,
)
from generator.documents.document import places, read
from generator.documents.places import Path, Spot
from generator.documents.splice import COMMENT, LINE, Text, spliced

BOM = "\ufeff"
OTHERWISE_WRITTEN = "it is written in a way that only whoever wrote it can change"
# A line that is wrapped is a line that changes.
UNWRAPPED = 1 << 30


class _RefusedError(Exception):
    """Why a change can't be made."""


def edited(text: str, changes: Sequence[Change]) -> str | CantEdit:
    """The text with all of the changes, made one after the other, or why they can't be made."""
    document = read(text, "")
    if document.findings:
        return CantEdit("it can't be read")
    mark = BOM if text.startswith(BOM) else ""
    current = text.removeprefix(mark)
    try:
        meant = document.value
        for change in changes:
            meant = _changed(meant, change)
        for group in _groups(changes):
            current = _applied(current, group)
    except _RefusedError as refusal:
        return CantEdit(str(refusal))
    except YAMLError:
        return CantEdit(OTHERWISE_WRITTEN)
    proof = read(current, "")
    if proof.findings or _without_notes(proof.value) != _without_notes(meant):
        return CantEdit(OTHERWISE_WRITTEN)
    return mark + current


def _without_notes(value: Any) -> Any:
    """A document without its `x-…` keys, which hold anchors and notes that nothing is made of."""
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in value.items() if not key.startswith("x-")}


def _groups(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """Changes of one kind, which one round trip shows at once: what is removed is seen by its index in the text."""
    start = 0
    for end, (change, following) in enumerate(pairwise(changes), 1):
        if isinstance(change, RemoveItem) and isinstance(following, RemoveItem):
            together = change.path[:-1] == following.path[:-1] and change.path[-1] > following.path[-1]  # type: ignore[operator]
        else:
            together = isinstance(change, AddItem | SetKey) and isinstance(following, AddItem | SetKey)
        if not together:
            yield changes[start:end]
            start = end
    if changes:
        yield changes[start:]


# What is meant: the same change of what the exact reader reads.


def _changed(value: Any, change: Change) -> Any:
    """A copy of a document's value with one change made."""
    match change:
        case AddItem(path, item, index):
            items = _value_at(value, path)
            if items is None or items == "" or _is_nothing(items):
                return _with(value, path, lambda _: [item])
            if not isinstance(items, list):
                raise _RefusedError(f"it has no list {dotted(path)}")
            at = len(items) if index is None else index
            return _with(value, path, lambda items: [*items[:at], item, *items[at:]])
        case RemoveItem((*above, int(index))):
            items = _value_at(value, tuple(above))
            if not isinstance(items, list) or index >= len(items):
                raise _RefusedError(f"it has no item {dotted(change.path)}")
            if items.count(items[index]) > 1:
                raise _RefusedError(f"{dotted(tuple(above))} holds the same item more than once")
            return _with(value, tuple(above), lambda items: [*items[:index], *items[index + 1 :]])
        case SetKey(path, inner):
            return _with(value, path, lambda _: inner)
        case RemoveKey(path):
            return _without(value, path)
        case MoveKey(path, to):
            moved = _value_at(value, path)
            if path[:-1] == to[:-1]:
                renamed = {path[-1]: to[-1]}
                return _with(value, path[:-1], lambda keys: {renamed.get(key, key): keys[key] for key in keys})
            return _with(_without(value, path), to, lambda _: moved)
    raise _RefusedError(f"{dotted(change.path)} is no item of a list")


def _is_nothing(value: Any) -> bool:
    return getattr(value, "text", None) == ""


def _value_at(value: Any, path: Path) -> Any:
    for step in path:
        in_list = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not in_list and not (isinstance(value, dict) and step in value):
            return None
        value = value[step]
    return value


def _with(value: Any, path: Path, new: Callable[[Any], Any]) -> Any:
    """A copy with another value at a path, made of the one there, or of None."""
    if not path:
        return new(value)
    step, *rest = path
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [*value[:step], _with(value[step], tuple(rest), new), *value[step + 1 :]]
    if isinstance(value, dict) and (step in value or not rest):
        return {**value, step: _with(value.get(step), tuple(rest), new)}
    raise _RefusedError(f"it has no {step}")


def _without(value: Any, path: Path) -> Any:
    if _value_at(value, path) is None:
        raise _RefusedError(f"it has no {dotted(path)}")
    return _with(value, path[:-1], lambda keys: {key: inner for key, inner in keys.items() if key != path[-1]})


# How it is made: the same change of the tree, and what that changes in the round trip.


class _AsWritten(VersionedResolver):
    """Takes every plain scalar for text, so that it comes back as it was written: only the exact reader tells more."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is ScalarNode and implicit[0]:
            return Tag(suffix="tag:yaml.org,2002:merge" if value == "<<" else "tag:yaml.org,2002:str")
        return super().resolve(kind, value, implicit)


class _Output:
    """Takes what is dumped."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, part: str) -> None:
        self.parts.append(part)


def _applied(text: str, changes: Sequence[Change]) -> str:
    written = _text(text)
    yaml = YAML(typ="rt", pure=True)
    yaml.Resolver = _AsWritten
    yaml.preserve_quotes = True
    yaml.width = UNWRAPPED
    yaml.encoding = None  # type: ignore[assignment]  # text comes out, not bytes
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    bare = written.bare()
    tree = yaml.load(bare)
    _keep_anchors(tree)
    _indent_as_written(yaml, tree, changes[0].path, bare.split("\n"))
    base = _dumped(yaml, tree)
    for change in changes:
        _change(tree, change)
    result = spliced(written, base, _dumped(yaml, tree))
    if result is None:
        raise _RefusedError(OTHERWISE_WRITTEN)
    _prove_comments(written, _text(result.text), result.gone, _lines_removed(text, changes))
    _prove_lines(text, result.text, result.touched)
    return result.text


def _dumped(yaml: YAML, tree: Any) -> str:
    output = _Output()
    yaml.dump(tree, output)
    return "".join(output.parts)


def _text(text: str) -> Text:
    """The text with the spans of its tokens."""
    layout = (StreamStartToken, StreamEndToken, DirectiveToken, DocumentStartToken, DocumentEndToken)
    spans: list[tuple[int, int]] = []
    for token in YAML(typ="safe", pure=True).scan(text):
        start, end = token.start_mark.index, token.end_mark.index
        if start < end and not isinstance(token, layout):
            spans.append((start, end))
    return Text(text, tuple(spans))


def _node(tree: Any, path: Path) -> Any:
    for step in path:
        in_list = isinstance(tree, CommentedSeq) and isinstance(step, int) and step < len(tree)
        if not in_list and not (isinstance(tree, CommentedMap) and step in tree):
            return None
        tree = tree[step]
    return tree


def _keep_anchors(tree: Any) -> None:
    """Without this the round trip drops an anchor that no alias names."""
    for _, node in [((), tree), *_walk(tree)]:
        inner = list(node.values()) if isinstance(node, CommentedMap) else list(node)
        for value in [node, *inner]:
            anchor = value.yaml_anchor() if hasattr(value, "yaml_anchor") else None
            if anchor is not None:
                anchor.always_dump = True


def _indent_as_written(yaml: YAML, tree: Any, path: Path, lines: Sequence[str]) -> None:
    """Dashes and keys as far in as those of the list that is edited, else of any block list of the file."""
    lists = [(_node(tree, path[:end]), path[:end]) for end in range(len(path), 0, -1)]
    lists += [(node, at) for at, node in _walk(tree)]
    for node, at in lists:
        keys = _node(tree, at[:-1])
        block = isinstance(node, CommentedSeq) and len(node) > 0 and not node.fa.flow_style()
        if not block or not isinstance(keys, CommentedMap) or at[-1] not in (keys.lc.data or {}):
            continue
        line, column = node.lc.item(0)
        key_line, key_column = keys.lc.key(at[-1])
        before = lines[line][:column].rstrip()
        below_its_dash = not before.endswith("-")
        dash = lines[line - 1].find("-") if below_its_dash else len(before) - 1
        offset, width = dash - key_column, 2 if below_its_dash else column - dash
        if offset >= 0 and key_line < line:
            yaml.indent(mapping=2, sequence=offset + width, offset=offset)
            return
    yaml.indent(mapping=2, sequence=4, offset=2)


def _walk(tree: Any) -> Iterator[tuple[Path, Any]]:
    """Every list and mapping with its path, also where it comes by an alias or a merge."""
    waiting: list[tuple[Path, Any]] = [((), tree)]
    while waiting:
        path, node = waiting.pop()
        if path:
            yield path, node
        if isinstance(node, CommentedMap):
            inner = [((*path, str(key)), value) for key, value in node.items()]
        elif isinstance(node, CommentedSeq):
            inner = [((*path, index), value) for index, value in enumerate(node)]
        else:
            continue
        waiting += [(at, value) for at, value in reversed(inner) if isinstance(value, CommentedMap | CommentedSeq)]


def _change(tree: Any, change: Change) -> None:
    """One change of the round trip's tree."""
    match change:
        case AddItem(path, item, index):
            items = _node(tree, path)
            if isinstance(items, CommentedSeq):
                _only_user(tree, items, path)
                if not items:
                    items.fa.set_flow_style()
                items.insert(len(items) if index is None else index, _new(item))
            else:
                _set(tree, path, _new([item]))
        case RemoveItem(path):
            items = _node(tree, path[:-1])
            _only_user(tree, items, path[:-1])
            _only_user(tree, items[path[-1]], path)
            del items[path[-1]]
            if not items:
                items.fa.set_flow_style()
        case SetKey(path, value):
            _set(tree, path, _new(value))
        case RemoveKey(path):
            _pop(tree, path)
        case MoveKey(path, to):
            if path[:-1] == to[:-1]:
                keys = _own(tree, path)
                position = list(keys).index(path[-1])
                keys.insert(position, _key(to[-1]), keys.pop(path[-1]))
            else:
                _set(tree, to, _pop(tree, path))


def _only_user(tree: Any, node: Any, path: Path) -> None:
    """A list or mapping is edited where it is written, unless something else uses it, too."""
    if not isinstance(node, CommentedMap | CommentedSeq):
        return
    for other, same in _walk(tree):
        if same is node and other != path and not str(other[0]).startswith("x-"):
            raise _RefusedError(f"{dotted(other)} uses the same text as {dotted(path)}, by an alias or a merge")


def _own(tree: Any, path: Path) -> CommentedMap:
    """The mapping that itself holds the key at the end of a path."""
    keys = _node(tree, path[:-1])
    _only_user(tree, keys, path[:-1])
    own = isinstance(keys, CommentedMap) and path[-1] in dict.keys(keys)
    if not own:
        raise _RefusedError(f"{dotted(path)} comes by a merge")
    assert isinstance(keys, CommentedMap)
    return keys


def _pop(tree: Any, path: Path) -> Any:
    keys = _own(tree, path)
    # An alias of what goes would become what it stands for, in a line that nobody meant to change.
    _only_user(tree, keys[path[-1]], path)
    value = keys.pop(path[-1])
    if not keys:
        keys.fa.set_flow_style()
    return value


def _set(tree: Any, path: Path, value: Any) -> None:
    keys = _node(tree, path[:-1])
    if not isinstance(keys, CommentedMap):
        raise _RefusedError(f"it has no mapping {dotted(path[:-1])}")
    _only_user(tree, keys, path[:-1])
    if not keys:
        keys.fa.set_flow_style()
    keys[path[-1] if path[-1] in keys else _key(path[-1])] = value


def _key(key: str | int) -> Any:
    return _new(str(key))


def _new(value: Any) -> Any:
    """A value as the round trip prints it: lists and mappings on one line, text in quotes where it needs them."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value if scalar(value) == value else DoubleQuotedScalarString(value)
    if isinstance(value, Mapping):
        keys = CommentedMap((_key(key), _new(inner)) for key, inner in value.items())
        keys.fa.set_flow_style()
        return keys
    if isinstance(value, Sequence):
        items = CommentedSeq(map(_new, value))
        items.fa.set_flow_style()
        return items
    return value


# The second half of the proof: what people wrote beside the values.


def _lines_removed(text: str, changes: Sequence[Change]) -> frozenset[int]:
    """The lines (from 0) of the items that are removed, whose comments may go."""
    removed = [change for change in changes if isinstance(change, RemoveItem)]
    if not removed:
        return frozenset()
    root = places(text, "")
    lines: set[int] = set()
    for change in removed:
        spot = root.below(change.path).root
        if spot is not None:
            numbers = list(_rows(spot))
            lines.update(range(min(numbers), max(numbers) + 1))
    return frozenset(lines)


def _rows(spot: Spot) -> Iterator[int]:
    yield spot.place.line - 1
    for _, inner in spot.inner.values():
        yield from _rows(inner)


def _comments(written: Text) -> list[tuple[int, str, bool]]:
    """Every comment and blank line in order: its line (from 0), its text, and whether it has the line for itself."""
    solid = bytearray(len(written.text))
    for start, end in written.spans:
        solid[start:end] = b"\x01" * (end - start)
    result: list[tuple[int, str, bool]] = []
    for number, line in enumerate(LINE.finditer(written.text)):
        start, end = line.span()
        alone = not any(solid[start:end])
        content = line[0].strip()
        if alone and (not content or content.startswith("#")):
            result.append((number, content, True))
            continue
        behind = end - len(bytes(solid[start:end])[bytes(solid[start:end]).rfind(1) + 1 :])
        comment = COMMENT.search(written.text, behind, end)
        if comment:
            result.append((number, comment[0].rstrip(), False))
    return result


def _prove_comments(before: Text, after: Text, gone: frozenset[int], removed: frozenset[int]) -> None:
    """What stands behind an item that is removed goes with its line, and nothing else."""
    kept: list[tuple[str, bool]] = []
    for number, content, alone in _comments(before):
        if alone or number not in gone:
            kept.append((content, alone))
        elif number not in removed:
            raise _RefusedError(f"line {number + 1} holds a comment that would be lost")
    if kept != [(content, alone) for _, content, alone in _comments(after)]:
        raise _RefusedError(OTHERWISE_WRITTEN)


def _prove_lines(before: str, after: str, touched: frozenset[int]) -> None:
    """Every line but those of the edit is still there, in order."""
    lines = iter([line[0].rstrip("\r\n") for line in LINE.finditer(after)])
    for number, line in enumerate(LINE.finditer(before)):
        if number not in touched and line[0].rstrip("\r\n") not in lines:
            raise _RefusedError(OTHERWISE_WRITTEN)
