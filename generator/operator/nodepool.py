"""The node pool of an NVIDIADriver that a node falls into: one DaemonSet, and one image, for each.

gpu-operator internal/state/nodepool.go getNodePools, v24.9 to v26.7.
"""

from collections.abc import Mapping

from msgspec import Struct

from generator.facts import kernel as kernels
from generator.facts import label, osname
from generator.facts.osname import OsTagError
from generator.facts.release import Release

NFD = "feature.node.kubernetes.io/"
# Systems that only OpenShift and its community distribution run (os-release(5), ID).
OPENSHIFT_SYSTEMS = frozenset({"rhcos", "scos"})
# Every node of an OpenShift cluster joins with it (machine-config-operator, templates of the kubelet's unit).
OPENSHIFT_NODE = "node.openshift.io/os_id"


class NodePool(Struct, frozen=True, kw_only=True):
    """The operator's name of the pool, and the labels by which the pool's DaemonSet chooses its nodes.

    Nodes of one name and different labels are a collision: only the first that the operator sees gets a DaemonSet.
    """

    name: str
    node_selector: Mapping[str, str]


class MissingLabels(Struct, frozen=True):
    """The labels without which the operator passes the node over: it logs that, and reports success."""

    keys: tuple[str, ...]


def is_discovered(labels: Mapping[str, str]) -> bool:
    """Whether node feature discovery has labelled the node with anything."""
    return any(key.startswith(NFD) for key in labels)


def is_openshift_node(labels: Mapping[str, str]) -> bool:
    """Whether the node's own labels show that its cluster is OpenShift."""
    return OPENSHIFT_NODE in labels or labels.get(label.OS_ID) in OPENSHIFT_SYSTEMS


def candidate_selector(release: Release, name: str, node_selector: Mapping[str, str]) -> dict[str, str]:
    """What a node must match to be looked at; before v26.7 a nodeSelector could overrule gpu.present."""
    if release.owner_label:
        return {**node_selector, label.GPU_PRESENT: "true", label.OWNER: name}
    return {label.GPU_PRESENT: "true", **node_selector}


def node_pool(
    release: Release, candidates: Mapping[str, str], labels: Mapping[str, str], *, precompiled: bool, openshift: bool
) -> NodePool | MissingLabels | OsTagError:
    """The pool of a node with these labels; `candidates` is the candidate selector of its NVIDIADriver.

    An OS version that the release can't read stops the whole object, so it counts before a missing label.
    """
    os_id, os_version = labels.get(label.OS_ID), labels.get(label.OS_VERSION)
    needed = [label.OS_ID, label.OS_VERSION]
    if precompiled:
        needed.append(label.KERNEL)
    os_tag, version_key = "", label.OS_VERSION
    if os_id is not None and os_version is not None:
        composed = osname.os_tag(release, os_id, os_version)
        if isinstance(composed, OsTagError):
            return composed
        os_tag = composed
        if osname.pool_by_major(release, os_tag, os_version):
            version_key = label.OS_MAJOR
            needed.append(label.OS_MAJOR)
    if openshift and not precompiled:
        needed.append(label.OSTREE_VERSION)
    missing = tuple(key for key in needed if key not in labels)
    if missing:
        return MissingLabels(missing)
    chosen = {label.OS_ID: labels[label.OS_ID], version_key: labels[version_key]}
    if precompiled:
        kernel = labels[label.KERNEL]
        name = f"{os_tag}-{kernels.sanitised(kernel, release)}"
        chosen[label.KERNEL] = kernel
    elif openshift:
        name = labels[label.OSTREE_VERSION] or os_tag
        chosen[label.OSTREE_VERSION] = labels[label.OSTREE_VERSION]
    else:
        name = os_tag
    return NodePool(name=name, node_selector={**candidates, **chosen})
