"""A run of sync: what each repository comes to, and when to write what was learned."""

from collections.abc import Iterator

from msgspec import Struct

from generator.catalog.change import Change
from generator.catalog.survey import Seen, Survey, Task, outcome
from generator.facts.tag import Unreadable

# To write costs a read and a write of the files that change. With these pauses it is a small part of the run, whatever
# it costs: seconds before the first time, and how many times as long as it took before the next.
FIRST_PAUSE, SHARE = 2.0, 20


class Remark(Struct, frozen=True):
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
    notes: tuple[Remark, ...] = ()
    unseen: tuple[Remark, ...] = ()
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
        return tuple(change for repository in self.repositories for change in repository.changes)

    @property
    def unseen(self) -> bool:
        """Whether something could not be looked at."""
        return any(repository.unseen or repository.error for repository in self.repositories)

    @property
    def lost(self) -> tuple[str, ...]:
        """Repositories that their registries know nothing of."""
        return tuple(self._lost())

    def _lost(self) -> Iterator[str]:
        return (repository.repository for repository in self.repositories if repository.absent)


class Asking:
    """What one repository has come to so far."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        self.survey = Survey(tags=0, tasks=(), skipped=0, others=())
        self.looked = 0
        self.absent = False
        self.error = self.hint = ""
        self._changes: list[Change] = []
        self._notes: list[Remark] = []
        self._unseen: list[Remark] = []

    def looked_at(self, task: Task, seen: Seen) -> Change | None:
        """Takes what is under a tag; the change of its line, if there is one."""
        self.looked += 1
        result = outcome(self.repository, task, seen)
        self._notes += [Remark(task.tag, note) for note in result.notes]
        if result.change is not None:
            self._changes.append(result.change)
        return result.change

    def could_not_look(self, task: Task, reason: str) -> None:
        """Takes a tag whose image could not be looked at."""
        self.looked += 1
        self._unseen.append(Remark(task.tag, reason))

    def result(self) -> Synced:
        """All of it, also where the registry stopped to answer on the way."""
        return Synced(
            repository=self.repository,
            tags=self.survey.tags,
            changes=tuple(sorted(self._changes, key=lambda change: change.tag)),
            known=self.looked - len(self._changes) - len(self._unseen),
            skipped=self.survey.skipped,
            others=self.survey.others,
            notes=tuple(sorted(self._notes, key=lambda note: note.tag)),
            unseen=tuple(sorted(self._unseen, key=lambda note: note.tag)),
            left=len(self.survey.tasks) - self.looked,
            absent=self.absent,
            error=self.error,
            hint=self.hint,
        )


class Pace:
    """When to write what was learned; times are seconds of one clock."""

    def __init__(self, now: float) -> None:
        self._last = now
        self._pause = FIRST_PAUSE

    def is_due(self, now: float) -> bool:
        """Whether to write now."""
        return now - self._last >= self._pause

    def wrote(self, began: float, ended: float) -> None:
        """Takes how long it took."""
        self._last = ended
        self._pause = max(FIRST_PAUSE, SHARE * (ended - began))
