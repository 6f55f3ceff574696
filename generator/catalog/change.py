"""What happens to the line of an image, and what of it a reader is told."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.entry import Entry


class Kind(StrEnum):
    """How a line changes."""

    NEW = "new"
    REPUSHED = "re-pushed"  # the tag names another image than it did
    BACK = "back"  # it was gone
    LEARNED = "learned"  # platforms, version or digest that the line lacked or had otherwise
    GONE = "gone"
    REMOVED = "removed"


class Change(Struct, frozen=True, gc=False):
    """One image: its line as it was and as it will be."""

    kind: Kind
    repository: str
    tag: str
    old: Entry | None
    new: Entry | None

    @property
    def name(self) -> str:
        """The reference by tag."""
        return f"{self.repository}:{self.tag}"


def between(repository: str, old: Entry | None, new: Entry) -> Change | None:
    """What the new facts are to a line; None where they are the same."""
    if old is None:
        return Change(Kind.NEW, repository, new.tag, None, new)
    if replace(old, file="", line=0) == replace(new, file="", line=0):
        return None
    if new.gone:
        kind = Kind.GONE
    elif old.digest and old.digest != new.digest:
        kind = Kind.REPUSHED
    else:
        kind = Kind.BACK if old.gone else Kind.LEARNED
    return Change(kind, repository, new.tag, old, new)


def edits(changes: Iterable[Change]) -> dict[str, dict[str, Entry | None]]:
    """The same as what each repository's files must hold."""
    out: dict[str, dict[str, Entry | None]] = {}
    for change in changes:
        out.setdefault(change.repository, {})[change.tag] = change.new
    return out


def counted(changes: Iterable[Change]) -> Mapping[Kind, int]:
    """How many of each kind, those that there are."""
    kinds = [change.kind for change in changes]
    return {kind: kinds.count(kind) for kind in Kind if kind in kinds}
