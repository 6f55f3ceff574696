"""JSON objects out of a stream, one at a time: a List of 50,000 pods is never in memory as a whole.

`kubectl get -o json` of several kinds is one List; files may also hold one object, or several documents in a row.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from generator.observed.unreadable import Unreadable, no_json

# An API server refuses objects of more than 1.5 MiB (etcd's --max-request-bytes); pretty printing may triple that.
LONGEST_MARK = 3  # of a byte order mark, in UTF-8
MOST = 16 * 1024 * 1024
HINT = "write it again with kubectl get -o json, and look at how that ended"
SPACE = " \t\r\n"
# How JSON spells one half of a pair; both halves together are a character.
HALF = re.compile(r"\\u[dD][89a-fA-F]")

_decode = json.JSONDecoder().raw_decode


class _BrokenError(Exception):
    """The text is no JSON from here on."""


class Item(Struct, frozen=True):
    """One object; `kind` is its own, or the one that its List is of.

    `is_text` says that its text is Unicode: JSON can spell half a character, a lone surrogate, which nothing can print.
    """

    kind: str
    value: dict[str, Any]
    is_text: bool = True


def items(chunks: Iterable[bytes]) -> Iterator[Item | Unreadable]:
    """Every object of every document; ends with an Unreadable where the stream breaks off or is no JSON."""
    text = _Text(chunks)
    count = 0
    try:
        if not text.peek():
            yield Unreadable("it is empty", HINT)
        while text.peek():
            for item in _document(text):
                count += 1
                yield item
    except (_BrokenError, UnicodeDecodeError, RecursionError):
        yield _broken(text, count)


def _broken(text: "_Text", count: int) -> Unreadable:
    if count:
        what = "it ends in the middle of" if text.ended else "it is no JSON after"
        return Unreadable(f"{what} object {count + 1}" if text.ended else f"{what} object {count}", HINT)
    if text.began("{"):
        return Unreadable("it ends before its first object does" if text.ended else "it is no JSON", HINT)
    return Unreadable(no_json(text.head), HINT)


def _document(text: "_Text") -> Iterator[Item]:
    """A List's items, or the object itself; a NodeList's items don't repeat their kind, which may come last."""
    text.expect("{")
    head: dict[str, Any] = {}
    kindless: list[dict[str, Any]] = []
    listed = False
    while text.peek() != "}":
        key = text.value()
        text.expect(":")
        if key == "items" and text.peek() == "[":
            listed = True
            for item in _listed(text):
                kind = item.get("kind") or _member_kind(head)
                if kind:
                    yield Item(str(kind), item, text.is_unicode(item))
                else:
                    kindless.append(item)
        else:
            head[str(key)] = text.value()
        if text.peek() == ",":
            text.expect(",")
        elif text.peek() != "}":
            raise _BrokenError
    text.expect("}")
    yield from (Item(_member_kind(head), item, text.is_unicode(item)) for item in kindless)
    if not listed:
        yield Item(str(head.get("kind") or ""), head, text.is_unicode(head))


def _listed(text: "_Text") -> Iterator[dict[str, Any]]:
    text.expect("[")
    while text.peek() != "]":
        item = text.value()
        if not isinstance(item, dict):
            raise _BrokenError
        yield item
        if text.peek() == ",":
            text.expect(",")
        elif text.peek() != "]":
            raise _BrokenError
    text.expect("]")


def _member_kind(head: dict[str, Any]) -> str:
    kind = str(head.get("kind") or "")
    return "" if kind == "List" else kind.removesuffix("List")


class _Text:
    """The text so far, read on as it is needed; what is behind is forgotten."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._text = ""
        self._at = 0
        self.head = b""
        self.ended = False
        self._has_halves = False

    def peek(self) -> str:
        """The next character that isn't space; empty at the end."""
        while True:
            while self._at < len(self._text):
                character = self._text[self._at]
                if character not in SPACE:
                    return character
                self._at += 1
            if not self._more():
                return ""

    def expect(self, character: str) -> None:
        """Passes over one character."""
        if self.peek() != character:
            raise _BrokenError
        self._at += 1

    def value(self) -> Any:
        """The next JSON value, whole."""
        self.peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except ValueError:
                if len(self._text) - self._at > MOST or not self._more():
                    raise _BrokenError from None
            else:
                if end < len(self._text) or isinstance(value, dict | list | str) or not self._more():
                    self._has_halves = self._has_halves or HALF.search(self._text, self._at, end) is not None
                    self._at = end
                    return value

    def is_unicode(self, value: Any) -> bool:
        """Whether a value holds whole characters only; looked at where the text so far spells any half of one."""
        if not self._has_halves:
            return True
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return False
        return True

    def began(self, character: str) -> bool:
        """Whether the whole text began with this."""
        return self.head.lstrip().startswith(character.encode())

    def _more(self) -> bool:
        """At least as much again as is not read yet, so that a value that is long is tried a few times only."""
        wanted = max(len(self._text) - self._at, 1)
        parts, got = [self._text[self._at :]], 0
        while got < wanted and not self.ended:
            chunk = next(self._chunks, b"")
            self.ended = not chunk
            parts.append(self._decoded(chunk))
            got += len(parts[-1])
        self._text, self._at = "".join(parts), 0
        return got > 0

    def _decoded(self, chunk: bytes) -> str:
        """PowerShell's `>` writes UTF-16, and others a byte order mark."""
        if self._decoder is None:
            self.head += chunk
            if len(self.head) < LONGEST_MARK and chunk:
                return ""
            wide = self.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            self._decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")()
            chunk, self.head = self.head, self.head[:4096]
        return self._decoder.decode(chunk, final=self.ended)


def members(value: Any) -> Iterator[Item]:
    """The objects of a document that was read already: a List's items, or the object itself."""
    if not isinstance(value, dict):
        return
    listed = value.get("items")
    if not isinstance(listed, list):
        yield Item(str(value.get("kind") or ""), value)
        return
    for item in listed:
        if isinstance(item, dict):
            yield Item(str(item.get("kind") or _member_kind(value)), item)
