"""Moves documents from older apiVersions to today's: the one place where a change of the schema is written down.

A migration changes only the lines that it must, since people wrote them. What earlier releases left wrong in a document
of today's schema is mended too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.declared.inventory import ENDINGS
from generator.declared.kernel_twice import kernels_twice
from generator.declared.modelparts import API_VERSION
from generator.documents.changes import CantEdit, Change, RemoveItem, SetKey, by_hand
from generator.documents.document import places, read
from generator.finding import Finding, Place, Severity

GROUP = API_VERSION.partition("/")[0]


class Migration(Struct, frozen=True):
    """One step: from an apiVersion to the next. `changes` gets a document's kind and value.

    The apiVersion itself is moved by `migrated`.
    """

    source: str
    target: str
    changes: Callable[[str, Mapping[str, Any]], Sequence[Change]]


# Oldest first. There has been one apiVersion only, so nothing to migrate from.
MIGRATIONS: tuple[Migration, ...] = ()


class Migrated(Struct, frozen=True):
    """New content by path, how many documents are right as they are, and what stands in the way.

    `refused` are the changes that can't be made without touching other lines, each with what to write by hand.
    """

    changed: Mapping[str, bytes]
    current: int
    findings: tuple[Finding, ...]
    refused: tuple[str, ...] = ()


def migrated(
    files: Mapping[str, bytes], *, table: Sequence[Migration] = MIGRATIONS, target: str = API_VERSION
) -> Migrated:
    """Every document of drivergate's brought to the target. What isn't one is left to the gate to report."""
    changed: dict[str, bytes] = {}
    findings: list[Finding] = []
    refused: list[str] = []
    current = 0
    for file in sorted(files):
        if not file.endswith(ENDINGS):
            continue
        document = read(files[file], file)
        findings += document.findings
        value = document.value if isinstance(document.value, dict) else {}
        api = value.get("apiVersion")
        if document.findings or not isinstance(api, str) or api.partition("/")[0] != GROUP:
            continue
        steps = list(_steps(api, table, target))
        if api != target and not steps:
            findings.append(_unknown(file, files[file], api, table, target))
            continue
        text = _moved(file, files[file], steps)
        if isinstance(text, _Refused):
            refused.append(f"{file}: change it by hand ({text.by_hand}): {text.reason}")
        elif text is None:
            current += 1
        else:
            changed[file] = text.encode()
    return Migrated(changed, current, tuple(findings), tuple(refused))


class _Refused(Struct, frozen=True):
    """Why a document can't be changed in place, and what to write in it."""

    reason: str
    by_hand: str


def _steps(api: str, table: Sequence[Migration], target: str) -> Iterator[Migration]:
    """The way from an apiVersion to the target; nothing where there is none."""
    by_source = {step.source: step for step in table}
    way: list[Migration] = []
    while api != target and api in by_source and by_source[api] not in way:
        way.append(by_source[api])
        api = way[-1].target
    if api == target:
        yield from way


def _moved(file: str, data: bytes, steps: Sequence[Migration]) -> str | _Refused | None:
    """The text of a document after all steps and without kernels that are declared twice; None where it is so."""
    text: str | None = None
    for step in steps:
        value = read(data, file).value
        changes = [*step.changes(str(value.get("kind")), value), SetKey(("apiVersion",), step.target)]
        moved = _edited(data.decode(), changes, value)
        if isinstance(moved, _Refused):
            return moved
        text, data = moved, moved.encode()
    value = read(data, file).value
    twice = kernels_twice(file, value)
    # From the last one on, so that the indexes of the others stay right.
    removals = [RemoveItem(kernel.path) for kernel in reversed(list(twice))]
    return _edited(data.decode(), removals, value) if removals else text


def _edited(text: str, changes: Sequence[Change], value: Any) -> str | _Refused:
    from generator.documents.edit import edited  # it loads ruamel.yaml, and most runs change nothing

    result = edited(text, changes)
    if isinstance(result, CantEdit):
        return _Refused(result.reason, "; ".join(by_hand(change, value) for change in changes))
    return result


def _unknown(file: str, data: bytes, api: str, table: Sequence[Migration], target: str) -> Finding:
    known = ", ".join([*(step.source for step in table), target])
    place: Place = places(data, file).value(("apiVersion",))
    return Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=place,
        message=f'apiVersion "{api}" is not known to this drivergate, which knows {known}',
        hint="install the drivergate that the repository was written for, or correct the apiVersion",
        fact=api,
    )
