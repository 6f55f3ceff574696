"""What a rule of a cluster sees: one cluster, what is rendered for it, and what is no cluster's own."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.fleet import Cluster, Pool, WithPlaces
from generator.declared.workload import Workload
from generator.facts.definition import Definition
from generator.facts.release import DriverApi
from generator.images.lookup import PLATFORMS, Lack, Listed, Miss
from generator.operator.combination import Combination, combinations
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS, OBJECT
from generator.revision.driver_objects import DriverObject

if TYPE_CHECKING:
    from generator.declared.coverage import Covering
    from generator.images.nearest import Nearest
    from generator.operator.cuda_placement import Placed
    from generator.operator.upgraded import Upgrades


class CatalogIndex(Struct, frozen=True, dict=True):
    """The catalog, and what is looked up in it for all clusters."""

    catalog: Catalog

    @cached_property
    def listed(self) -> Listed:
        """The catalog by tag and digest."""
        return Listed(self.catalog)

    @cached_property
    def nearest(self) -> "Nearest":
        """What is built around an image that is not. A run that misses none, as most do, does not load it."""
        from generator.images.nearest import Nearest

        return Nearest(self.catalog)


class TemplateObject(Struct, frozen=True):
    """A driver object that a user's template prints, and the pool whose nodes it is for, if it is one's."""

    file: RenderedFile
    pool: Pool | None


class ClusterBefore(Struct, frozen=True):
    """A cluster as the revision that is compared with declares it, and the images that were built then.

    It goes to what `becomes` says where that is given: to the tree of another revision than the judged one.
    """

    cluster: Cluster
    catalog: Catalog
    becomes: Cluster | None = None


class ClusterInputs(WithPlaces, frozen=True, kw_only=True, dict=True):
    """One cluster of a revision on the `day` that it is judged on, and nothing of another one.

    What only workloads need is loaded where there are any.

    `files` are those rendered for it, sorted by path, and `base` is its own ClusterPolicy, where it has one. `index`
    and `crds` are the fleet's: no cluster declares them. `against` are its driver objects in the revision to compare
    with that are not rendered byte for byte as they were; None where that revision could not be read. `before` is what
    that revision declares; None where it could not be read, or where the cluster is new or declared as it was, which
    `standing` says. `rewritten` says that a file which is rendered for it differs from that revision's, where that was
    asked for. `texts` are the files that the cluster's settings and `workloads` are written in; of other clusters
    a workload has names.
    """

    cluster: Cluster
    day: date
    index: CatalogIndex
    files: tuple[RenderedFile, ...] = ()
    base: Mapping[str, Any] | None = None
    crds: tuple[Definition, ...] = ()
    workloads: tuple[Workload, ...] = ()
    against: tuple[DriverObject, ...] | None = None
    before: ClusterBefore | None = None
    standing: bool = False
    rewritten: bool = False

    @property
    def catalog(self) -> Catalog:
        """The images that are built."""
        return self.index.catalog

    def combinations(self, pool: Pool) -> tuple[Combination, ...]:
        """The images that the nodes of a pool can ask for, running kernels first."""
        return self._combinations.get(pool.name, ())

    @cached_property
    def _combinations(self) -> dict[str, tuple[Combination, ...]]:
        return {pool.name: combinations(self.cluster, pool) for pool in self.cluster.managed_pools}

    @cached_property
    def listed_images(self) -> tuple[tuple[Combination, Entry], ...]:
        """The images that nodes can ask for, each with its line of the catalog; those without one are left out."""
        listed = self.index.listed
        images = []
        for pool in self.cluster.managed_pools:
            for combination in self.combinations(pool):
                entry = listed.entry(combination) if isinstance(combination.reference, str) else None
                if entry is not None:
                    images.append((combination, entry))
        return tuple(images)

    @cached_property
    def misses(self) -> tuple[Miss, ...]:
        """The images that nodes can ask for and can't count on: one for each pool, tag and lack.

        What the operator composes no reference for is no miss.
        """
        return tuple(miss for pool in self.cluster.managed_pools for miss in self._misses_of(pool))

    def _misses_of(self, pool: Pool) -> Iterator[Miss]:
        listed = self.index.listed
        lacking: dict[tuple[str, Lack], list[Combination]] = {}
        for combination in self.combinations(pool):
            if not isinstance(combination.reference, str):
                continue
            entry = listed.entry(combination)
            # Nearly every image is there: what is recorded for the platform needs no closer look.
            if entry is not None and not entry.gone and PLATFORMS[combination.arch] in (entry.platforms or ()):
                continue
            lack = listed.look_up(combination).lack
            if lack is not None:
                lacking.setdefault((combination.tag, lack), []).append(combination)
        for (tag, lack), alike in lacking.items():
            first = alike[0]
            yield Miss(
                cluster=self.cluster,
                pool=pool,
                kernel=first.kernel,
                repository=first.repository,
                tag=tag,
                arches=tuple(combination.arch for combination in alike),
                upcoming=first.upcoming,
                lack=lack,
                entry=listed.entry(first),
            )

    @cached_property
    def budgets(self) -> "tuple[Covering, ...]":
        """Every budget of the workloads, with those that it covers here."""
        from generator.declared.coverage import coverings

        return tuple(coverings(self.workloads))

    @cached_property
    def placements(self) -> "tuple[Placed, ...]":
        """The workloads that say something of drivers or nodes, on the pools that they may run on."""
        from generator.operator.cuda_placement import placed

        return tuple(placed(self.cluster, self.workloads, self.catalog))

    @cached_property
    def upgrades(self) -> "Upgrades":
        """The pools that the operator upgrades."""
        from generator.operator.upgraded import Upgrades

        return Upgrades(self.cluster)

    @cached_property
    def template_objects(self) -> tuple[TemplateObject, ...]:
        """The driver objects that users' templates print, of the API group that the operator reads."""
        return tuple(
            TemplateObject(file, self._pool_of(file))
            for file in self.files
            if file.kind in DRIVER_KINDS and not file.template.ours and file.api_version.startswith("nvidia.com/")
        )

    def _pool_of(self, file: RenderedFile) -> Pool | None:
        """The pool whose NVIDIADriver a file holds: by its path for the template in place of ours, else by its name."""
        if file.kind != DriverApi.NVIDIADRIVER or self.cluster.operator.driver_api is not DriverApi.NVIDIADRIVER:
            return None
        if file.template.path == OBJECT:
            return self._by_name.get(file.pool)
        return self._by_object_name.get(file.name)

    @cached_property
    def _by_name(self) -> dict[str, Pool]:
        return {pool.name: pool for pool in self.cluster.managed_pools}

    @cached_property
    def _by_object_name(self) -> dict[str, Pool]:
        return {pool.object_name: pool for pool in self.cluster.managed_pools}


def files_of(cluster: Cluster, workloads: Iterable[Workload]) -> frozenset[str]:
    """The files that say something of a cluster: its own, those that it inherits from, and those of its workloads."""
    files = {cluster.file, *(level.file for level in cluster.levels)}
    if cluster.operator.policy_base:
        files.add(cluster.operator.policy_base)
    for pool in cluster.pools:
        files.update(kernel.file for kernel in pool.kernels)
    for workload in workloads:
        files.update((workload.file, *(budget.file for budget in workload.budgets)))
    return frozenset(files)
