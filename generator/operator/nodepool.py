"""How the operator divides the nodes of one NVIDIADriver into pools, one DaemonSet and one image each.

gpu-operator internal/state/nodepool.go getNodePools, v24.9 to v26.7.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from generator.facts import kernel as kernels
from generator.facts import label, osname
from generator.facts.label import Node
from generator.facts.osname import OsTagError
from generator.facts.release import Release


class PoolDriver(Struct, frozen=True, kw_only=True):
    """The NVIDIADriver object, as far as pools depend on it; `node_selector` is None where it is omitted."""

    name: str
    node_selector: Mapping[str, str] | None = None
    precompiled: bool = False


class NodePool(Struct, frozen=True, kw_only=True):
    """One pool; `nodes` are all that its selector matches, `kernel` is the first node's, as labelled."""

    name: str
    os_tag: str
    kernel: str = ""
    rhcos_version: str = ""
    node_selector: Mapping[str, str]
    nodes: tuple[str, ...] = ()


class NodePools(Struct, frozen=True, kw_only=True):
    """The pools by name, and the nodes that get no driver: each list says why."""

    pools: tuple[NodePool, ...]
    not_candidate: tuple[str, ...]
    skipped: tuple[str, ...]
    unserved: tuple[str, ...]


def candidate_selector(release: Release, name: str, node_selector: Mapping[str, str] | None) -> dict[str, str]:
    """What a node must match to be looked at; before v26.7 a selector could overrule gpu.present."""
    if release.owner_label:
        return {**(node_selector or {}), label.GPU_PRESENT: "true", label.OWNER: name}
    return {label.GPU_PRESENT: "true", **(node_selector or {})}


def node_pools(
    release: Release, driver: PoolDriver, nodes: Sequence[Node], *, openshift: bool = False
) -> NodePools | OsTagError:
    """Pools of the nodes in the order given: of two nodes that claim one name the first wins."""
    selector = candidate_selector(release, driver.name, driver.node_selector)
    candidates = [node for node in nodes if label.matches(selector, node.labels)]
    pools: dict[str, NodePool] = {}
    skipped = []
    for node in candidates:
        pool = _pool(release, driver, selector, node, openshift=openshift)
        if isinstance(pool, OsTagError):
            return pool
        if pool is None:
            skipped.append(node.name)
        else:
            pools.setdefault(pool.name, pool)
    filled = tuple(_filled(pools[name], nodes) for name in sorted(pools))
    served = {name for pool in filled for name in pool.nodes} | set(skipped)
    listed = {node.name for node in candidates}
    return NodePools(
        pools=filled,
        not_candidate=tuple(node.name for node in nodes if node.name not in listed),
        skipped=tuple(skipped),
        unserved=tuple(node.name for node in candidates if node.name not in served),
    )


def _pool(
    release: Release, driver: PoolDriver, selector: Mapping[str, str], node: Node, *, openshift: bool
) -> NodePool | OsTagError | None:
    """The pool that this node would open; None where it lacks a label and is passed over."""
    os_id, os_version = node.labels.get(label.OS_ID), node.labels.get(label.OS_VERSION)
    if os_id is None or os_version is None:
        return None
    os_tag = osname.os_tag(release, os_id, os_version)
    if isinstance(os_tag, OsTagError):
        return os_tag
    keys = [label.OS_ID, _version_key(release, os_tag, os_version)]
    if driver.precompiled:
        keys.append(label.KERNEL)
    elif openshift:
        keys.append(label.OSTREE_VERSION)
    found = {key: node.labels[key] for key in keys if key in node.labels}
    if len(found) < len(keys):
        return None
    kernel, rhcos = found.get(label.KERNEL, ""), found.get(label.OSTREE_VERSION, "")
    return NodePool(
        name=f"{os_tag}-{kernels.sanitised(kernel, release)}" if driver.precompiled else rhcos or os_tag,
        os_tag=os_tag,
        kernel=kernel,
        rhcos_version=rhcos,
        node_selector={**selector, **found},
    )


def _version_key(release: Release, os_tag: str, os_version: str) -> str:
    return label.OS_MAJOR if osname.pool_by_major(release, os_tag, os_version) else label.OS_VERSION


def _filled(pool: NodePool, nodes: Iterable[Node]) -> NodePool:
    names = tuple(node.name for node in nodes if label.matches(pool.node_selector, node.labels))
    return NodePool(
        name=pool.name,
        os_tag=pool.os_tag,
        kernel=pool.kernel,
        rhcos_version=pool.rhcos_version,
        node_selector=pool.node_selector,
        nodes=names,
    )
