"""The state of the repository that check and render are about: read, narrowed, rendered, judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from generator.cli.begin import Begun, opened
from generator.cli.outcome import no_cluster
from generator.cli.repository import door, unread_notes
from generator.declared.fleet import Cluster
from generator.declared.inventory import unread as unread_file
from generator.declared.kernel_twice import files_of
from generator.declared.selection import EVERYTHING, NOTHING, Selection, named, selects
from generator.edges.errors import CouldNotLookError, OutsideError
from generator.edges.git.history import Base, start_tree
from generator.edges.git.listing import Listings, changed_blobs, read_blobs, untracked
from generator.edges.source import Entry, Kind
from generator.finding import Finding, Severity
from generator.layout import BASELINE, INPUTS, INVENTORY, MANIFEST, OUT, SOURCES, SOURCES_LOCK, TEMPLATES
from generator.operator.driver import automatic
from generator.render.ownership import ownership
from generator.render.rendered import DRIVER_KINDS
from generator.render.template import cluster_of
from generator.report.formats.text import Summary, counts
from generator.revision.assemble import assemble, is_read, named_files, places
from generator.revision.declaration import AllButOtherShards, Declaration, declare, with_sources
from generator.revision.driver_objects import DriverObject, driver_objects
from generator.revision.revision import Before, Revision
from generator.rules.judge import NOT_ALL, Judgement, judge, without_fleet
from generator.rules.table import RULES

if TYPE_CHECKING:
    from generator.declared.baseline import Baseline
    from generator.revision.narrow import Change, Narrowed

OWN_KINDS = DRIVER_KINDS | {"Kustomization"}
COMPARING = "operator/renamed, operator/immutable-change and upgrade/held"
ON_THE_WAY = "image/transition-missing, image/kernel-swapped, operator/unclaimed and holds that are lifted"
REQUIRES = "inventory/requires"


class State(Struct, frozen=True, kw_only=True):
    """The revision that is judged, the findings of reading it, and what the reader must know of its reach.

    `narrowed` is a run that found out which clusters it is about. Where `others_report`, another run reports what is no
    cluster's.
    """

    root: str
    label: str
    revision: Revision
    findings: tuple[Finding, ...]
    baseline: Baseline | None
    notes: tuple[str, ...]
    narrowed: bool = False
    others_report: bool = False
    scope: str = ""


def judged_state(begun: Begun) -> State:
    """Reads the source and renders it. OutsideError where the outside says no."""
    wanted, source = begun.wanted, begun.opened.source
    if wanted.observed or wanted.synced is not None:
        from generator.cli.running import read_audits, read_synced  # what can't be read is reported whatever changes

        read_audits(wanted.observed)
        read_synced(wanted.synced)
    entries = {entry.path: entry for entry in source.paths(*INPUTS, OUT, BASELINE, SOURCES_LOCK)}
    listed = [path for path, entry in entries.items() if entry.kind is Kind.FILE]
    clusters: Selection = named(wanted.clusters)
    part: Selection | AllButOtherShards = clusters
    narrowed: Narrowed | None = None
    files: dict[str, bytes] = {}
    if wanted.changed_since is not None or wanted.shard is not None:
        files = source.read([path for path in listed if not path.startswith(f"{OUT}/")])
        narrowed = _narrowed(begun, below(INVENTORY, files))
        clusters, part = narrowed.clusters, narrowed.part
    files |= source.read([path for path in listed if path not in files and _is_needed(path, clusters)])
    texts = below(INVENTORY, files)
    if narrowed is not None:
        texts = narrowed.files(texts)
    ways = door(source)
    declaration = with_sources(declare(texts, ways, day=begun.opened.day, part=part), files.get(SOURCES_LOCK))
    not_files = _not_files(entries.values())
    if narrowed is None:
        _check_names(wanted.clusters, declaration, not_files)
    of_unread: tuple[str, ...] = ()
    if wanted.shard is None:  # what one shard leaves unread, another one judges
        unread_files = declaration.inventory.unread
        of_unread = unread_notes(texts, unread_files, begun.opened, rev=wanted.rev, staged=wanted.staged)
    revision = assemble(declaration, ways, below(TEMPLATES, files))
    out = {path[len(OUT) + 1 :]: content for path, content in below(OUT, files).items()}
    against, unread = _compared(begun, revision)
    before, unread_before = _declared_before(begun, files, declaration, revision)
    revision = replace(
        revision,
        out=out,
        owned=ownership(out[MANIFEST].decode("utf-8", "replace") if MANIFEST in out else None),
        against=against,
        before=before,
        earlier=_earlier_texts(begun, files_of(revision.fleet.kernels_twice)),
        untracked=_untracked(begun.opened.listings, revision),
        staged=wanted.staged,
        scheduled=wanted.scheduled,
        allow_remove=wanted.allow_remove,
    )
    rewritten, unknown = _rewritten(begun, revision)
    revision = replace(revision, rewritten=rewritten)
    baseline = _baseline(files[BASELINE]) if BASELINE in files else None
    return State(
        root=begun.root,
        label=source.label,
        revision=revision,
        findings=(*not_files, *revision.findings, *(baseline.findings if baseline is not None else ())),
        baseline=baseline,
        notes=(*(narrowed.notes if narrowed else ()), *of_unread, *unread, *unread_before, *unknown),
        narrowed=narrowed is not None and revision.selection != EVERYTHING,
        others_report=narrowed is not None and narrowed.others_report,
        scope="{}-of-{}".format(*wanted.shard) if wanted.shard else "",
    )


def _baseline(data: bytes) -> Baseline:
    from generator.declared.baseline import read_baseline  # few repositories have one

    return read_baseline(data)


def judged(state: State, *, without: frozenset[str] = frozenset()) -> Judgement:
    """All rules but some, over what was state."""
    judgement = judge(state.revision, RULES, told=state.findings, baseline=state.baseline, without=without)
    return without_fleet(judgement) if state.others_report else judgement


def notes(state: State, judgement: Judgement) -> tuple[str, ...]:
    """What the reader of the findings must know of their reach."""
    if not state.narrowed:
        return state.notes
    left_out = [rule for rule, why in sorted(judgement.unjudged.items()) if why == NOT_ALL]
    reach = f"not judged, since they need all clusters: {', '.join(left_out)}, and files of no cluster below out/"
    return (*state.notes, reach)


def summary(state: State, judgement: Judgement) -> Summary:
    """The counts of a judgement."""
    revision = state.revision
    errors, warnings = counts(judgement.findings)
    known = OWN_KINDS | {definition.kind for definition in revision.crds}
    unknown = Counter(
        file.kind for file in revision.rendered.files if file.kind and file.kind not in known and not file.template.ours
    )
    return Summary(
        source=state.label,
        clusters=len(revision.fleet.clusters),
        pools=sum(len(cluster.pools) for cluster in revision.fleet.clusters),
        images=sum(len(entries) for entries in revision.catalog.repositories.values()),
        errors=errors,
        warnings=warnings,
        silenced=len(judgement.ignored),
        not_judged=dict(unknown),
    )


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the files that lie in a folder."""
    return {path: content for path, content in files.items() if path.startswith(f"{folder}/")}


