"""All that one reading of a cluster gave: objects of the kinds that are of use, and which kinds were there at all."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert

from generator.facts.gpupod import Device
from generator.observed import driver, node
from generator.observed.budget import BudgetItem, LiveBudget, budget_of
from generator.observed.driver import DaemonSet, DriverObject, Revision, Scale
from generator.observed.node import Node
from generator.observed.pod import Pod, PodItem, pod_of
from generator.observed.stream import Item, items
from generator.observed.unreadable import Unreadable

HINT = "write it again with kubectl get -o json"
SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
OWNERS = frozenset({*SCALED, "DaemonSet"})
DRIVER_KINDS = ("NVIDIADriver", "ClusterPolicy")


class Claim(Struct, frozen=True, kw_only=True):
    """A ResourceClaim and the devices that it has got."""

    namespace: str
    name: str
    devices: tuple[Device, ...] = ()


class Objects(Struct, frozen=True, kw_only=True):
    """What was read, each kind by its namespace and name; `kinds` are those that the input held or asked for.

    `whole` are the kinds of which the input shows every object of the cluster: one that isn't there doesn't exist.
    """

    nodes: Mapping[str, Node] = {}
    pods: Mapping[str, Pod] = {}
    budgets: Mapping[str, LiveBudget] = {}
    drivers: Mapping[str, DriverObject] = {}
    policies: Mapping[str, DriverObject] = {}
    daemonsets: Mapping[str, DaemonSet] = {}
    revisions: Mapping[str, Revision] = {}
    scales: Mapping[str, Scale] = {}
    claims: Mapping[str, Claim] = {}
    kinds: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()


class _Metadata(Struct, frozen=True):
    name: str = ""
    namespace: str = ""


class _Named(Struct, frozen=True):
    metadata: _Metadata


class _Result(Struct, frozen=True, rename="camel"):
    driver: str = ""
    admin_access: bool | None = None


class _Devices(Struct, frozen=True):
    results: list[_Result] | None = None


class _Allocation(Struct, frozen=True):
    devices: _Devices = _Devices()


class _ClaimStatus(Struct, frozen=True):
    allocation: _Allocation | None = None


class _ClaimItem(Struct, frozen=True):
    metadata: _Metadata
    status: _ClaimStatus = _ClaimStatus()


class Reading:
    """Collects objects from several files; an object that is read twice counts once, as it was read last."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._found: dict[str, dict[str, Any]] = {where: {} for where, _ in _READERS.values()}
        self._kinds: set[str] = set()
        self._whole: set[str] = set()

    def add(self, chunks: Iterable[bytes], wanted: Iterable[str] = ()) -> Unreadable | None:
        """Every object of one text; why it can't be read, if so, or has nothing of what is wanted of it."""
        seen: set[str] = set()
        namespaces: dict[str, set[str]] = {}
        for item in items(chunks):
            problem = item if isinstance(item, Unreadable) else self.take(item)
            if problem:
                return problem
            assert isinstance(item, Item)
            seen.add(item.kind)
            if item.kind in OWNERS:
                namespaces.setdefault(item.kind, set()).add(_namespace(item))
        # kubectl lists one namespace or all: a text with objects of two was written with --all-namespaces.
        self._whole.update(kind for kind, names in namespaces.items() if len(names) > 1)
        return _foreign(seen, set(wanted))

    def take(self, item: Item) -> Unreadable | None:
        """One object; kinds that nobody asks about are passed over."""
        self._kinds.add(item.kind)
        reader = _READERS.get(item.kind)
        if reader is None:
            return None
        where, parse = reader
        if not item.is_text:
            return Unreadable(f"{_called(item)} holds half a character (a lone surrogate), which is no Unicode", HINT)
        try:
            found = parse(item)
        except ValidationError as error:
            return Unreadable(f"{_called(item)} is not as an API server writes it: {_told(error)}", HINT)
        if isinstance(found, Unreadable):
            return found
        key, value = found
        self._found[where][key] = value
        return None

    def looked_for(self, *kinds: str) -> None:
        """Every object of these kinds was asked for, so that none of them means that there is none."""
        self._kinds.update(kinds)
        self._whole.update(kinds)

    def objects(self) -> Objects:
        """All that was read, by name."""
        ordered = {where: dict(sorted(found.items())) for where, found in self._found.items()}
        return Objects(**ordered, kinds=frozenset(self._kinds), whole=frozenset(self._whole))


