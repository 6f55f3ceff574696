"""From a declaration to the files that it renders: the second half of what a state of the repository comes to."""

from collections.abc import Mapping
from enum import Enum

from generator.declared import policy
from generator.declared.catalog import Catalog
from generator.declared.crds import read_crd
from generator.declared.fleet import Fleet
from generator.declared.inventory import ENDINGS
from generator.declared.selection import Everything
from generator.facts import data
from generator.facts.definition import Definition
from generator.finding import Finding
from generator.layout import INPUTS, TEMPLATES, is_plain_path
from generator.render.output import Rendered
from generator.render.rendered import render
from generator.render.template import ENDING, collect
from generator.revision.declaration import Declaration, Door
from generator.revision.revision import Revision


class Purpose(Enum):
    """What a revision is assembled for."""

    JUDGE = "judge"
    """Its rules run: they need the fleet's CRDs, and the files that speak of all clusters."""
    COMPARE = "compare"
    """It is compared with another revision cluster by cluster, for which neither is needed."""


def assemble(
    declaration: Declaration,
    door: Door,
    templates: Mapping[str, bytes],
    *,
    purpose: Purpose = Purpose.JUDGE,
    catalog: Catalog | None = None,
) -> Revision:
    """The rendered revision. `templates` are the files below templates/ by their paths.

    `catalog` is the declaration's, where it was collected already.
    """
    fleet = declaration.fleet
    bases = policy.bases(fleet, door(policy.named(fleet)))
    crds: tuple[Definition, ...] = ()
    of_crds: tuple[Finding, ...] = ()
    if purpose is Purpose.JUDGE:
        crds, of_crds = _crds(fleet, door)
    if catalog is None:
        catalog = declaration.catalog()
    whole = purpose is Purpose.JUDGE and isinstance(declaration.selection, Everything)
    rendered = render(fleet, collect(data.templates(), templates), bases.values, catalog=catalog, whole=whole)
    return Revision(
        day=declaration.day,
        fleet=fleet,
        catalog=catalog,
        rendered=rendered,
        bases=bases.values,
        crds=crds,
        selection=declaration.selection,
        whole=declaration.whole,
        findings=(*declaration.findings, *bases.findings, *of_crds),
    )


def unrendered(declaration: Declaration) -> Revision:
    """The revision of a declaration for questions that no rendered file answers."""
    return Revision(
        day=declaration.day,
        fleet=declaration.fleet,
        catalog=declaration.catalog(),
        rendered=Rendered((), ()),
        selection=declaration.selection,
        whole=declaration.whole,
        findings=declaration.findings,
    )


def _crds(fleet: Fleet, door: Door) -> tuple[tuple[Definition, ...], tuple[Finding, ...]]:
    """The CRDs that the Fleet document names, and what is wrong with their files."""
    files = door([path for path in fleet.crds if is_plain_path(path)])
    fleet.texts.add(files)
    definitions: list[Definition] = []
    findings: list[Finding] = []
    for index, path in enumerate(fleet.crds):
        place = fleet.texts.value(fleet.file, ("crds", index))
        kinds, problems = read_crd(path, files.get(path), place)
        definitions += kinds
        findings += problems
    return tuple(definitions), tuple(findings)


def named_files(fleet: Fleet) -> frozenset[str]:
    """The paths of bases, CRDs and manifests of budgets that the inventory names, as they are written there."""
    bases = (cluster.operator.policy_base for cluster in fleet.clusters)
    manifests = (manifest.file for workload in fleet.workloads for manifest in workload.manifests)
    return frozenset({*bases, *fleet.crds, *manifests})


def places(named: frozenset[str]) -> tuple[str, ...]:
    """The folders and named files among which all input lies, sorted."""
    return tuple(sorted({*INPUTS, *filter(is_plain_path, named)}))


def is_read(path: str) -> bool:
    """Whether a file below one of our folders would be read, and does not just lie there as notes do."""
    folder = path.partition("/")[0]
    return path.endswith(ENDING if folder == TEMPLATES else ENDINGS)