def _narrowed(begun: Begun, inventory: Mapping[str, bytes]) -> Narrowed:
    from generator.declared.shard import Shard
    from generator.revision.narrow import of_change, of_shard

    wanted = begun.wanted
    change = _change(begun, wanted.changed_since, inventory) if wanted.changed_since is not None else None
    if wanted.shard is not None:
        return of_shard(Shard(*wanted.shard), inventory, change)
    assert change is not None
    return of_change(change)


def _change(begun: Begun, since: str, inventory: Mapping[str, bytes]) -> Change:
    """What the change since a revision can affect. Files that name a drivergate are looked into as inventory is."""
    from generator.declared.affected import PINS, Changed, affected
    from generator.edges.git.difference import changed_paths
    from generator.edges.git.snapshots import CommitTree
    from generator.revision.narrow import Change

    try:
        paths = changed_paths(begun.git, since, begun.opened.listings, staged=begun.wanted.staged, rev=begun.wanted.rev)
        read = [path for path in paths if path.startswith(f"{INVENTORY}/") or PINS.fullmatch(path)]
        tree = CommitTree(begun.git, since)
        there = {entry.path for entry in tree.paths() if entry.kind is Kind.FILE} if read else set()
        before = tree.read([path for path in read if path in there])
        pins = [path for path in read if path not in inventory and not path.startswith((*INPUTS, OUT))]
        present = [entry.path for entry in begun.opened.source.paths(*pins) if entry.kind is Kind.FILE] if pins else []
        after = {**inventory, **begun.opened.source.read(present)}
        changes = [Changed(path, before.get(path), after.get(path)) for path in paths]
        return Change(since, affected(changes, inventory))
    except OutsideError as error:
        raise CouldNotLookError(f"can't tell what changed since {since}: {error.message}", error.hint) from error


