"""Changes the lines of a catalog file that must change, and no other: a file that people write, too.

Lines are moved as they are, with the comments above them, and only where the file wasn't sorted. What comes out is read
again before it is handed on, so that an edit that would lose an entry is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from generator.declared.catalog_file import CatalogFile, read_catalog
from generator.declared.entry import NOTHING, Entry, canonical
from generator.documents.changes import CantEdit

Changes = Mapping[str, Entry | None]

# A round trip of so many lines takes some eight seconds.
MOST_LINES = 5_000
ONE_A_LINE = 'write one image a line, as in `  - {tag: "…", platforms: [linux/amd64]}`'

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_NOTHING = re.compile(NOTHING)
_HEADS = re.compile(r"^images[^\n]*\n?", re.MULTILINE)
_IMAGES = re.compile(r"(images[ ]*:)([ ]*\[[ ]*\])?([ ]*|[ ]+#[^\n]*)(\r?\n?)")
_ITEM = re.compile(r"( *)-(?=[ \r\n]|$)")
# No value that an image can have holds "#".
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")


class Uneditable(Struct, frozen=True):
    """Why a file can't be changed in place."""

    file: str
    reason: str
    hint: str


class _Block(Struct, gc=False):
    """The lines of one image, with the comments and blank lines above it; text, since there may be 100,000."""

    above: str
    lines: str
    entry: Entry


class _Parts(Struct):
    """A file taken apart: all lines of it, once."""

    head: list[str]
    blocks: list[_Block]
    tail: list[str]
    indent: str


def edited(file: str, data: bytes, changes: Changes, read: CatalogFile | None = None) -> bytes | Uneditable:
    """The file with some tags' images set, or removed where they are None; byte for byte the same where all is so.

    `read` is what the bytes were read as, by whom they were.
    """
    read = read or read_catalog(file, data)
    if read.findings:
        first = read.findings[0]
        return Uneditable(file, f"{first.message} (line {first.place.line})", first.hint)
    parts = _apart(data.decode(), read)
    if parts is None:
        return _edited_otherwise(file, data, changes, read)
    if not _change(parts, changes):
        return data
    out, wanted = _together(parts), [block.entry for block in parts.blocks]
    del parts  # before as much is read again
    again = read_catalog(file, out)
    if again.findings or again.repository != read.repository or not _same(again.entries, wanted):
        del again, wanted, out
        return _edited_otherwise(file, data, changes, read)
    del again, wanted
    return out.encode()


def _edited_otherwise(file: str, data: bytes, changes: Changes, read: CatalogFile) -> bytes | Uneditable:
    """The same for images in another layout than one below the other, each with its dash."""
    if data.count(b"\n") > MOST_LINES:
        reason = f"its images don't stand one below the other, each with its dash, in more than {MOST_LINES:,} lines"
        return Uneditable(file, reason, ONE_A_LINE)
    known = {entry.tag: _facts(entry) for entry in read.entries}
    needed = {tag: entry for tag, entry in changes.items() if known.get(tag) != (entry and _facts(entry))}
    if not needed:
        return data
    from generator.catalog.edit_tree import edited_tree  # it loads ruamel.yaml

    tags = [entry.tag for entry in read.entries]
    text = edited_tree(data.decode(), dict(enumerate(read.entries)), needed, is_sorted=tags == sorted(tags))
    if isinstance(text, CantEdit):
        return Uneditable(file, text.reason, ONE_A_LINE)
    again = read_catalog(file, text)
    wanted = {tag: entry for tag, entry in (known | needed).items() if entry is not None}
    if (
        again.findings
        or again.repository != read.repository
        or not _same(_by_tag(again.entries), _by_tag(wanted.values()))
    ):
        return Uneditable(file, "its layout can't be kept", ONE_A_LINE)
    return text.encode()


def _by_tag(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.tag)


def fresh(repository: str, entries: Iterable[Entry], *, line_end: str = "\n") -> bytes:
    """A new file that lists these images."""
    lines = [canonical(entry) for entry in sorted(entries, key=lambda entry: entry.tag)]
    head = ["apiVersion: drivergate.dev/v1alpha1", "kind: ImageCatalog", f"repository: {repository}", "images:"]
    return "".join(f"{line}{line_end}" for line in (*head, *lines)).encode()


def _facts(entry: Entry) -> Entry:
    return Entry(
        entry.tag, entry.platforms, entry.driver_version, entry.module_type, entry.digest, entry.gone
    )  # replace() takes four times as long, and there may be 100,000


