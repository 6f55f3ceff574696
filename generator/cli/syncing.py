"""One run of sync: asks repository after repository, and writes what it learned as it goes."""

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from generator.catalog.change import Change
from generator.catalog.need import Wish
from generator.catalog.survey import Survey, outcome, survey
from generator.catalog.sync import Run, Said, Synced
from generator.cli.ledger import Ledger, reopened, revise, write
from generator.cli.looking import Unseen, looks
from generator.cli.outcome import say
from generator.cli.progress import Progress
from generator.edges.errors import CouldNotLookError
from generator.edges.registry.client import Missing, Repository, Session

# To write costs a read and a write of what changes: seldom enough that it is no part of the run, whatever it costs.
_FIRST, _SHARE = 2.0, 20


def syncing(ledger: Ledger, session: Session, wanted: Mapping[str, Wish], *, everything: bool, writes: bool) -> Run:
    """Every repository in turn. What was learned is in the files when it ends, whatever ends it."""
    addresses = {name: session.repository(name) for name in wanted}
    pen = _Pen(ledger, writes=writes)
    found: list[Synced] = []
    with _terminated(), Progress() as progress:
        try:
            for name, wish in wanted.items():
                found.append(_one(ledger, addresses[name], name, None if everything else wish, pen, progress))
        except KeyboardInterrupt:
            pen.put_down()
            if pen.written:
                say(f"interrupted; what was learned is in {', '.join(pen.written)}")
            raise
        finally:
            pen.put_down()
    return Run(repositories=tuple(found), written=tuple(sorted(pen.written)), done=writes)


def _one(
    ledger: Ledger, repository: Repository, name: str, wish: Wish | None, pen: "_Pen", progress: Progress
) -> Synced:
    listed = ledger.listed.get(name, {})
    asking = _Asking(name)
    try:
        progress.show(f"{name}: listing tags")
        tags = repository.tags()
        asking.absent = isinstance(tags, Missing)
        asking.begin(survey(() if isinstance(tags, Missing) else tags, listed, wish))
        for task, seen in looks(repository, asking.todo.tasks):
            if isinstance(seen, Unseen):
                asking.unseen.append(Said(task.tag, seen.reason))
            else:
                made = outcome(name, task, seen)
                asking.notes += [Said(task.tag, note) for note in made.notes]
                if made.change is not None:
                    asking.changes.append(made.change)
                    pen.note(made.change)
            asking.looked += 1
            progress.show(f"{name}: {asking.looked} of {len(asking.todo.tasks)} images")
    except CouldNotLookError as error:
        asking.error, asking.hint = error.message, error.hint
    return asking.result()


class _Asking:
    """What one repository has come to so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.todo = Survey(tags=0, tasks=(), skipped=0, others=())
        self.changes: list[Change] = []
        self.notes: list[Said] = []
        self.unseen: list[Said] = []
        self.looked = 0
        self.absent = False
        self.error = self.hint = ""

    def begin(self, todo: Survey) -> None:
        self.todo = todo

    def result(self) -> Synced:
        return Synced(
            repository=self.name,
            tags=self.todo.tags,
            changes=tuple(sorted(self.changes, key=lambda one: one.tag)),
            known=self.looked - len(self.changes) - len(self.unseen),
            skipped=self.todo.skipped,
            others=self.todo.others,
            notes=tuple(sorted(self.notes, key=lambda one: one.tag)),
            unseen=tuple(sorted(self.unseen, key=lambda one: one.tag)),
            left=len(self.todo.tasks) - self.looked,
            absent=self.absent,
            error=self.error,
            hint=self.hint,
        )


class _Pen:
    """Writes changes now and then, into the files as they are at that moment: somebody may be editing them."""

    def __init__(self, ledger: Ledger, *, writes: bool) -> None:
        self._ledger, self._writes = ledger, writes
        self._waiting: list[Change] = []
        self._pause = _FIRST
        self._last = time.monotonic()
        self.written: dict[str, None] = {}

    def note(self, change: Change) -> None:
        self._waiting.append(change)
        if self._writes and time.monotonic() - self._last >= self._pause:
            self.put_down()

    def put_down(self) -> None:
        """What is waiting; once more from the start where it was interrupted."""
        if not self._waiting:
            return
        begun = time.monotonic()
        current = reopened(self._ledger)
        made = revise(current, self._waiting)
        if self._writes:
            write(current, made)
        self.written |= dict.fromkeys(made.written)
        self._waiting = []
        self._last = time.monotonic()
        self._pause = max(_FIRST, _SHARE * (self._last - begun))


@contextmanager
def _terminated() -> Iterator[None]:
    """A job that is cancelled ends as Ctrl-C ends it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
