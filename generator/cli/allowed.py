"""What `render --allow-remove NAME` names: a NAME that allows nothing is misspelt, and is bad usage."""

from generator.declared.shape import did_you_mean
from generator.edges.errors import UnreadableError, printable
from generator.render.ownership import needless, taken_away
from generator.revision.revision import Revision

FEW = 5


def asked_for(context: Revision) -> None:
    """UnreadableError where one of the names allows nothing of what would go."""
    if not context.allow_remove:
        return
    removed = context.todo().removed
    taken = list(taken_away(context.rendered, context.out, removed))
    known = sorted({one.name for one in taken})
    for name in needless(context.allow_remove, taken, removed, context.out):
        listed = f"what would go: {', '.join(known[:FEW])}{', …' if known[FEW:] else ''}"
        hint = did_you_mean(name, known) or (listed if known else "leave the option out")
        raise UnreadableError(f'nothing that would go is named "{printable(name)}"', hint)
