"""What revisions declare that were merged one after the other: nodes may run what any of them does."""

from generator.cli.begin import Begun, opened
from generator.cli.repository import door
from generator.declared.fleet import Fleet
from generator.declared.selection import Selection
from generator.edges.git.history import SHORT, merged_since
from generator.edges.source import Kind
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.revision.declaration import declare, without_catalogs


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
