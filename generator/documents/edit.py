"""Small edits of a document that people wrote: an item more, an item less, a key more. No other line is touched.

Each is made in the text, then proven: read again, the document must hold exactly what the edit means.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from generator.documents.document import places, read
from generator.documents.places import Path, Places
from generator.finding import Place

BLOCK_ITEM = re.compile(r"[ \t]*(?:- )+")
PLAIN_END = {True: re.compile(r"[ \t]*(?:,|\]|\}|[ \t]#|$)"), False: re.compile(r"[ \t]+#|[ \t]*$")}
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
LOOKS_TYPED = re.compile(r"[0-9.+_-]*|(?i:true|false|yes|no|on|off|null|y|n)|[0-9][0-9_]*e[0-9]+|0x[0-9a-fA-F]+")


class CantEdit(Struct, frozen=True):
    """Why an edit can't be made in this text; whoever wrote it can."""

    reason: str


def scalar(text: str) -> str:
    """A text as it is written: quoted where YAML would take it for something else."""
    if PLAIN.fullmatch(text) and not LOOKS_TYPED.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def add_item(text: str, path: Path, value: str) -> str | CantEdit:
    """The document with one text more at the end of a list."""
    return _proven(text, path, list, lambda found: _added(text, found, path, value), lambda items: items.append(value))


def remove_item(text: str, path: Path) -> str | CantEdit:
    """The document without one item of a list; `path` ends in its number."""
    return _proven(text, path[:-1], list, lambda found: _removed(text, found, path), lambda items: items.pop(path[-1]))


def add_key(text: str, path: Path, value: str) -> str | CantEdit:
    """The document with one key more at the end of a mapping of texts; `path` ends in the key."""
    return _proven(
        text,
        path[:-1],
        dict,
        lambda found: _keyed(text, found, path, value),
        lambda keys: keys.__setitem__(path[-1], value),
    )


def _proven(
    text: str, path: Path, kind: type, edit: Callable[[Places], str | CantEdit], mean: Callable[[Any], object]
) -> str | CantEdit:
    """The edit of what stands at a path, made in the text; `mean` does the same to its value."""
    before = read(text, "")
    if before.findings:
        return CantEdit("it can't be read")
    target = _found_at(before.value, path)
    if not isinstance(target, kind):
        return CantEdit(f"it has no {'list' if kind is list else 'mapping'} {'.'.join(map(str, path))}")
    made = edit(places(text, ""))
    if isinstance(made, CantEdit):
        return made
    mean(target)
    found = read(made, "")
    if found.findings or found.value != before.value:
        return CantEdit("it is written in a way that only whoever wrote it can change")
    return made


def _found_at(data: Any, path: Path) -> Any:
    """What stands at a path; None where nothing does."""
    for step in path:
        there = step in data if isinstance(data, dict) else isinstance(data, list) and isinstance(step, int)
        if not there:
            return None
        data = data[step]
    return data


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _added(text: str, found: Places, path: Path, value: str) -> str | CantEdit:
    count = len(_at(read(text, "").value, path))
    lines = text.splitlines(keepends=True)
    if not count:
        at = found.value(path)
        line = lines[at.line - 1]
        start = at.column
        if line[at.column - 1 : at.column] != "[":
            return CantEdit("the list is empty and not written as []")
        return _spliced(lines, at, start, scalar(value))
    last = found.value((*path, count - 1))
    return _after(lines, last, scalar(value))


def _after(lines: list[str], last: Place, written: str) -> str:
    """One item behind another: on the next line of a block, behind a comma in brackets."""
    line = lines[last.line - 1]
    before = line[: last.column - 1]
    if BLOCK_ITEM.fullmatch(before):
        bare = (
            " " * (len(before) - len(before.lstrip("- \t"))) if before.count("- ") > 1 else before[: before.index("-")]
        )
        lines.insert(last.line, f"{bare}- {written}{_ending(line)}")
        if not line.endswith(("\n", "\r")):
            lines[last.line - 1] = f"{line}\n"
        return "".join(lines)
    return _spliced(lines, last, _end(line, last.column - 1, flow=True), f", {written}")


def _removed(text: str, found: Places, path: Path) -> str | CantEdit:
    lines = text.splitlines(keepends=True)
    at = found.value(path)
    line = lines[at.line - 1]
    if BLOCK_ITEM.fullmatch(line[: at.column - 1]):
        if len(_at(read(text, "").value, path[:-1])) == 1:
            return CantEdit("it is the only item of its list")
        del lines[at.line - 1]
        return "".join(lines)
    start, end = at.column - 1, _end(line, at.column - 1, flow=True)
    comma = re.compile(r"[ \t]*,[ \t]*").match(line, end)
    if comma:
        end = comma.end()
    else:
        start = len(re.sub(r"[ \t]*,[ \t]*$", "", line[:start]))
    lines[at.line - 1] = line[:start] + line[end:]
    return "".join(lines)


def _keyed(text: str, found: Places, path: Path, value: str) -> str | CantEdit:
    keys = list(_at(read(text, "").value, path[:-1]))
    if not keys:
        return CantEdit("the mapping is empty")
    lines = text.splitlines(keepends=True)
    written = f"{scalar(str(path[-1]))}: {scalar(value)}"
    key, last = found.key((*path[:-1], keys[-1])), found.value((*path[:-1], keys[-1]))
    line = lines[key.line - 1]
    if not line[: key.column - 1].strip():
        lines.insert(last.line, f"{line[: key.column - 1]}{written}{_ending(line)}")
        if not line.endswith(("\n", "\r")):
            lines[last.line - 1] = f"{line}\n"
        return "".join(lines)
    line = lines[last.line - 1]
    return _spliced(lines, last, _end(line, last.column - 1, flow=True), f", {written}")


def _spliced(lines: list[str], at: Place, column: int, written: str) -> str:
    line = lines[at.line - 1]
    lines[at.line - 1] = line[:column] + written + line[column:]
    return "".join(lines)


def _end(line: str, start: int, *, flow: bool) -> int:
    """Where a scalar that stands on one line ends."""
    quote = line[start : start + 1]
    if quote not in {'"', "'"}:
        end = PLAIN_END[flow].search(line.rstrip("\r\n"), start)
        return end.start() if end else len(line)
    at = start + 1
    while at < len(line) and line[at] != quote:
        at += 2 if line[at] == "\\" and quote == '"' else 1
    return at + 1


def _ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"
