"""Puts what an edit changed in a round trip into the text that people wrote, where every other line stays as it was.

A round trip lays a document out anew and drops comments. So nothing of it is taken but the difference that one edit
makes: its tokens are put beside the same neighbours in the people's own text, among their comments and spaces.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher

from msgspec import Struct

SPACE = " \t\r\n"
LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
COMMENT = re.compile(r"#[^\r\n]*")
TOKEN = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[\[\]{},]|[^\s\[\]{},]+""")
# Two layouts of one document are compared character by character only as far as that takes no time to speak of.
LARGEST_COMPARISON = 4_000_000


class Text(Struct, frozen=True):
    """A text, with the spans of its tokens: what lies between them is spaces, line ends and comments."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def gaps(self) -> Iterator[tuple[int, int]]:
        """What lies before, between and behind the tokens."""
        end = 0
        for start, next_end in self.spans:
            if start > end:
                yield end, start
            end = max(end, next_end)
        yield end, len(self.text)

    def bare(self) -> str:
        """The tokens as they stand, without comments, blank lines and marks of the document's start and end."""
        parts: list[str] = []
        end = 0
        for start, stop in self.gaps():
            gap = COMMENT.sub("", self.text[start:stop])
            parts.append(self.text[end:start])
            if start == 0 or "\n" in gap or "\r" in gap:
                last_line = re.split(r"[\r\n]", gap)[-1]
                parts.append(("\n" if start else "") + last_line)
            else:
                parts.append(gap)
            end = stop
        return "".join(parts).rstrip(SPACE) + "\n"

    def solid(self) -> list[int]:
        """Where in the text each character of a token stands that is no space."""
        return [at for start, end in self.spans for at in range(start, end) if self.text[at] not in SPACE]


class Spliced(Struct, frozen=True):
    """The new text, and the numbers of the old lines (from 0) that it no longer has as they were, or not at all."""

    text: str
    touched: frozenset[int]
    gone: frozenset[int]


class _Cut(Struct, frozen=True):
    """What replaces a part of the text."""

    start: int
    end: int
    text: str = ""


class _OtherwiseWrittenError(Exception):
    """The neighbours of what changed can't be told in the people's own text."""


def spliced(written: Text, base: str, after: str) -> Spliced | None:
    """The text with what differs between two round trips of it, or None where its layout hides where that belongs."""
    try:
        return _Splice(written, base, after).result()
    except _OtherwiseWrittenError:
        return None


