"""What a fleet needs of each repository, and what it can come to need: the images of its branches and systems."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.catalog.filing import Shelf
from generator.declared.entry import Entry
from generator.declared.fleet import Cluster, Fleet, Mode, Pool
from generator.declared.mirror import Mirrors, catalog_name, upstreams
from generator.facts import driver as drivers
from generator.facts.kernel import architecture
from generator.facts.osname import major, os_tag
from generator.facts.tag import ImageTag, Unreadable, parse
from generator.operator.combination import Combination, combinations

# Their OS tag loses its minor from one operator release to the next (internal/state/nodepool.go getOSTag).
_MAJOR_ONLY = frozenset({"rhel", "rocky", "ol"})


class User(Struct, frozen=True, order=True):
    """A pool whose nodes ask for an image, today or after the next roll."""

    cluster: str
    pool: str
    upcoming: bool
    platform: str


class Need(Struct, frozen=True, kw_only=True):
    """One image that nodes ask for, by the repository whose catalog says whether it is built.

    The tag is a digest where a pool names one.
    """

    repository: str
    tag: str
    users: tuple[User, ...]

    @property
    def upcoming(self) -> bool:
        """Whether no node asks for it today."""
        return all(user.upcoming for user in self.users)

    @property
    def platforms(self) -> tuple[str, ...]:
        """Those that it must be built for."""
        return tuple(sorted({user.platform for user in self.users}))


class Wish(Struct):
    """What is worth knowing of a repository: shelves with their architectures, and the tags or digests asked for."""

    shelves: dict[Shelf, set[str]]
    tags: dict[str, list[User]]

    def takes(self, tag: str) -> bool:
        """Whether the fleet asks for an image, or would for a kernel or a version more."""
        if tag in self.tags:
            return True
        parsed = parse(tag)
        if isinstance(parsed, Unreadable) or parsed.prefix or parsed.suffix:
            return False
        arches = self.shelves.get(_shelf(parsed))
        machine = architecture(parsed.kernel)
        return arches is not None and (machine is None or machine in arches)

    def asks_for(self, entry: Entry) -> bool:
        """Whether nodes ask for exactly this image, by tag or by digest."""
        return entry.tag in self.tags or (entry.digest is not None and entry.digest in self.tags)

    def with_all(self, other: "Wish") -> None:
        """Takes what another one takes, too."""
        for where, arches in other.shelves.items():
            self.shelves.setdefault(where, set()).update(arches)
        for tag, users in other.tags.items():
            self.tags.setdefault(tag, []).extend(users)


def of_any(wishes: Iterable[Wish]) -> Wish:
    """Everything that is asked of any repository."""
    together = nothing()
    for wish in wishes:
        together.with_all(wish)
    return together


def nothing() -> Wish:
    """A wish for no image."""
    return Wish({}, {})


def _shelf(tag: ImageTag) -> Shelf:
    return Shelf(tag.branch, tag.os, tag.precompiled)


def wishes(fleet: Fleet) -> dict[str, Wish]:
    """By repository, in bytewise order: those that pools name, as the ones that are asked, and what copies are of."""
    by_name: dict[str, Wish] = {}
    for cluster in fleet.clusters:
        for pool in cluster.managed_pools:
            wish = by_name.setdefault(pool.driver.repository, nothing())
            for where in _shelves(cluster, pool):
                wish.shelves.setdefault(where, set()).update(pool.arch)
            for combination in combinations(cluster, pool):
                if isinstance(combination.reference, str):
                    wish.tags.setdefault(combination.tag, []).append(_user(combination))
    return _spread(by_name, fleet.mirrors)


def _user(combination: Combination) -> User:
    return User(combination.pool.cluster, combination.pool.name, combination.upcoming, combination.platform)


def _shelves(cluster: Cluster, pool: Pool) -> Iterator[Shelf]:
    """One for each way in which releases of the operator name the pool's system."""
    if pool.os is None or not drivers.is_driver(pool.driver.version):
        return
    branch, precompiled = drivers.branch(pool.driver.version), pool.driver.mode is Mode.PRECOMPILED
    named = {os_tag(cluster.operator.release, pool.os.id, pool.os.version), str(pool.os)}
    if pool.os.id in _MAJOR_ONLY:
        named.add(f"{pool.os.id}{major(pool.os.version) or pool.os.version}")
    for name in named:
        if isinstance(name, str):
            yield Shelf(branch, name, precompiled)


def _spread(by_name: Mapping[str, Wish], mirrors: Mirrors) -> dict[str, Wish]:
    """From the names that pools have to the repositories that can be asked, up to the end of each chain of copies."""
    out: dict[str, Wish] = {}
    for name, wish in by_name.items():
        chain = dict.fromkeys(catalog_name(mirrors, link) for link in (name, *upstreams(mirrors, name)))
        for repository in chain:
            out.setdefault(repository, nothing()).with_all(wish)
    return dict(sorted(out.items()))


def needs(fleet: Fleet) -> dict[str, dict[str, Need]]:
    """By repository and tag, both in order: what nodes ask for, of the repositories that pools name."""
    named = {
        catalog_name(fleet.mirrors, pool.driver.repository)
        for cluster in fleet.clusters
        for pool in cluster.managed_pools
    }
    return {
        repository: {
            tag: Need(repository=repository, tag=tag, users=tuple(sorted(wish.tags[tag]))) for tag in sorted(wish.tags)
        }
        for repository, wish in wishes(fleet).items()
        if repository in named
    }
