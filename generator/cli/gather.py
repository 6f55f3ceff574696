"""Everything one run needs, from one source: read, built, rendered, ready to be judged."""

import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from generator import __version__
from generator.declared import policy
from generator.declared.baseline import FILE as BASELINE
from generator.declared.baseline import Baseline, read_baseline
from generator.declared.build import build
from generator.declared.catalog import collect as collect_catalog
from generator.declared.crds import read_crd
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from generator.declared.inventory import unread as unread_file
from generator.declared.repopath import is_plain
from generator.edges.blobs import algorithm_of, blob_id, read_blobs
from generator.edges.errors import CouldNotLookError, OutsideError, UnreadableError
from generator.edges.files import WorkTree, find_root
from generator.edges.git import Git, Pending, git_at
from generator.edges.history import first_parent, start_tree
from generator.edges.listing import Listings, untracked
from generator.edges.snapshots import CommitTree, Index
from generator.edges.source import Entry, Kind, Source
from generator.facts import data
from generator.facts.definition import Definition
from generator.finding import Finding, Severity
from generator.render.ownership import FOLDER as OUT
from generator.render.ownership import MANIFEST, ownership
from generator.render.rendered import Rendered, render
from generator.render.template import FOLDER as TEMPLATES
from generator.render.template import collect as collect_templates
from generator.rules.against import driver_objects
from generator.rules.context import Context, DriverObject

INPUTS = ("inventory", TEMPLATES)
COMPARING = "operator/renamed, operator/immutable-change and upgrade/held"


class Wanted(Struct, frozen=True, kw_only=True):
    """What the command line asks to judge. `against` None means: not compared."""

    root: str | None = None
    staged: bool = False
    rev: str | None = None
    against: str | None = None
    against_is_given: bool = False
    clusters: frozenset[str] = frozenset()
    allow_remove: frozenset[str] | None = None
    compare: bool = True


class Gathered(Struct, frozen=True, kw_only=True):
    """One judgement's input, what reading told, and what could not be judged."""

    root: str
    label: str
    context: Context
    told: tuple[Finding, ...]
    baseline: Baseline | None
    notes: tuple[str, ...]


def gather(wanted: Wanted) -> Gathered:
    """Reads the source and renders it. OutsideError where the outside says no."""
    root = find_root(wanted.root)
    git = git_at(root, os.environ)
    listings = None if wanted.rev else Listings(git, *INPUTS, OUT)
    compared = _Compared(git, wanted)
    source = _source(root, git, listings, wanted)
    entries = {entry.path: entry for entry in source.paths(*INPUTS, OUT, BASELINE)}
    files = source.read([path for path, entry in entries.items() if entry.kind is Kind.FILE and _needed(path, wanted)])
    inventory = load(_below("inventory", files), only_clusters=wanted.clusters)
    built = build(inventory, version=__version__)
    fleet = built.fleet
    told = [*_not_files(entries.values()), *inventory.findings, *built.findings]
    _known(fleet, wanted, complete=not any(one.severity is Severity.INVALID for one in told))
    own = policy.bases(fleet, _read(source, policy.named(fleet)))
    told += own.findings
    crds, problems = _crds(fleet, source)
    told += problems
    rendered = render(fleet, collect_templates(data.templates(), _below(TEMPLATES, files)), own.values)
    out = {path[len(OUT) + 1 :]: content for path, content in _below(OUT, files).items()}
    against = compared.objects(rendered)
    context = Context(
        fleet=fleet,
        catalog=collect_catalog(inventory.catalogs, fleet.mirrors),
        rendered=rendered,
        bases=own.values,
        crds=crds,
        out=out,
        owned=ownership(out[MANIFEST].decode("utf-8", "replace") if MANIFEST in out else None),
        against=against,
        untracked=_untracked(listings, fleet),
        staged=wanted.staged,
        only=wanted.clusters,
        allow_remove=wanted.allow_remove,
    )
    baseline = read_baseline(files[BASELINE]) if BASELINE in files else None
    if baseline is not None:
        told += baseline.findings
    return Gathered(
        root=root,
        label=source.label,
        context=context,
        told=tuple(told),
        baseline=baseline,
        notes=compared.notes,
    )