class _Splice:
    """One difference, put into one text."""

    def __init__(self, written: Text, base: str, after: str) -> None:
        self.text = written.text
        self.base, self.after = base.split("\n"), after.split("\n")
        self.solid = written.solid()
        self.lines = [line.span() for line in LINE.finditer(self.text)]
        self.line_starts = [start for start, _ in self.lines]
        self.base_at = _offsets(self.base)
        self.place = self._places(written)
        self.cuts: list[_Cut] = []
        self.touched: set[int] = set()
        self.gone: set[int] = set()
        line_end = re.search(r"\r\n|\n|\r", self.text)
        self.line_end = line_end[0] if line_end else "\n"

    def result(self) -> Spliced:
        for what, i1, i2, j1, j2 in _line_changes(self.base, self.after):
            if what == "insert":
                self._insert_lines(self.base_at[i1], self.after[j1:j2], i1)
            elif what == "delete":
                self._delete(self.base_at[i1], self.base_at[i2], comma=False)
            else:
                self._replace_lines(i1, i2, j1, j2)
        return Spliced(self._joined(), frozenset(self.touched), frozenset(self.gone))

    def _places(self, written: Text) -> list[int | None]:
        """Where in the text each solid character of the base stands; None where it is written otherwise there."""
        bare = written.bare().split("\n")
        ours, theirs = [_solid(line) for line in bare], [_solid(line) for line in self.base]
        if "".join(ours) == "".join(theirs):
            return list(self.solid)
        ours_at, theirs_at = _offsets(ours), _offsets(theirs)
        place: list[int | None] = [None] * theirs_at[-1]
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        for what, i1, i2, j1, j2 in matcher.get_opcodes():
            mine, other = "".join(ours[i1:i2]), "".join(theirs[j1:j2])
            if what == "equal" or mine == other:
                blocks = [Match(0, 0, len(mine))]
            elif len(mine) * len(other) <= LARGEST_COMPARISON:
                blocks = list(SequenceMatcher(None, mine, other, autojunk=False).get_matching_blocks())
            else:
                blocks = []
            for start, other_start, size in blocks:
                for step in range(size):
                    place[theirs_at[j1] + other_start + step] = self.solid[ours_at[i1] + start + step]
        return place

    def _at(self, index: int) -> int:
        place = self.place[index] if 0 <= index < len(self.place) else None
        if place is None:
            raise _OtherwiseWrittenError
        return place

    def _line(self, position: int) -> int:
        return bisect_right(self.line_starts, position) - 1

    def _insert_lines(self, index: int, lines: Sequence[str], row: int) -> None:
        """Whole lines behind the line that holds the solid character before an index of the base."""
        if index == 0:
            raise _OtherwiseWrittenError
        number = self._line(self._at(index - 1))
        _, end = self.lines[number]
        if index < len(self.place) and self.place[index] is not None and self._at(index) < end:
            raise _OtherwiseWrittenError
        shift = self._shift(lines[0], row)
        moved = [" " * max(0, _indent(line) + shift) + line.lstrip(" ") for line in lines]
        self.cuts.append(_Cut(end, end, "".join(f"{line}{self.line_end}" for line in moved)))

    def _shift(self, line: str, row: int) -> int:
        """How much farther in people write the neighbours of an inserted line than the round trip does."""
        indent = _indent(line)
        for before in range(row - 1, -1, -1):
            if self.base[before].strip() and _indent(self.base[before]) <= indent:
                return self._column(before) - _indent(self.base[before])
        return 0

    def _column(self, row: int) -> int:
        at = self._at(self.base_at[row])
        return at - self.line_starts[self._line(at)]

    def _replace_lines(self, i1: int, i2: int, j1: int, j2: int) -> None:
        if _solid("".join(self.base[i1:i2])) == _solid("".join(self.after[j1:j2])):  # it belongs to another mapping
            self._delete(self.base_at[i1], self.base_at[i2], comma=False)
            self._insert_lines(self.base_at[i1], self.after[j1:j2], i1)
        elif i2 - i1 == j2 - j1 > 1:
            for step in range(i2 - i1):
                self._replace_lines(i1 + step, i1 + step + 1, j1 + step, j1 + step + 1)
        else:
            self._replace(i1, i2, j1, j2)

    def _replace(self, i1: int, i2: int, j1: int, j2: int) -> None:
        """Token by token within some lines."""
        old, new = "\n".join(self.base[i1:i2]), "\n".join(self.after[j1:j2])
        before, now = list(TOKEN.finditer(old)), list(TOKEN.finditer(new))
        start = self.base_at[i1]

        def index(token: int) -> int:
            at = before[token].start() if token < len(before) else len(old)
            return start + len(_solid(old[:at]))

        words, others = [token[0] for token in before], [token[0] for token in now]
        for what, a1, a2, b1, b2 in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
            if what == "equal":
                continue
            if what == "delete":
                self._delete(index(a1), index(a2), comma=words[a1] == ",")
                continue
            if what == "replace" and words[a1:a2] == ["-"] * (a2 - a1):
                raise _OtherwiseWrittenError
            left = now[b1 - 1].end() if b1 else 0
            right = now[b2].start() if b2 < len(now) else len(new)
            tail = new[now[b2 - 1].end() : right]
            gap = old[before[a1 - 1].end() if a1 else 0 : before[a1].start() if a1 < len(before) else len(old)]
            if what == "replace":
                up = "\n" in gap and "\n" not in new[left : now[b1].start()]
                if up or self._line(self._at(index(a1))) != self._line(self._at(index(a2) - 1)):
                    self._delete(index(a1), index(a2), comma=False)
                    self._insert(index(a1), new[left : now[b2 - 1].end()])
                else:
                    self._swap(index(a1), index(a2), new[now[b1].start() : now[b2 - 1].end()])
                continue
            if a1 == 0 and "\n" in tail:
                self._insert_lines(start, new[: now[b2 - 1].end()].split("\n"), i1)
            elif a1 and (tail == gap or a1 == len(before)):
                self._insert(index(a1), new[left : now[b2 - 1].end()])
            elif a1 < len(before):
                at = self._at(index(a1))
                self.touched.add(self._line(at))
                self.cuts.append(_Cut(at, at, new[now[b1].start() : right]))
            else:
                raise _OtherwiseWrittenError

    def _insert(self, index: int, text: str) -> None:
        """Text right behind the solid character before an index of the base; what follows a line end, on own lines."""
        head, *lines = text.split("\n")
        at = self._at(index - 1) + 1
        if lines:
            row = bisect_right(self.base_at, index - 1) - 1
            self._insert_lines(index, lines, row + 1)
        if head.strip():
            end = at
            if self.text[at - 1] in "[{" and index < len(self.place) and self.place[index] is not None:
                closing = self._at(index)
                if self.text[closing] in "]}" and not self.text[at:closing].strip(SPACE):
                    end = closing if "\n" not in self.text[at:closing] else at
            self.touched.add(self._line(at - 1))
            self.cuts.append(_Cut(at, end, head))

    def _swap(self, first: int, end: int, text: str) -> None:
        """Other tokens in place of some on one line; those behind a line end get lines of their own."""
        head, *lines = text.split("\n")
        start, last = self._at(first), self._at(end - 1)
        self.touched.add(self._line(start))
        self.cuts.append(_Cut(start, last + 1, head))
        if lines:
            self._insert_lines(end, lines, bisect_right(self.base_at, end - 1))

    def _delete(self, first: int, end: int, *, comma: bool) -> None:
        """Solid characters of the base: a line that is left without any goes, with the comment behind them."""
        by_line: dict[int, list[int]] = {}
        for index in range(first, end):
            by_line.setdefault(self._line(self._at(index)), []).append(self._at(index))
        for number, places in by_line.items():
            start, stop = self.lines[number]
            own = range(bisect_left(self.solid, start), bisect_left(self.solid, stop))
            self.touched.add(number)
            if len(own) == len(places):
                self.gone.add(number)
                self.cuts.append(_Cut(start, stop))
                continue
            before = bisect_left(self.solid, places[0]) - 1
            behind = bisect_left(self.solid, places[-1]) + 1
            if behind - before - 1 != len(places):
                raise _OtherwiseWrittenError
            left, right = places[0], places[-1] + 1
            if not comma and behind < len(self.solid) and self.solid[behind] < stop:
                right = self.solid[behind]
            elif before >= 0 and self.solid[before] >= start:
                left = self.solid[before] + 1
            self.cuts.append(_Cut(left, right))

    def _joined(self) -> str:
        parts: list[str] = []
        end = 0
        text = self.text
        no_end = bool(text) and text[-1] not in "\r\n"
        for cut in sorted(self.cuts, key=lambda cut: (cut.start, cut.end)):
            if cut.start < end:
                raise _OtherwiseWrittenError
            parts.append(text[end : cut.start])
            if no_end and cut.start == len(text) and cut.text:
                parts.append(self.line_end)
            parts.append(cut.text)
            end = cut.end
        parts.append(text[end:])
        result = "".join(parts)
        return re.sub(r"(?:\r\n|\n|\r)\Z", "", result) if no_end else result


def _solid(line: str) -> str:
    return "".join(char for char in line if char not in SPACE)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _offsets(lines: Sequence[str]) -> list[int]:
    """How many solid characters stand before each line, and at last how many there are."""
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(_solid(line)))
    return offsets


def _line_changes(base: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Which lines differ; the equal ones at both ends are left out at once, since files may be long."""
    shortest = min(len(base), len(after))
    head = next((at for at in range(shortest) if base[at] != after[at]), shortest)
    tail = 0
    while tail < shortest - head and base[-1 - tail] == after[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(None, base[head : len(base) - tail], after[head : len(after) - tail], autojunk=False)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what != "equal":
            yield what, i1 + head, i2 + head, j1 + head, j2 + head