def _namespace(item: Item) -> str:
    try:
        return convert(item.value, _Named).metadata.namespace
    except ValidationError:
        return ""


def _foreign(seen: set[str], wanted: set[str]) -> Unreadable | None:
    """Why a text is not the one that was meant. A List of many kinds may lack one of them, but never the nodes."""
    if not wanted or not seen or seen & wanted or (len(seen) > 1 and "Node" not in wanted):
        return None
    kinds = ", ".join(sorted(kind or "an object without a kind" for kind in seen))
    return Unreadable(f"it holds {kinds}, and no {' or '.join(sorted(wanted))}", HINT)


Parsed = tuple[str, Any] | Unreadable


def _node(item: Item) -> Parsed:
    found = node.node_of(item.value)
    return found if isinstance(found, Unreadable) else (found.name, found)


def _pod(item: Item) -> Parsed:
    pod = pod_of(convert(item.value, PodItem))
    return pod.key, pod


def _budget(item: Item) -> Parsed:
    budget = budget_of(convert(item.value, BudgetItem))
    return budget.key, budget


def _object(item: Item) -> Parsed:
    found = driver.object_of(item.kind, convert(item.value, driver.ObjectItem))
    wrong = driver.wrong_type(found)
    return (
        Unreadable(f"{_called(item)} is not as an API server writes it: {wrong}", HINT)
        if wrong
        else (found.name, found)
    )


def _daemonset(item: Item) -> Parsed:
    found = driver.daemonset_of(convert(item.value, driver.DaemonSetItem))
    return f"{found.namespace}/{found.name}", found


def _revision(item: Item) -> Parsed:
    found = driver.revision_of(convert(item.value, driver.RevisionItem))
    return f"{found.namespace}/{found.name}", found


def _scale(item: Item) -> Parsed:
    found = driver.scale_of(item.kind, convert(item.value, driver.ScaleItem))
    return found.key, found


def _claim(item: Item) -> Parsed:
    claim = convert(item.value, _ClaimItem)
    allocation = claim.status.allocation or _Allocation()
    devices = tuple(Device(one.driver, bool(one.admin_access)) for one in allocation.devices.results or ())
    meta = claim.metadata
    found = Claim(namespace=meta.namespace, name=meta.name, devices=devices)
    return f"{meta.namespace}/{meta.name}", found


_READERS: Mapping[str, tuple[str, Callable[[Item], Parsed]]] = {
    "Node": ("nodes", _node),
    "Pod": ("pods", _pod),
    "PodDisruptionBudget": ("budgets", _budget),
    "NVIDIADriver": ("drivers", _object),
    "ClusterPolicy": ("policies", _object),
    "DaemonSet": ("daemonsets", _daemonset),
    "ControllerRevision": ("revisions", _revision),
    "ResourceClaim": ("claims", _claim),
    **dict.fromkeys(SCALED, ("scales", _scale)),
}


def _called(item: Item) -> str:
    try:
        meta = convert(item.value, _Named).metadata
    except (ValidationError, UnicodeEncodeError):
        return f"a {item.kind}"
    return f"{item.kind} {meta.namespace}/{meta.name}" if meta.namespace else f"{item.kind} {meta.name}"


def _told(error: ValidationError) -> str:
    """Msgspec's words with the path as kubectl writes it."""
    text = str(error)
    what, _, where = text.partition(" - at `$")
    return f"{what[:1].lower()}{what[1:]} at {where.rstrip('`').removeprefix('.')}" if where else what
