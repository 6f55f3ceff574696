"""Moves documents from older apiVersions to today's: the one place where a change of the schema is written down.

A migration edits text and changes only the lines that it must, since people wrote them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from generator.declared.inventory import ENDINGS
from generator.declared.modelparts import API_VERSION
from generator.documents.document import places, read
from generator.finding import Finding, Place, Severity

GROUP = API_VERSION.partition("/")[0]


class Migration(Struct, frozen=True):
    """One step: from an apiVersion to the next. `edit` gets a document's kind and text, and returns the new text.

    The apiVersion itself is moved by `migrated`.
    """

    source: str
    target: str
    edit: Callable[[str, str], str]


# Oldest first. There has been one apiVersion only, so nothing to migrate from.
MIGRATIONS: tuple[Migration, ...] = ()


class Migrated(Struct, frozen=True):
    """New content by path, how many documents are of the target's apiVersion as they are, what stands in the way."""

    changed: Mapping[str, bytes]
    current: int
    findings: tuple[Finding, ...]


def migrated(
    files: Mapping[str, bytes], *, table: Sequence[Migration] = MIGRATIONS, target: str = API_VERSION
) -> Migrated:
    """Every document of drivergate's brought to the target. What isn't one is left to the gate to tell of."""
    changed: dict[str, bytes] = {}
    findings: list[Finding] = []
    current = 0
    for file in sorted(files):
        if not file.endswith(ENDINGS):
            continue
        document = read(files[file], file)
        findings += document.findings
        value = document.value if isinstance(document.value, dict) else {}
        api, kind = value.get("apiVersion"), value.get("kind")
        if document.findings or not isinstance(api, str) or api.partition("/")[0] != GROUP:
            continue
        if api == target:
            current += 1
            continue
        steps = list(_steps(api, table, target))
        if steps:
            changed[file] = _moved(files[file], file, str(kind), steps)
        else:
            findings.append(_unknown(file, files[file], api, table, target))
    return Migrated(changed, current, tuple(findings))


def _steps(api: str, table: Sequence[Migration], target: str) -> Iterator[Migration]:
    """The way from an apiVersion to the target; nothing where there is none."""
    by_source = {one.source: one for one in table}
    way: list[Migration] = []
    while api != target and api in by_source and by_source[api] not in way:
        way.append(by_source[api])
        api = way[-1].target
    if api == target:
        yield from way


def _moved(data: bytes, file: str, kind: str, steps: Sequence[Migration]) -> bytes:
    for step in steps:
        text = step.edit(kind, data.decode())
        place = places(text.encode(), file).value(("apiVersion",))
        lines = text.split("\n")
        line, start = lines[place.line - 1], place.column - 1
        lines[place.line - 1] = line[:start] + line[start:].replace(step.source, step.target, 1)
        data = "\n".join(lines).encode()
    return data


def _unknown(file: str, data: bytes, api: str, table: Sequence[Migration], target: str) -> Finding:
    known = ", ".join([*(one.source for one in table), target])
    place: Place = places(data, file).value(("apiVersion",))
    return Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=place,
        message=f'apiVersion "{api}" is not known to this drivergate, which knows {known}',
        hint="install the drivergate that the repository was written for, or correct the apiVersion",
        fact=api,
    )
