"""The catalog in the work tree, as the verbs that keep it true read and write it."""

import os
from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.catalog.change import Change, edits
from generator.catalog.edit import Uneditable, edited
from generator.catalog.filing import Revised, revised
from generator.cli.begin import Opened, opened
from generator.declared.catalog import collect
from generator.declared.catalog_file import CatalogFile, read_catalog
from generator.declared.entry import Entry
from generator.declared.fleet import Fleet
from generator.declared.inventory import ENDINGS, KIND
from generator.edges.errors import UnreadableError
from generator.edges.files import find_root
from generator.edges.git.command import git_at
from generator.edges.source import Kind
from generator.edges.writer import Remove, Step, Write, apply
from generator.finding import Finding
from generator.layout import INVENTORY, SOURCES
from generator.revision.declaration import declare
from generator.words import printable


class Ledger(Struct, frozen=True, kw_only=True):
    """What was read. `blocking` are the findings that leave some of it unread."""

    root: str
    texts: Mapping[str, bytes]
    catalogs: tuple[CatalogFile, ...]
    fleet: Fleet
    blocking: tuple[Finding, ...]

    @property
    def listed(self) -> Mapping[str, Mapping[str, Entry]]:
        """Every line, repository -> tag."""
        return collect(self.catalogs).repositories


def open_ledger(root: str | None) -> Ledger:
    """Reads inventory/ of the work tree. OutsideError as find_root."""
    where = find_root(root)
    state = _state(where)
    texts = _texts(state)
    declaration = declare(texts, day=state.day)
    _own(declaration.inventory.catalogs)
    return Ledger(
        root=where,
        texts=texts,
        catalogs=declaration.inventory.catalogs,
        fleet=declaration.fleet,
        blocking=declaration.blocking,
    )


def _own(catalogs: Iterable[CatalogFile]) -> None:
    """A catalog that another repository holds is kept there."""
    for one in catalogs:
        if one.file.startswith(SOURCES):
            message = f"`{printable(one.file)}` is a catalog of another repository, which this one reads as a source"
            raise UnreadableError(message, "run it there, then here: drivergate sources update")


def _state(root: str) -> Opened:
    """The work tree of today: its day changes nothing of what the catalog lists."""
    return opened(root, git_at(root, os.environ), (INVENTORY,))


def _texts(state: Opened) -> dict[str, bytes]:
    source = state.source
    return source.read([entry.path for entry in source.paths(INVENTORY) if entry.kind is Kind.FILE])


def reopened(ledger: Ledger) -> Ledger:
    """The same with the files as they are now."""
    texts = _texts(_state(ledger.root))
    kinds = {path: KIND.search(data) for path, data in texts.items()}
    named = [path for path, found in kinds.items() if path.endswith(ENDINGS) and found and found[1] == b"ImageCatalog"]
    kept = {one.file for one in ledger.catalogs}
    catalogs = (read_catalog(path, texts[path]) for path in sorted({*named, *(kept & texts.keys())}))
    return replace(ledger, texts=texts, catalogs=tuple(catalogs))


def revise(ledger: Ledger, changes: Iterable[Change], *, tidy: bool = False) -> Revised:
    """What becomes of the files; UnreadableError for one that can't be changed in place."""
    made = revised(ledger.catalogs, ledger.texts, edits(changes), tidy=tidy)
    for one in made.refused:
        raise _unfit(one)
    return made


def _unfit(one: Uneditable) -> UnreadableError:
    return UnreadableError(f"can't change `{printable(one.file)}` in place: {one.reason}", one.hint)


def writable(ledger: Ledger, repositories: Container[str]) -> None:
    """UnreadableError for a file of these repositories that can't be changed in place, before anything is asked."""
    for one in ledger.catalogs:
        if one.repository in repositories:
            made = edited(one.file, ledger.texts[one.file], {})
            if isinstance(made, Uneditable):
                raise _unfit(made)


def write(ledger: Ledger, made: Revised) -> None:
    """Each file atomically, those that lose lines last."""
    steps: list[Step] = [Write(path, data) for path, data in made.written.items()]
    steps += [Remove(path) for path in made.removed]
    apply(ledger.root, steps)


def refused(blocking: Sequence[Finding], *, as_json: bool) -> int:
    """Says what can't be read, and that nothing is written for it."""
    from generator.cli.outcome import UNUSABLE, colored, out, say
    from generator.report.formats import json, text

    if as_json:
        out(json.printed(json.with_findings({"changes": [], "written": [], "removed": []}, blocking)))
    else:
        out(text.finding_lines(blocking, color=colored()))
    say("nothing is written")
    return UNUSABLE


def told(changes: Sequence[Change], made: Revised, *, done: bool, as_json: bool, known: int | None = None) -> None:
    """Prints what changes, and in which files."""
    from generator.cli.outcome import out
    from generator.report import catalog
    from generator.report.formats import json

    if as_json:
        body = {
            "changes": catalog.changes_json(changes),
            "written": list(made.written),
            "removed": list(made.removed),
            "done": done,
        }
        out(json.printed(body if known is None else {**body, "known": known}))
        return
    files = catalog.written_lines(made.written, made.removed, done=done)
    out(f"{catalog.change_lines(changes, done=done)}{files}{catalog.summary(changes, done=done, known=known)}\n")
