"""Judges an inventory given as files in memory, through the same pure steps as the command line."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec.structs import replace

from generator.declared.selection import EVERYTHING
from generator.finding import Finding
from generator.layout import MANIFEST, SOURCES_LOCK
from generator.render.output import Rendered
from generator.render.ownership import digest as file_digest
from generator.render.ownership import manifest, ownership
from generator.revision.assemble import assemble
from generator.revision.compare import State, declared_before
from generator.revision.declaration import Declaration, declare, with_sources
from generator.revision.driver_objects import DriverObject
from generator.revision.revision import Before, Revision
from generator.rules.judge import judge
from generator.rules.table import RULES

VERSION = "0.1.0"
DAY = date(2026, 3, 31)


def bytes_of(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}


def revision_of(
    files: Mapping[str, str | bytes],
    *,
    against: tuple[DriverObject, ...] | None = None,
    before: Mapping[str, str | bytes] | None = None,
    day: date = DAY,
) -> tuple[Revision, tuple[Finding, ...]]:
    """The revision of a repository given as path -> text, and what reading it told.

    Without files below out/ the output counts as freshly rendered, so that only the inventory is judged. `before` are
    the files of the revision that is compared with.
    """
    content = bytes_of(files)

    def door(paths: Sequence[str]) -> dict[str, bytes]:
        return {path: content[path] for path in paths if path in content}

    inventory = {path: text for path, text in content.items() if path.startswith("inventory/")}
    templates = {path: text for path, text in content.items() if path.startswith("templates/")}
    declaration = with_sources(declare(inventory, door, day=day), content.get(SOURCES_LOCK))
    revision = assemble(declaration, door, templates)
    out = {path[4:]: text for path, text in content.items() if path.startswith("out/")}
    if not out:
        out = fresh(revision.rendered)
    owned = ownership(out[MANIFEST].decode() if MANIFEST in out else None)
    judged = replace(revision, out=out, owned=owned, against=against, before=_before(declaration, revision, before))
    return judged, revision.findings


def _before(now: Declaration, revision: Revision, files: Mapping[str, str | bytes] | None) -> Before | None:
    if files is None:
        return None
    content = bytes_of(files)
    state = State(
        label="BASE",
        day=DAY,
        files=content,
        lock=content.get(SOURCES_LOCK),
        door=lambda paths: {path: content[path] for path in paths if path in content},
    )
    then, catalog = declared_before(now, revision.catalog, {}, state, EVERYTHING)
    return Before(then.fleet, catalog)


def fresh(rendered: Rendered) -> dict[str, bytes]:
    """out/ as render leaves it."""
    out = {file.path: file.text.encode() for file in rendered.files}
    out[MANIFEST] = manifest({file.path: file_digest(file.text) for file in rendered.files}).encode()
    return out


def findings(
    files: Mapping[str, str | bytes],
    *,
    against: tuple[DriverObject, ...] | None = None,
    before: Mapping[str, str | bytes] | None = None,
    day: date = DAY,
) -> tuple[Finding, ...]:
    """Every finding of a repository given as path -> text."""
    revision, told = revision_of(files, against=against, before=before, day=day)
    return judge(revision, RULES, told=told).findings
