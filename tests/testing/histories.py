"""Declarations of the adversary's model as people write them, and what the gate says of the change between two."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from generator.declared.mirror import Mirror
from generator.finding import Severity
from generator.render.output import Rendered
from generator.revision.declaration import declare
from generator.revision.revision import Before, Revision
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from tests.model.adversary import (
    AWAY,
    HOME,
    Change,
    Declaration,
    Image,
    Labels,
    Node,
    Outcome,
    Pool,
    nodes_of,
)
from tests.testing.drawn import ALL_LABELS, History
from tests.testing.judging import DAY
from tests.testing.pools import CLUSTER, FLEET, HEAD, cluster, fleet, pool

TRANSITION, MISSING, SWAPPED = "image/transition-missing", "image/missing", "image/kernel-swapped"
UNCLAIMED = "operator/unclaimed"
RULES = [BY_ID[rule] for rule in (TRANSITION, MISSING, SWAPPED, UNCLAIMED)]


class Verdict(NamedTuple):
    """What one rule has against a change."""

    rule: str
    is_error: bool
    pool: str
    fact: str


def written(declared: Pool) -> str:
    """The pool as people write it; without a selector it is the default one."""
    selector = ", ".join(f"{key}: {value}" for key, value in sorted(declared.selector))
    fewest, most = declared.size
    mode = "precompiled" if declared.precompiled else "compiled"
    policy = f"{{autoUpgrade: {str(declared.automatic).lower()}}}"
    driver = f'mode: {mode}, repository: {declared.repository}, version: "{declared.driver}", upgradePolicy: {policy}'
    nodes = f"{most}" if declared.is_fixed else f"{{min: {fewest}, max: {most}}}"
    lines = [f"nodes: {nodes}", f"driver: {{{driver}}}"]
    if not selector:
        lines.append("default: true")
    return pool(
        declared.name,
        *lines,
        selector=f"{{{selector}}}" if selector else "",
        os=f'{{id: rhel, version: "{declared.system}"}}',
        kernels=f"[{', '.join(sorted(declared.kernels))}]",
    )


def files_of(declared: Declaration) -> dict[str, str]:
    """The inventory, without a catalog."""
    return {FLEET: written_fleet(declared), CLUSTER: cluster(*map(written, declared.pools))}


def written_fleet(declared: Declaration) -> str:
    """What the cluster inherits, as people write it."""
    api = "ClusterPolicy" if declared.by_policy else "NVIDIADriver"
    kind = "proxy" if declared.passes_on else "copy"
    mirrors = f"mirrors: {{{AWAY}: {{of: {HOME}, kind: {kind}}}}}\n"
    return fleet(f"version: {declared.release}, driverApi: {api}", more=mirrors)


@cache
def fleet_of(declared: Declaration) -> Fleet:
    """What is declared, read from text; nothing is rendered, since no rule about images looks at that."""
    files = {path: text.encode() for path, text in files_of(declared).items()}
    declaration = declare(files, day=DAY)
    assert [str(problem) for problem in declaration.findings] == []
    return declaration.fleet


@cache
def mirrors_of(*, passes_on: bool) -> Mapping[str, Mirror]:
    """The mirrors, read from text."""
    files = {FLEET: written_fleet(Declaration((), passes_on=passes_on)).encode()}
    return declare(files, day=DAY).fleet.mirrors


@cache
def catalog_of(listed: frozenset[Image], *, passes_on: bool) -> Catalog:
    """The catalogs that list these images, where AWAY has its own images, or passes on those of HOME."""
    files = {}
    for number, repository in enumerate((HOME, AWAY)):
        tags = sorted(image.tag for image in listed if image.repository == repository)
        rows = "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64]}}\n' for tag in tags)
        text = f"{HEAD}kind: ImageCatalog\nrepository: {repository}\nimages: {'' if rows else '[]'}\n{rows}"
        files[f"inventory/images-{number}.yaml"] = text.encode()
    return collect(load(files).catalogs, mirrors_of(passes_on=passes_on))


def gate(
    was: Declaration, becomes: Declaration, listed: frozenset[Image], before: frozenset[Image] | None = None
) -> list[Verdict]:
    """What the rules about images say of a change. `before` is what base's catalogs list where they are others."""
    revision = Revision(
        day=DAY,
        fleet=fleet_of(becomes),
        catalog=catalog_of(listed, passes_on=becomes.passes_on),
        rendered=Rendered((), ()),
        before=Before(fleet_of(was), catalog_of(listed if before is None else before, passes_on=was.passes_on)),
    )
    return [
        Verdict(rule.id, (problem.severity or rule.severity) is not Severity.WARNING, problem.pool, problem.fact)
        for rule in RULES
        for problem in problems_of(rule, revision)
    ]


Nodes = dict[Labels, frozenset[Node]]


class Arrival(NamedTuple):
    """A change that is merged: what the gate says of it, and what nodes of each kind of labels can ask for.

    `listed` is in head's catalogs. `built` is there: a line that is removed from a catalog removes no image.
    """

    was: Declaration
    becomes: Declaration
    listed: frozenset[Image]
    built: frozenset[Image]
    verdicts: list[Verdict]
    outcomes: dict[Labels, Outcome]

    @property
    def errors(self) -> list[Verdict]:
        """What keeps it from being merged."""
        return [verdict for verdict in self.verdicts if verdict.is_error]

    @property
    def missing(self) -> frozenset[Image]:
        """The images that some order asks for and nobody built."""
        return frozenset().union(*(outcome.missing(self.built) for outcome in self.outcomes.values()))

    @property
    def missing_by_itself(self) -> frozenset[Image]:
        """Those that no node need boot early for, or be touched by hand."""
        return frozenset().union(*(outcome.missing_by_itself(self.built) for outcome in self.outcomes.values()))

    def missing_of(self, pool: str, *, by_itself: bool = False) -> frozenset[str]:
        """The tags of them that nodes of this pool ask for, be it theirs before or after."""
        found: set[str] = set()
        for labels, outcome in self.outcomes.items():
            pools = (self.was.pool_of(labels), self.becomes.pool_of(labels), self.becomes.driver_of(labels))
            if pool not in {claiming.name for claiming in pools if claiming is not None}:
                continue
            missing = outcome.missing_by_itself(self.built) if by_itself else outcome.missing(self.built)
            found |= {image.tag for image in missing}
        return frozenset(found)


def played(was: Declaration, becomes: Declaration, nodes: Nodes) -> dict[Labels, Outcome]:
    """A change for nodes of all these labels. Nodes that are declared alike and stand alike are one."""
    alike: dict[object, Outcome] = {}
    outcomes = {}
    for labels, standing in nodes.items():
        kind = (was.pool_of(labels), becomes.pool_of(labels), standing)
        if kind not in alike:
            alike[kind] = Change(was, becomes, labels).play(standing)
        outcomes[labels] = alike[kind]
    return outcomes


def arrivals(history: History) -> Iterator[Arrival]:
    """The changes of a history, up to the first one that the gate refuses."""
    nodes = {labels: nodes_of(history.declarations[0], labels) for labels in ALL_LABELS}
    for (was, before), (becomes, listed) in pairwise(zip(history.declarations, history.listed, strict=True)):
        verdicts, outcomes = gate(was, becomes, listed, before), played(was, becomes, nodes)
        arrived = Arrival(was, becomes, listed, before | listed, verdicts, outcomes)
        yield arrived
        if arrived.errors:
            return
        nodes = {labels: outcome.nodes for labels, outcome in outcomes.items()}
