"""ClusterPolicy and NVIDIADriver objects and chart values, from what kubectl, helm or git print.

JSON or YAML; one object, a List, or several documents in a file. Other objects are passed over.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import DecodeError, Struct, json

from generator.documents.document import read
from generator.documents.scalar import Ambiguous, is_null

KINDS = frozenset({"ClusterPolicy", "NVIDIADriver"})
GROUP = "nvidia.com/"
# YAML 1.2.2, 9.1.2: at the start of a line these end a document wherever they stand, in block scalars too.
_MARKER = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r]|$)", re.MULTILINE)
# The top keys of the gpu-operator chart's values.yaml that tell a values file of any release from other YAML.
_VALUES = frozenset({"driver", "toolkit", "devicePlugin", "operator", "clusterPolicy", "daemonsets", "dcgmExporter"})


# What is looked into must be what the CRDs, or the chart's values.yaml, say it is.
_PARTS = ("waitForCompletion", "podDeletion", "gpuPodDeletion", "drain")
_METADATA = [("metadata",), ("metadata", "labels"), ("metadata", "annotations")]
_MAPPINGS: dict[str, list[tuple[str, ...]]] = {
    "NVIDIADriver": [
        *_METADATA,
        ("spec",),
        ("spec", "nodeSelector"),
        ("spec", "upgradePolicy"),
        *(("spec", "upgradePolicy", part) for part in _PARTS),
    ],
    "ClusterPolicy": [
        *_METADATA,
        ("spec",),
        ("spec", "daemonsets"),
        ("spec", "operator"),
        ("spec", "driver"),
        ("spec", "driver", "upgradePolicy"),
        *(("spec", "driver", "upgradePolicy", part) for part in _PARTS),
    ],
    "": [
        ("driver",),
        ("driver", "nvidiaDriverCRD"),
        ("driver", "upgradePolicy"),
        *(("driver", "upgradePolicy", part) for part in _PARTS),
    ],
}
_LISTS: dict[str, list[tuple[str, ...]]] = {
    "NVIDIADriver": [("spec", "tolerations")],
    "ClusterPolicy": [("spec", "daemonsets", "tolerations")],
    "": [],
}


class Objects(Struct, frozen=True, kw_only=True):
    """What was given, as plain trees without nulls. Scalars that YAML readers disagree about stay Ambiguous."""

    policies: tuple[Mapping[str, Any], ...] = ()
    drivers: tuple[Mapping[str, Any], ...] = ()
    values: tuple[Mapping[str, Any], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.policies or self.drivers or self.values)

    def and_those(self, other: "Objects") -> "Objects":
        """Both, in this order."""
        return Objects(
            policies=self.policies + other.policies,
            drivers=self.drivers + other.drivers,
            values=self.values + other.values,
        )


class Unreadable(Struct, frozen=True):
    """Why a text holds no objects."""

    reason: str
    hint: str


HINT = "write it with: kubectl get clusterpolicies,nvidiadrivers -o yaml, or helm get values"


def parse(data: bytes) -> Objects | Unreadable:
    """Every ClusterPolicy, NVIDIADriver and chart values of a file."""
    found: dict[str, list[Any]] = {"ClusterPolicy": [], "NVIDIADriver": [], "": []}
    for document in _documents(data):
        if isinstance(document, Unreadable):
            return document
        for one in _flat(document):
            kind = _kind(one)
            if kind is None:
                continue
            if wrong := _misshapen(one, kind):
                return Unreadable(wrong, HINT)
            found[kind].append(one)
    return Objects(
        policies=tuple(found["ClusterPolicy"]),
        drivers=tuple(found["NVIDIADriver"]),
        values=tuple(found[""]),
    )


def _documents(data: bytes) -> Iterator[Any]:
    """Each document as dicts, lists and scalars, or why it can't be read."""
    if data.lstrip().startswith(b"{"):
        try:
            yield _without_nulls(json.decode(data))
        except (DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Unreadable(f"it is no JSON: {error}", HINT)
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    line = 0
    for part in _MARKER.split(text):
        document = read(part, "")
        if document.findings:
            one = document.findings[0]
            yield Unreadable(f"line {line + one.place.line}: {one.message}", one.hint)
            return
        if document.value is not None:
            yield _without_nulls(document.value)
        line += part.count("\n")


def _flat(document: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a List, one by one; lists of lists don't exist."""
    if not isinstance(document, dict):
        yield {}
    elif isinstance(document.get("items"), list) and str(document.get("kind", "")).endswith("List"):
        yield from (one if isinstance(one, dict) else {} for one in document["items"])
    else:
        yield document


def _kind(one: Mapping[str, Any]) -> str | None:
    """The kind of a driver object, "" for chart values, None for anything else."""
    kind = one.get("kind")
    if kind is None and "apiVersion" not in one:
        return "" if _VALUES & one.keys() else None
    ours = isinstance(kind, str) and kind in KINDS and str(one.get("apiVersion", "")).startswith(GROUP)
    return str(kind) if ours else None


def _misshapen(one: Mapping[str, Any], kind: str) -> str:
    """What is no mapping or no list although it has to be; "" where all is well."""
    named = kind or "the chart values"
    for path in _MAPPINGS[kind]:
        if not isinstance(_at(one, path), dict | None):
            return f"{'.'.join(path)} of {named} is no mapping"
    for path in _LISTS[kind]:
        if not isinstance(_at(one, path), list | None):
            return f"{'.'.join(path)} of {named} is no list"
    return ""


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _without_nulls(value: Any) -> Any:
    """A null is absent to an API server. Numbers that are no integers stay as they were written."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if not is_null(inner)}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if not is_null(inner)]
    return Ambiguous(json.encode(value).decode()) if isinstance(value, float) else value


def plain(value: Any) -> Any:
    """The values as an API server has them; a quantity written as a number is the text of it."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, Ambiguous):
        return {"yes": True, "on": True, "no": False, "off": False}.get(value.text.lower(), value.text)
    return value
