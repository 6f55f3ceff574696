"""What a shell completes: the names that the repository declares.

The shell shows what is returned and nothing else, so that a repository that can't be read has no names: an error in
the middle of a line that somebody types helps nobody. The core is imported in the functions, since every verb's options
name them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from generator.declared.fleet import Fleet, Pool
    from generator.revision.declaration import Declaration


def complete_clusters(context: typer.Context) -> list[str]:
    """Names of clusters."""
    return _names(context, lambda fleet: (cluster.name for cluster in fleet.clusters))


def complete_pools(context: typer.Context) -> list[str]:
    """Pools as CLUSTER/POOL."""
    return _names(context, _pools_with_cluster)


def complete_pools_of_any_cluster(context: typer.Context) -> list[str]:
    """Pools as POOL and as CLUSTER/POOL."""
    return _names(context, lambda fleet: (*(pool.name for pool in _pools(fleet)), *_pools_with_cluster(fleet)))


def complete_clusters_and_pools(context: typer.Context) -> list[str]:
    """Clusters, and pools as CLUSTER/POOL."""
    return sorted({*complete_clusters(context), *complete_pools(context)})


def complete_rings(context: typer.Context) -> list[str]:
    """Rings of clusters."""
    return _names(context, lambda fleet: (cluster.ring for cluster in fleet.clusters))


def complete_kernels(context: typer.Context) -> list[str]:
    """Kernels that pools declare, running and upcoming."""
    return _names(context, lambda fleet: (kernel.written for pool in _pools(fleet) for kernel in pool.kernels))


def complete_branches(context: typer.Context) -> list[str]:
    """Driver branches of pools, and the exact versions that they pin."""
    return _names(context, _driver_versions)


def complete_operating_systems(context: typer.Context) -> list[str]:
    """Operating systems of pools, as ubuntu24.04."""
    return _names(context, lambda fleet: (str(pool.os) for pool in _pools(fleet) if pool.os is not None))


def complete_workloads(context: typer.Context) -> list[str]:
    """Names of workloads."""
    return _names(context, lambda fleet: (workload.name for workload in fleet.workloads))


def complete_sources(context: typer.Context) -> list[str]:
    """Names of the inventories that are kept in other repositories."""
    return _names(context, lambda fleet: (source.name for source in fleet.sources))


def complete_mirrors(context: typer.Context) -> list[str]:
    """Repositories that the Fleet document declares as mirrors."""
    return _names(context, lambda fleet: fleet.mirrors)


def complete_repositories(context: typer.Context) -> list[str]:
    """Repositories of images: those of drivers, of mirrors and of catalogs."""
    state = _read(context, catalogs=True)
    if state is None:
        return []
    drivers = {pool.driver.repository for pool in _pools(state.fleet)}
    return sorted({*drivers, *state.fleet.mirrors, *(file.repository for file in state.inventory.catalogs)} - {""})


def complete_node_images(context: typer.Context) -> list[str]:
    """Names of node images."""
    state = _read(context)
    return sorted(image.shape.name for image in state.inventory.node_images) if state is not None else []


def complete_rules() -> list[tuple[str, str]]:
    """Ids of rules, each with its summary."""
    from generator.rules.table import TABLE

    return sorted((rule.id, rule.summary) for rule in TABLE)


def complete_families() -> list[str]:
    """Families of rules."""
    from generator.rules.table import RULES

    return sorted({rule.family for rule in RULES})


def complete_revisions(context: typer.Context) -> list[str]:
    """Branches and tags of git."""
    import os

    from generator.edges.files import find_root
    from generator.edges.git.command import git_at
    from generator.edges.git.history import branches_and_tags

    try:
        return branches_and_tags(git_at(find_root(context.params.get("root")), os.environ))
    except Exception:  # noqa: BLE001 - whatever it is, the next call without completion reports it
        return []


def _names(context: typer.Context, names: "Callable[[Fleet], Iterable[str]]") -> list[str]:
    """The names in a fleet, sorted and each once; none where it can't be read."""
    state = _read(context)
    return sorted({*names(state.fleet)} - {""}) if state is not None else []


def _read(context: typer.Context, *, catalogs: bool = False) -> "Declaration | None":
    """The inventory of the work tree, as far as it can be read."""
    from generator.cli.repository import Chosen, read_declaration

    try:
        return read_declaration(Chosen(root=context.params.get("root")), catalogs=catalogs, notes=False)
    except Exception:  # noqa: BLE001 - whatever it is, the next call without completion reports it
        return None


def _pools(fleet: "Fleet") -> "Iterator[Pool]":
    for cluster in fleet.clusters:
        yield from cluster.pools


def _pools_with_cluster(fleet: "Fleet") -> Iterator[str]:
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            yield f"{cluster.name}/{pool.name}"


def _driver_versions(fleet: "Fleet") -> Iterator[str]:
    for pool in _pools(fleet):
        yield pool.driver.version
        if not pool.driver.is_branch:
            yield pool.driver.version.partition(".")[0]
