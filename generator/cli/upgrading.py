"""What the verbs of `upgrade` share: which release of the operator, and which declared cluster."""

import typer

from generator.cli.reading import Read, read
from generator.declared.fleet import Cluster
from generator.facts.release import Release, Unsupported
from generator.observed.objects import Objects
from generator.upgrade.input import release_to_judge


def release_of(operator: str | None, cluster: Cluster | None, objects: Objects) -> tuple[Release, bool]:
    """The release that counts, and whether it is only assumed. Bad usage where it is not known."""
    release = release_to_judge(operator, cluster, objects)
    if isinstance(release, Unsupported):
        raise typer.BadParameter(f"{release.reason}; {release.hint}")
    return release


def declared(name: str, root: str | None) -> tuple[Read, Cluster]:
    """A cluster of the inventory in the work tree."""
    found = read(root, staged=False, rev=None, catalogs=False)
    return found, named(found, name)


def named(found: Read, name: str) -> Cluster:
    """The cluster of that name."""
    cluster = found.cluster(name)
    if cluster is None:
        names = ", ".join(sorted(one.name for one in found.fleet.clusters)) or "none is declared"
        raise typer.BadParameter(f'no cluster is named "{name}"; use one of {names}')
    return cluster
