"""What git knows of the work tree: the index, what lies beside it, and contents by their object ids."""

import os
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.edges.git.command import Git, Pending
from generator.edges.process import Output
from generator.edges.source import Entry, Kind, below, insides, is_temporary

KINDS = {"100644": Kind.FILE, "100755": Kind.FILE, "120000": Kind.SYMLINK, "160000": Kind.SUBMODULE}

# git knows these without an object (git object-file.c, cached_objects). Keyed by the length of an id.
EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
EMPTY_BLOBS = frozenset({
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
})  # fmt: skip


class Listing(Struct, frozen=True, kw_only=True):
    """The index and its surroundings below some folders.

    `tracked` is what a commit would hold. `intended` (`git add -N`) and `others` are in the work tree only,
    `others` with ignored files and nested repositories. `sparse` are tracked paths that a sparse checkout
    leaves out.
    """

    tracked: dict[str, Entry]
    unmerged: tuple[str, ...]
    intended: tuple[str, ...]
    sparse: frozenset[str]
    others: tuple[str, ...]


class Untracked(Struct, frozen=True, order=True):
    """A path of the work tree that a commit wouldn't hold."""

    path: str
    ignored: bool


class Listings:
    """Listings of a root, shared by whoever asks. One process starts at once, for the folders named here."""

    def __init__(self, git: Git, *folders: str) -> None:
        self.git = git
        self._folders = insides(folders)
        self._pending = [_start(git, self._folders)]

    def covering(self, *folders: str) -> list[Listing]:
        """Listings that together speak of these folders (none: the whole root), and perhaps of more."""
        wanted = insides(folders)
        covered = {*below(wanted, self._folders)}
        new = [folder for folder in wanted if folder not in covered]
        if new:
            self._folders += new
            self._pending.append(_start(self.git, new))
        return [pending.collect() for pending in self._pending]


def untracked(listings: Listings, *folders: str) -> list[Untracked]:
    """What lies below these folders but not in the index. Only then git is asked what is ignored."""
    wanted = insides(folders)
    found = {
        path for listing in listings.covering(*folders) for path in below((*listing.others, *listing.intended), wanted)
    }
    if not found:
        return []
    raw = listings.git.read("ls-files", "-z", "-o", "-i", "--exclude-standard", "--", *_pathspec(wanted))
    ignored = {path.rstrip("/") for path in _records(raw)}
    return sorted(Untracked(path, path in ignored) for path in found)


def _pathspec(folders: list[str]) -> list[str]:
    """For git, the whole root is no path at all."""
    return [] if "" in folders else [*folders]


def _start(git: Git, folders: list[str]) -> Pending[Listing]:
    paths = _pathspec(folders)

    def finish(output: Output) -> Listing:
        return _without_intended(git, _parse(git.checked(output)), paths)

    return Pending(lambda: git.start("ls-files", "-z", "-s", "-t", "-c", "-o", "--", *paths), finish)


def _records(raw: bytes) -> list[str]:
    return os.fsdecode(raw).split("\0")[:-1]


def _parse(raw: bytes) -> Listing:
    """Records are `? PATH` and `TAG MODE BLOB STAGE<tab>PATH`; TAG `S`: a sparse checkout skips it."""
    tracked: dict[str, Entry] = {}
    unmerged: dict[str, None] = {}
    sparse, others = [], []
    for record in _records(raw):
        if record.startswith("?"):
            others.append(record[2:].rstrip("/"))
            continue
        head, _, path = record.partition("\t")
        tag, mode, blob, stage = head.split(" ")
        if stage != "0":
            unmerged[path] = None
            continue
        tracked[path] = Entry(path, KINDS.get(mode, Kind.OTHER), blob)
        if tag == "S":
            sparse.append(path)
    return Listing(
        tracked=tracked,
        unmerged=tuple(unmerged),
        intended=(),
        sparse=frozenset(sparse),
        others=tuple(path for path in others if not is_temporary(path)),
    )


def _without_intended(git: Git, listing: Listing, paths: list[str]) -> Listing:
    """Take out what `git add -N` announced: it looks like an empty staged file, but gets into no tree."""
    suspects = {entry.path: entry for entry in listing.tracked.values() if entry.blob in EMPTY_BLOBS}
    if not suspects:
        return listing
    tree = EMPTY_TREES[len(next(iter(suspects.values())).blob or "")]
    options = ("--cached", "--ita-invisible-in-index", "--name-only", "--no-renames", "--relative", "-z")
    staged = set(_records(git.read("diff-index", *options, tree, "--", *paths)))
    intended = suspects.keys() - staged
    tracked = {path: entry for path, entry in listing.tracked.items() if path not in intended}
    return replace(listing, tracked=tracked, intended=tuple(sorted(intended)), sparse=listing.sparse - intended)


def read_blobs(git: Git, blobs: Iterable[str]) -> dict[str, bytes]:
    """The content of each object id; one that isn't on this machine (a partial clone) is left out."""
    wanted = list(dict.fromkeys(blobs))
    if not wanted:
        return {}
    asked = "\n".join(wanted).encode() + b"\n"
    # Without --buffer git flushes after each object.
    raw = git.read("cat-file", "--batch", "--buffer", stdin=asked)
    found, at = {}, 0
    for blob in wanted:
        end = raw.index(b"\n", at)
        head = raw[at:end].split(b" ")
        at = end + 1
        if head[1] == b"missing":
            continue
        size = int(head[2])
        found[blob] = raw[at : at + size]
        at += size + 1
    return found


def algorithm_of(blob: str) -> str:
    """`sha1` or `sha256`: which one a repository names its objects with, told by any id of it."""
    return "sha256" if len(blob) == 64 else "sha1"


def blob_id(data: bytes, algorithm: str = "sha1") -> str:
    """The id that git gives to a file of this content, so that a tree can be compared without reading it."""
    import hashlib  # 12 ms, and only a comparison with a commit needs it

    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def changed_blobs(entries: Iterable[Entry], contents: Mapping[str, bytes]) -> dict[str, str]:
    """Path -> object id of the files whose content is not the one that is given for their path, or that have none."""
    changed = {}
    for entry in entries:
        if entry.blob is None or entry.kind is not Kind.FILE:
            continue
        content = contents.get(entry.path)
        if content is None or blob_id(content, algorithm_of(entry.blob)) != entry.blob:
            changed[entry.path] = entry.blob
    return changed
