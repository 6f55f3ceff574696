"""What nodes may run beyond what a revision declares: what audits saw, and what was merged after it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from generator.change.evidence import Seen, seen
from generator.change.merged import with_later
from generator.change.passage import settings_of
from generator.cli.begin import Begun, opened
from generator.cli.observing import objects_in
from generator.cli.repository import door
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.inventory import Inventory
from generator.declared.selection import Selection, exactly
from generator.edges.errors import CouldNotLookError, OutsideError, UnreadableError
from generator.edges.git.command import Git
from generator.edges.git.history import SHORT, Base, between, first_parents, followed_commit, is_shallow, merged_since
from generator.edges.given import read_given
from generator.edges.source import Kind
from generator.facts.release import Unsupported, resolve
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.observed.applied import Applied, applied
from generator.observed.evidence import SeenFleet, read_audit
from generator.observed.unreadable import Unreadable
from generator.operator.driver import automatic
from generator.revision.declaration import Declaration, declare, without_catalogs
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
        declaration = _declared_at(begun.root, begun.git, commit, selection)
        if declaration.blocking:
            notes.append(f"what {commit[:SHORT]} declares is not counted as a whole: {declaration.blocking[0]}")
        fleets.append(declaration.fleet)
    return tuple(fleets), tuple(notes)


def _declared_at(root: str, git: Git, rev: str, selection: Selection) -> Declaration:
    """What a commit declares of some clusters."""
    state = opened(root, git, (INVENTORY,), rev=rev)
    files = [entry.path for entry in state.source.paths(INVENTORY) if entry.kind is Kind.FILE]
    return declare(without_catalogs(state.source.read(files)), door(state.source), day=state.day, part=selection)


class Synced(Struct, frozen=True):
    """What a file says that clusters have applied, by cluster."""

    file: str
    clusters: Mapping[str, Applied]


NOT_GIVEN = Synced("", {})
WRITE_SYNCED = "write it with: kubectl get applications,kustomizations,clusterpolicies -A -o json"


def read_synced(file: str | None) -> Synced:
    """What --synced names. UnreadableError where it says of no cluster what was applied."""
    if file is None:
        return NOT_GIVEN
    found, policies = applied(objects_in(file, read_given(file)))
    if not found:
        message = f"--synced `{printable(file)}` holds no Application or Kustomization of ours that was synced"
        raise UnreadableError(message, WRITE_SYNCED)
    clusters = {cluster.cluster: cluster for cluster in found}
    if len(clusters) == 1 and len(policies) == 1:  # of the one cluster that the file is of
        (only,) = clusters.values()
        clusters[only.cluster] = replace(only, release=only.release or policies[0].release)
    return Synced(file, clusters)


class Delivered(Struct, frozen=True):
    """The fleet as it was, each cluster by the revision that Argo CD brings it; and what a change of that leads to.

    `becomes` are clusters that go to the tree of another revision, as that tree declares them. `moved` are those that
    come from another commit than the base or go to another than the judged one, which is None, with both commits.
    """

    fleet: Fleet
    becomes: Mapping[str, Cluster] = {}
    moved: Mapping[str, tuple[str, str | None]] = {}
    notes: tuple[str, ...] = ()


def delivered(
    root: str,
    git: Git,
    base: Base,
    was: Fleet,
    becomes: Fleet,
    *,
    head: str,
    own_bases: bool,
    synced: Synced = NOT_GIVEN,
) -> Delivered:
    """What each cluster runs by the revision that it follows.

    With `own_bases` a cluster that follows another branch or commit than the base's is taken as that revision declares
    it: of a branch as far as `head` has it. One that follows another revision after the change goes from the tree of
    the one to that of the other, and its nodes may run what any revision between declares. What was `synced`, by its
    own word, counts before both; up to the base its nodes may run what any revision declares. CouldNotLookError where
    one of these can't be read.
    """
    later = {cluster.name: cluster for cluster in becomes.clusters}
    clusters: list[Cluster] = []
    notes: list[str] = []
    trees: dict[str, Cluster] = {}
    moved: dict[str, tuple[str, str | None]] = {}
    for cluster in was.clusters:
        old, new = _other(cluster, base), _other(later.get(cluster.name, cluster), base)
        own = synced.clusters.get(cluster.name)
        if own is not None and old == new:
            clusters += _as_applied(root, git, own, synced.file, until=base.rev)
            moved[cluster.name] = (own.commit, None)
            notes.append(f"cluster {cluster.name}: {own.commit[:SHORT]} is synced, by {printable(synced.file)}")
            continue
        if synced.file:
            file = printable(synced.file)
            notes.append(f"{file} does not say what cluster {cluster.name} has: {base.label} is taken as synced")
        if old != new:
            start = own.commit if own is not None else _needed(git, old, head, cluster.name) if old else base.rev
            end = _needed(git, new, head, cluster.name, tip=True) if new else None
            clusters += _with_between(root, git, cluster.name, start, end or head)
            if end is not None:
                trees |= {tree.name: tree for tree in _clusters_at(root, git, end, cluster.name)}
            moved[cluster.name] = (start, end)
            notes.append(f"cluster {cluster.name} goes from {_named(old, base)} to {_named(new, base)}")
        elif old and own_bases and base.branch:
            merged = followed_commit(git, old, head)
            if merged is None:
                notes.append(_unknown(cluster.name, old, base))
                clusters.append(cluster)
                continue
            clusters += _clusters_at(root, git, merged, cluster.name)
            notes.append(f"cluster {cluster.name} follows {printable(old)}: {merged[:SHORT]} is taken as synced there")
        else:
            if old and base.branch:
                notes.append(f"cluster {cluster.name} follows {printable(old)}, and {base.label} is what is compared")
            clusters.append(cluster)
    return Delivered(replace(was, clusters=tuple(clusters)), trees, moved, tuple(notes))


def _other(cluster: Cluster, base: Base) -> str:
    """The revision that a cluster follows if it isn't the branch that is compared with."""
    revision = cluster.delivery.follows
    return "" if revision == base.branch else revision


