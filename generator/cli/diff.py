"""`drivergate diff`: what a change does to the fleet."""

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.options import Clusters, Outputs, Reported, Root
from generator.cli.outcome import Reporting


class FailOn(StrEnum):
    """What makes exit 1."""

    RELOAD = "reload"
    MISSING = "missing"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


def diff(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The commit that is compared with.")],
    head: Annotated[
        str | None, typer.Argument(metavar="[HEAD]", help="The commit that is looked at; default: the work tree.")
    ] = None,
    cluster: Clusters = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 where the change is so; may be repeated.")
    ] = None,
    root: Root = None,
    printed: Reported = Reporting.TEXT,
    output: Outputs = None,
) -> int:
    """Say what a change does to the fleet: which nodes reload, what is evicted, what blocks, what must be built."""
    from generator.cli.compared import compared

    return compared(
        base,
        head,
        root=root,
        clusters=frozenset(cluster or ()),
        fail_on=frozenset(map(str, fail_on or ())),
        printed=printed,
        outputs=output or (),
    )
