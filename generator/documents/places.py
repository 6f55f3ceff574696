"""Where keys and values of a document stand: a second reading, for findings and origins only.

The same walk as the reader's, keeping places instead of values, so that the one that every run needs
carries none. document.py feeds it.
"""

from typing import Any, Final

from msgspec import Struct

from generator.documents.scalar import MERGE, key_text, resolve
from generator.finding import Place

Path = tuple[str | int, ...]  # the keys and indexes that lead from a document's root to a value

# What the next value is for, where it is no key's value: an item of a list, a key, nothing.
ITEM: Final = object()
NEXT_KEY: Final = object()
DROPPED: Final = object()


class Spot(Struct):
    """Where one value stands, and where the keys (or items) and values inside it do."""

    place: Place
    inner: dict[str | int, tuple[Place, "Spot"]]


class Places:
    """Where keys and values of a document stand; a path that isn't there has the place of its nearest parent.

    What came through an alias or a merge stands where its text does.
    """

    def __init__(self, file: str, root: Spot | None) -> None:
        self.file = file
        self.root = root

    def value(self, path: tuple[str | int, ...]) -> Place:
        """The place of a value, the file's for an empty document."""
        return self._find(path)[1]

    def key(self, path: tuple[str | int, ...]) -> Place:
        """The place of the key of a mapping, or of the item of a list."""
        return self._find(path)[0]

    def below(self, path: tuple[str | int, ...]) -> "Places":
        """The places inside the value at a path, or at its nearest parent."""
        spot = self.root
        for step in path:
            if spot is None or step not in spot.inner:
                break
            spot = spot.inner[step][1]
        return Places(self.file, spot)

    def _find(self, path: tuple[str | int, ...]) -> tuple[Place, Place]:
        if self.root is None:
            return Place(self.file), Place(self.file)
        place, spot = self.root.place, self.root
        for step in path:
            if step not in spot.inner:
                break
            place, spot = spot.inner[step]
        return place, spot.place


class _Frame(Struct):
    """A list or mapping that is open, and what its next value is for."""

    spot: Spot
    anchor: str | None
    key: Any
    key_place: Place
    merges: list[Spot]


class Locator:
    """Builds the places of one document from what its reader meets. A False says: go no further."""

    def __init__(self, budget: int) -> None:
        self.root: Spot | None = None
        self.frames: list[_Frame] = []
        self.anchors: dict[str, tuple[Spot, Any]] = {}
        self.budget = budget

    def scalar(self, place: Place, text: str, *, plain: bool, anchor: str | None) -> None:
        """A scalar, which may be a key."""
        spot = Spot(place, {})
        value: Any = text
        if plain and (anchor is not None or self._at_key()):
            value = MERGE if text == MERGE.text else resolve(text)
        if anchor is not None:
            self.anchors[anchor] = (spot, value)
        self._enter(spot, value)

    def open(self, place: Place, *, mapping: bool, anchor: str | None) -> None:
        """The start of a list or mapping."""
        spot = Spot(place, {})
        self._enter(spot, None)
        self.frames.append(_Frame(spot, anchor, NEXT_KEY if mapping else ITEM, place, []))

    def close(self) -> bool:
        """The end of a list or mapping."""
        frame = self.frames.pop()
        for merged in frame.merges:
            self._merge(frame.spot, merged)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (frame.spot, None)
        return self.budget >= 0

    def alias(self, place: Place, anchor: str) -> bool:
        """An alias: its value stands at the anchor, but a key stands where it is used."""
        if anchor not in self.anchors:
            return False
        spot, value = self.anchors[anchor]
        self._enter(Spot(place, {}) if self._at_key() else spot, value)
        return True

    def _at_key(self) -> bool:
        return bool(self.frames) and self.frames[-1].key is NEXT_KEY

    def _enter(self, spot: Spot, value: Any) -> None:
        """Put a spot in its place; `value` is None for a list or mapping."""
        if not self.frames:
            self.root = spot
            return
        frame = self.frames[-1]
        inner = frame.spot.inner
        if frame.key is ITEM:
            inner[len(inner)] = (spot.place, spot)
        elif frame.key is NEXT_KEY:
            frame.key_place = spot.place
            frame.key = DROPPED if value is None else value if value is MERGE else key_text(value)
            if frame.key in inner:
                frame.key = DROPPED
        else:
            if frame.key is MERGE:
                frame.merges.append(spot)
            elif frame.key is not DROPPED:
                inner[frame.key] = (frame.key_place, spot)
            frame.key = NEXT_KEY

    def _merge(self, into: Spot, merged: Spot) -> None:
        """The keys of a merged mapping, or of each mapping in a merged list; the first one wins."""
        self.budget -= len(merged.inner)
        for name, key_and_value in merged.inner.items() if self.budget >= 0 else ():
            if isinstance(name, str):
                into.inner.setdefault(name, key_and_value)
            else:
                self._merge(into, key_and_value[1])
