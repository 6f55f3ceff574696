"""Rules of the family branch/: the life of driver branches, as of the table's own date and never the clock."""

from collections.abc import Iterator

from generator.declared.fleet import Mode, Pool
from generator.facts import branch as branches
from generator.facts.branch import Branch
from generator.finding import Severity
from generator.revision.revision import Revision
from generator.rules.gpu import driver_branch, family_of
from generator.rules.rule import Problem, Rule


def end_of_life(revision: Revision) -> Iterator[Problem]:
    """Pools whose branch gets no more fixes."""
    supported: tuple[Branch, ...] | None = None
    for cluster, pool in revision.pools():
        branch = driver_branch(pool)
        if pool.driver.mode is Mode.UNMANAGED or not branch or not branches.ended(branch):
            continue
        if supported is None:
            supported = tuple(_supported())
        life, named = branches.life(branch), _named(pool, supported)
        ended = f"ended in {life.eol}" if life and life.eol != "ended" else "has ended"
        yield Problem(
            place=revision.fleet.said(pool, "driver", "branch" if pool.driver.is_branch else "version"),
            # Without the pool's name, so that a branch which many pools inherit is told once.
            message=f"the driver is of branch {branch}, whose support {ended} (as of {branches.as_of()}); "
            f"{named or f'no supported branch drives {pool.family} GPUs'}",
            hint="set a driver of a supported branch" if named else "silence this with the reason to keep the GPUs",
            cluster=cluster.name,
            pool=pool.name,
            fact=branch,
        )


def _supported() -> Iterator[Branch]:
    """Branches with a promised end that has not come; their names are three digits (facts/driver.py)."""
    for number in range(100, 1000):
        found = branches.life(str(number))
        if found and found.eol != "unknown" and not branches.ended(found.branch):
            yield found


def _named(pool: Pool, supported: tuple[Branch, ...]) -> str:
    family = family_of(pool)
    fit = [one for one in supported if family is None or branches.serves(one.branch, family)]
    return "supported are " + ", ".join(f"{one.branch} until {one.eol}" for one in fit) if fit else ""


RULES = (Rule("branch/end-of-life", Severity.WARNING, "support of a driver branch has ended", end_of_life),)
