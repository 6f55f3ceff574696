"""`drivergate sources`: inventories that live in other repositories."""

from __future__ import annotations

from typing import Annotated

import typer

from generator.cli.options import Printed, Root
from generator.cli.outcome import Format

sources = typer.Typer(
    name="sources",
    help="Move the pinned commits of inventories kept elsewhere.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@sources.callback()
def _sources() -> None:
    """Move the pinned commits of inventories kept elsewhere."""


@sources.command()
def update(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which sources; default: all of the Fleet document.")
    ] = None,
    *,
    rewritten: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-rewritten", metavar="NAME", help="Take a ref whose history was rewritten; may be repeated."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")] = False,
    root: Root = None,
    printed: Printed = Format.TEXT,
) -> int:
    """Pin each source to the commit that its ref names now, and fetch it, so that the gate works offline."""
    from generator.cli.updating import updating

    return updating(
        frozenset(names or ()),
        rewritten=frozenset(rewritten or ()),
        writes=not check,
        root=root,
        as_json=printed is Format.JSON,
    )
