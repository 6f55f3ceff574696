"""A state of the repository together with what its lock file says lies elsewhere, as one source."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from generator.edges.errors import UnreadableError
from generator.edges.source import Entry, Kind, Source, below, insides
from generator.layout import INVENTORY, SOURCES_LOCK


class Elsewhere(Protocol):
    """A folder of another repository, at one commit."""

    def paths(self) -> list[Entry]:
        """Everything in it, by paths relative to it."""
        ...

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of files that `paths` listed."""
        ...


class Sourced:
    """A source whose inventory/ also holds `inventory/@NAME/…` for each name in the lock file.

    `open_lock` says what a lock file means; it is called only where there is one.
    """

    def __init__(self, own: Source, open_lock: Callable[[bytes], Mapping[str, Elsewhere]]) -> None:
        self.own = own
        self._open_lock = open_lock
        self._found: dict[str, tuple[Elsewhere, str, Entry]] | None = None

    @property
    def label(self) -> str:
        """The repository's own state: the lock file is a part of it."""
        return self.own.label

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders, sorted by path."""
        entries = self.own.paths(*folders)
        wanted = insides(folders)
        if not any(
            f"{INVENTORY}/".startswith(f"{one}/" if one else "") or one.startswith(f"{INVENTORY}/@") for one in wanted
        ):
            return entries
        found = self._elsewhere()
        if not found:
            return entries
        self._apart(entries, found)
        return sorted([*entries, *(found[path][2] for path in below(found, wanted))], key=lambda entry: entry.path)

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of these files, in one batch for each repository."""
        found = self._elsewhere() if any(path.startswith(f"{INVENTORY}/@") for path in paths) else {}
        contents = self.own.read([path for path in paths if path not in found])
        wanted: dict[int, tuple[Elsewhere, dict[str, str]]] = {}
        for path in paths:
            if path in found:
                elsewhere, theirs, _ = found[path]
                wanted.setdefault(id(elsewhere), (elsewhere, {}))[1][theirs] = path
        for elsewhere, names in wanted.values():
            contents |= {names[theirs]: data for theirs, data in elsewhere.read([*names]).items()}
        return contents

    def _elsewhere(self) -> dict[str, tuple[Elsewhere, str, Entry]]:
        if self._found is None:
            locks = [entry.path for entry in self.own.paths(SOURCES_LOCK) if entry.kind is Kind.FILE]
            opened = self._open_lock(self.own.read(locks)[SOURCES_LOCK]) if locks else {}
            self._found = {
                path: (elsewhere, entry.path, Entry(path, entry.kind))
                for name, elsewhere in opened.items()
                for entry in elsewhere.paths()
                for path in [f"{INVENTORY}/@{name}/{entry.path}"]
            }
        return self._found

    @staticmethod
    def _apart(entries: list[Entry], found: Mapping[str, object]) -> None:
        names = {path.split("/")[1] for path in found}
        for entry in entries:
            parts = entry.path.split("/")
            if parts[0] == INVENTORY and len(parts) > 1 and parts[1] in names:
                message = f"`{entry.path}` lies where the files of the source {parts[1][1:]} are read as if they lay"
                raise UnreadableError(message, "move it, or rename the source")
