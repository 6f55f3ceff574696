"""Changes the lines of a catalog file that must change, and no other: a file that people write, too.

Lines are moved as they are, with the comments above them, and only where the file wasn't sorted. What comes out is read
again before it is handed on, so that an edit that would lose an entry is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.declared.catalog_file import CatalogFile, read_catalog
from generator.declared.entry import NOTHING, Entry, canonical

Changes = Mapping[str, Entry | None]

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_NOTHING = re.compile(NOTHING)
_IMAGES = re.compile(r"(images[ ]*:)([ ]*\[[ ]*\])?([ ]*|[ ]+#[^\n]*)(\r?\n?)")
_ITEM = re.compile(r"( *)-(?=[ \r\n]|$)")
# No value that an image can have holds "#".
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")


class Uneditable(Struct, frozen=True):
    """Why a file can't be changed in place."""

    file: str
    reason: str
    hint: str


class _Block(Struct):
    """The lines of one image, with the comments and blank lines above it."""

    above: list[str]
    lines: list[str]
    entry: Entry


class _Parts(Struct):
    """A file taken apart: all lines of it, once."""

    head: list[str]
    blocks: list[_Block]
    tail: list[str]
    indent: str


def edited(file: str, data: bytes, changes: Changes) -> bytes | Uneditable:
    """The file with some tags' images set, or removed where they are None; byte for byte the same where all is so."""
    read = read_catalog(file, data)
    if read.findings:
        first = read.findings[0]
        return Uneditable(file, f"{first.message} (line {first.place.line})", first.hint)
    parts = _apart(data.decode(), read)
    if parts is None:
        reason = "its images don't stand one below the other, each with its dash"
        return Uneditable(file, reason, 'write one image a line, as in `  - {tag: "…", platforms: [linux/amd64]}`')
    if not _change(parts, changes):
        return data
    out = _together(parts).encode()
    again, wanted = read_catalog(file, out), [block.entry for block in parts.blocks]
    if (
        again.findings
        or again.repository != read.repository
        or list(map(_facts, again.entries)) != list(map(_facts, wanted))
    ):
        return Uneditable(file, "its layout can't be kept", 'write one image a line, as in `  - {tag: "…"}`')
    return out


def fresh(repository: str, entries: Iterable[Entry], *, line_end: str = "\n") -> bytes:
    """A new file that lists these images."""
    lines = [canonical(entry) for entry in sorted(entries, key=lambda entry: entry.tag)]
    head = ["apiVersion: drivergate.dev/v1alpha1", "kind: ImageCatalog", f"repository: {repository}", "images:"]
    return "".join(f"{line}{line_end}" for line in (*head, *lines)).encode()


def _facts(entry: Entry) -> Entry:
    return Entry(
        entry.tag, entry.platforms, entry.driver_version, entry.module_type, entry.digest, entry.gone
    )  # replace() takes four times as long, and there may be 100,000


def _apart(text: str, read: CatalogFile) -> _Parts | None:
    lines = _LINES.findall(text)
    heads = [index for index, line in enumerate(lines) if _IMAGES.fullmatch(line)]
    if len(heads) != 1:
        return None
    (at,) = heads
    groups, tail, indent = _items(lines[at + 1 :])
    if len(groups) != len(read.entries):
        return None
    blocks = [_Block(above, body, entry) for (above, body), entry in zip(groups, read.entries, strict=True)]
    head = lines[: at + 1]
    if blocks:  # what stands below `images:` speaks of all of them
        head += blocks[0].above
        blocks[0].above = []
    return _Parts(head, blocks, tail, indent)


def _items(lines: list[str]) -> tuple[list[tuple[list[str], list[str]]], list[str], str]:
    """Each item with what stands above it, what stands below the last one, and how far items are indented."""
    groups: list[tuple[list[str], list[str]]] = []
    indent = ""
    above: list[str] = []
    for index, line in enumerate(lines):
        if groups and not above and line.startswith(f"{indent}- {{"):  # nearly every line
            groups.append(([], [line]))
            continue
        item = _ITEM.match(line)
        if _NOTHING.fullmatch(line.rstrip("\n")):
            above.append(line)
        elif item and (not groups or item[1] == indent):
            indent = item[1]
            groups.append((above, [line]))
            above = []
        elif groups and line.startswith(f"{indent} "):
            groups[-1][1].extend([*above, line])
            above = []
        else:
            above += lines[index:]
            break
    return groups, above, indent if groups else "  "


def _change(parts: _Parts, changes: Changes) -> bool:
    """Whether anything had to be changed."""
    line_end = "\r\n" if parts.head and "\r\n" in parts.head[0] else "\n"
    changed, seen = False, set()
    kept: list[_Block] = []
    loose: list[str] = []
    for block in parts.blocks:
        tag = block.entry.tag
        if tag in changes:
            wanted = None if tag in seen else changes[tag]
            seen.add(tag)
            if wanted is None:
                loose += _comments(block)
                changed = True
                continue
            if _facts(wanted) != _facts(block.entry):
                _rewrite(block, wanted, parts.indent, line_end)
                changed = True
        block.above, loose = [*loose, *block.above], []
        kept.append(block)
    new = [entry for tag, entry in changes.items() if entry is not None and tag not in seen]
    if not changed and not new:
        return False
    kept += [_Block([], [_line(entry, parts.indent) + line_end], _facts(entry)) for entry in new]
    # What stood above an image that goes stands above the next one, or below them all.
    parts.blocks, parts.tail = sorted(kept, key=lambda block: block.entry.tag), [*loose, *parts.tail]
    return True


def _comments(block: _Block) -> Iterator[str]:
    """What is kept of an image that goes: the comments above it."""
    return (line for line in block.above if "#" in line)


def _line(entry: Entry, indent: str) -> str:
    return indent + canonical(entry).lstrip(" ")


def _rewrite(block: _Block, entry: Entry, indent: str, line_end: str) -> None:
    """One line in place of the image's own, with the comments that these held."""
    own = [line for line in block.lines if not _NOTHING.fullmatch(line.rstrip("\n"))]
    inner = [line for line in block.lines if "#" in line and _NOTHING.fullmatch(line.rstrip("\n"))]
    comments = "".join(found[0].rstrip() for line in own if (found := _COMMENT.search(line)))
    ended = re.search(r"\r?\n$", own[-1])
    block.above = [*block.above, *inner]
    block.lines = [f"{_line(entry, indent)}{comments}{ended[0] if ended else line_end}"]
    block.entry = _facts(entry)


def _together(parts: _Parts) -> str:
    head = list(parts.head)
    at = next(index for index, line in enumerate(head) if _IMAGES.fullmatch(line))
    match = _IMAGES.fullmatch(head[at])
    assert match is not None
    head[at] = f"{match[1]}{'' if parts.blocks else ' []'}{match[3]}{match[4]}"
    body = [line for block in parts.blocks for line in (*block.above, *block.lines)]
    lines = [*head, *body, *parts.tail]
    line_end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    last = len(lines) - 1
    return "".join(
        line if line.endswith("\n") or index == last else line + line_end for index, line in enumerate(lines)
    )
