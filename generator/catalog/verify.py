"""What a run of verify came to."""

from msgspec import Struct

from generator.catalog.survey import Discrepancy
from generator.declared.entry import Entry


class Unverified(Struct, frozen=True):
    """A line that could not be held against the registry."""

    entry: Entry
    reason: str


class Verified(Struct, frozen=True, kw_only=True):
    """One repository: `looked` of its `lines` were reached. `error` and `hint` say why the others were not."""

    repository: str
    lines: int
    looked: int
    wrong: tuple[Discrepancy, ...] = ()
    unseen: tuple[Unverified, ...] = ()
    error: str = ""
    hint: str = ""


class Verifying:
    """The same while it is under way."""

    def __init__(self, repository: str, lines: int) -> None:
        self.repository, self.lines, self.looked = repository, lines, 0
        self._wrong: list[Discrepancy] = []
        self._unseen: list[Unverified] = []
        self._error = self._hint = ""

    def held(self, wrong: tuple[Discrepancy, ...]) -> None:
        """One line was held against the registry."""
        self.looked += 1
        self._wrong += wrong

    def unseen(self, entry: Entry, reason: str) -> None:
        """One line could not be."""
        self.looked += 1
        self._unseen.append(Unverified(entry, reason))

    def stopped(self, error: str, hint: str) -> None:
        """Nothing more can be asked."""
        self._error, self._hint = error, hint

    def result(self) -> Verified:
        """In the order of the tags."""
        return Verified(
            repository=self.repository,
            lines=self.lines,
            looked=self.looked,
            wrong=tuple(sorted(self._wrong, key=lambda line: (line.entry.tag, line.message))),
            unseen=tuple(sorted(self._unseen, key=lambda line: line.entry.tag)),
            error=self._error,
            hint=self._hint,
        )
