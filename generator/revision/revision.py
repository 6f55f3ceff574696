"""One state of the repository, read and rendered: everything that rules may look at."""

from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet
from generator.declared.selection import EVERYTHING, Selection, selects
from generator.facts.definition import Definition
from generator.finding import Finding
from generator.render.output import Rendered, RenderedFile
from generator.render.ownership import Ownership
from generator.revision.cluster_inputs import CatalogIndex, ClusterBefore, ClusterInputs, files_of
from generator.revision.driver_objects import DriverObject
from generator.revision.fleet_inputs import FleetInputs


class Before(Struct, frozen=True):
    """What the revision that is compared with declares, of the `compared` clusters: those that a change can affect.

    `becomes` are clusters that go to the tree of another revision than the judged one, as that tree declares them.
    """

    fleet: Fleet
    catalog: Catalog
    compared: Selection = EVERYTHING
    becomes: Mapping[str, Cluster] = {}

    def is_standing(self, cluster: str) -> bool:
        """Whether the cluster is declared as it was."""
        return not selects(self.compared, cluster)


class Revision(Struct, frozen=True, kw_only=True, dict=True):
    """One judgement's input.

    `day` is the day that it is judged on: of a commit its committer date, of the work tree and the index today's.

    `against` are the driver objects of the revision to compare with, and `earlier` its texts of the inventory files
    that declare a kernel twice now; None where that revision could not be read. `before` is what it declares; None
    where it could not be read, or where nothing is compared.

    `bases` are the users' ClusterPolicy objects by path, `crds` the CRDs that the fleet names, `out` and `owned` what
    lies below out/ in the judged source. `selection` says which clusters it is about,
    and `whole` is the fleet with the others where those were read too. `findings` are those of reading and building.
    `untracked` are input files that a commit would not hold, each with whether git ignores it. `allow_remove` names
    what render may remove; None where nothing is about to be written. A `scheduled` run judges what stands, and
    nobody's change. `rewritten` are the clusters of which a rendered file differs from that of the revision to compare
    with: looked at only where a silence has ended, which is all that asks.
    """

    day: date
    fleet: Fleet
    catalog: Catalog
    rendered: Rendered
    bases: Mapping[str, Mapping[str, Any]] = {}
    crds: tuple[Definition, ...] = ()
    out: Mapping[str, bytes] = {}
    owned: Ownership = Ownership({}, readable=True)
    against: tuple[DriverObject, ...] | None = None
    earlier: Mapping[str, bytes] | None = None
    before: Before | None = None
    untracked: Mapping[str, bool] = {}
    staged: bool = False
    scheduled: bool = False
    rewritten: frozenset[str] = frozenset()
    selection: Selection = EVERYTHING
    whole: Fleet | None = None
    findings: tuple[Finding, ...] = ()
    allow_remove: frozenset[str] | None = None

    @property
    def everyone(self) -> Fleet | None:
        """The fleet with all its clusters; None where only some were read."""
        return self.fleet if self.selection == EVERYTHING else self.whole

    @cached_property
    def clusters(self) -> tuple[ClusterInputs, ...]:
        """Each cluster by itself, sorted by name."""
        files: dict[str, list[RenderedFile]] = {}
        for file in self.rendered.files:
            files.setdefault(file.cluster, []).append(file)
        against: dict[str, list[DriverObject]] = {}
        for old in self.against or ():
            against.setdefault(old.cluster, []).append(old)
        before: dict[str, ClusterBefore] = {}
        if self.before is not None:
            for cluster in self.before.fleet.clusters:
                becomes = self.before.becomes.get(cluster.name)
                before[cluster.name] = ClusterBefore(cluster, self.before.catalog, becomes)
        return tuple(
            replace(
                inputs,
                files=tuple(files.get(inputs.cluster.name, ())),
                base=self.bases.get(inputs.cluster.operator.policy_base),
                crds=self.crds,
                against=None if self.against is None else tuple(against.get(inputs.cluster.name, ())),
                before=before.get(inputs.cluster.name),
                standing=self.before is not None and self.before.is_standing(inputs.cluster.name),
                rewritten=inputs.cluster.name in self.rewritten,
            )
            for inputs in self._declared(self.fleet)
        )

    @cached_property
    def all_clusters(self) -> tuple[ClusterInputs, ...] | None:
        """Each cluster of the whole fleet as it is declared; None where only some were read."""
        if self.selection == EVERYTHING:
            return self.clusters
        return None if self.whole is None else self._declared(self.whole)

    def _declared(self, fleet: Fleet) -> tuple[ClusterInputs, ...]:
        """The clusters of a fleet without what is rendered for them, or was before."""
        index = CatalogIndex(self.catalog)
        inputs = []
        for cluster in fleet.clusters:
            workloads = fleet.workloads_of(cluster)
            texts = fleet.texts.part(files_of(cluster, workloads))
            inputs.append(ClusterInputs(cluster=cluster, day=self.day, index=index, texts=texts, workloads=workloads))
        return tuple(inputs)

    @cached_property
    def fleet_inputs(self) -> FleetInputs:
        """What no cluster declares by itself."""
        return FleetInputs(
            texts=self.fleet.texts,
            file=self.fleet.file,
            day=self.day,
            silences=self.fleet.silences,
            scheduled=self.scheduled,
            mirrors=self.fleet.mirrors,
            kernels_twice=self.fleet.kernels_twice,
            earlier=self.earlier,
            catalog=self.catalog,
            rendered=self.rendered,
            out=self.out,
            owned=self.owned,
            selection=self.selection,
            untracked=self.untracked,
            staged=self.staged,
            allow_remove=self.allow_remove,
        )
