"""ImageCatalog files: line by line where they are canonical, else by the exact reader with every finding.

Canonical is a header, then one image a line with its keys in order; comments and blank lines may stand
anywhere. The first line that doesn't fit sends the whole file to the exact reader. Both ways give the same
answer (tests/declared/test_catalog_file.py).
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from generator.declared.entry import (
    DIGEST,
    LINE,
    LINES,
    MODULE_TYPE,
    NOTHING,
    PLATFORM,
    PLATFORMS,
    REPOSITORY,
    REST,
    VERSION,
    Entry,
)
from generator.documents.document import CATALOG, Places, places, read
from generator.documents.scalar import Ambiguous, is_null
from generator.documents.syntax import Problem, character, decode
from generator.finding import Finding, Severity

API_VERSION = "drivergate.dev/v1alpha1"
KIND = "ImageCatalog"
_SKIPPED = rf"(?:{NOTHING}\n)*"
HEADER = re.compile(
    rf"{_SKIPPED}apiVersion: {re.escape(API_VERSION)}{REST}\n{_SKIPPED}kind: {KIND}{REST}\n"
    rf"{_SKIPPED}repository: ({REPOSITORY}){REST}\n{_SKIPPED}images:{REST}\n"
)
BETWEEN = re.compile(NOTHING)
_PIECE = 1 << 20  # characters that are taken apart at once: all of a large file's parts would be five times the file
TOP_KEYS = ("apiVersion", "kind", "repository", "images")
IMAGE_KEYS = ("tag", "platforms", "driverVersion", "moduleType", "digest", "gone")


class CatalogFile(Struct, frozen=True):
    """What one file lists. With findings (all INVALID) the entries are those that could be read."""

    file: str
    repository: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def unsorted(self) -> Entry | None:
        """The first entry that should stand before the one above it (tags are ASCII)."""
        tags = [entry.tag for entry in self.entries]
        if tags == sorted(tags):
            return None
        return next(
            entry for above, entry in zip(self.entries, self.entries[1:], strict=False) if entry.tag < above.tag
        )


def read_catalog(file: str, data: str | bytes) -> CatalogFile:
    """The entries and findings of one ImageCatalog file."""
    text = decode(data)
    canonical = None if isinstance(text, Problem) else read_lines(file, text)
    return read_exactly(file, data) if canonical is None else canonical


def read_lines(file: str, text: str) -> CatalogFile | None:
    """The canonical form; None where anything else stands in the file."""
    header = HEADER.match(text)
    if header is None or (not text.isascii() and character(text)):
        return None
    begin, start = header.end(), text.count("\n", 0, header.end()) + 1
    entries: list[Entry] = []
    lists: dict[str, tuple[str, ...] | None] = {"": None}
    versions: dict[str, str | None] = {"": None}
    at = begin
    while at < len(text):
        end = text.find("\n", at + _PIECE) + 1 or len(text)
        rows = LINES.findall(text, at, end)
        if len(rows) != text.count("\n", at, end) + (text[end - 1] != "\n"):  # comments or blank lines between
            return _with_gaps(file, header[1], text[begin:], start)
        unknown = {row[1] for row in rows} - lists.keys()
        if not all(map(PLATFORMS.fullmatch, unknown)):
            return None
        lists |= {platforms: tuple(platforms.split(", ")) for platforms in unknown}
        entries += [
            Entry(
                tag,
                lists[platforms],
                versions.setdefault(version, version),
                module_type or None,
                digest or None,
                gone != "",
                file,
                number,
            )
            for number, (tag, platforms, version, module_type, digest, gone) in enumerate(rows, start + len(entries))
        ]
        at = end
    return CatalogFile(file, header[1], tuple(entries)) if entries else None


def _with_gaps(file: str, repository: str, body: str, start: int) -> CatalogFile | None:
    entries: list[Entry] = []
    fits = re.compile(LINE).fullmatch
    for number, line in enumerate(body.split("\n"), start):
        match = fits(line)
        if match is None:
            if BETWEEN.fullmatch(line):
                continue
            return None
        tag, platforms, version, module_type, digest, gone = match.groups()
        if platforms is not None and not PLATFORMS.fullmatch(platforms):
            return None
        known = None if platforms is None else tuple(platforms.split(", "))
        entries.append(Entry(tag, known, version, module_type, digest, gone is not None, file, number))
    return CatalogFile(file, repository, tuple(entries)) if entries else None


def read_exactly(file: str, data: str | bytes) -> CatalogFile:
    """Any YAML that says the same, with every finding and its place."""
    document = read(data, file, CATALOG)
    if document.value is None and document.findings:
        return CatalogFile(file, "", (), document.findings)
    check = _Check(places(data, file), document.findings)
    repository, entries = check.catalog(document.value)
    return CatalogFile(file, repository, tuple(entries), (*document.findings, *check.findings))


class _Check:
    """Takes a document apart. A part with a finding is None."""

    def __init__(self, where: Places, told: Iterable[Finding]) -> None:
        self.where = where
        self.told = {finding.place for finding in told}  # one mistake gives one finding
        self.findings: list[Finding] = []

    def catalog(self, value: Any) -> tuple[str, list[Entry]]:
        if not isinstance(value, dict):
            self.schema((), f"the file holds no {KIND}", f"write a mapping with {', '.join(TOP_KEYS)}")
            return "", []
        self.keys(value, (), TOP_KEYS, required=TOP_KEYS)
        self.matching(value, (), "apiVersion", re.escape(API_VERSION), f"write {API_VERSION}")
        self.matching(value, (), "kind", KIND, f"write {KIND}")
        hint = "write the whole name as in nvcr.io/nvidia/driver, without tag and digest"
        repository = self.matching(value, (), "repository", REPOSITORY, hint)
        images = value.get("images", [])
        if not isinstance(images, list):
            self.schema(("images",), "images is no list", "write one image a line, or [] for none")
            images = []
        entries = (self.image(image, ("images", index)) for index, image in enumerate(images))
        return repository or "", [entry for entry in entries if entry is not None]

    def image(self, image: Any, path: tuple[str | int, ...]) -> Entry | None:
        before = len(self.findings)
        if not isinstance(image, dict):
            self.schema(path, "an image is no mapping", 'write {tag: "..."}')
            return None
        self.keys(image, path, IMAGE_KEYS, required=("tag",))
        tag = self.tag(image, path)
        known = self.platforms(image, path)
        version = self.matching(image, path, "driverVersion", VERSION, 'write the exact version as in "580.126.20"')
        module_type = self.matching(image, path, "moduleType", MODULE_TYPE, "write open or proprietary")
        digest = self.matching(image, path, "digest", DIGEST, 'write "sha256:" and 64 hexadecimal digits')
        gone = image.get("gone", False)
        if not isinstance(gone, bool):
            self.schema((*path, "gone"), "gone is neither true nor false", "write true, or remove the key")
        if tag is None or len(self.findings) > before:
            return None
        place = self.where.value(path)
        return Entry(tag, known, version, module_type, digest, gone, place.file, place.line)

    def tag(self, image: dict[str, Any], path: tuple[str | int, ...]) -> str | None:
        """A tag that a registry can hold; whether it is a driver's is asked later."""
        from generator.facts import reference, tag

        text = self.text(image["tag"], (*path, "tag"), "tag") if "tag" in image else None
        if text is None or reference.is_tag(text):
            return text
        unfit = tag.parse(text)
        if isinstance(unfit, tag.Unreadable):
            self.schema((*path, "tag"), unfit.reason, unfit.hint)
        return None

    def platforms(self, image: dict[str, Any], path: tuple[str | int, ...]) -> tuple[str, ...] | None:
        value = image.get("platforms")
        if "platforms" not in image:
            return None
        if not isinstance(value, list) or not value:
            hint = "write a list as in [linux/amd64], or remove the key where nothing is recorded"
            self.schema((*path, "platforms"), "platforms is no list of platforms", hint)
            return None
        hint = "write os/architecture as in linux/amd64"
        at = (*path, "platforms")
        found = [self.fitting(item, (*at, index), "a platform", PLATFORM, hint) for index, item in enumerate(value)]
        return tuple(item for item in found if item is not None)

    def keys(
        self,
        value: dict[str, Any],
        path: tuple[str | int, ...],
        known: tuple[str, ...],
        required: tuple[str, ...],
    ) -> None:
        for key in value:
            if key not in known and not (key.startswith("x-") and not path):
                from generator.declared.shape import did_you_mean

                hint = did_you_mean(key, list(known)) or f"use {', '.join(known)}"
                self.schema((*path, key), f'unknown key "{key}"', hint, key=True)
        for key in required:
            if key not in value:
                self.schema(path, f"{key} is missing", f"add {key}")

    def matching(
        self, value: dict[str, Any], path: tuple[str | int, ...], key: str, pattern: str, hint: str
    ) -> str | None:
        return self.fitting(value[key], (*path, key), key, pattern, hint) if key in value else None

    def fitting(self, value: Any, path: tuple[str | int, ...], name: str, pattern: str, hint: str) -> str | None:
        text = self.text(value, path, name)
        if text is None or re.fullmatch(pattern, text):
            return text
        self.schema(path, f'{name} is "{text}"', hint)
        return None

    def text(self, value: Any, path: tuple[str | int, ...], name: str) -> str | None:
        """Text, or what loses nothing as text: a plain 580."""
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, Ambiguous) and not is_null(value):
            message = f"{name}: {value.text} is read as {value.reads_as}, not as text"
            self.add(CATALOG.quoting, path, message, "add quotes")
        else:
            self.schema(path, f"{name} is {'empty' if is_null(value) else 'no text'}", f"write {name} as text")
        return None

    def schema(self, path: tuple[str | int, ...], message: str, hint: str, *, key: bool = False) -> None:
        self.add(CATALOG.schema, path, message, hint, key=key)

    def add(self, rule: str, path: tuple[str | int, ...], message: str, hint: str, *, key: bool = False) -> None:
        place = self.where.key(path) if key else self.where.value(path)
        if place not in self.told:
            finding = Finding(rule=rule, severity=Severity.INVALID, place=place, message=message, hint=hint)
            self.findings.append(finding)
