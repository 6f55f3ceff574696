"""`drivergate render`: inventory to manifests."""

from typing import Annotated

import typer

from generator.cli.options import Clusters, Printed, Root
from generator.cli.outcome import Format


def render(
    root: Root = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if out/ is not up to date.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")] = False,
    cluster: Clusters = None,
    allow_remove: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-remove", metavar="NAME", help="A cluster or CLUSTER/OBJECT that may go; may be repeated."
        ),
    ] = None,
    exit_non_zero_on_change: Annotated[
        bool,
        typer.Option("--exit-non-zero-on-change", help="Exit 1 if anything was written or removed: for commit hooks."),
    ] = False,
    printed: Printed = Format.TEXT,
) -> int:
    """Render inventory/ into out/. Writes unless no valid manifest can be made; the gate's errors are warnings here."""
    from generator.cli.rendering import rendering

    return rendering(
        root=root,
        check=check,
        diff=diff,
        clusters=cluster or (),
        allow_remove=allow_remove or (),
        exit_non_zero_on_change=exit_non_zero_on_change,
        printed=printed,
    )
