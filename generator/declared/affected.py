"""Which clusters a change of files can affect, from the text alone: rather one too many than one too few.

A thousand Cluster documents are not parsed to learn that one of them changed. What a changed document is named by (a
profile, a node image, a kernel, a path) is looked for as a word in the documents that could name it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.inventory import ENDINGS, KIND, NAME
from generator.documents.document import read
from generator.facts.tag import ImageTag, parse
from generator.layout import BASELINE, INVENTORY, MANIFEST, OUT, SOURCES_LOCK, TEMPLATES

# Where a repository says which drivergate renders and judges it.
PINS = re.compile(
    r"\.pre-commit-config\.yaml|prek\.toml|pyproject\.toml|(.*/)?requirements[^/]*\.txt|(uv|poetry)\.lock|\.gitlab-ci\.yml"
    r"|\.github/workflows/[^/]+\.ya?ml|\.ci/[^/]+"
)
TAG = re.compile(rb"""-[ \t]+\{?[ \t]*tag:[ \t]*["']?([A-Za-z0-9_][A-Za-z0-9._-]*)["']?[ \t]*(?:[,}#]|$)""")

Texts = Mapping[str, bytes]


class Changed(Struct, frozen=True):
    """A file that differs: its content then and now, None where it isn't there."""

    path: str
    before: bytes | None
    after: bytes | None


class Affected(Struct, frozen=True, kw_only=True):
    """`everything` says why all clusters are affected, "" where only those in `clusters` are, each with the reason.

    `total` clusters are declared, with these `names`; one whose name can't be read makes them not `all_named`. `gone`
    are no longer declared.
    """

    total: int
    names: frozenset[str] = frozenset()
    all_named: bool = True
    everything: str = ""
    clusters: Mapping[str, str] = {}
    gone: tuple[str, ...] = ()


def affected(changes: Iterable[Changed], inventory: Texts, *, silent: frozenset[str] = frozenset()) -> Affected:
    """`inventory` is every file below inventory/ as it is now. Keys of the Fleet in `silent` are not looked at."""
    reach = _Reach(inventory, silent)
    names = frozenset(reach.names.values()) - {""}
    all_named = "" not in reach.names.values()
    for change in changes:
        if reach.everything:
            reach.leaves(change)
        else:
            reach.add(change)
    gone = tuple(sorted(reach.removed - names))
    if reach.everything:
        return Affected(
            total=len(reach.names), names=names, all_named=all_named, everything=reach.everything, gone=gone
        )
    found = reach.clusters()
    return Affected(
        total=len(reach.names),
        names=names,
        all_named=all_named,
        clusters={name: found[name] for name in sorted(found) if name in names},
        gone=gone,
    )


class _Reach:
    """What changes lead to: clusters by name, and words that lead to clusters."""

    def __init__(self, inventory: Texts, silent: frozenset[str]) -> None:
        self.inventory, self.silent = inventory, silent
        kinds = {path: _kind(data) for path, data in inventory.items() if path.endswith(ENDINGS)}
        self.kinds = {path: kind for path, kind in kinds.items() if kind}
        self.names = {path: _name(inventory[path]) for path, kind in self.kinds.items() if kind == "Cluster"}
        self.everything = ""
        self.named: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.removed: set[str] = set()

    def add(self, change: Changed) -> None:
        path = change.path
        if path.startswith(f"{INVENTORY}/"):
            if path.endswith(ENDINGS):
                self._document(change)
        elif path.startswith(f"{TEMPLATES}/"):
            self.everything = f"{path} renders every cluster"
        elif path.startswith(f"{OUT}/"):
            self._output(path)
        elif path in {BASELINE, SOURCES_LOCK} or _pins(change):
            self.everything = f"{path} is about all of them"
        else:
            self._named_file(path)

    def leaves(self, change: Changed) -> None:
        """Where all clusters are affected anyway: only which one was declared before."""
        if change.path.startswith(f"{INVENTORY}/") and change.before is not None and _kind(change.before) == "Cluster":
            self.removed.add(_name(change.before))

    def clusters(self) -> dict[str, str]:
        """The clusters and why; a word leads to every cluster whose document holds it."""
        found = dict(self.named)
        if self.words:
            pattern = _words(self.words)
            for path, name in self.names.items():
                match = pattern.search(_labelled(self.inventory[path]))
                if match and name not in found:
                    found[name] = self.words[match[0].decode("utf-8", "replace")]
        return found

    def _document(self, change: Changed) -> None:
        kinds = {_kind(data) for data in (change.before, change.after) if data is not None}
        match kinds.pop() if len(kinds) == 1 else "":
            case "Cluster":
                self._cluster(change)
            case "Fleet":
                self._fleet(change)
            case "NodeImage":
                if _tree(change.before) != _tree(change.after):
                    self._lead((_name(data) for data in (change.before, change.after) if data), change.path)
            case "ImageCatalog":
                self._catalog(change)
            case "Workloads":
                self._workloads(change)
            case _:
                self.everything = f"{change.path} can't be told apart"

    def _cluster(self, change: Changed) -> None:
        names = [_name(data) for data in (change.before, change.after) if data is not None]
        if "" in names:
            self.everything = f"{change.path} can't be told apart"
        self.named |= dict.fromkeys(names, change.path)
        self.removed |= {*names}

    def _fleet(self, change: Changed) -> None:
        """A profile reaches those that name it; everything else said for the fleet reaches all."""
        was, becomes = _tree(change.before), _tree(change.after)
        keys = [key for key in sorted({*was, *becomes} - self.silent) if was.get(key) != becomes.get(key)]
        for key in keys:
            if key != "profiles":
                self.everything = f"{change.path} changes {key}"
                return
        if keys:
            old, new = _mapping(was, "profiles"), _mapping(becomes, "profiles")
            self._lead((name for name in {*old, *new} if old.get(name) != new.get(name)), change.path)

    def _catalog(self, change: Changed) -> None:
        """A precompiled image concerns the nodes of its kernel; any other line everybody who pulls from anywhere."""
        was, becomes = (_lines(data) for data in (change.before, change.after))
        kernels = {_kernel(line) for line in was.images ^ becomes.images}
        heads = was.head != becomes.head and None not in (change.before, change.after)
        if heads or "" in kernels:
            self.everything = f"{change.path} changes more than precompiled images"
        elif kernels:
            pattern = _words(kernels)
            images = [path for path, kind in self.kinds.items() if kind == "NodeImage"]
            named = [path for path in images if pattern.search(_labelled(self.inventory[path]))]
            self._lead((_name(self.inventory[path]) for path in named), change.path)
            self._lead(kernels, change.path)

    def _workloads(self, change: Changed) -> None:
        was, becomes = (_mapping(_tree(data), "workloads") for data in (change.before, change.after))
        for name in sorted({*was, *becomes}):
            if was.get(name) == becomes.get(name):
                continue
            for said in (was.get(name), becomes.get(name)):
                runs_on = _mapping(said, "runsOn")
                clusters, pools = (runs_on.get(key) for key in ("clusters", "pools"))
                if isinstance(clusters, list):
                    self.named |= {str(one): change.path for one in clusters}
                elif isinstance(pools, list):
                    self._lead(map(str, pools), change.path)
                elif said is not None:
                    self.everything = f"{change.path} can't be told apart"

    def _output(self, path: str) -> None:
        """A file below out/ is of the cluster that its path names; the manifest lists, and is nobody's."""
        parts = path.split("/")[1:]
        names, stems = set(self.names.values()), {parts[-1].rpartition(".")[0], *parts[:-1]}
        if found := names & stems:
            self.named |= dict.fromkeys(found, path)
        elif parts != [MANIFEST]:
            self.removed.add(parts[0])

    def _named_file(self, path: str) -> None:
        """A file outside: a CRD, a ClusterPolicy of the user's own, a budget. It is known by the path that names it."""
        pattern = _words([path])
        for document, kind in self.kinds.items():
            if kind in {"NodeImage", "ImageCatalog"} or not pattern.search(self.inventory[document]):
                continue
            if kind == "Cluster":
                self.named[self.names[document]] = path
            elif kind == "Fleet":
                self._fleet_names(document, path)
            else:
                self._workloads(Changed(document, None, self.inventory[document]))

    def _fleet_names(self, document: str, path: str) -> None:
        tree = _tree(self.inventory[document])
        profiles = _mapping(tree, "profiles")
        naming = [name for name, said in profiles.items() if path in str(said)]
        if any(path in str(said) for key, said in tree.items() if key != "profiles") or not naming:
            self.everything = f"{document} names {path} for all of them"
        self._lead(naming, path)

    def _lead(self, words: Iterable[str], why: str) -> None:
        for word in words:
            if word:
                self.words.setdefault(word.replace("+", "_"), why)
            else:
                self.everything = f"{why} can't be told apart"


class _Lines(Struct, frozen=True):
    """A catalog's lines but comments: those of images, and the others."""

    images: frozenset[bytes]
    head: frozenset[bytes]


def _lines(data: bytes | None) -> _Lines:
    said = {line.strip() for line in (data or b"").splitlines()}
    said = {line for line in said if line and not line.startswith(b"#")}
    images = {line for line in said if line.startswith(b"-") and line != b"---"}
    return _Lines(frozenset(images), frozenset(said - images))


def _kernel(line: bytes) -> str:
    """The kernel of a precompiled image's line; "" where it names none, or can't be read."""
    found = TAG.match(line)
    tag = parse(found[1].decode()) if found else None
    return tag.kernel if isinstance(tag, ImageTag) else ""


def _pins(change: Changed) -> bool:
    """Whether the file says which drivergate runs."""
    said = (change.before or b"") + (change.after or b"")
    return PINS.fullmatch(change.path) is not None and b"drivergate" in said


def _kind(data: bytes) -> str:
    found = KIND.search(data)
    return found[1].decode() if found else str(_tree(data).get("kind", ""))


def _name(data: bytes) -> str:
    found = NAME.search(data)
    if found:
        return found[1].decode("utf-8", "replace")
    name = _tree(data).get("name")
    return name if isinstance(name, str) else ""


def _tree(data: bytes | None) -> dict[str, Any]:
    value = read(data, "").value if data is not None else None
    return value if isinstance(value, dict) else {}


def _mapping(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _labelled(data: bytes) -> bytes:
    """Kernels as their labels have them: the only character of theirs that a label can't hold is "+"."""
    return data.replace(b"+", b"_")


def _words(words: Iterable[str]) -> re.Pattern[bytes]:
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![\w./-])(?:{listed})(?![\w./-])".encode())
