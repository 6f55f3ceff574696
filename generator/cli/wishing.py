"""The options that say what would change, shared by the verbs that ask about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from generator.change.wish import Wish

Kernels = Annotated[
    list[str] | None, typer.Option("--kernel", metavar="UNAME-R", help="Nodes boot this kernel; may be repeated.")
]
System = Annotated[str | None, typer.Option("--os", metavar="ID+VERSION", help="As in ubuntu24.04 or rhel9.6.")]
Branch = Annotated[str | None, typer.Option("--branch", metavar="DRIVER", help="A driver branch, or an exact version.")]
Stream = Annotated[
    str | None,
    typer.Option("--node-image", metavar="NAME[=RELEASE]", help="Nodes are of this image, or one release of it."),
]
Operator = Annotated[
    str | None, typer.Option("--operator", metavar="RELEASE", help="The GPU operator is of this release.")
]
Rings = Annotated[
    list[str] | None, typer.Option("--ring", metavar="RING", help="Only clusters of this ring; may be repeated.")
]
Pools = Annotated[
    list[str] | None, typer.Option("--pool", metavar="[CLUSTER/]POOL", help="Only this pool; may be repeated.")
]


def wished(
    kernel: list[str] | None,
    system: str | None,
    branch: str | None,
    node_image: str | None,
    operator: str | None,
    cluster: list[str] | None,
    ring: list[str] | None,
    pool: list[str] | None,
) -> Wish:
    """The options as one value."""
    from generator.change.wish import Wish

    return Wish(
        kernels=tuple(kernel or ()),
        os=system or "",
        driver=branch or "",
        node_image=node_image or "",
        operator=operator or "",
        clusters=frozenset(cluster or ()),
        rings=frozenset(ring or ()),
        pools=frozenset(pool or ()),
    )
