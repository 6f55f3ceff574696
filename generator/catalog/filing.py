"""Which file of the inventory an image's line belongs into, and what a set of changes makes of all files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.catalog.edit import Changes, Uneditable, edited, fresh
from generator.declared.catalog_file import CatalogFile
from generator.declared.entry import Entry
from generator.facts.tag import ImageTag, parse
from generator.layout import INVENTORY

_SCHEMA_COMMENT = "# yaml-language-server:"


class Shelf(Struct, frozen=True):
    """What images are filed under: a branch and an OS; `precompiled` ones may be kept apart from the others."""

    branch: str
    os: str
    precompiled: bool


class Revised(Struct, frozen=True, kw_only=True):
    """What becomes of the files: `written` by path, `removed` those that list nothing any more."""

    written: Mapping[str, bytes] = {}
    removed: tuple[str, ...] = ()
    refused: tuple[Uneditable, ...] = ()


def shelf(tag: str) -> Shelf | None:
    """Where an image belongs; None for a tag that is no driver's."""
    parsed = parse(tag)
    return Shelf(parsed.branch, parsed.os, parsed.precompiled) if isinstance(parsed, ImageTag) else None


def revised(
    catalogs: Iterable[CatalogFile], texts: Mapping[str, bytes], changes: Mapping[str, Changes], *, tidy: bool = False
) -> Revised:
    """The changes of each repository, filed. `texts` are all files by path; `tidy` removes files that end up empty."""
    by_repository: dict[str, list[CatalogFile]] = {}
    for catalog in catalogs:
        by_repository.setdefault(catalog.repository, []).append(catalog)
    written: dict[str, bytes] = {}
    removed: list[str] = []
    refused: list[Uneditable] = []
    for repository, wanted in changes.items():
        filing = _Filing(repository, by_repository.get(repository, []), texts)
        for file, ours in filing.sorted_out(wanted).items():
            content = (
                edited(file, texts[file], ours, filing.read.get(file))
                if file in texts
                else fresh(repository, _listed(ours))
            )
            if isinstance(content, Uneditable):
                refused.append(content)
            elif tidy and _says_nothing(content):
                removed.append(file)
            elif content != texts.get(file):
                written[file] = content
    return Revised(written=written, removed=tuple(removed), refused=tuple(refused))


def _listed(changes: Changes) -> Iterator[Entry]:
    return (entry for entry in changes.values() if entry is not None)


def _says_nothing(data: bytes) -> bool:
    """Whether a file lists no image, and nobody has written a word into it."""
    lines = data.decode().splitlines()
    comments = [line for line in lines if "#" in line and not line.startswith(_SCHEMA_COMMENT)]
    return "images: []" in lines and not comments and not any(line.startswith("x-") for line in lines)


class _Filing:
    """The files of one repository."""

    def __init__(self, repository: str, catalogs: list[CatalogFile], texts: Mapping[str, bytes]) -> None:
        self.repository, self.texts = repository, texts
        self.read = {catalog.file: catalog for catalog in catalogs}
        self.files = list(self.read)
        self.holders: dict[str, tuple[str, ...]] = {}
        self.shelves: dict[Shelf, Counter[str]] = {}
        for catalog in catalogs:
            alone = (catalog.file,)
            for entry in catalog.entries:
                held = self.holders.setdefault(entry.tag, alone)
                if held is not alone:
                    self.holders[entry.tag] = (*held, catalog.file)
        self.chosen: dict[Shelf | None, str] = {}

    def sorted_out(self, changes: Changes) -> dict[str, dict[str, Entry | None]]:
        """The changes by file, files in which lines are added or set before those in which they only go."""
        first: dict[str, dict[str, Entry | None]] = {}
        for tag, entry in changes.items():
            holders = list(dict.fromkeys(self.holders.get(tag, ())))
            if entry is not None and not holders:
                first.setdefault(self._place(tag), {})[tag] = entry
            for index, file in enumerate(holders):
                first.setdefault(file, {})[tag] = entry if index == 0 else None
        return dict(sorted(first.items(), key=lambda item: (not any(item[1].values()), item[0])))

    def _place(self, tag: str) -> str:
        where = shelf(tag)
        if where not in self.chosen:
            self.chosen[where] = self._choose(where)
        return self.chosen[where]

    def _choose(self, where: Shelf | None) -> str:
        """The file that has images like it, the only one of a repository that isn't split, or a new one."""
        held = self._held()
        likes = [where] if where is None else [where, Shelf(where.branch, where.os, not where.precompiled)]
        for like in likes:
            counts = held.get(like) if like else None
            if counts:
                return min(counts, key=lambda file: (-counts[file], file))
        own = self._own(where)
        if own in self.files:
            return own
        return self.files[0] if len(self.files) == 1 and not self._is_split(held) else own

    def _is_split(self, held: Iterable[Shelf]) -> bool:
        """Whether the one file is the first of several: it is named for the one branch that it holds."""
        branches = {kind.branch for kind in held}
        return len(branches) == 1 and branches.pop() in self.files[0].rpartition("/")[2]

    def _held(self) -> dict[Shelf, Counter[str]]:
        """How many images of each kind the files hold; asked for new images only, since tags cost a parse."""
        if not self.shelves:
            alike: dict[tuple[str, str, str], Shelf | None] = {}
            for tag, files in self.holders.items():
                # Branch, the first word behind it, and the end tell one kind from another for nearly all tags.
                driver, _, rest = tag.partition("-")
                key = (driver[:3], rest.partition("-")[0][:1], rest.rpartition("-")[2])
                where = alike[key] if key in alike else alike.setdefault(key, shelf(tag))
                if where is not None:
                    counts = self.shelves.get(where) or self.shelves.setdefault(where, Counter())
                    for file in files:
                        counts[file] += 1
        return self.shelves

    def _own(self, where: Shelf | None) -> str:
        """A file's name that nothing else has: a colon can't stand in one everywhere."""
        folder = f"{INVENTORY}/catalog/{self.repository.replace(':', '_')}"
        name = f"{where.branch}-{where.os}" if where else "other"
        path, number = f"{folder}/{name}.yaml", 1
        while path in self.texts and path not in self.files:
            number += 1
            path = f"{folder}/{name}-{number}.yaml"
        return path
