"""Everything one run needs, from one source: read, built, rendered, ready to be judged."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from generator import __version__
from generator.cli.begin import BASELINE, INPUTS, OUT, Begun
from generator.cli.manifests import read_named, with_budgets
from generator.cli.naming import no_cluster
from generator.declared import policy
from generator.declared.baseline import Baseline, read_baseline
from generator.declared.build import build
from generator.declared.catalog import collect as collect_catalog
from generator.declared.crds import read_crd
from generator.declared.fleet import Fleet
from generator.declared.inventory import ENDINGS, load
from generator.declared.inventory import unread as unread_file
from generator.declared.repopath import is_plain
from generator.documents.texts import Texts
from generator.edges.errors import CouldNotLookError, OutsideError
from generator.edges.git.blobs import algorithm_of, blob_id, read_blobs
from generator.edges.git.listing import Listings, untracked
from generator.edges.source import Entry, Kind, Source
from generator.edges.sourced import LOCK
from generator.facts import data
from generator.facts.definition import Definition
from generator.finding import Finding, Severity
from generator.render.output import Rendered
from generator.render.ownership import MANIFEST, ownership
from generator.render.rendered import render
from generator.render.template import ENDING, cluster_of
from generator.render.template import FOLDER as TEMPLATES
from generator.render.template import collect as collect_templates
from generator.revision.driver_objects import DriverObject, driver_objects
from generator.revision.revision import Revision

COMPARING = "operator/renamed, operator/immutable-change and upgrade/held"


class Gathered(Struct, frozen=True, kw_only=True):
    """One judgement's input, what reading told, and what its reader must know of its reach.

    `narrowed` is a run that found out which clusters it is about; in a `silent` one another run tells what is no
    cluster's.
    """

    root: str
    label: str
    context: Revision
    told: tuple[Finding, ...]
    baseline: Baseline | None
    notes: tuple[str, ...]
    narrowed: bool = False
    silent: bool = False
    scope: str = ""


def gather(begun: Begun) -> Gathered:
    """Reads the source and renders it. OutsideError where the outside says no."""
    wanted, source, compared = begun.wanted, begun.source, _Compared(begun)
    entries = {entry.path: entry for entry in source.paths(*INPUTS, OUT, BASELINE, LOCK)}
    listed = [path for path, entry in entries.items() if entry.kind is Kind.FILE]
    only, narrow, files = wanted.clusters, None, {}
    if wanted.changed_since is not None or wanted.shard is not None:
        from generator.cli.narrowing import narrowed

        files = source.read([path for path in listed if not path.startswith(f"{OUT}/")])
        narrow = narrowed(begun, below("inventory", files))
        only = narrow.clusters if narrow else only
    files |= source.read([path for path in listed if path not in files and _needed(path, only)])
    texts = below("inventory", files)
    if narrow is None:
        inventory, whole = load(texts, only_clusters=only), None
        built = build(inventory, version=__version__)
    else:
        inventory, built, whole, only = narrow.read(texts)
    fleet, of_budgets = with_budgets(source, built.fleet)
    told = [
        *_of_sources(fleet, inventory.texts, files.get(LOCK)),
        *_not_files(entries.values()),
        *inventory.findings,
        *built.findings,
        *of_budgets,
    ]
    if narrow is None and not any(one.severity is Severity.INVALID for one in told):
        no_cluster(wanted.clusters, {*inventory.others, *(cluster.name for cluster in fleet.clusters)})
    own = policy.bases(fleet, read_named(source, policy.named(fleet)))
    told += own.findings
    crds, problems = _crds(fleet, source)
    told += problems
    templates = collect_templates(data.templates(), below(TEMPLATES, files))
    catalog = collect_catalog(inventory.catalogs, fleet.mirrors)
    rendered = render(fleet, templates, own.values, catalog=catalog, whole=not only)
    out = {path[len(OUT) + 1 :]: content for path, content in below(OUT, files).items()}
    against = compared.objects(rendered, only)
    context = Revision(
        fleet=fleet,
        catalog=catalog,
        rendered=rendered,
        bases=own.values,
        crds=crds,
        out=out,
        owned=ownership(out[MANIFEST].decode("utf-8", "replace") if MANIFEST in out else None),
        against=against,
        untracked=_untracked(begun.listings, fleet),
        staged=wanted.staged,
        only=only,
        whole=whole,
        allow_remove=wanted.allow_remove,
    )
    baseline = read_baseline(files[BASELINE]) if BASELINE in files else None
    if baseline is not None:
        told += baseline.findings
    return Gathered(
        root=begun.root,
        label=source.label,
        context=context,
        told=tuple(told),
        baseline=baseline,
        notes=(*(narrow.notes if narrow else ()), *compared.notes),
        narrowed=narrow is not None and bool(only),
        silent=narrow.silent if narrow else False,
        scope="{}-of-{}".format(*wanted.shard) if wanted.shard else "",
    )


def _of_sources(fleet: Fleet, texts: Texts, lock: bytes | None) -> Iterable[Finding]:
    """What is wrong with sources; what few fleets have is not loaded for the others."""
    if not fleet.sources and lock is None:
        return ()
    from generator.declared.sources import problems

    return problems(fleet.sources, fleet.file, texts, lock)


def _needed(path: str, only: frozenset[str]) -> bool:
    """With some clusters only, the output of the others is not read."""
    parts = path.split("/")
    return not only or parts[0] != OUT or len(parts) == 2 or cluster_of("/".join(parts[1:])) in only


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the files that lie in a folder."""
    return {path: content for path, content in files.items() if path.startswith(f"{folder}/")}