def _is_needed(path: str, clusters: Selection) -> bool:
    """With some clusters only, the output of the others is not read."""
    parts = path.split("/")
    return parts[0] != OUT or len(parts) == 2 or selects(clusters, cluster_of("/".join(parts[1:])))


def _not_files(entries: Iterable[Entry]) -> list[Finding]:
    return [
        unread_file(entry.path, f"it is a {entry.kind}", "put the file itself there")
        for entry in entries
        if entry.kind is not Kind.FILE and not entry.path.startswith(f"{OUT}/")
    ]


def _check_names(wanted: Iterable[str], declaration: Declaration, not_files: Iterable[Finding]) -> None:
    """UnreadableError for a name that no cluster has, unless a part is unread that may hold it."""
    if any(finding.severity is Severity.INVALID for finding in (*not_files, *declaration.findings)):
        return
    clusters = (cluster.name for cluster in declaration.fleet.clusters)
    no_cluster(wanted, {*declaration.inventory.others, *clusters})


def _untracked(listings: Listings | None, revision: Revision) -> dict[str, bool]:
    """Input files that a commit would not hold, and whether git ignores them; empty where there is no git."""
    if listings is None:
        return {}
    named = named_files(revision.fleet)
    try:
        unknown = untracked(listings, *places(named))
    except OutsideError:
        return {}
    return {file.path: file.ignored for file in unknown if file.path in named or is_read(file.path)}


def _compared(begun: Begun, revision: Revision) -> tuple[tuple[DriverObject, ...] | None, tuple[str, ...]]:
    """The driver objects of another revision that are not rendered byte for byte as they were, and notes.

    None where it can't be read, which a note says. Git was asked at once, and is heard when everything else is done.
    """
    if begun.tree is None:
        return (() if begun.wanted.compare else None), ()
    texts = {f"{OUT}/{file.path}": file.text.encode() for file in revision.rendered.files}
    try:
        entries = begun.tree.collect()
        looked_at = [entry for path, entry in entries.items() if _is_compared(path, revision.selection)]
        changed = changed_blobs(looked_at, texts)
        contents = read_blobs(begun.git, changed.values())
    except OutsideError as error:
        if begun.wanted.against is not None:
            message = f"can't compare with {_base(begun).label}: {error.message}"
            raise CouldNotLookError(message, error.hint) from error
        return None, (f"{COMPARING} are not judged: {error.message}",)
    files = {path[len(OUT) + 1 :]: contents[blob] for path, blob in changed.items() if blob in contents}
    return driver_objects(files), ()


