"""`drivergate catalog verify`: whether what the catalog claims is really there."""

import os
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from generator.catalog.need import nothing, wishes
from generator.catalog.survey import Task, discrepancies
from generator.catalog.verify import Verified, Verifying
from generator.cli.ledger import Ledger, open_ledger, refused
from generator.cli.looking import Unseen, reads
from generator.cli.options import PlainHttp, Repositories, ResultFormat, Root
from generator.cli.outcome import (
    CLEAN,
    FOUND,
    NOT_VERIFIED,
    UNUSABLE,
    Format,
    Progress,
    colored,
    out,
    say,
    unknown_repository,
)
from generator.declared.entry import Entry
from generator.declared.mirror import catalog_name
from generator.edges.errors import CouldNotLookError
from generator.edges.registry.client import Session
from generator.report import verify as report
from generator.report.formats import json


def verify(
    repositories: Repositories = None,
    *,
    needed: Annotated[bool, typer.Option("--needed", help="Only what a pool's nodes ask for.")] = False,
    plain_http: PlainHttp = None,
    root: Root = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Hold every line of the catalog against its registry, digest and platforms included; writes nothing."""
    ledger = open_ledger(root)
    as_json = printed is Format.JSON
    if ledger.blocking:
        return refused(ledger.blocking, as_json=as_json)
    if unknown_repository((catalog_name(ledger.fleet.mirrors, name) for name in repositories or ()), ledger.listed):
        return UNUSABLE
    claims = dict(_claims(ledger, repositories or [], needed=needed))
    with Session(os.environ, plain_http=plain_http or ()) as session:
        found = list(_verified(session, claims))
    if as_json:
        out(json.printed(report.as_json(found)))
    else:
        out(report.as_text(found, color=colored()))
        for line in report.talk(found):
            say(line)
    if any(one.wrong for one in found):
        return FOUND
    return NOT_VERIFIED if any(one.unseen or one.error for one in found) else CLEAN


def _claims(ledger: Ledger, named: list[str], *, needed: bool) -> Iterator[tuple[str, list[Entry]]]:
    """The lines of each repository that are to be held against it; a proxy's own prove nothing."""
    wanted = wishes(ledger.fleet)
    only = {catalog_name(ledger.fleet.mirrors, name) for name in named}
    for repository, lines in sorted(ledger.listed.items()):
        if (only and repository not in only) or catalog_name(ledger.fleet.mirrors, repository) != repository:
            continue
        wish = wanted.get(repository, nothing())
        yield repository, [lines[tag] for tag in sorted(lines) if not needed or wish.asks_for(lines[tag])]


def _verified(session: Session, claims: Mapping[str, list[Entry]]) -> Iterator[Verified]:
    opened = {name: session.repository(name) for name in claims}
    with Progress() as progress:
        for name, lines in claims.items():
            going = Verifying(name, len(lines))
            try:
                for task, seen in reads(opened[name], [Task(entry.tag, entry) for entry in lines]):
                    assert task.old is not None
                    if isinstance(seen, Unseen):
                        going.unseen(task.old, seen.reason)
                    else:
                        going.held(discrepancies(name, task.old, seen))
                    progress.show(f"{name}: {going.looked} of {len(lines)} images")
            except CouldNotLookError as error:
                going.stopped(error.message, error.hint)
            yield going.result()
