"""What a rule of the fleet sees: what the fleet declares for all clusters, and all that is rendered and committed."""

from collections.abc import Mapping
from datetime import date
from functools import cached_property

from generator.declared.catalog import Catalog
from generator.declared.fleet import SilenceEntry, WithPlaces
from generator.declared.kernel_twice import KernelTwice
from generator.declared.mirror import Mirror
from generator.declared.selection import Selection
from generator.render.output import Rendered
from generator.render.ownership import Changes, Ownership, changes


class FleetInputs(WithPlaces, frozen=True, kw_only=True, dict=True):
    """No cluster's settings: what a rule must know of those, each cluster hands up.

    `day` is the one that the fleet is judged on, `file` the Fleet document, `silences` those of all judged documents.
    `scheduled` says that what stands is judged, and nobody's change. `earlier` are the texts of the files that declare
    a kernel twice now, as the revision to compare with has them. `rendered`, `out` and `owned` are what is rendered and
    what lies below out/, of the clusters that `selection` names. `untracked` are input files that a commit would not
    hold, each with whether git ignores it. `allow_remove` names what render may remove; None where nothing is about to
    be written.
    """

    file: str
    day: date
    silences: tuple[SilenceEntry, ...]
    scheduled: bool
    mirrors: Mapping[str, Mirror]
    kernels_twice: tuple[KernelTwice, ...]
    earlier: Mapping[str, bytes] | None
    catalog: Catalog
    rendered: Rendered
    out: Mapping[str, bytes]
    owned: Ownership
    selection: Selection
    untracked: Mapping[str, bool]
    staged: bool
    allow_remove: frozenset[str] | None

    @cached_property
    def todo(self) -> Changes:
        """What render would do below out/, worked out once: it hashes every file."""
        return changes(self.rendered, self.out, self.owned, self.selection)
