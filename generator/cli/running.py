"""What nodes may run beyond what a revision declares: what audits saw, and what was merged after it."""

from collections.abc import Mapping, Sequence
from datetime import date

from generator.change.evidence import Seen, seen
from generator.cli.begin import Begun, opened
from generator.cli.repository import door
from generator.declared.fleet import Fleet
from generator.declared.inventory import Inventory
from generator.declared.selection import Selection
from generator.edges.errors import UnreadableError
from generator.edges.git.history import SHORT, merged_since
from generator.edges.given import read_given
from generator.edges.source import Kind
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.observed.evidence import SeenFleet, read_audit
from generator.observed.unreadable import Unreadable
from generator.revision.declaration import declare, without_catalogs
from generator.words import printable


def read_audits(files: Sequence[str]) -> tuple[SeenFleet, ...]:
    """The audits in these files. UnreadableError names the first that is none, and why."""
    found = []
    for file in files:
        audit = read_audit(read_given(file), file)
        if isinstance(audit, Unreadable):
            raise UnreadableError(f"--observed `{printable(file)}`: {printable(audit.reason)}", audit.hint)
        found.append(audit)
    return tuple(found)


def evidence(files: Sequence[str], fleet: Fleet, inventory: Inventory, day: date) -> Seen:
    """What the audits in these files prove of the fleet as it was, judged on this day."""
    return seen(fleet, releases_of(inventory), read_audits(files), day)


def releases_of(inventory: Inventory) -> Mapping[str, Mapping[str, str]]:
    """The kernel of each release of each node image."""
    return {image.shape.name: image.shape.kernels for image in inventory.node_images}


def merged_fleets(begun: Begun, base: str, selection: Selection) -> tuple[tuple[Fleet, ...], tuple[str, ...]]:
    """The clusters that are selected as each commit between the base and the judged state declares them, and notes.

    CouldNotLookError where the base is no ancestor of it, or a commit isn't on this machine.
    """
    head = begun.wanted.rev or "HEAD"
    commits = [*merged_since(begun.git, base, head, INVENTORY, SOURCES_LOCK)]
    if begun.wanted.rev is None:  # the work tree and the index are what comes after HEAD
        commits.append(head)
    fleets, notes = [], []
    for commit in commits:
        state = opened(begun.root, begun.git, (INVENTORY,), rev=commit)
        files = [entry.path for entry in state.source.paths(INVENTORY) if entry.kind is Kind.FILE]
        declaration = declare(
            without_catalogs(state.source.read(files)), door(state.source), day=state.day, part=selection
        )
        if declaration.blocking:
            notes.append(f"what {commit[:SHORT]} declares is not counted as a whole: {declaration.blocking[0]}")
        fleets.append(declaration.fleet)
    return tuple(fleets), tuple(notes)
