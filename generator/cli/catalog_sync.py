"""`drivergate catalog sync`: the catalog as the registries have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.options import Printed, Root
from generator.cli.outcome import Format

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.catalog.need import Wish
    from generator.cli.ledger import Ledger

PlainHttp = Annotated[
    list[str] | None,
    typer.Option("--plain-http", metavar="HOST[:PORT]", help="A registry that may be spoken to without TLS."),
]


def sync(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REPOSITORY]...", help="Which to ask; default: those that the fleet names."),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Take every driver image, needed or not.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would change.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")] = False,
    plain_http: PlainHttp = None,
    root: Root = None,
    printed: Printed = Format.TEXT,
) -> int:
    """Bring the catalog up to date with its registries: new, re-pushed and vanished images, and what is in them."""
    import os

    from generator.cli.ledger import open_ledger, refused, writable
    from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, out, say
    from generator.cli.syncing import syncing
    from generator.edges.registry.client import Session
    from generator.report import sync
    from generator.report.formats import json

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
        done = syncing(ledger, session, wanted, everything=everything, writes=not (dry_run or check))
    if as_json:
        out(json.printed(sync.as_json(done)))
    else:
        out(sync.as_text(done))
        for line in sync.talk(done):
            say(line)
    if check and done.changes:
        return FOUND
    if done.lost:
        return FOUND
    return NOT_VERIFIED if done.unseen else CLEAN


def _wanted(ledger: Ledger, named: list[str]) -> Mapping[str, Wish]:
    """What to ask of each repository. One that the fleet doesn't name is asked for what the fleet needs of any."""
    from generator.catalog.need import nothing, wishes
    from generator.cli.outcome import say
    from generator.declared.mirror import asked

    known = wishes(ledger.fleet)
    wanted = {}
    for name in named:
        repository = asked(ledger.fleet.mirrors, name)
        if repository != name:
            say(f"{name} passes on the images of {repository} (kind: {ledger.fleet.mirrors[name].kind}): that is asked")
        if repository not in known:
            known[repository] = nothing()
            for wish in list(known.values()):
                known[repository].with_all(wish)
        wanted[repository] = known[repository]
    return wanted if named else known
