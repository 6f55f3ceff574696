"""The images that pools' nodes will ask for and that the catalog does not list for their platforms."""

from collections.abc import Iterator

from generator.declared.catalog import Entry
from generator.declared.fleet import Cluster, Pool
from generator.images.lookup import PLATFORMS, Lack, Listed, Miss
from generator.operator.combination import Combination
from generator.revision.revision import Revision
from generator.rules.image.reference import fault


def misses(revision: Revision) -> tuple[Miss, ...]:
    """One for each pool, tag and lack, found once for all the rules that tell of them."""
    return revision.remembered("misses", lambda: tuple(_misses(revision)))


def _misses(revision: Revision) -> Iterator[Miss]:
    """A reference that can't be asked for at all is no miss."""
    listed = Listed(revision.catalog)
    for cluster, pool in revision.managed():
        found: dict[tuple[str, Lack], list[Combination]] = {}
        for one in revision.combinations(cluster, pool):
            if not isinstance(one.reference, str):
                continue
            entry = listed.entry(one)
            if entry is None or entry.gone or PLATFORMS[one.arch] not in (entry.platforms or ()):
                lack = listed.look_up(one).lack
                if lack is not None:
                    found.setdefault((one.tag, lack), []).append(one)
        if found and fault(revision, cluster, pool) is None:
            for (text, lack), ones in found.items():
                yield Miss(
                    cluster=cluster,
                    pool=pool,
                    kernel=ones[0].kernel,
                    repository=ones[0].repository,
                    tag=text,
                    arches=tuple(one.arch for one in ones),
                    upcoming=ones[0].upcoming,
                    lack=lack,
                    entry=listed.entry(ones[0]),
                )


def entries(revision: Revision) -> Iterator[tuple[Cluster, Pool, Combination, Entry]]:
    """Every combination that some line lists."""
    listed = Listed(revision.catalog)
    for cluster, pool in revision.managed():
        for one in revision.combinations(cluster, pool):
            entry = listed.entry(one) if isinstance(one.reference, str) else None
            if entry is not None:
                yield cluster, pool, one, entry
