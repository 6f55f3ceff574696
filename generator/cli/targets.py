"""Which live clusters a verb looks at, each through a context of the user's kubeconfig."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from msgspec import Struct

if TYPE_CHECKING:
    from generator.declared.fleet import Cluster
    from generator.report.unasked import Unasked

T = TypeVar("T")

Contexts = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="NAME", help="Ask this context of your kubeconfig; one for each --cluster."),
]
Rings = Annotated[
    list[str] | None, typer.Option("--ring", metavar="RING", help="Only clusters of this ring; may be repeated.")
]


class Target(Struct, frozen=True):
    """A cluster to ask: its name, the context that leads there, and what is declared of it, if anything."""

    name: str
    context: str
    cluster: Cluster | None = None


def paired(clusters: Sequence[str], contexts: Sequence[str]) -> None:
    """Bad usage where it can't be told which context is whose."""
    if len(contexts) > 1 and len(contexts) != len(clusters):
        raise typer.BadParameter("give one --context for each --cluster, in the same order")


def targets(
    declared: Iterable[Cluster], clusters: Sequence[str], contexts: Sequence[str], rings: frozenset[str]
) -> list[Target]:
    """The declared clusters that are asked for, by their kubeContext unless a context is named for them."""
    from generator.edges.errors import UnreadableError

    chosen = [one for one in declared if (not clusters or one.name in clusters) and (not rings or one.ring in rings)]
    if not chosen:
        raise UnreadableError("no cluster is asked for", "name a declared cluster or ring")
    if len(contexts) == 1 and len(chosen) > 1:
        raise UnreadableError("one context is one cluster", "name it with --cluster")
    named = dict(zip(clusters or [chosen[0].name], contexts, strict=False))  # "" is kubectl's own choice
    return [Target(one.name, named.get(one.name, one.kube_context or one.name), one) for one in chosen]


def each(found: Iterable[Target], look: Callable[[Target], T]) -> tuple[list[tuple[Target, T]], list[Unasked]]:
    """What was seen of each, and the clusters that could not be looked at: neither clean nor failed.

    Of several, one whose context is missing doesn't hide the others.
    """
    from generator.edges.errors import CouldNotLookError, UnreadableError
    from generator.report.unasked import Unasked

    wanted = list(found)
    seen: list[tuple[Target, T]] = []
    unasked: list[Unasked] = []
    for target in wanted:
        try:
            seen.append((target, look(target)))
        except (CouldNotLookError, UnreadableError) as error:
            if isinstance(error, UnreadableError) and len(wanted) == 1:
                raise
            unasked.append(Unasked(target.name, error.message, error.hint))
    return seen, unasked
