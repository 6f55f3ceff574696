"""From the files under `inventory/` to typed documents, with every problem of every file in one run."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from generator.declared.catalog import CatalogFile, read_catalog
from generator.declared.model import KINDS, Cluster, Fleet, NodeImage
from generator.declared.modelparts import API_VERSION, Shape
from generator.declared.selection import EVERYTHING, Selection, selects
from generator.declared.shape import did_you_mean, shaped
from generator.declared.workloadmodel import Workloads
from generator.documents.document import read
from generator.documents.texts import Texts
from generator.finding import Finding, Place, Severity

ENDINGS = (".yaml", ".yml")
LOOKS_LIKE_YAML = r"(?i)\.ya?ml(?![a-z])"  # compiled where a file's name doesn't end as it should
KIND = re.compile(rb"""^kind:[ \t]*["']?([A-Za-z]+)""", re.MULTILINE)
NAME = re.compile(rb"""^name:[ \t]*["']?([^"'\s#]+)""", re.MULTILINE)


S = TypeVar("S", bound=Shape)


class Loaded(Struct, Generic[S], frozen=True):
    """A typed document, the plain tree it was made from, and its file."""

    file: str
    shape: S
    tree: dict[str, Any]


class Refused(Struct, frozen=True):
    """A document that could not be read, as far as its text shows what it is; "" where it doesn't.

    `requires` is a Fleet's own: what it was written for explains why it can't be read.
    """

    kind: str
    name: str
    file: str = ""
    requires: str = ""


class Inventory(Struct, frozen=True, kw_only=True):
    """All documents of the inventory, by kind, in the order of their paths.

    `others` are the names of clusters that were not asked for, and `unread` their files.
    """

    fleets: tuple[Loaded[Fleet], ...]
    clusters: tuple[Loaded[Cluster], ...]
    node_images: tuple[Loaded[NodeImage], ...]
    workloads: tuple[Loaded[Workloads], ...]
    catalogs: tuple[CatalogFile, ...]
    texts: Texts
    findings: tuple[Finding, ...]
    refused: tuple[Refused, ...] = ()
    others: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def missing(self, kind: str) -> frozenset[str]:
        """Names of the documents of a kind that could not be read; "" among them may be any name."""
        return frozenset(one.name for one in self.refused if one.kind in {kind, ""})


def load(files: Mapping[str, bytes], *, clusters: Selection = EVERYTHING) -> Inventory:
    """Every file below `inventory/`, path to content. Files of clusters that are not selected are not parsed."""
    texts = Texts(files)
    findings: list[Finding] = []
    documents: dict[str, list[Loaded[Any]]] = {"Fleet": [], "Cluster": [], "NodeImage": [], "Workloads": []}
    catalogs: list[CatalogFile] = []
    refused: list[Refused] = []
    others: list[str] = []
    unread_files: list[str] = []
    for file in sorted(files):
        if not file.endswith(ENDINGS):
            findings += _wrong_ending(file, files[file])
            continue
        kind = stated_kind(files[file]) or _peeked(file, files[file])
        if kind == "ImageCatalog":
            catalogs.append(read_catalog(file, files[file]))
            findings += catalogs[-1].findings
            continue
        if kind == "Cluster" and _is_other(files[file], clusters):
            others.append(_sniffed(NAME, files[file]))
            unread_files.append(file)
            continue
        loaded, problems = _document(file, files[file], texts)
        findings += problems
        if loaded is not None:
            documents[loaded.shape.kind].append(loaded)
        elif any(one.severity is Severity.INVALID for one in problems):
            requires = _requires(file, files[file]) if kind == "Fleet" else ""
            refused.append(Refused(_meant(kind), _sniffed(NAME, files[file]), file, requires))
    findings += _duplicates(documents, texts)
    return Inventory(
        fleets=tuple(documents["Fleet"]),
        clusters=tuple(documents["Cluster"]),
        node_images=tuple(documents["NodeImage"]),
        workloads=tuple(documents["Workloads"]),
        catalogs=tuple(catalogs),
        texts=texts,
        findings=tuple(findings),
        refused=tuple(refused),
        others=tuple(others),
        unread=tuple(unread_files),
    )


def stated_kind(data: bytes) -> str:
    """The kind of a document as it stands at the beginning of a line; "" where none does."""
    return _sniffed(KIND, data)


def unread(file: str, why: str, hint: str) -> Finding:
    """A file below inventory/ or templates/ that takes no part in the result."""
    return Finding(
        rule="inventory/unread-file",
        severity=Severity.ERROR,
        place=Place(file, 1, 1),
        message=f"the file is not read: {why}",
        hint=hint,
    )


