"""The declared fleet from one source, for verbs that show it: nothing is rendered and no rule runs."""

import os
from collections.abc import Mapping

from msgspec import Struct

from generator import __version__
from generator.cli.begin import opened
from generator.cli.manifests import with_budgets
from generator.declared.build import build
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.inventory import FOLDER, KIND, Inventory, load
from generator.declared.layers import Level
from generator.declared.sources import problems
from generator.edges.files import find_root
from generator.edges.git.command import git_at
from generator.edges.source import Kind
from generator.edges.sourced import LOCK
from generator.finding import Finding, Severity
from generator.operator.effective import NODE_IMAGE


class Read(Struct, frozen=True, kw_only=True):
    """What was read, and the findings that leave some of it unread."""

    fleet: Fleet
    inventory: Inventory
    blocking: tuple[Finding, ...]

    @property
    def node_images(self) -> dict[str, Level]:
        """The node images by name, each as the level that says what its pools have from it."""
        return {one.shape.name: Level(NODE_IMAGE, one.file, (), one.tree) for one in self.inventory.node_images}

    def cluster(self, name: str) -> Cluster | None:
        """The cluster of that name, where it could be read."""
        return next((one for one in self.fleet.clusters if one.name == name), None)


def read(
    root: str | None, *, staged: bool, rev: str | None, clusters: frozenset[str] = frozenset(), catalogs: bool
) -> Read:
    """Reads inventory/, only the files of some clusters where they are named. OutsideError as find_root."""
    where = find_root(root)
    source, _ = opened(where, git_at(where, os.environ), (FOLDER,), staged=staged, rev=rev)
    files = source.read([entry.path for entry in source.paths(FOLDER, LOCK) if entry.kind is Kind.FILE])
    lock = files.pop(LOCK, None)
    inventory = load(files if catalogs else _without_catalogs(files), only_clusters=clusters)
    built = build(inventory, version=__version__)
    fleet, of_budgets = with_budgets(source, built.fleet)
    of_sources = problems(fleet.sources, fleet.file, inventory.texts, lock)
    told = (*inventory.findings, *built.findings, *of_budgets, *of_sources)
    blocking = sorted((one for one in told if one.severity is Severity.INVALID), key=lambda one: one.place)
    return Read(fleet=fleet, inventory=inventory, blocking=tuple(blocking))


def pool_of(cluster: Cluster, name: str) -> Pool | None:
    """The pool of that name, where it could be made."""
    return next((one for one in cluster.pools if one.name == name), None)


def told(read: Read, *, as_json: bool) -> bool:
    """Whether something could not be read; if so it is said on stderr, unless the result itself tells it."""
    from generator.cli.outcome import say
    from generator.report.formats import text

    if read.blocking and not as_json:
        say(text.finding_lines(read.blocking, color=False).rstrip("\n"))
    return bool(read.blocking)


def _without_catalogs(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Thousands of images that tell nothing of a pool's settings are left out by their kind."""
    kinds = {path: KIND.search(data) for path, data in files.items()}
    return {path: files[path] for path, kind in kinds.items() if not kind or kind[1] != b"ImageCatalog"}
