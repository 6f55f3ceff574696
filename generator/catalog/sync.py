"""What a run of sync came to."""

from collections.abc import Iterator

from msgspec import Struct

from generator.catalog.change import Change
from generator.facts.tag import Unreadable


class Said(Struct, frozen=True):
    """Something about one image."""

    tag: str
    text: str


class Synced(Struct, frozen=True, kw_only=True):
    """One repository. `error` and `hint` say why it could not be asked, or not to the end; `absent`: it has none such.

    `tags` were listed, `left` of the images to look at were not reached; `skipped` are no use to the fleet.
    """

    repository: str
    tags: int = 0
    changes: tuple[Change, ...] = ()
    known: int = 0
    skipped: int = 0
    others: tuple[Unreadable, ...] = ()
    notes: tuple[Said, ...] = ()
    unseen: tuple[Said, ...] = ()
    left: int = 0
    absent: bool = False
    error: str = ""
    hint: str = ""


class Run(Struct, frozen=True, kw_only=True):
    """All repositories, and the files that were, or would be, written."""

    repositories: tuple[Synced, ...]
    written: tuple[str, ...]
    done: bool

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every line that changes."""
        return tuple(change for one in self.repositories for change in one.changes)

    @property
    def unseen(self) -> bool:
        """Whether something could not be looked at."""
        return any(one.unseen or one.error for one in self.repositories)

    @property
    def lost(self) -> tuple[str, ...]:
        """Repositories that their registries know nothing of."""
        return tuple(self._lost())

    def _lost(self) -> Iterator[str]:
        return (one.repository for one in self.repositories if one.absent)