def _rewritten(begun: Begun, revision: Revision) -> tuple[frozenset[str], tuple[str, ...]]:
    """The clusters of which a rendered file differs from that of the revision that is compared with, and notes.

    It hashes every file below out/, so it is asked only where a silence has ended.
    """
    if begun.tree is None or not any(silence.has_ended(revision.day) for silence in revision.fleet.silences):
        return frozenset(), ()
    texts = {f"{OUT}/{path}": data for path, data in revision.out.items()}
    rendered = {f"{OUT}/{file.path}": file.text.encode() for file in revision.rendered.files}
    try:
        entries = begun.tree.collect()
        there = [entry for path, entry in entries.items() if path.startswith(f"{OUT}/")]
        changed = {*changed_blobs(there, texts | rendered), *(rendered.keys() - entries.keys())}
    except OutsideError as error:
        return frozenset(), (
            f"whether clusters with a silence that has ended are touched can't be told: {error.message}",
        )
    names = (cluster_of(path.removeprefix(f"{OUT}/")) for path in changed)
    return frozenset(name for name in names if selects(revision.selection, name)), ()


def _earlier_texts(begun: Begun, paths: Sequence[str]) -> Mapping[str, bytes] | None:
    """These files as the revision that is compared with has them, without those that it lacks.

    None where that revision can't be read, or where nothing is compared.
    """
    if begun.tree is None:
        return None
    if not paths:
        return {}
    try:
        entries = start_tree(begun.git, _base(begun).rev, *paths).collect()
        blobs = {path: entry.blob for path, entry in entries.items() if entry.blob is not None}
        contents = read_blobs(begun.git, blobs.values())
    except OutsideError:
        return None
    return {path: contents[blob] for path, blob in blobs.items() if blob in contents}


def _is_compared(path: str, clusters: Selection) -> bool:
    """Whether a file below out/ may hold a driver object of one of the clusters."""
    ours = path.startswith(f"{OUT}/") and path.endswith((".yaml", ".yml"))
    return ours and selects(clusters, path.split("/")[1])


def _declared_before(
    begun: Begun, files: Mapping[str, bytes], declaration: Declaration, revision: Revision
) -> tuple[Before | None, tuple[str, ...]]:
    """What the revision that is compared with declares of the clusters that the change can affect, and notes.

    None where it can't be read, which a note says.
    """
    if begun.tree is None:
        nothing = Before(replace(revision.fleet, clusters=()), revision.catalog)
        return (nothing if begun.wanted.compare else None), ()
    try:
        earlier = _earlier_files(begun, files)
    except OutsideError as error:
        return None, (f"{ON_THE_WAY} are not judged: {error.message}",)
    now = below(INVENTORY, files)
    paths = sorted(path for path in {*earlier, *now} if earlier.get(path) != now.get(path))
    if not paths and not begun.wanted.merged:
        return _unchanged(revision), ()
    from generator.declared.affected import Changed, affected
    from generator.revision.compare import SILENT, compared_clusters, declared_before
    from generator.revision.compare import State as Side

    reach = affected([Changed(path, earlier.get(path), now.get(path)) for path in paths], now, silent=SILENT)
    # A change that was taken back since is no difference of the two, and may have reached nodes all the same.
    selection = revision.selection if begun.wanted.merged else compared_clusters(reach, revision.selection)
    if selection == NOTHING:
        return _unchanged(revision), ()
    state = opened(begun.root, begun.git, (), rev=_base(begun).rev)
    lock = _earlier_lock(begun, files)
    side = Side(label=_base(begun).label, day=state.day, files=earlier, lock=lock, door=door(state.source))
    then, catalog = declared_before(declaration, revision.catalog, now, side, selection)
    fleet = then.fleet
    notes: tuple[str, ...] = ()
    if begun.wanted.merged:
        from generator.change.merged import with_merged
        from generator.cli.running import merged_fleets

        between, notes = merged_fleets(begun, _base(begun).rev, selection)
        fleet = with_merged(fleet, between)
    becomes: Mapping[str, Cluster] = {}
    synced = begun.wanted.synced
    if synced is not None or follow_others(_base(begun), fleet.clusters, revision.fleet.clusters):
        from generator.cli.running import delivered, read_synced

        own_bases = begun.wanted.rev is None and begun.wanted.against is None
        head = begun.wanted.rev or "HEAD"
        brought = delivered(
            begun.root,
            begun.git,
            _base(begun),
            fleet,
            revision.fleet,
            head=head,
            own_bases=own_bases,
            synced=read_synced(synced),
        )
        fleet, becomes, notes = brought.fleet, brought.becomes, (*notes, *brought.notes)
    if begins(fleet.clusters, revision.fleet.clusters):
        from generator.cli.running import with_paused

        fleet, of_pauses = with_paused(begun.root, begun.git, _base(begun), fleet, revision.fleet)
        notes = (*notes, *of_pauses)
    if begun.wanted.observed:
        from generator.change.evidence import without_idle
        from generator.cli.running import evidence

        found = evidence(begun.wanted.observed, fleet, then.inventory, revision.day)
        fleet, notes = without_idle(fleet, found), (*notes, *found.notes)
    unread = [finding for finding in then.blocking if finding.rule != REQUIRES]
    if unread:
        notes = (*notes, f"{ON_THE_WAY} are not judged where {_base(begun).label} can't be read: {unread[0]}")
    from generator.change.passage import moves

    judged_as = [becomes.get(cluster.name, cluster) for cluster in revision.fleet.clusters]
    if moves(fleet.clusters, judged_as, (fleet.mirrors, revision.fleet.mirrors)):
        notes = (*notes, f"{side.label} is taken as synced, with its operator release running; --against names another")
    return Before(fleet, catalog, selection, becomes), notes


