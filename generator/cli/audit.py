"""`drivergate audit`: does the cluster agree with git?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.observing import BudgetFiles, DriverFiles, Dump, NodeFiles, PodFiles
from generator.cli.options import Clusters, Rev, Root, Staged
from generator.cli.targets import Contexts, Rings, paired


class AuditFormat(StrEnum):
    """How an audit is printed; prometheus is for a textfile collector."""

    TEXT = "text"
    JSON = "json"
    PROMETHEUS = "prometheus"


def audit(
    nodes: NodeFiles = None,
    pods: PodFiles = None,
    budgets: BudgetFiles = None,
    drivers: DriverFiles = None,
    dump: Dump = None,
    context: Contexts = None,
    cluster: Clusters = None,
    ring: Rings = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Print the inventory edit that would declare what runs, as a patch.")
    ] = False,
    write_inventory: Annotated[
        bool, typer.Option("--write-inventory", help="Apply that edit; only the lines that change.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Print the nodes that are as declared too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count: exit 1 on any.")] = False,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    printed: Annotated[
        AuditFormat, typer.Option("--format", help="How to print it; prometheus is for a textfile collector.")
    ] = AuditFormat.TEXT,
) -> int:
    """Compare a cluster with what is declared and rendered for it, from files or live through your kubectl."""
    from generator.cli.auditing import Asked, audited
    from generator.cli.observing import sources

    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    if write_inventory and (staged or rev):
        raise typer.BadParameter("--write-inventory edits the work tree, so it goes with neither --staged nor --rev")
    given = sources(nodes, pods, budgets, drivers, dump)
    if given.given and context:
        raise typer.BadParameter("files and --context are alternatives")
    paired(cluster or (), context or ())
    asked = Asked(
        given=given,
        contexts=tuple(context or ()),
        clusters=tuple(cluster or ()),
        rings=frozenset(ring or ()),
        propose=propose,
        write=write_inventory,
        every=every,
        strict=strict,
        printed=str(printed),
    )
    return audited(asked, root=root, staged=staged, rev=rev)
