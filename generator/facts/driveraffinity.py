"""nodeSelectorTerms for drivers: what a need says in labels that feature discovery sets from the loaded driver.

k8s-device-plugin internal/lm/nvml.go: the labels hold substrings of the version, so leading zeros stay and the third
one is empty for a two-part version. `In` compares text and `Gt` and `Lt` integers, so a number that must be equal is a
pair of `Gt` and `Lt` (driver-images 5.3 to 5.5).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.facts.affinity import Term, expressions
from generator.facts.cudachoice import By, LabelFamily
from generator.facts.driverrange import Range, joined

Interval = tuple[int, int | None]
_ALL: Interval = (0, None)


class PoolSelector(Struct, frozen=True):
    """A pool whose driver satisfies the need: the labels of its nodes, and whether it can have none."""

    labels: Mapping[str, str]
    from_zero: bool = False


def labels_of(driver: str) -> dict[str, str]:
    """The labels that a node with this driver gets; {} for a text that feature discovery refuses."""
    parts = driver.split(".")
    if len(parts) not in {2, 3}:
        return {}
    values = (parts[0], parts[1], parts[2] if len(parts) == 3 else "")
    found = {key: value for family in LabelFamily for key, value in zip(family.keys, values, strict=True)}
    return {**found, f"nvidia.com/{LabelFamily.DRIVER_VERSION}.full": driver}


def families(terms: Iterable[Term]) -> frozenset[LabelFamily]:
    """The label families that terms ask for."""
    asked = {one.get("key", "") for term in terms for one in expressions(term)}
    return frozenset(family for family in LabelFamily if any(_is_of(family, key) for key in asked))


def driver_terms(drivers: Iterable[Range], family: LabelFamily = LabelFamily.DRIVER) -> tuple[Term, ...]:
    """Terms that match exactly the nodes whose driver lies in one of the ranges; () for none at all."""
    found: list[tuple[Interval, Interval, Interval]] = []
    for one in joined(drivers):
        found += _boxes(one)
    found.sort(key=lambda box: sum(part != _ALL for part in box))
    return _unique(term for box in found for term in _box_terms(box, family.keys))


def placement(
    drivers: Iterable[Range],
    pools: Sequence[PoolSelector],
    *,
    own: Sequence[Term] = (),
    family: LabelFamily = LabelFamily.DRIVER,
    by: By = By.LABELS,
) -> tuple[Term, ...]:
    """The nodeSelectorTerms of a workload: where its need is met, and its own terms hold.

    A pool that scales from zero has no node that could bear a driver's label, so its selector is a term beside them.
    () where nothing can be said: no driver does by itself, or no pool has a selector.
    """
    selected = [pool_term(one.labels) for one in pools if one.labels and (by is By.POOL or one.from_zero)]
    ranges = () if by is By.POOL else joined(drivers)
    if not own:
        return _unique([*driver_terms(ranges, family), *selected])
    return _unique(
        _and(term, ours)
        for term in own
        for ours in [*driver_terms(ranges, next(iter(sorted(families([term]))), family)), *selected]
    )


def pool_term(labels: Mapping[str, str]) -> Term:
    """A pool's node selector as a term."""
    return {"matchExpressions": [_expression(key, "In", labels[key]) for key in sorted(labels)]}


def _boxes(drivers: Range) -> list[tuple[Interval, Interval, Interval]]:
    """A range in order of its three parts as the fewest boxes, each of them a range per part."""
    boxes = _split(drivers.low, drivers.high)
    return [(one[0], one[1], one[2]) for one in boxes]


def _split(low: Sequence[int], high: Sequence[int] | None) -> list[tuple[Interval, ...]]:
    head, rest = low[0], low[1:]
    end = None if high is None else high[0]
    if not rest:
        return [((head, end),)] if end is None or head < end else []
    if high is not None and head == end:
        return [((head, head + 1), *inner) for inner in _split(rest, high[1:])]
    found: list[tuple[Interval, ...]] = []
    whole = head + any(rest)
    if end is None or whole < end:
        found.append(((whole, end), *[_ALL] * len(rest)))
    if any(rest):
        found += [((head, head + 1), *inner) for inner in _split(rest, None)]
    if high is not None and any(high[1:]):
        found += [((high[0], high[0] + 1), *inner) for inner in _split([0] * len(rest), high[1:])]
    return found


def _box_terms(box: tuple[Interval, Interval, Interval], keys: tuple[str, str, str]) -> Iterator[Term]:
    """One term, or two where an empty third part, which no `Lt` matches, counts as the 0 that it stands for."""
    said = [one for key, part in zip(keys, box, strict=True) for one in _between(key, part)]
    yield {"matchExpressions": said or [{"key": keys[0], "operator": "Exists"}]}
    least, end = box[2]
    if least == 0 and end is not None:
        before = [one for key, part in zip(keys[:2], box[:2], strict=True) for one in _between(key, part)]
        yield {"matchExpressions": [*before, _expression(keys[2], "In", "")]}


def _between(key: str, part: Interval) -> Iterator[dict[str, Any]]:
    least, end = part
    if least > 0:
        yield _expression(key, "Gt", str(least - 1))
    if end is not None:
        yield _expression(key, "Lt", str(end))


def _expression(key: str, operator: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": [value]}


def _and(own: Term, ours: Term) -> Term:
    """Both at once; an empty term matches nothing, and so does everything with it."""
    if not any(own.values()):
        return own
    together = [*expressions(own), *(one for one in expressions(ours) if one not in expressions(own))]
    rest = {key: value for key, value in own.items() if key != "matchExpressions"}
    return {"matchExpressions": together, **rest}


def _unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    found: list[Term] = []
    for term in terms:
        if term not in found:
            found.append(term)
    return tuple(found)


def _is_of(family: LabelFamily, key: str) -> bool:
    return key.startswith(f"nvidia.com/{family}.")
