"""`drivergate catalog sync`: the catalog as the registries have it."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer

from generator.catalog.change import Change
from generator.catalog.need import Wish, of_any, wishes
from generator.catalog.survey import survey
from generator.catalog.sync import Asking, Pace, Run, Synced
from generator.cli.completion import complete_repositories
from generator.cli.ledger import Ledger, open_ledger, refused, reopened, revise, writable, write
from generator.cli.looking import Unseen, looks
from generator.cli.options import PlainHttp, ResultFormat, Root
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, Format, Progress, out, say
from generator.declared.mirror import catalog_name
from generator.edges.errors import CouldNotLookError
from generator.edges.registry.client import Missing, Repository, Session
from generator.report import sync as report
from generator.report.formats import json


def sync(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REPOSITORY]...",
            help="Repositories to ask; default: those that the fleet names.",
            autocompletion=complete_repositories,
        ),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Take every driver image, needed or not.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would change.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")] = False,
    plain_http: PlainHttp = None,
    root: Root = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Bring the catalog up to date with its registries: new, re-pushed and vanished images, and what is in them."""
    ledger = open_ledger(root)
    as_json = printed is Format.JSON
    if ledger.blocking:
        return refused(ledger.blocking, as_json=as_json)
    wanted = _wanted(ledger, repositories or [])
    if not wanted:
        say("the fleet names no repository; name one, as nvcr.io/nvidia/driver")
        return CLEAN
    writable(ledger, wanted)
    with Session(os.environ, plain_http=plain_http or ()) as session:
        done = _synchronize(ledger, session, wanted, everything=everything, writes=not (dry_run or check))
    if as_json:
        out(json.printed(report.as_json(done)))
    else:
        out(report.as_text(done))
        for line in report.talk(done):
            say(line)
    if check and done.changes:
        return FOUND
    if done.lost:
        return FOUND
    return NOT_VERIFIED if done.unseen else CLEAN


def _wanted(ledger: Ledger, named: list[str]) -> Mapping[str, Wish]:
    """What to ask of each repository. One that the fleet doesn't name is asked for what the fleet needs of any."""
    known = wishes(ledger.fleet)
    wanted = {}
    for name in named:
        repository = catalog_name(ledger.fleet.mirrors, name)
        if repository != name:
            say(f"{name} passes on the images of {repository} (kind: {ledger.fleet.mirrors[name].kind}): that is asked")
        if repository not in known:
            known[repository] = of_any(known.values())
        wanted[repository] = known[repository]
    return wanted if named else known


def _synchronize(
    ledger: Ledger, session: Session, wanted: Mapping[str, Wish], *, everything: bool, writes: bool
) -> Run:
    """Every repository in turn. What was learned is in the files when it ends, whatever ends it."""
    addresses = {name: session.repository(name) for name in wanted}
    pen = _Pen(ledger, writes=writes)
    repositories: list[Synced] = []
    with _terminated(), Progress() as progress:
        try:
            for name, wish in wanted.items():
                repositories.append(_ask(ledger, addresses[name], name, None if everything else wish, pen, progress))
        except KeyboardInterrupt:
            pen.put_down()
            if pen.written:
                say(f"interrupted; what was learned is in {', '.join(pen.written)}")
            raise
        finally:
            pen.put_down()
    return Run(repositories=tuple(repositories), written=tuple(sorted(pen.written)), done=writes)


def _ask(
    ledger: Ledger, repository: Repository, name: str, wish: Wish | None, pen: "_Pen", progress: Progress
) -> Synced:
    """What one repository has. An end before its time is part of the answer."""
    asking = Asking(name)
    try:
        progress.show(f"{name}: listing tags")
        tags = repository.tags()
        asking.absent = isinstance(tags, Missing)
        asking.survey = survey(() if isinstance(tags, Missing) else tags, ledger.listed.get(name, {}), wish)
        tasks = asking.survey.tasks
        for task, seen in looks(repository, tasks):
            if isinstance(seen, Unseen):
                asking.could_not_look(task, seen.reason)
            else:
                change = asking.looked_at(task, seen)
                if change is not None:
                    pen.note(change)
            progress.show(f"{name}: {asking.looked} of {len(tasks)} images")
    except CouldNotLookError as error:
        asking.error, asking.hint = error.message, error.hint
    return asking.result()


class _Pen:
    """Writes changes now and then, into the files as they are at that moment: somebody may be editing them."""

    def __init__(self, ledger: Ledger, *, writes: bool) -> None:
        self._ledger, self._writes = ledger, writes
        self._waiting: list[Change] = []
        self._pace = Pace(time.monotonic())
        self.written: dict[str, None] = {}

    def note(self, change: Change) -> None:
        """Takes a change, and writes all that are waiting when it is time."""
        self._waiting.append(change)
        if self._writes and self._pace.is_due(time.monotonic()):
            self.put_down()

    def put_down(self) -> None:
        """Writes what is waiting; once more from the start where it was interrupted."""
        if not self._waiting:
            return
        began = time.monotonic()
        current = reopened(self._ledger)
        revised = revise(current, self._waiting)
        if self._writes:
            write(current, revised)
        self.written |= dict.fromkeys(revised.written)
        self._waiting = []
        self._pace.wrote(began, time.monotonic())


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
