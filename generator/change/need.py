"""What a pool's workloads say against a driver: CUDA needs that it would be too old for."""

from collections.abc import Iterator

from generator.change.driver_choice import Reason
from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.facts.cuda import needed
from generator.operator.carries import Verdict, answer, compatibility_of, loaded


class Needs:
    """The workloads of one fleet, asked pool by pool."""

    def __init__(self, fleet: Fleet, catalog: Catalog) -> None:
        self.fleet, self.catalog = fleet, catalog

    def against(self, cluster: Cluster, pool: Pool) -> Iterator[Reason]:
        """A reason for each workload of the pool that its driver, as it is given here, is too old for."""
        drivers = None
        for workload in self.fleet.running(cluster, pool):
            if workload.cuda is None:
                continue
            drivers = loaded(cluster, pool, self.catalog) if drivers is None else drivers
            compatibility = compatibility_of(workload, cluster)
            if answer(workload.cuda, compatibility, drivers).verdict is Verdict.TOO_OLD:
                need = needed(workload.cuda, compatibility)
                place = self.fleet.workload_place(workload, "cuda")
                yield Reason(f"workload {workload.name} needs {need}", str(place))

    def objections(self, cluster: Cluster, pool: Pool) -> Iterator[str]:
        """The same in words."""
        yield from (f"{one.text} ({one.source})" for one in self.against(cluster, pool))
