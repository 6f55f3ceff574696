"""Where things stand: files are read for their places only when a finding or an origin asks."""

from collections.abc import Mapping, Sequence

from generator.documents.document import Places, places
from generator.documents.places import Path, Spot
from generator.finding import Place


class Texts:
    """The texts of the inventory by file, with their places found once, on demand."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = dict(texts)
        self._places: dict[str, Places] = {}
        self._documents: dict[str, Sequence[bytes]] = {}

    def add(self, texts: Mapping[str, bytes]) -> None:
        """Further files that findings may point into: bases, CRDs."""
        self._texts.update(texts)

    def add_documents(self, file: str, parts: Sequence[bytes]) -> None:
        """A file of one or several documents; of several a path begins with the document's number."""
        self._documents[file] = parts

    def places(self, file: str) -> Places:
        """The places of one file."""
        of_file = self._places.get(file)
        if of_file is None:
            of_file = self._places[file] = self._locate(file)
        return of_file

    def _locate(self, file: str) -> Places:
        parts = self._documents.get(file) or (self._texts.get(file, b""),)
        of_documents = [places(part, file) for part in parts]
        if len(of_documents) == 1:
            return of_documents[0]
        inner: dict[str | int, tuple[Place, Spot]] = {
            index: (document.root.place, document.root)
            for index, document in enumerate(of_documents)
            if document.root is not None
        }
        return Places(file, Spot(Place(file, 1, 1), inner))

    def value(self, file: str, path: Path) -> Place:
        """Where the value at a path stands; its nearest parent where the path is not in the file."""
        return self.places(file).value(path)

    def key(self, file: str, path: Path) -> Place:
        """Where the key of a path stands."""
        return self.places(file).key(path)
