"""`drivergate audit --propose` and `--write-inventory`: the edit that declares what runs, as a patch or applied."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from generator.audit.audit import Audit
from generator.audit.proposal import proposed as edits
from generator.cli.outcome import CLEAN, NOT_VERIFIED, UNUSABLE, out, say
from generator.cli.reading import Read
from generator.declared.fleet import Cluster
from generator.edges.files import WorkTree, find_root
from generator.edges.writer import Write, apply
from generator.report.diff import patch
from generator.report.formats.text import printable

if TYPE_CHECKING:
    from generator.report.unasked import Unasked


def proposed(
    audits: Sequence[tuple[Cluster, Audit]],
    unasked: "Sequence[Unasked]",
    found: Read,
    uname: Mapping[tuple[str, str], str],
    *,
    root: str | None,
    write: bool,
) -> int:
    """0 where it could be proposed, whatever runs; a cluster that could not be looked at has no part in it."""
    where = find_root(root)
    images = {one.shape.name: (one.file, one.shape) for one in found.inventory.node_images}
    named = sorted({cluster.file for cluster, _ in audits} | {file for file, _ in images.values()})
    texts = {path: data.decode("utf-8", "replace") for path, data in WorkTree(where).read(named).items()}
    made = edits(audits, images, texts, uname)
    if write:
        applied = apply(where, [Write(path, text.encode()) for path, text in sorted(made.texts.items())])
        out("".join(f"wrote {printable(path)}\n" for path in applied.written) or "nothing to declare\n")
    else:
        out("".join(patch(path, texts[path], text) for path, text in sorted(made.texts.items())))
    for note in made.notes:
        say(f"note: {printable(note)}")
    for one in unasked:
        say(f"drivergate: {one.cluster}: {one.message}\n    hint: {one.hint}")
    if found.blocking:
        return UNUSABLE
    return NOT_VERIFIED if unasked else CLEAN
