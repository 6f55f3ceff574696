"""The catalog: which images are built, over all ImageCatalog files.

Git merges the files line by line (`merge=union`), so one image may be listed more than once. Equal lines
count once. Lines of one tag that name different digests are different images: a conflict. Lines that differ
in anything else are what a merge left behind. Nobody can say which is newer, so only what no line
contradicts counts: a fact that some lines lack is taken from the others; of platforms those that all lists
hold; of driver versions the lowest, since a program that runs on it runs on the others; lines that disagree on
the module type leave it unrecorded; `gone` on any line holds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.declared.catalog_file import CatalogFile, read_catalog
from generator.declared.entry import Entry, canonical
from generator.declared.mirror import Mirror, catalog_name
from generator.facts.driver import is_driver, order_key
from generator.finding import Finding, Severity

__all__ = ["Catalog", "CatalogFile", "Entry", "canonical", "collect", "read_catalog"]

# Tags of drivers beyond doubt; only the others are taken apart, since a parse costs several times as much.
PLAIN_TAGS = re.compile(
    r"^[1-9][0-9]{2}-[0-9]+\.[0-9]+\.[0-9]+-[0-9]+-(?:generic|aws|azure|gcp|oracle|nvidia)-ubuntu2[0-9]\.04$",
    re.MULTILINE,
)


class Catalog(Struct, frozen=True):
    """Every image that is built, by repository and tag; `whole` where every line of every file could be read.

    A proxy is asked for what its upstream lists, whatever is listed of itself.
    """

    repositories: Mapping[str, Mapping[str, Entry]]
    findings: tuple[Finding, ...] = ()
    whole: bool = True
    mirrors: Mapping[str, Mirror] = {}

    def images(self, repository: str) -> Mapping[str, Entry] | None:
        """What a repository has by tag, `gone` images too; None where no catalog lists any."""
        return self.repositories.get(catalog_name(self.mirrors, repository))

    def find(self, repository: str, tag: str) -> Entry | None:
        """The entry of a tag, with the file and line that list it; `gone` ones too."""
        return (self.images(repository) or {}).get(tag)


def collect(files: Iterable[CatalogFile], mirrors: Mapping[str, Mirror] | None = None) -> Catalog:
    """One catalog of many files, with what is wrong between their lines."""
    repositories: dict[str, dict[str, Entry]] = {}
    repeated: dict[tuple[str, str], list[Entry]] = {}
    findings: list[Finding] = []
    whole = True
    for file in files:
        whole = whole and not file.findings
        entries = repositories.setdefault(file.repository, {})
        new = {entry.tag: entry for entry in file.entries}
        if len(new) == len(file.entries) and new.keys().isdisjoint(entries):
            entries |= new
        else:
            findings += _merged(file, entries, repeated)
        findings += _unsorted(file)
        findings += _unreadable(file)
    for (repository, tag), lines in repeated.items():
        repositories[repository][tag] = _combined(lines)
    return Catalog(repositories, tuple(findings), whole=whole, mirrors=mirrors or {})


def _merged(
    file: CatalogFile, entries: dict[str, Entry], repeated: dict[tuple[str, str], list[Entry]]
) -> Iterator[Finding]:
    """The entries of a file some of whose tags are listed already."""
    for entry in file.entries:
        first = entries.setdefault(entry.tag, entry)
        if first is not entry:
            lines = repeated.setdefault((file.repository, entry.tag), [first])
            yield _twice(lines, entry)
            lines.append(entry)


def _facts(entry: Entry) -> tuple[object, ...]:
    return entry.platforms, entry.driver_version, entry.module_type, entry.digest, entry.gone


def _twice(lines: list[Entry], entry: Entry) -> Finding:
    """What a further line of a tag is beside the earlier ones."""
    for other in lines:
        if entry.digest and other.digest and entry.digest != other.digest:
            digests = f"{entry.digest} here and {other.digest} in {_at(other)}"
            return Finding(
                rule="catalog/conflict",
                severity=Severity.INVALID,
                place=entry.place,
                message=f'"{entry.tag}" has the digest {digests}',
                hint="keep the line whose digest the registry has",
            )
    equal = next((other for other in lines if _facts(other) == _facts(entry)), None)
    return Finding(
        rule="catalog/duplicate",
        severity=Severity.WARNING,
        place=entry.place,
        message=f'"{entry.tag}" is listed here and in {_at(equal)}'
        if equal
        else f'"{entry.tag}" is listed here and, with other facts, in {_at(lines[0])}',
        hint="remove one of the lines" if equal else "keep the right line; meanwhile only what both say counts",
    )


def _at(entry: Entry) -> str:
    return f"{entry.file}:{entry.line}"


def _combined(lines: list[Entry]) -> Entry:
    """What no line contradicts, at the place of the first."""
    lists = [line.platforms for line in lines if line.platforms is not None]
    return Entry(
        tag=lines[0].tag,
        platforms=tuple(item for item in lists[0] if all(item in each for each in lists)) if lists else None,
        driver_version=_lowest(line.driver_version for line in lines),
        module_type=_agreed(line.module_type for line in lines),
        digest=_agreed(line.digest for line in lines),
        gone=any(line.gone for line in lines),
        file=lines[0].file,
        line=lines[0].line,
    )


def _agreed(recorded: Iterable[str | None]) -> str | None:
    values = {value for value in recorded if value is not None}
    return values.pop() if len(values) == 1 else None


def _lowest(recorded: Iterable[str | None]) -> str | None:
    """The lowest driver version; where one of several isn't a driver's, nobody can say which that is."""
    values = {value for value in recorded if value is not None}
    if len(values) < 2 or not all(map(is_driver, values)):
        return _agreed(values)
    return min(values, key=lambda value: (order_key(value), value))


def _unsorted(file: CatalogFile) -> Iterator[Finding]:
    entry = file.unsorted
    if entry is not None:
        yield Finding(
            rule="catalog/unsorted",
            severity=Severity.WARNING,
            place=entry.place,
            message=f'"{entry.tag}" stands below a tag that sorts after it',
            hint="sort the images bytewise by tag",
        )


def _unreadable(file: CatalogFile) -> Iterator[Finding]:
    from generator.facts.tag import Unreadable, parse

    tags = [entry.tag for entry in file.entries]
    if len(PLAIN_TAGS.findall("\n".join(tags))) == len(tags):
        return
    for entry in file.entries:
        if PLAIN_TAGS.fullmatch(entry.tag):
            continue
        parsed = parse(entry.tag)
        if isinstance(parsed, Unreadable):
            yield Finding(
                rule="catalog/unreadable-tag",
                severity=Severity.WARNING,
                place=entry.place,
                message=parsed.reason,
                hint=parsed.hint,
            )
