"""Rules of the family branch/: the life of driver branches, as of the table's own date and never the clock."""

from collections.abc import Iterator
from functools import cache

from generator.declared.fleet import Mode, Pool
from generator.facts import branch as branches
from generator.facts.branch import Branch
from generator.finding import Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.gpu import driver_branch, family_of
from generator.rules.rule import ClusterRule, Problem


def end_of_life(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools whose branch gets no more fixes."""
    for pool in inputs.cluster.pools:
        branch = driver_branch(pool)
        if pool.driver.mode is Mode.UNMANAGED or not branch or not branches.ended(branch):
            continue
        life, named = branches.life(branch), _named(pool)
        ended = f"ended in {life.eol}" if life and life.eol != "ended" else "has ended"
        yield Problem(
            place=inputs.said(pool, "driver", "branch" if pool.driver.is_branch else "version"),
            # Without the pool's name, so that a branch which many pools inherit is told once.
            message=f"the driver is of branch {branch}, whose support {ended} (as of {branches.as_of()}); "
            f"{named or f'no supported branch drives {pool.family} GPUs'}",
            hint="set a driver of a supported branch" if named else "silence this with the reason to keep the GPUs",
            cluster=pool.cluster,
            pool=pool.name,
            fact=branch,
        )


@cache
def _supported() -> tuple[Branch, ...]:
    """Branches with a promised end that has not come; their names are three digits (facts/driver.py)."""
    lives = (branches.life(str(number)) for number in range(100, 1000))
    return tuple(life for life in lives if life and life.eol != "unknown" and not branches.ended(life.branch))


def _named(pool: Pool) -> str:
    family = family_of(pool)
    fit = [one for one in _supported() if family is None or branches.serves(one.branch, family)]
    return "supported are " + ", ".join(f"{one.branch} until {one.eol}" for one in fit) if fit else ""


RULES = (ClusterRule("branch/end-of-life", Severity.WARNING, "support of a driver branch has ended", end_of_life),)