def _not_files(entries: Iterable[Entry]) -> list[Finding]:
    return [
        unread_file(entry.path, f"it is a {entry.kind}", "put the file itself there")
        for entry in entries
        if entry.kind is not Kind.FILE and not entry.path.startswith(f"{OUT}/")
    ]


def _crds(fleet: Fleet, source: Source) -> tuple[tuple[Definition, ...], list[Finding]]:
    files = read_named(source, [path for path in fleet.crds if is_plain(path)])
    fleet.texts.add(files)
    found: list[Definition] = []
    findings: list[Finding] = []
    for index, path in enumerate(fleet.crds):
        definitions, problems = read_crd(path, files.get(path), fleet.texts.value(fleet.file, ("crds", index)))
        found += definitions
        findings += problems
    return tuple(found), findings


def _untracked(listings: Listings | None, fleet: Fleet) -> dict[str, bool]:
    """Input files that a commit would not hold, and whether git ignores them; empty where there is no git."""
    if listings is None:
        return {}
    bases = (cluster.operator.policy_base for cluster in fleet.clusters)
    manifests = (one.file for workload in fleet.workloads for one in workload.manifests)
    named = {*bases, *fleet.crds, *manifests}
    folders = sorted({*INPUTS, *filter(is_plain, named)})
    try:
        found = untracked(listings, *folders)
    except OutsideError:
        return {}
    return {one.path: one.ignored for one in found if one.path in named or _is_input(one.path)}


def _is_input(path: str) -> bool:
    """Whether a file below one of our folders would be read, and not just lie there as notes do."""
    folder = path.partition("/")[0]
    return path.endswith(ENDING if folder == TEMPLATES else ENDINGS)


class _Compared:
    """The driver objects of another revision. Git is asked at once and heard when everything else is done."""

    def __init__(self, begun: Begun) -> None:
        self.begun = begun
        self.notes: tuple[str, ...] = ()

    def objects(self, rendered: Rendered, only: frozenset[str]) -> tuple[DriverObject, ...] | None:
        """Those that are not rendered byte for byte as they were, of these clusters, or of all.

        None where the revision can't be read.
        """
        if self.begun.tree is None:
            return () if self.begun.wanted.compare else None
        try:
            entries = self.begun.tree.collect()
            changed = _changed(entries, rendered, only)
            contents = read_blobs(self.begun.git, changed.values())
        except OutsideError as error:
            if self.begun.wanted.against is not None:
                raise CouldNotLookError(
                    f"can't compare with {self.begun.against}: {error.message}", error.hint
                ) from error
            self.notes = (f"{COMPARING} are not judged: {error.message}",)
            return None
        return driver_objects({path: contents[blob] for path, blob in changed.items() if blob in contents})


def _changed(entries: Mapping[str, Entry], rendered: Rendered, only: frozenset[str]) -> dict[str, str]:
    """Blob by path below out/ of the manifests that are rendered otherwise now, or not at all."""
    texts = {file.path: file.text for file in rendered.files}
    changed = {}
    for path, entry in entries.items():
        below = path[len(OUT) + 1 :]
        if entry.blob is None or entry.kind is not Kind.FILE or not below.endswith((".yaml", ".yml")):
            continue
        if only and below.partition("/")[0] not in only:
            continue
        text = texts.get(below)
        if text is None or blob_id(text.encode(), algorithm_of(entry.blob)) != entry.blob:
            changed[below] = entry.blob
    return changed
