"""Nodes as `kubectl get node NAME -o json` prints them, one or a List."""

import codecs
from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, Struct, ValidationError, convert, json

from generator.facts import kernel as kernels
from generator.facts import label
from generator.observed.unreadable import Unreadable, no_json

NVIDIA = "nvidia.com/"
HINT = "write it with: kubectl get node NAME -o json"


class Taint(Struct, frozen=True):
    """What keeps pods away; an empty value means that none was given."""

    key: str
    effect: str
    value: str = ""


class Node(Struct, frozen=True, kw_only=True):
    """A node's labels and taints, and what its kubelet says of it, which the operator never reads.

    `resources` are the names of what it offers, such as nvidia.com/gpu, and `devices` how many NVIDIA ones it offers.
    `annotations` are NVIDIA's, `ready` is the status of its Ready condition, empty where it has none, and `heartbeat`
    when its kubelet last reported that, as the API server writes times.
    """

    name: str
    labels: dict[str, str]
    taints: tuple[Taint, ...] = ()
    resources: frozenset[str] = frozenset()
    architecture: str = ""
    kernel: str = ""
    os_image: str = ""
    annotations: Mapping[str, str] = {}
    cordoned: bool = False
    ready: str = ""
    devices: Mapping[str, int] = {}
    heartbeat: str = ""

    @property
    def arch(self) -> str:
        """`amd64`, `arm64`: of its label, its kubelet, or a kernel that names its machine; "" where nothing tells."""
        return (
            self.labels.get(label.ARCH)
            or self.architecture
            or kernels.architecture(self.labels.get(label.KERNEL, ""))
            or ""
        )

    @property
    def not_ready(self) -> bool:
        """Whether its Ready condition says something else than True; a node without one counts as ready."""
        return self.ready not in {"", "True"}


class _Metadata(Struct):
    name: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None


class _NodeInfo(Struct, rename="camel"):
    architecture: str = ""
    kernel_version: str = ""
    os_image: str = ""


class _Condition(Struct, rename="camel"):
    type: str = ""
    status: str = ""
    last_heartbeat_time: str | None = None


class _Status(Struct, rename="camel"):
    node_info: _NodeInfo | None = None
    capacity: dict[str, Any] | None = None
    allocatable: dict[str, Any] | None = None
    conditions: list[_Condition] | None = None


class _Spec(Struct):
    taints: list[Taint] | None = None
    unschedulable: bool | None = None


class _Item(Struct):
    kind: str = ""
    metadata: _Metadata | None = None
    spec: _Spec | None = None
    status: _Status | None = None


class _Document(_Item):
    items: list[_Item] | None = None


def parse(data: bytes) -> tuple[Node, ...] | Unreadable:
    """Every node of a Node, a NodeList or a List, whose other objects are passed over."""
    try:
        document = json.decode(_utf8(data), type=_Document)
    except ValidationError:
        return Unreadable(_unfit(data), HINT)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return Unreadable(no_json(data), HINT)
    if document.items is None:
        items: list[_Item] = [document] if document.kind == "Node" else []
    else:
        items = [item for item in document.items if item.kind in {"Node", *_kinds_left_out(document)}]
    if not items:
        is_list = document.items is not None
        what = f"a {document.kind or 'list'} without a node" if is_list else _named(document.kind)
        return Unreadable(f"it holds {what}", HINT)
    if any(item.metadata is None or not item.metadata.name for item in items):
        return Unreadable("it holds a node without metadata.name", HINT)
    return tuple(_node(item) for item in items)


def node_of(value: dict[str, Any]) -> Node | Unreadable:
    """One node as a JSON value."""
    try:
        item = convert(value, _Item)
    except ValidationError:
        return Unreadable(_unfit(json.encode(value)), HINT)
    if item.metadata is None or not item.metadata.name:
        return Unreadable("it holds a node without metadata.name", HINT)
    return _node(item)


def _utf8(data: bytes) -> bytes:
    """PowerShell's `>` writes UTF-16, and others a byte order mark."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def _unfit(data: bytes) -> str:
    """What is not as an API server writes it: a label that somebody edited, nearly always."""
    try:
        document = json.decode(_utf8(data))
    except (DecodeError, RecursionError):
        return no_json(data)
    items = document.get("items") if isinstance(document, dict) else None
    for item in items if isinstance(items, list) else [document]:
        metadata = _mapping(item, "metadata")
        for key, value in _mapping(metadata, "labels").items():
            if not isinstance(value, str):
                of = f" of node {metadata['name']}" if metadata.get("name") else ""
                return f"label {key}{of} is {json.encode(value).decode()}, and labels are text"
    return "it is JSON, but no node"


def _mapping(value: Any, key: str) -> dict[str, Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _kinds_left_out(document: _Document) -> tuple[str, ...]:
    """The API server's own NodeList doesn't repeat the kind of its items."""
    return ("",) if document.kind == "NodeList" else ()


def _named(kind: str) -> str:
    return f"a {kind}, no Node" if kind else "an object without a kind"


def _node(item: _Item) -> Node:
    assert item.metadata is not None
    status, spec = item.status or _Status(), item.spec or _Spec()
    info = status.node_info or _NodeInfo()
    ready = next((one for one in status.conditions or () if one.type == "Ready"), _Condition())
    offered = {**(status.capacity or {}), **(status.allocatable or {})}
    return Node(
        name=item.metadata.name,
        labels=item.metadata.labels or {},
        taints=tuple(spec.taints or ()),
        resources=frozenset(status.capacity or ()),
        architecture=info.architecture,
        kernel=info.kernel_version,
        os_image=info.os_image,
        annotations={key: text for key, text in (item.metadata.annotations or {}).items() if key.startswith(NVIDIA)},
        cordoned=spec.unschedulable is True,
        ready=ready.status,
        heartbeat=ready.last_heartbeat_time or "",
        devices={key: int(n) for key, n in offered.items() if key.startswith(NVIDIA) and str(n).isdigit()},
    )
