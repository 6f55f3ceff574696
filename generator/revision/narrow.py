"""Which clusters a check is about where it is not about all of them: those that a change can affect, or one shard's."""

from collections.abc import Mapping

from msgspec import Struct

from generator.declared.affected import Affected
from generator.declared.selection import EVERYTHING, Everything, Selection, exactly
from generator.declared.shard import Shard, share
from generator.revision.declaration import AllButOtherShards
from generator.words import counted, shortened

MOST_NAMED = 20


class Change(Struct, frozen=True):
    """What changed since a revision, as the reader named it, can affect."""

    since: str
    affected: Affected

    @property
    def selection(self) -> Selection:
        """The clusters that it can affect, declared or no longer declared."""
        return affected_clusters(self.affected)

    @property
    def note(self) -> str:
        """What the reader of the result must know of its reach."""
        if self.affected.everything:
            return f"all clusters are judged: of what changed since {self.since}, {self.affected.everything}"
        names = [*self.affected.clusters]
        if not names:
            return f"no cluster is judged: nothing that changed since {self.since} can affect one"
        listed = shortened(names, MOST_NAMED)
        return f"judged are only the clusters that the change since {self.since} can affect: {listed}"


class Narrowed(Struct, frozen=True, kw_only=True):
    """The part of a fleet that one check is about.

    `clusters` are those that are looked at below out/, and `part` what is read of the inventory without the `unseen`
    files. `others_report` says that another shard's run reports what is no cluster's.
    """

    clusters: Selection
    part: Selection | AllButOtherShards
    notes: tuple[str, ...]
    unseen: frozenset[str] = frozenset()
    others_report: bool = False

    def files(self, inventory: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files of the inventory that this check reads."""
        return {path: data for path, data in inventory.items() if path not in self.unseen}


def affected_clusters(affected: Affected) -> Selection:
    """The clusters that a change can affect, with those that it takes away."""
    if affected.everything:
        return EVERYTHING
    return exactly((*affected.clusters, *affected.gone))


def of_change(change: Change) -> Narrowed:
    """The part of the fleet that a change can affect."""
    selection = change.selection
    return Narrowed(clusters=selection, part=selection, notes=(change.note,))


def of_shard(shard: Shard, inventory: Mapping[str, bytes], change: Change | None) -> Narrowed:
    """One shard's part of the fleet, or of what a change can affect. `inventory` holds the files below inventory/."""
    among = change.selection if change else EVERYTHING
    mine = share(shard, inventory, among)
    note = f"shard {shard} judges {counted(len(mine.clusters), 'cluster')}, the others do the rest"
    clusters = exactly(mine.clusters)
    part: Selection | AllButOtherShards = clusters
    unseen = mine.unseen
    # Rules that compare clusters need all of them, and one shard is enough to run those.
    if shard.number == 1 and isinstance(among, Everything):
        part, unseen = AllButOtherShards(mine.clusters, mine.elsewhere), frozenset()
    return Narrowed(
        clusters=clusters,
        part=part,
        notes=(change.note, note) if change else (note,),
        unseen=unseen,
        others_report=shard.number > 1,
    )