def _wrong_ending(file: str, data: bytes) -> Iterator[Finding]:
    if re.search(LOOKS_LIKE_YAML, file) or _is_document(data):
        yield unread(
            file,
            'its name doesn\'t end in ".yaml" or ".yml"',
            "rename the file, or move it out of inventory/",
        )


def _is_document(data: bytes) -> bool:
    """Whether it reads like a document of ours: a README or a script that holds one as an example doesn't."""
    if b"drivergate.dev/" not in data:
        return False
    nothing = rb"(?:[ \t]*(?:#.*)?\r?\n|(?:---|%).*\n)*+"
    begins = rb"(?:\xef\xbb\xbf)?" + nothing + rb"""[ \t]*["']?(?:\{|(?:apiVersion|kind|name|x-)\b)"""
    says = rb"""\bapiVersion["']?\s*:\s*["']?drivergate\.dev/"""
    return bool(re.match(begins, data) and re.search(says, data))


def _sniffed(pattern: re.Pattern[bytes], data: bytes) -> str:
    found = pattern.search(data)
    return found[1].decode("ascii", "replace") if found else ""


def _peeked(file: str, data: bytes) -> str:
    """The kind of a document that doesn't say it at the beginning of a line, such as one in flow style."""
    value = read(data, file).value
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _requires(file: str, data: bytes) -> str:
    """The versions that a Fleet is written for, whatever else is wrong with it."""
    value = read(data, file).value
    requires = value.get("requires") if isinstance(value, dict) else None
    return requires if isinstance(requires, str) else ""


def _meant(kind: str) -> str:
    """The kind that a misspelt one stands for."""
    return (
        kind if kind in KINDS else next((known for known in KINDS if f'"{known}"' in did_you_mean(kind, [known])), kind)
    )


def _is_other(data: bytes, wanted: Selection) -> bool:
    """Whether it is a cluster that is not wanted, as far as its text shows that without being parsed."""
    if wanted == EVERYTHING:
        return False
    name = _sniffed(NAME, data)
    return bool(name) and not selects(wanted, name)


def _document(file: str, data: bytes, texts: Texts) -> tuple[Loaded[Any] | None, tuple[Finding, ...]]:
    document = read(data, file)
    value = document.value
    if document.findings and not isinstance(value, dict):
        return None, document.findings
    if value is None:
        return None, (unread(file, "it holds no document", "delete the file or write a document into it"),)
    kind = value.get("kind") if isinstance(value, dict) else None
    api = value.get("apiVersion") if isinstance(value, dict) else None
    if not isinstance(kind, str) or (api != API_VERSION and kind not in KINDS):
        why = f"it is no drivergate document (kind {_shown(kind)}, apiVersion {_shown(api)})"
        return None, (unread(file, why, f"give it apiVersion {API_VERSION} and a kind, or move it out of inventory/"),)
    if kind not in KINDS:
        return None, (_unknown_kind(kind, file, texts),)
    result = shaped(kind, value, file, texts)
    findings = (*document.findings, *result.findings)
    if result.shape is None or findings:
        return None, findings
    return Loaded(file, result.shape, result.tree), ()


def _unknown_kind(kind: str, file: str, texts: Texts) -> Finding:
    return Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=texts.value(file, ("kind",)),
        message=f'unknown kind "{kind}" of {API_VERSION}',
        hint=did_you_mean(kind, sorted(KINDS)) or f"use one of {', '.join(sorted(KINDS))}",
    )


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else "missing"


def _duplicates(documents: Mapping[str, list[Loaded[Any]]], texts: Texts) -> Iterator[Finding]:
    """Takes every document out that an earlier one has the name of."""
    for kind, loaded in documents.items():
        seen: dict[str, Loaded[Any]] = {}
        for one in tuple(loaded):
            named = "team" if kind == "Workloads" else "name"
            key = kind if kind == "Fleet" else getattr(one.shape, named)
            first = seen.setdefault(key, one)
            if first is one:
                continue
            loaded.remove(one)
            where = texts.value(first.file, (named,))
            what = (
                "a second Fleet document"
                if kind == "Fleet"
                else f'{kind} {"of team " * (kind == "Workloads")}"{key}" is declared twice'
            )
            yield Finding(
                rule="inventory/duplicate",
                severity=Severity.INVALID,
                place=texts.value(one.file, (named,)),
                message=f"{what}, the first is at {where}",
                hint="rename or remove one of the two",
                fact=key,
            )