def _same(some: Sequence[Entry], others: Sequence[Entry]) -> bool:
    """Whether both say the same, wherever they say it."""
    return len(some) == len(others) and all(
        _facts(entry) == _facts(other) for entry, other in zip(some, others, strict=True)
    )


def _apart(text: str, read: CatalogFile) -> _Parts | None:
    heads = [head for head in _HEADS.finditer(text) if _IMAGES.fullmatch(head[0])]
    if len(heads) != 1:
        return None
    end = heads[0].end()
    blocks, tail, indent = _items((line[0] for line in _LINES.finditer(text, end)), read.entries)
    if len(blocks) != len(read.entries):
        return None
    head = _LINES.findall(text[:end])
    if blocks:  # what stands below `images:` speaks of all of them
        head += _LINES.findall(blocks[0].above)
        blocks[0].above = ""
    return _Parts(head, blocks, tail, indent)


def _items(lines: Iterator[str], entries: Sequence[Entry]) -> tuple[list[_Block], list[str], str]:
    """Each item with what stands above it, what stands below the last one, and how far items are indented.

    There are more or fewer of them than entries where the lines aren't laid out one item below the other.
    """
    blocks: list[_Block] = []
    listed = iter(entries)
    body: list[str] = []
    indent, above = "", ""
    for line in lines:
        item = _ITEM.match(line)
        if item and (not blocks or item[1] == indent):
            entry = next(listed, None)
            if entry is None:
                return [], [], ""
            if blocks:
                blocks[-1].lines = "".join(body)
            indent, body = item[1], [line]
            blocks.append(_Block(above, "", entry))
            above = ""
        elif _NOTHING.fullmatch(line.rstrip("\n")):
            above += line
        elif blocks and line.startswith(f"{indent} "):
            body += [above, line]
            above = ""
        else:
            above += line + "".join(lines)
    if blocks:
        blocks[-1].lines = "".join(body)
    return blocks, _LINES.findall(above), indent if blocks else "  "


def _change(parts: _Parts, changes: Changes) -> bool:
    """Whether anything had to be changed."""
    line_end = "\r\n" if parts.head and "\r\n" in parts.head[0] else "\n"
    changed, seen = False, set()
    kept: list[_Block] = []
    loose = ""
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
        if loose:
            block.above, loose = loose + block.above, ""
        kept.append(block)
    new = [entry for tag, entry in changes.items() if entry is not None and tag not in seen]
    if not changed and not new:
        return False
    kept += [_Block("", _line(entry, parts.indent) + line_end, _facts(entry)) for entry in new]
    # What stood above an image that goes stands above the next one, or below them all.
    parts.blocks, parts.tail = sorted(kept, key=lambda block: block.entry.tag), [*_LINES.findall(loose), *parts.tail]
    return True


def _comments(block: _Block) -> str:
    """What is kept of an image that goes: the comments above it."""
    return "".join(line for line in _LINES.findall(block.above) if "#" in line)


def _line(entry: Entry, indent: str) -> str:
    return indent + canonical(entry).lstrip(" ")


def _rewrite(block: _Block, entry: Entry, indent: str, line_end: str) -> None:
    """One line in place of the image's own, with the comments that these held."""
    lines = _LINES.findall(block.lines)
    own = [line for line in lines if not _NOTHING.fullmatch(line.rstrip("\n"))]
    inner = [line for line in lines if "#" in line and _NOTHING.fullmatch(line.rstrip("\n"))]
    comments = "".join(comment[0].rstrip() for line in own if (comment := _COMMENT.search(line)))
    ended = re.search(r"\r?\n$", own[-1])
    block.above += "".join(inner)
    block.lines = f"{_line(entry, indent)}{comments}{ended[0] if ended else line_end}"
    block.entry = _facts(entry)


def _together(parts: _Parts) -> str:
    head = list(parts.head)
    at = next(index for index, line in enumerate(head) if _IMAGES.fullmatch(line))
    match = _IMAGES.fullmatch(head[at])
    assert match is not None
    head[at] = f"{match[1]}{'' if parts.blocks else ' []'}{match[3]}{match[4]}"
    pieces = [*head, *(text for block in parts.blocks for text in (block.above, block.lines) if text), *parts.tail]
    line_end = "\r\n" if pieces[0].endswith("\r\n") else "\n"
    last = len(pieces) - 1
    return "".join(
        piece if piece.endswith("\n") or index == last else piece + line_end for index, piece in enumerate(pieces)
    )
