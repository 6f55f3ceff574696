"""Where a setting was said, and whom a finding about it concerns: a line of the fleet's is nobody's pool's."""

from collections.abc import Hashable

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool, WithPlaces
from generator.declared.layers import origin
from generator.documents.places import Path
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


class Setting(Struct, frozen=True):
    """The file and path that an effective setting is written at. Its place is looked up only where a problem asks."""

    file: str
    path: Path
    cluster: str = ""
    pool: str = ""
    of_key: bool = False

    def said(self, where: WithPlaces) -> Said:
        """The line itself."""
        place = (where.texts.key if self.of_key else where.texts.value)(self.file, self.path)
        return Said(place, self.cluster, self.pool)


def setting(of: Pool | Cluster, *path: str | int, key: bool = False) -> Setting:
    """Where an effective setting is written; the pool or cluster itself where nothing says it."""
    name = of.cluster if isinstance(of, Pool) else of.name
    pool = of.name if isinstance(of, Pool) else ""
    found = origin(of.levels, path)
    if found is None:
        return Setting(of.file, of.path if isinstance(of, Pool) else (), name, pool, of_key=True)
    level, whole = found
    match level.name:
        case "pool":
            return Setting(level.file, whole, name, pool, of_key=key)
        case "cluster":
            return Setting(level.file, whole, name, of_key=key)
        case _:
            return Setting(level.file, whole, of_key=key)


def said(where: WithPlaces, of: Pool | Cluster, *path: str | int, key: bool = False) -> Said:
    """The line of an effective setting; the pool or cluster itself where nothing says it."""
    return setting(of, *path, key=key).said(where)
