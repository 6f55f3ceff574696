"""Where things stand: files are read for their places only when a finding or an origin asks."""

from collections.abc import Iterable, Mapping, Sequence

from generator.documents.document import Places, places
from generator.documents.places import Path, Spot
from generator.finding import Place


class Texts:
    """The texts of the inventory by file, with their places found once, on demand."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = {file: Text((text,)) for file, text in texts.items()}

    def add(self, texts: Mapping[str, bytes]) -> None:
        """Further files that findings may point into: bases, CRDs. One that is there, of several documents, stays."""
        for file, text in texts.items():
            self._texts.setdefault(file, Text((text,)))

    def add_documents(self, file: str, parts: Sequence[bytes]) -> None:
        """A file of one or several documents; of several a path begins with the document's number."""
        self._texts[file] = Text(parts)

    def part(self, files: Iterable[str]) -> "Texts":
        """The same for these files only; what is found in one of them is remembered for both."""
        part = Texts({})
        part._texts = {file: self._texts[file] for file in files if file in self._texts}
        return part

    def places(self, file: str) -> Places:
        """The places of one file."""
        text = self._texts.get(file)
        if text is None:
            text = self._texts[file] = Text((b"",))
        return text.places(file)

    def value(self, file: str, path: Path) -> Place:
        """Where the value at a path stands; its nearest parent where the path is not in the file."""
        return self.places(file).value(path)

    def key(self, file: str, path: Path) -> Place:
        """Where the key of a path stands."""
        return self.places(file).key(path)


class Text:
    """The documents of one file, of which mostly there is one."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = parts
        self._places: Places | None = None

    def places(self, file: str) -> Places:
        """Where the keys and values of the documents stand in the file."""
        if self._places is None:
            self._places = self._found(file)
        return self._places

    def _found(self, file: str) -> Places:
        found = [places(part, file) for part in self._parts]
        if len(found) == 1:
            return found[0]
        inner: dict[str | int, tuple[Place, Spot]] = {
            index: (document.root.place, document.root)
            for index, document in enumerate(found)
            if document.root is not None
        }
        return Places(file, Spot(Place(file, 1, 1), inner))
