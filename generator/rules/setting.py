"""Where a setting was said, and whom a finding about it concerns: a line of the fleet's is nobody's pool's."""

from collections.abc import Hashable

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool, WithPlaces
from generator.declared.layers import origin
from generator.finding import Place
from generator.rules.rule import Problem


class Said(Struct, frozen=True):
    """The place, and the cluster and pool whose own line it is."""

    place: Place
    cluster: str = ""
    pool: str = ""

    def problem(
        self, message: str, hint: str, fact: str = "", *, mistake: tuple[Hashable, ...] | None = None
    ) -> Problem:
        """A problem with the setting, which is one mistake for all pools that inherit the line.

        What tells two mistakes of one line apart is the message, unless `mistake` says what does.
        """
        return Problem(
            place=self.place,
            message=message,
            hint=hint,
            cluster=self.cluster,
            pool=self.pool,
            fact=fact,
            mistake=(self.place, message) if mistake is None else mistake,
        )


def said(where: WithPlaces, of: Pool | Cluster, *path: str | int, key: bool = False) -> Said:
    """Where an effective setting was said; the pool or cluster itself where nothing says it."""
    name = of.cluster if isinstance(of, Pool) else of.name
    pool = of.name if isinstance(of, Pool) else ""
    found = origin(of.levels, path)
    if found is None:
        return Said(where.at(of), name, pool)
    level, whole = found
    place = (where.texts.key if key else where.texts.value)(level.file, whole)
    if level.name == "pool":
        return Said(place, name, pool)
    return Said(place, name) if level.name == "cluster" else Said(place)
