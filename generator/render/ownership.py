"""What render owns: the manifest of its files, and what it would write and remove."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct

from generator.declared.selection import EVERYTHING, Selection, selects
from generator.documents.document import read
from generator.layout import MANIFEST, is_plain_path
from generator.render.output import Rendered
from generator.render.template import DELIVERY, cluster_of

HEADER = "# The files that drivergate owns below this folder, with the SHA-256 of each. Written by: drivergate render\n"
DRIVER_KIND = rb"(?m)^kind:[ \t]*(NVIDIADriver|ClusterPolicy)"
LINE = re.compile(r"sha256:([0-9a-f]{64})  (\S.*)")


class Ownership(Struct, frozen=True):
    """The committed manifest: hash by path, and whether every line of it could be read."""

    hashes: Mapping[str, str]
    readable: bool


class Changes(Struct, frozen=True, kw_only=True):
    """What render would do below out/, paths relative to it. `foreign` exist, are not owned, and differ.

    `manifest` is the text of the manifest; `relists` says that it differs from the one that is there.
    """

    written: Mapping[str, bytes]
    removed: tuple[str, ...]
    foreign: tuple[str, ...]
    manifest: str
    relists: bool

    @property
    def told(self) -> tuple[str, ...]:
        """Every file that is written, the manifest among them where it changes."""
        return tuple(sorted([*self.written, MANIFEST] if self.relists else self.written))


def digest(text: str) -> str:
    """The hash of a file with its line ends as LF, so that a CRLF checkout is no difference."""
    return sha256(text.encode()).hexdigest()


def normal(data: bytes) -> bytes:
    """Content with its line ends as LF."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def ownership(text: str | None) -> Ownership:
    """The manifest's content, None where there is no manifest."""
    if text is None:
        return Ownership({}, readable=True)
    hashes, readable = {}, True
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        if found and is_plain_path(found[2]):
            hashes[found[2]] = found[1]
        elif line and not line.startswith("#"):
            readable = False
    return Ownership(hashes, readable)


def manifest(hashes: Mapping[str, str]) -> str:
    """The manifest's text, one file a line, sorted by path."""
    return HEADER + "".join(f"sha256:{hashes[path]}  {path}\n" for path in sorted(hashes))


def changes(
    rendered: Rendered, present: Mapping[str, bytes], owned: Ownership, selection: Selection = EVERYTHING
) -> Changes:
    """Compares what was rendered with what lies below out/.

    Files of clusters that are not selected stay as they are.
    """
    wanted = {file.path: file.text for file in rendered.files}
    texts = {path: text.encode() for path, text in wanted.items()}
    kept = {path: value for path, value in owned.hashes.items() if not selects(selection, cluster_of(path))}
    written = {path: data for path, data in texts.items() if path not in present or normal(present[path]) != data}
    listed = manifest({**kept, **{path: digest(text) for path, text in wanted.items()}})
    nothing = not wanted and not owned.hashes and MANIFEST not in present
    return Changes(
        written=written,
        removed=tuple(sorted(path for path in owned.hashes if path not in wanted and path not in kept)),
        foreign=tuple(sorted(path for path in written if path in present and path not in owned.hashes)),
        manifest=listed,
        relists=not nothing and normal(present.get(MANIFEST, b"")) != listed.encode(),
    )


def strays(present: Iterable[str], rendered: Rendered, owned: Ownership) -> tuple[str, ...]:
    """What lies below out/ and is nobody's: never touched, but told."""
    mine = {file.path for file in rendered.files} | set(owned.hashes) | {MANIFEST}
    return tuple(sorted(path for path in present if path not in mine))


class Taken(Struct, frozen=True, kw_only=True):
    """Something that drives nodes and would be removed, and the names that allow it."""

    path: str
    cluster: str
    what: str
    name: str

    @property
    def names(self) -> frozenset[str]:
        """A whole cluster's name allows everything of it."""
        return frozenset({self.name, self.cluster})


def allowing(taken: Sequence[Taken]) -> dict[str, frozenset[str]]:
    """By path the names that allow a removal: its own, its cluster's, and its pool's alone where no other has that."""
    bare = Counter(removal.name.partition("/")[2] for removal in taken)
    names = {}
    for removal in taken:
        alone = removal.name.partition("/")[2]
        unique = bool(alone) and bare[alone] == 1
        names[removal.path] = removal.names | {alone} if unique else removal.names
    return names


def needless(
    names: Iterable[str], taken: Sequence[Taken], removed: Iterable[str], present: Mapping[str, bytes]
) -> tuple[str, ...]:
    """The names that allow nothing. What a killed run has removed is still allowed, so that it can be run again."""
    known: frozenset[str] = frozenset().union(*allowing(taken).values())
    begun = {cluster_of(path) for path in removed if path not in present}
    return tuple(name for name in sorted(names) if name not in known and name.partition("/")[0] not in begun)


def taken_away(rendered: Rendered, present: Mapping[str, bytes], removed: Iterable[str]) -> Iterator[Taken]:
    """Clusters and driver objects that would be gone; an object that only moves to another file is not."""
    clusters = {file.cluster for file in rendered.files}
    kept = {(file.cluster, file.kind, file.name) for file in rendered.files}
    told: set[str] = set()
    for path in removed:
        cluster = path.split("/")[0]
        if cluster == DELIVERY:  # neither drives a node nor takes anything with it when it goes
            continue
        if cluster not in clusters:
            if cluster not in told:
                told.add(cluster)
                what = f"everything of cluster {cluster}"
                yield Taken(path=cluster, cluster=cluster, what=what, name=cluster)
            continue
        document = read(present[path], path).value if re.search(DRIVER_KIND, present.get(path, b"")) else None
        if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
            continue
        kind, name = str(document.get("kind")), str(document["metadata"].get("name"))
        if (cluster, kind, name) not in kept:
            what = f"{kind} {name} of cluster {cluster}"
            yield Taken(path=path, cluster=cluster, what=what, name=f"{cluster}/{name}")
