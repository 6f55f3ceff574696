"""`drivergate plan`: may a change be rolled, and what is to be built first?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.options import Clusters, Rev, Root, Staged
from generator.cli.wishing import Branch, Kernels, Operator, Pools, Rings, Stream, System


class PlanFormat(StrEnum):
    """How a plan is printed; the last two are build matrices."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    GITLAB = "gitlab"


class FailOn(StrEnum):
    """What makes exit 1."""

    MISSING = "missing"
    UNKNOWN = "unknown"


def plan(
    kernel: Kernels = None,
    os: System = None,
    branch: Branch = None,
    node_image: Stream = None,
    operator: Operator = None,
    cluster: Clusters = None,
    ring: Rings = None,
    pool: Pools = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 where a pool is so; may be repeated.")
    ] = None,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    printed: Annotated[
        PlanFormat, typer.Option("--format", help="How to print it; github and gitlab are build matrices.")
    ] = PlanFormat.TEXT,
) -> int:
    """Say for each pool whether a change, or what is declared as upcoming, has all its images; nothing is edited."""
    from generator.cli.planning import planned
    from generator.cli.wishing import wished

    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    wish = wished(kernel, os, branch, node_image, operator, cluster, ring, pool)
    fail = frozenset(str(one) for one in fail_on or ())
    return planned(wish, root=root, staged=staged, rev=rev, fail_on=fail, printed=str(printed))