def _known(fleet: Fleet, wanted: Wanted, *, complete: bool) -> None:
    """A cluster that is asked for and not declared is bad usage, unless its file could not be read."""
    missing = sorted(wanted.clusters - {cluster.name for cluster in fleet.clusters})
    if missing and complete:
        raise UnreadableError(f'no cluster is named "{missing[0]}"', "list them with: drivergate show")


def _source(root: str, git: Git, listings: Listings | None, wanted: Wanted) -> Source:
    if wanted.rev:
        return CommitTree(git, wanted.rev, *INPUTS, OUT, BASELINE)
    assert listings is not None
    return Index(listings) if wanted.staged else WorkTree(root, listings)


def _needed(path: str, wanted: Wanted) -> bool:
    """With some clusters only, the output of the others is not read."""
    parts = path.split("/")
    return not wanted.clusters or parts[0] != OUT or len(parts) == 2 or parts[1] in wanted.clusters


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path.startswith(f"{folder}/")}


def _not_files(entries: Iterable[Entry]) -> list[Finding]:
    return [
        unread_file(entry.path, f"it is a {entry.kind}", "put the file itself there")
        for entry in entries
        if entry.kind is not Kind.FILE and not entry.path.startswith(f"{OUT}/")
    ]


def _crds(fleet: Fleet, source: Source) -> tuple[tuple[Definition, ...], list[Finding]]:
    files = _read(source, [path for path in fleet.crds if is_plain(path)])
    fleet.texts.add(files)
    found: list[Definition] = []
    findings: list[Finding] = []
    for index, path in enumerate(fleet.crds):
        definitions, problems = read_crd(path, files.get(path), fleet.texts.value(fleet.file, ("crds", index)))
        found += definitions
        findings += problems
    return tuple(found), findings


def _read(source: Source, paths: Sequence[str]) -> dict[str, bytes]:
    if not paths:
        return {}
    there = [entry.path for entry in source.paths(*paths) if entry.kind is Kind.FILE and entry.path in paths]
    return source.read(there)


def _untracked(listings: Listings | None, fleet: Fleet) -> tuple[str, ...]:
    """Input files that a commit would not hold; empty where there is no git."""
    if listings is None:
        return ()
    named = {cluster.operator.policy_base for cluster in fleet.clusters} | set(fleet.crds)
    folders = sorted({*INPUTS, *filter(is_plain, named)})
    try:
        return tuple(one.path for one in untracked(listings, *folders))
    except OutsideError:
        return ()


class _Compared:
    """The driver objects of another revision. Git is asked at once and heard when everything else is done."""

    def __init__(self, git: Git, wanted: Wanted) -> None:
        self.git, self.given = git, wanted.against_is_given
        self.notes: tuple[str, ...] = ()
        self.pending: Pending[dict[str, Entry]] | None = None
        if not wanted.compare:
            return
        rev = wanted.against or "HEAD"
        if wanted.rev and not wanted.against_is_given:
            parent = first_parent(git, wanted.rev)
            if parent is None:
                return
            rev = parent
        self.rev = rev
        self.pending = start_tree(git, rev, OUT)

    def objects(self, rendered: Rendered) -> tuple[DriverObject, ...] | None:
        """Those that are not rendered byte for byte as they were; None where the revision can't be read."""
        if self.pending is None:
            return ()
        try:
            entries = self.pending.collect()
            changed = _changed(entries, rendered)
            contents = read_blobs(self.git, changed.values())
        except OutsideError as error:
            if self.given:
                raise CouldNotLookError(f"can't compare with {self.rev}: {error.message}", error.hint) from error
            self.notes = (f"{COMPARING} are not judged: {error.message}",)
            return None
        return driver_objects({path: contents[blob] for path, blob in changed.items() if blob in contents})


def _changed(entries: Mapping[str, Entry], rendered: Rendered) -> dict[str, str]:
    """Blob by path below out/ of the manifests that are rendered otherwise now, or not at all."""
    texts = {file.path: file.text for file in rendered.files}
    changed = {}
    for path, entry in entries.items():
        below = path[len(OUT) + 1 :]
        if entry.blob is None or entry.kind is not Kind.FILE or not below.endswith((".yaml", ".yml")):
            continue
        text = texts.get(below)
        if text is None or blob_id(text.encode(), algorithm_of(entry.blob)) != entry.blob:
            changed[below] = entry.blob
    return changed
