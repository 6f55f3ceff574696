"""Where things stand: files are read for their places only when a finding or an origin asks."""

from collections.abc import Mapping

from generator.declared.document import Places, places
from generator.declared.layers import Path
from generator.finding import Place


class Texts:
    """The texts of the inventory by file, with their places found once, on demand."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = dict(texts)
        self._places: dict[str, Places] = {}

    def add(self, texts: Mapping[str, bytes]) -> None:
        """Further files that findings may point into: bases, CRDs."""
        self._texts.update(texts)

    def places(self, file: str) -> Places:
        """The places of one file."""
        found = self._places.get(file)
        if found is None:
            found = self._places[file] = places(self._texts.get(file, b""), file)
        return found

    def value(self, file: str, path: Path) -> Place:
        """Where the value at a path stands; its nearest parent where the path is not in the file."""
        return self.places(file).value(path)

    def key(self, file: str, path: Path) -> Place:
        """Where the key of a path stands."""
        return self.places(file).key(path)
