"""Takes the changes to out/ in an order from which any interruption recovers."""

from generator.edges.writer import Applied, Remove, Step, Write, apply
from generator.render.ownership import FOLDER, MANIFEST, Changes, Ownership, manifest, ownership


def write(root: str, todo: Changes, owned: Ownership) -> Applied:
    """The manifest first names old and new files together, so that a killed run leaves nothing unowned behind."""
    final = ownership(todo.manifest) if todo.relists else owned
    steps: list[Step] = []
    journal = ""
    if set(final.hashes) != set(owned.hashes):
        journal = manifest({**owned.hashes, **final.hashes})
        steps.append(Write(f"{FOLDER}/{MANIFEST}", journal.encode()))
    steps += [Write(f"{FOLDER}/{path}", data) for path, data in sorted(todo.written.items())]
    steps += [Remove(f"{FOLDER}/{path}") for path in todo.removed]
    if todo.relists and todo.manifest != journal:
        steps.append(Write(f"{FOLDER}/{MANIFEST}", todo.manifest.encode()))
    return apply(root, steps)
