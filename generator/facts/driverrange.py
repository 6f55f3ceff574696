"""Sets of driver versions, as ranges of three integers: what a need asks for and what a driver may be."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

Version = tuple[int, int, int]
LOWEST: Version = (0, 0, 0)


class Range(Struct, frozen=True, order=True):
    """Versions from `low` on and below `high`; None is no upper end."""

    low: Version = LOWEST
    high: Version | None = None

    @property
    def empty(self) -> bool:
        """Whether no version lies in it."""
        return self.high is not None and self.high <= self.low

    def both(self, other: "Range") -> "Range":
        """The versions that lie in both, maybe none."""
        highs = [high for high in (self.high, other.high) if high is not None]
        return Range(max(self.low, other.low), min(highs) if highs else None)

    def covers(self, other: "Range") -> bool:
        """Whether every version of the other one lies in it."""
        return self.low <= other.low and (self.high is None or (other.high is not None and other.high <= self.high))


EVERY = Range()


def after(version: Version) -> Version:
    """The next version."""
    return version[0], version[1], version[2] + 1


def of_branch(number: int, first: Version = LOWEST) -> Range:
    """The versions of a branch, from the first one on that it had."""
    return Range(max((number, 0, 0), first), (number + 1, 0, 0))


def joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same versions in the fewest ranges, ascending; the empty ones left out."""
    found: list[Range] = []
    for one in sorted((each for each in ranges if not each.empty), key=lambda each: each.low):
        last = found[-1] if found else None
        if last is None or (last.high is not None and last.high < one.low):
            found.append(one)
        elif last.high is not None:
            found[-1] = Range(last.low, None if one.high is None else max(last.high, one.high))
    return tuple(found)


def relation(wanted: Sequence[Range], may_be: Range) -> bool | None:
    """Whether a driver that lies somewhere in `may_be` is wanted: True, False, or None where the rest decides."""
    if any(one.covers(may_be) for one in joined(wanted)):
        return True
    return False if all(one.both(may_be).empty for one in wanted) else None
