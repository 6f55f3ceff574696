"""Where in the inventory a change stands that does something to a fleet: the line that a reviewer looks at."""

from collections.abc import Iterator

from generator.change.danger import Danger, Kind
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.layers import origin
from generator.documents.places import Path
from generator.finding import Place

# What a field of the driver API is called in the inventory, where it is called otherwise.
NAMES: dict[str, tuple[Path, ...]] = {
    "version": (("driver", "branch"), ("driver", "version")),
    "image": (("driver", "branch"), ("driver", "version"), ("driver", "repository")),
    "usePrecompiled": (("driver", "mode"),),
    "tolerations": (("taints",),),
    "nodeSelector": (("nodeSelector",),),
    "kernelSource": (("kernelSource",),),
}
OF_CLUSTERS = {
    Kind.API: ("operator", "driverApi"),
    Kind.OPERATOR: ("operator", "version"),
    Kind.NAMESPACE: ("operator", "namespace"),
}


class Places:
    """Two revisions of a fleet, asked by name. What is no longer declared stands where it was, or in its cluster."""

    def __init__(self, was: Fleet, becomes: Fleet) -> None:
        self.was, self.becomes = was, becomes
        self._then = {cluster.name: cluster for cluster in was.clusters}
        self._now = {cluster.name: cluster for cluster in becomes.clusters}

    def cluster(self, name: str, *path: str) -> Place:
        """A setting of a cluster, or the cluster."""
        if name in self._now:
            cluster = self._now[name]
            return self.becomes.said(cluster, *path) if path else self.becomes.at(cluster)
        return self.was.at(self._then[name]) if name in self._then else Place(self.becomes.file)

    def pool(self, cluster: str, name: str, *fields: str) -> Place:
        """The first of some fields of the driver API that is said for the pool, else the pool."""
        here, pool = self._pool(cluster, name)
        if pool is None:
            return self.becomes.at(here, "pools") if here is not None else self.cluster(cluster)
        for field in fields:
            for path in _paths(field):
                found = origin(pool.levels, path)
                if found is not None:
                    return self.becomes.texts.value(found[0].file, found[1])
            if field in {"operator.version", "operator.driverApi"} and here is not None:
                return self.becomes.said(here, *field.split("."))
        return self.becomes.at(pool)

    def image(self, cluster: str, name: str, kernel: str) -> Place:
        """The kernel that an image is for; of an image for all kernels, its version."""
        _, pool = self._pool(cluster, name)
        if pool is not None:
            for one in pool.kernels:
                if one.name == kernel:
                    return self.becomes.kernel_place(one)
        return self.pool(cluster, name, "version")

    def danger(self, one: Danger) -> Place:
        """Where a danger comes from."""
        if one.place is not None:
            return one.place
        if one.kind in OF_CLUSTERS:
            return self.cluster(one.cluster, *OF_CLUSTERS[one.kind])
        if not one.pool:
            return self.cluster(one.cluster)
        return self.pool(one.cluster, one.pool, *(["upgradePolicy.autoUpgrade"] if one.kind is Kind.BEGINS else []))

    def _pool(self, cluster: str, name: str) -> tuple[Cluster | None, Pool | None]:
        here = self._now.get(cluster)
        pools = here.pools if here is not None else ()
        return here, next((pool for pool in pools if name in {pool.name, pool.object_name}), None)


def _paths(field: str) -> Iterator[Path]:
    """Where the inventory may say a field, or what it lies in."""
    steps = field.removeprefix("driver.").split(".")
    yield from NAMES.get(steps[0], ())
    for end in range(len(steps), 0, -1):
        yield ("driver", *steps[:end])
        yield ("driver", "spec", *steps[:end])