def begins(was: Sequence[Cluster], becomes: Sequence[Cluster]) -> bool:
    """Whether a change switches autoUpgrade on for any pool."""
    waiting = {
        (cluster.name, pool.name) for cluster in was for pool in cluster.managed_pools if not automatic(cluster, pool)
    }
    return bool(waiting) and any(
        (cluster.name, pool.name) in waiting and automatic(cluster, pool)
        for cluster in becomes
        for pool in cluster.managed_pools
    )


def follow_others(base: Base, was: Sequence[Cluster], becomes: Sequence[Cluster]) -> bool:
    """Whether any cluster follows another revision than the branch that is compared with, or begins to."""
    followed = {cluster.name: cluster.delivery.follows for cluster in was}
    if base.branch and any(revision not in {"", base.branch} for revision in followed.values()):
        return True
    return any(cluster.delivery.follows != followed.get(cluster.name, cluster.delivery.follows) for cluster in becomes)


def _base(begun: Begun) -> Base:
    """The revision that is compared with; there is one where its tree was asked for."""
    assert begun.against is not None
    return begun.against


def _unchanged(revision: Revision) -> Before:
    """No cluster is declared otherwise than before."""
    return Before(replace(revision.fleet, clusters=()), revision.catalog, NOTHING)


def _earlier_lock(begun: Begun, files: Mapping[str, bytes]) -> bytes | None:
    """The lock file of sources of the revision that is compared with; None where it has none."""
    assert begun.tree is not None
    entry = begun.tree.collect().get(SOURCES_LOCK)
    if entry is None:
        return None
    changed = changed_blobs([entry], files)
    return read_blobs(begun.git, changed.values())[changed[SOURCES_LOCK]] if changed else files[SOURCES_LOCK]


def _earlier_files(begun: Begun, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files below inventory/ of the revision that is compared with; of sources, too, at its own commits."""
    assert begun.tree is not None
    entries = begun.tree.collect()
    there = {path: entry for path, entry in entries.items() if path.startswith(f"{INVENTORY}/")}
    changed = changed_blobs(there.values(), files)
    contents = read_blobs(begun.git, changed.values())
    earlier = {path: files[path] for path in there if path in files and path not in changed}
    for path, blob in changed.items():
        if blob not in contents:
            raise CouldNotLookError(f"the content of {path} isn't on this machine", "fetch it first")
        earlier[path] = contents[blob]
    lock = _earlier_lock(begun, files)
    if lock == files.get(SOURCES_LOCK):
        return earlier | {path: data for path, data in files.items() if path.startswith(SOURCES)}
    source = opened(begun.root, begun.git, (INVENTORY,), rev=_base(begun).rev).source
    elsewhere = [entry.path for entry in source.paths(INVENTORY) if entry.path.startswith(SOURCES)]
    return earlier | source.read(elsewhere)