def _named(revision: str, base: Base) -> str:
    return printable(revision) if revision else base.branch or "the default branch"


def _unknown(cluster: str, revision: str, base: Base) -> str:
    where = base.branch or base.label
    return f"cluster {cluster} follows {printable(revision)}, not {where}: what it runs is not what is compared"


def _needed(git: Git, revision: str, head: str, cluster: str, *, tip: bool = False) -> str:
    commit = followed_commit(git, revision, "" if tip else head)
    if commit is None:
        message = f"cluster {cluster} follows `{printable(revision)}`, which this clone does not know"
        raise CouldNotLookError(message, f"fetch it first: git fetch origin {printable(revision)}")
    return commit


def _with_between(root: str, git: Git, name: str, start: str, end: str) -> tuple[Cluster, ...]:
    """The cluster as it is declared at the start, with what nodes may run by the revisions up to the end."""
    was = _clusters_at(root, git, start, name)
    commits = between(git, start, end, INVENTORY, SOURCES_LOCK)
    later = [_declared_at(root, git, commit, exactly([name])).fleet for commit in commits]
    return tuple(with_later(cluster, later) for cluster in was)


def _clusters_at(root: str, git: Git, rev: str, name: str) -> tuple[Cluster, ...]:
    """The cluster of this name as a commit declares it; nothing where it doesn't."""
    return _declared_at(root, git, rev, exactly([name])).fleet.clusters


def _as_applied(root: str, git: Git, own: Applied, file: str, *, until: str) -> tuple[Cluster, ...]:
    """The cluster by the commit and the release that were applied, with what nodes may run by revisions since."""
    if git.run("cat-file", "-e", f"{own.commit}^{{commit}}").code:
        message = f"{printable(file)} says that cluster {own.cluster} has {own.commit}, which this clone does not know"
        raise CouldNotLookError(message, "fetch it first: git fetch origin, with its whole history")
    since = [_declared_at(root, git, until, exactly([own.cluster])).fleet]
    release = resolve(own.release) if own.release else None
    found = []
    for cluster in _with_between(root, git, own.cluster, own.commit, until):
        known = with_later(cluster, since, keep=True)
        if release is not None and not isinstance(release, Unsupported):
            known = replace(known, operator=replace(known.operator, release=release))
        found.append(known)
    return tuple(found)


def with_paused(root: str, git: Git, base: Base, was: Fleet, becomes: Fleet) -> tuple[Fleet, tuple[str, ...]]:
    """The fleet as it was, where `becomes` switches autoUpgrade on, with what nodes may run since it was switched off.

    While it is off nodes keep the driver that they have. A kernel that left in a change that moved the driver as well
    may still be run, and its nodes load what they went without now. Notes say whose history can't be read.
    """
    after = {(cluster.name, pool.name): (cluster, pool) for cluster in becomes.clusters for pool in cluster.pools}
    clusters: list[Cluster] = []
    notes: list[str] = []
    for cluster in was.clusters:
        begins = frozenset(
            pool.name
            for pool in cluster.managed_pools
            if not automatic(cluster, pool) and (cluster.name, pool.name) in after
            if automatic(*after[cluster.name, pool.name])
        )
        if not begins:
            clusters.append(cluster)
            continue
        try:
            before = _before_pause(root, git, base.rev, cluster.name, begins)
        except OutsideError as error:
            before = ()
            ran = f"what nodes of cluster {cluster.name} ran when autoUpgrade was switched off"
            notes.append(f"{ran} is not judged: {error.message}")
        clusters.append(with_later(cluster, [replace(was, clusters=before)], keep=True))
    return replace(was, clusters=tuple(clusters)), tuple(notes)


def _before_pause(root: str, git: Git, rev: str, name: str, pools: frozenset[str]) -> tuple[Cluster, ...]:
    """The cluster with what left these pools since autoUpgrade was switched off, in changes that moved their driver.

    CouldNotLookError where the history ends before it was switched off.
    """
    waiting = set(pools)
    found: list[Cluster] = []
    later: Cluster | None = None
    for commit in first_parents(git, rev, INVENTORY, SOURCES_LOCK):
        earlier = next(iter(_clusters_at(root, git, commit, name)), None)
        if earlier is None:
            return tuple(found)
        if later is not None:
            found.append(replace(earlier, pools=tuple(_left(earlier, later, waiting))))
            waiting -= {pool.name for pool in earlier.managed_pools if automatic(earlier, pool)}
            if not waiting:
                return tuple(found)
        later = earlier
    if is_shallow(git):
        raise CouldNotLookError("the history of this shallow clone ends", "fetch it: git fetch --unshallow")
    return tuple(found)


def _left(earlier: Cluster, later: Cluster, names: set[str]) -> Iterator[Pool]:
    """Pools of these names with the kernels that they lost while their driver moved: nobody believes they are gone."""
    after = {pool.name: pool for pool in later.pools}
    for pool in earlier.managed_pools:
        if pool.name not in names or pool.name not in after:
            continue
        declared = after[pool.name]
        moved = settings_of(earlier, pool, {}) != settings_of(later, declared, {}) or pool.os != declared.os
        kept = {kernel.name for kernel in declared.kernels if not kernel.upcoming} if pool.os == declared.os else set()
        kernels = tuple(kernel for kernel in pool.kernels if not kernel.upcoming and kernel.name not in kept)
        if moved and kernels:
            yield replace(pool, kernels=kernels)
