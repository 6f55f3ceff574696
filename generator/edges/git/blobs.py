"""Contents by git's object ids: asked for in one batch, or computed from the bytes."""

from collections.abc import Iterable, Mapping

from generator.edges.git.command import Git
from generator.edges.source import Entry, Kind

# git knows these without an object (git object-file.c, cached_objects). Keyed by the length of an id.
EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
EMPTY_BLOBS = frozenset({
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
})  # fmt: skip


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
