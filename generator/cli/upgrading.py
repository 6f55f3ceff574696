"""What the verbs of `upgrade` share: which release of the operator, and which declared cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from generator.cli.reading import Read
    from generator.declared.fleet import Cluster
    from generator.facts.release import Release
    from generator.observed.objects import Objects


def release_of(operator: str | None, cluster: Cluster | None, objects: Objects) -> tuple[Release, bool]:
    """The release that is named, else the one that runs, the declared cluster's, the newest; True for that last one."""
    from generator.facts.release import Unsupported, known, resolve
    from generator.observed.operator import operator_release

    runs = operator_release(objects.pods.values())
    if operator is None and runs and not isinstance(found := resolve(runs), Unsupported):
        return found, False
    if operator is None and cluster is not None:
        return cluster.operator.release, False
    found = resolve(operator or known()[-1])
    if isinstance(found, Unsupported):
        raise typer.BadParameter(f"{found.reason}; {found.hint}")
    return found, operator is None


def declared(name: str, root: str | None) -> tuple[Read, Cluster]:
    """A cluster of the inventory in the work tree."""
    from generator.cli.reading import read

    found = read(root, staged=False, rev=None, catalogs=False)
    return found, named(found, name)


def named(found: Read, name: str) -> Cluster:
    """The cluster of that name."""
    cluster = found.cluster(name)
    if cluster is None:
        names = ", ".join(sorted(one.name for one in found.fleet.clusters)) or "none is declared"
        raise typer.BadParameter(f'no cluster is named "{name}"; use one of {names}')
    return cluster
