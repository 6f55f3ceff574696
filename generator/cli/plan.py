"""`drivergate plan`: may a change be rolled, and what is to be built first?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.options import Clusters, Rev, Root, Staged


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
    kernel: Annotated[
        list[str] | None, typer.Option("--kernel", metavar="UNAME-R", help="Nodes boot this kernel; may be repeated.")
    ] = None,
    os: Annotated[str | None, typer.Option("--os", metavar="ID+VERSION", help="As in ubuntu24.04 or rhel9.6.")] = None,
    branch: Annotated[
        str | None, typer.Option("--branch", metavar="DRIVER", help="A driver branch, or an exact version.")
    ] = None,
    node_image: Annotated[
        str | None,
        typer.Option("--node-image", metavar="NAME[=RELEASE]", help="Nodes are of this image, or one release of it."),
    ] = None,
    operator: Annotated[
        str | None, typer.Option("--operator", metavar="RELEASE", help="The GPU operator is of this release.")
    ] = None,
    cluster: Clusters = None,
    ring: Annotated[
        list[str] | None, typer.Option("--ring", metavar="RING", help="Only clusters of this ring; may be repeated.")
    ] = None,
    pool: Annotated[
        list[str] | None, typer.Option("--pool", metavar="[CLUSTER/]POOL", help="Only this pool; may be repeated.")
    ] = None,
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
    from generator.cli.planning import Wish, planned

    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    wish = Wish(
        kernels=tuple(kernel or ()),
        os=os or "",
        driver=branch or "",
        node_image=node_image or "",
        operator=operator or "",
        clusters=frozenset(cluster or ()),
        rings=frozenset(ring or ()),
        pools=frozenset(pool or ()),
    )
    fail = frozenset(str(one) for one in fail_on or ())
    return planned(wish, root=root, staged=staged, rev=rev, fail_on=fail, printed=str(printed))
