"""The audits that `--observed` names, as evidence of what nodes run."""

from collections.abc import Mapping, Sequence
from datetime import date

from generator.change.evidence import Seen, seen
from generator.declared.fleet import Fleet
from generator.declared.inventory import Inventory
from generator.edges.errors import UnreadableError
from generator.edges.given import read_given
from generator.observed.evidence import SeenFleet, read_audit
from generator.observed.unreadable import Unreadable
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
