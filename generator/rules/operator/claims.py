"""Which pools of a cluster claim the same nodes, by what is known of the nodes: labels declared and derived.

Indexed by label, so that pools which one key tells apart cost linear time.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from generator.declared.fleet import Pool
from generator.facts import label
from generator.facts.osname import major

Values = frozenset[str]
POOL = "pool"
OS = "kubernetes.io/os"
# What every GPU node has (Kubernetes well-known labels, the operator).
GPU_NODE: dict[str, Values] = {label.GPU_PRESENT: frozenset({"true"}), OS: frozenset({"linux"})}


class Claim(Struct, frozen=True, kw_only=True):
    """A pool's selector, and per label the values that its nodes may have. `renders`: whether an object claims them.

    `what` it is: a pool, or an NVIDIADriver that no pool declares.
    """

    name: str
    what: str = POOL
    selector: Mapping[str, str]
    labels: Mapping[str, Values]
    renders: bool = True

    def __str__(self) -> str:
        return f'{self.what} "{self.name}"'


class Overlap(Struct, frozen=True, kw_only=True):
    """A pool, the first other one that claims the same nodes, and how many more do.

    `certain`: the pool's selector matches declared nodes of the other; else only nothing keeps the two apart.
    """

    claim: Claim
    other: Claim
    more: int
    certain: bool

    @property
    def witness(self) -> str:
        """The labels of a node that both match."""
        both = {**self.claim.selector, **self.other.selector} or {label.GPU_PRESENT: "true"}
        return ", ".join(f"{key}={value}" for key, value in sorted(both.items()))


def claim(pool: Pool) -> Claim:
    """What a pool says of its nodes."""
    own = {key: frozenset({value}) for key, value in pool.node_selector.items()}
    return Claim(
        name=pool.name,
        selector=pool.node_selector,
        labels={**_derived(pool), **own},
        renders=pool.driver.managed,
    )


def _derived(pool: Pool) -> dict[str, Values]:
    """Labels that every GPU node has from its system (Kubernetes well-known labels, NFD, the operator)."""
    labels = dict(GPU_NODE)
    if pool.arch:
        labels[label.ARCH] = frozenset(pool.arch)
    if pool.os:
        labels[label.OS_ID] = frozenset({pool.os.id})
        labels[label.OS_VERSION] = frozenset({pool.os.version})
        if number := major(pool.os.version):
            labels[label.OS_MAJOR] = frozenset({number})
    if pool.kernels and not pool.floating:
        labels[label.KERNEL] = frozenset(kernel.name for kernel in pool.kernels)
    return labels


def told_apart(selectors: Sequence[Mapping[str, str]]) -> bool:
    """Whether one key has another value in each selector: the usual case, seen without looking further."""
    if not selectors:
        return True
    for key in selectors[0]:
        values = {selector.get(key) for selector in selectors}
        if None not in values and len(values) == len(selectors):
            return True
    return False


def overlaps(claims: Sequence[Claim]) -> Iterator[Overlap]:
    """At most one overlap per claim. Of two that claim each other's nodes the later one is told."""
    index = _Index(claims)
    for number, one in enumerate(claims):
        found = index.matched(number)
        if found:
            other = claims[min(found)]
            yield Overlap(claim=one, other=other, more=len(found) - 1, certain=True)
        elif found := index.undecided(number):
            other = claims[min(found)]
            yield Overlap(claim=one, other=other, more=len(found) - 1, certain=False)


class _Index:
    """The claims by key and by label. Sets of positions, so that Python's own set operations do the work."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = claims
        self.all = set(range(len(claims)))
        self.rendering = {number for number, one in enumerate(claims) if one.renders}
        self.having: dict[str, set[int]] = {}
        self.lacking: dict[str, set[int]] = {}
        self.by_label: dict[tuple[str, str], set[int]] = {}
        for number, one in enumerate(claims):
            for key, values in one.labels.items():
                self.having.setdefault(key, set()).add(number)
                for value in values:
                    self.by_label.setdefault((key, value), set()).add(number)

    @cached_property
    def telling(self) -> set[str]:
        """The keys that can keep two claims apart: those with more than one value."""
        first: dict[str, str] = {}
        return {key for key, value in self.by_label if first.setdefault(key, value) != value}

    @cached_property
    def by_selector(self) -> dict[tuple[str, str] | None, dict[frozenset[tuple[str, str]], set[int]]]:
        """The claims of each selector, by the rarest label of it; those without a selector by None."""
        found: dict[tuple[str, str] | None, dict[frozenset[tuple[str, str]], set[int]]] = {}
        for number, one in enumerate(self.claims):
            pairs = one.selector.items()
            rarest = min(pairs, key=lambda pair: len(self.by_label.get(pair, ())), default=None)
            found.setdefault(rarest, {}).setdefault(frozenset(pairs), set()).add(number)
        return found

    def matched(self, number: int) -> set[int]:
        """Whose declared nodes this claim's selector matches too, but for later ones that match its own."""
        one = self.claims[number]
        wanted = sorted((self.by_label.get(pair, set()) for pair in one.selector.items()), key=len)
        found = (set.intersection(*wanted) if wanted else self.all) - {number}
        if not one.renders:
            found &= self.rendering
        later = {other for other in found if other > number}
        return found - (later & self.matching(number)) if later else found

    def undecided(self, number: int) -> set[int]:
        """Earlier claims that no label keeps apart from this one, and that matched() doesn't tell of."""
        one = self.claims[number]
        found = {other for other in self._compatible(one) if other < number}
        if found and not one.renders:
            found &= self.rendering
        return found - self.matching(number) if found else found

    def matching(self, number: int) -> set[int]:
        """The claims whose selector matches nodes of this one."""
        labels, found = self.claims[number].labels, set[int]()
        for rarest in (None, *((key, value) for key, values in labels.items() for value in values)):
            for selector, alike in self.by_selector.get(rarest, {}).items():
                if all(value in labels.get(key, ()) for key, value in selector):
                    found |= alike
        return found

    def _compatible(self, one: Claim) -> set[int]:
        """The claims without a key at which both have values and share none."""
        found = None
        for key, values in sorted(one.labels.items(), key=self._spread):
            if key not in self.telling:
                continue
            sharing = [self.by_label[key, value] for value in values]
            if found is None:  # the narrowest key: mostly every claim has it, and none is left to look for
                found = self._lacking(key).union(*sharing)
            else:
                found = (found - self.having[key]).union(*(found & alike for alike in sharing))
        return self.all if found is None else found

    def _lacking(self, key: str) -> set[int]:
        found = self.lacking.get(key)
        if found is None:
            found = self.lacking[key] = self.all - self.having[key]
        return found

    def _spread(self, entry: tuple[str, Values]) -> int:
        """How many claims a key may leave: those without it, and those that share a value."""
        key, values = entry
        without = len(self.all) - len(self.having[key])
        return without + sum(len(self.by_label[key, value]) for value in values)
