"""Which driver branch a pool could have where its own can't hold, and why the others can't."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts import branch as branches
from generator.facts import driver as drivers
from generator.facts import packaged
from generator.facts.kernel import architecture
from generator.facts.packaged import Builder
from generator.images.lookup import Listed
from generator.operator.combination import Combination, combinations
from generator.rules.gpu import driver_branch, family_of
from generator.words import and_more

GPU_SOURCE = "NVIDIA's data-center driver pages: the last branch of each GPU architecture"

# What a pool's workloads say against the driver that the pool has: reasons, none where it serves them all.
Against = Callable[[Cluster, Pool], Iterator["Reason"]]


class Reason(Struct, frozen=True):
    """What speaks against a branch, and where that is written."""

    text: str
    source: str


class Choice(Struct, frozen=True):
    """One branch; it could hold where nothing speaks against it."""

    branch: str
    until: str
    against: tuple[Reason, ...]
    ended: bool = False


class Proposal(Struct, frozen=True, kw_only=True):
    """A pool whose own branch can't hold: why, what could, and what speaks against the others."""

    cluster: str
    pool: str
    branch: str
    against: tuple[Reason, ...]
    choices: tuple[Choice, ...]

    @property
    def fitting(self) -> tuple[Choice, ...]:
        """Those that could hold, supported longest first."""
        return tuple(one for one in self.choices if not one.against)


class Proposals:
    """Asks one catalog for many pools; what branches it has is gathered once for each repository."""

    def __init__(self, catalog: Catalog, against: Against | None = None) -> None:
        self.catalog, self.listed, self.workloads = catalog, Listed(catalog), against
        self.known: dict[str, frozenset[str]] = {}

    def of(self, cluster: Cluster, pool: Pool) -> Proposal | None:
        """None where the pool's own driver holds, where no branch can be named, or where the branch isn't the reason.

        What lacks its images in every branch lacks them for its kernel's sake.
        """
        own = driver_branch(pool)
        if not pool.driver.managed or not own:
            return None
        against = tuple(self._against(cluster, pool, pool.driver.version))
        if not against:
            return None
        others = sorted(self._candidates(pool) - {own}, key=_supported_longest)
        choices = tuple(
            Choice(
                other,
                _until(other),
                tuple(self._against(cluster, _with(pool, other), other)),
                ended=branches.ended(other),
            )
            for other in others
        )
        proposal = Proposal(cluster=cluster.name, pool=pool.name, branch=own, against=against, choices=choices)
        unbuilt = frozenset(self._images(cluster, pool, pool.driver.version))
        return proposal if proposal.fitting or not unbuilt.issuperset(against) else None

    def _candidates(self, pool: Pool) -> set[str]:
        """Branches that are supported, and those that the pool's repository has images of."""
        supported = {one for one in branches.known() if not branches.ended(one) and _until(one) != "unknown"}
        return supported | self._listed(pool.driver.repository)

    def _listed(self, repository: str) -> frozenset[str]:
        found = self.known.get(repository)
        if found is None:
            listed = self.catalog.images(repository) or {}
            firsts = {tag.partition("-")[0] for tag, entry in listed.items() if not entry.gone}
            found = frozenset(drivers.branch(one) for one in firsts if drivers.is_driver(one))
            self.known[repository] = found
        return found

    def _against(self, cluster: Cluster, pool: Pool, driver: str) -> Iterator[Reason]:
        branch = drivers.branch(driver)
        family, life = family_of(pool), branches.life(branch)
        if family and not branches.serves(branch, family):
            yield Reason(f"it does not drive {family} GPUs", GPU_SOURCE)
        if branches.ended(branch) and life:
            when = f" in {life.eol}" if life.eol != "ended" else ""
            yield Reason(f"its support ended{when} (as of {branches.as_of()})", life.source)
        yield from self._images(cluster, pool, driver)
        if self.workloads:
            yield from self.workloads(cluster, pool)

    def _images(self, cluster: Cluster, pool: Pool, driver: str) -> Iterator[Reason]:
        """One reason for all images that are lacking, with the first by name."""
        if pool.driver.mode is Mode.COMPILED and drivers.is_branch(driver):
            if driver not in self._listed(pool.driver.repository):
                yield Reason(f"no catalog lists a version of it for {pool.driver.repository}", "the catalog")
            return
        ones = [one for one in combinations(cluster, pool) if isinstance(one.reference, str)]
        unbuilt = [combination for combination in ones if not self.listed.look_up(combination).usable]
        if unbuilt:
            first = unbuilt[0]
            rest = and_more(len(unbuilt), 1)
            yield Reason(f"{first.tag} for {first.platform}{rest} not built", "the catalog")
            yield from _nobody(first)


def _nobody(one: Combination) -> Iterator[Reason]:
    """Whether waiting for an image is in vain."""
    if one.kernel is None or one.pool.os is None:
        return
    version, kernel = one.pool.driver.version, one.kernel.name
    os_tag = one.tag.removeprefix(f"{version}-{kernel}-")
    told = packaged.verdict(os_tag, kernel, version, architecture(kernel) or one.arch)
    if told.builder is Builder.NOBODY:
        yield Reason(told.reason, told.source)


def _with(pool: Pool, branch: str) -> Pool:
    return replace(pool, driver=replace(pool.driver, version=branch, is_branch=True))


def _until(branch: str) -> str:
    life = branches.life(branch)
    return life.eol if life else "unknown"


def _supported_longest(branch: str) -> tuple[str, int]:
    """Later ends first; of equal ones the newer branch."""
    until = _until(branch)
    month = until if until[:1].isdigit() else "0000-00"
    return "".join(chr(255 - ord(letter)) for letter in month), -int(branch)
