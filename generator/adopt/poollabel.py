"""By which label the nodes of a cluster fall into pools."""

import re
from collections.abc import Iterable, Mapping, Sequence

from generator.adopt.machine import Machine
from generator.adopt.note import Note
from generator.facts import label

# Set at registration, one value a pool: the providers' own documentation of node labels.
KNOWN = (
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "hypershift.openshift.io/nodePool",
    "hive.openshift.io/machine-pool",
    "ibm-cloud.kubernetes.io/worker-pool-name",
    "worker.gardener.cloud/pool",
)
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ROLE = "node-role.kubernetes.io/"
_COMMON_ROLES = frozenset({"control-plane", "master", "worker", "node", "infra", "etcd", "controlplane"})
# Labels below these domains are set by systems, not by whoever divided the nodes.
_SYSTEMS = (
    "kubernetes.io", "k8s.io", "nvidia.com", "amazonaws.com", "k8s.aws", "eksctl.io", "karpenter.sh", "azure.com",
    "google.com", "gke.io", "openshift.io", "cattle.io", "rke2.io", "k3s.io", "cilium.io", "projectcalico.org",
    "coreos.com", "oraclecloud.com", "ibm.com", "kubevirt.io", "longhorn.io", "rook.io", "istio.io",
)  # fmt: skip
_POOL_WORD = re.compile(r"pool|node-?group|machine-?set|worker-?group", re.IGNORECASE)

Key = tuple[str, str]


def refused(key: str) -> str | None:
    """Why a label can't divide nodes into pools; None where it can."""
    if why := label.label_key_problem(key):
        return f'"{key}" is no label key: {why}'
    if key == label.OWNER:
        return f"the operator sets {key} itself"
    if label.is_circular(key):
        return f"a node has {key} only after a driver ran on it"
    return None


def divided(
    about: str, machines: Sequence[Machine], first: Sequence[str]
) -> tuple[dict[Key, list[Machine]], tuple[Note, ...]]:
    """The nodes by label and value; ("", "") for those that no label of theirs tells apart."""
    keys = [*first, *KNOWN]
    notes: list[Note] = []
    every = next((key for key in keys if machines and all(key in one.labels for one in machines)), None)
    chosen = {one.name: every or next((key for key in keys if key in one.labels), "") for one in machines}
    left = [one for one in machines if not chosen[one.name]]
    if left:
        key, told = _own(about, left, machines)
        notes += told
        chosen |= dict.fromkeys((one.name for one in left), key)
    groups: dict[Key, list[Machine]] = {}
    for one in machines:
        key = chosen[one.name]
        groups.setdefault((key, one.labels[key]) if key else ("", ""), []).append(one)
    return dict(sorted(groups.items())), tuple(notes)


def _own(about: str, left: Sequence[Machine], machines: Sequence[Machine]) -> tuple[str, list[Note]]:
    """The one label of people's own that divides the nodes that no provider did, else machine type or role."""
    candidates = _candidates(left)
    named = [key for key in candidates if _POOL_WORD.search(key)]
    for found in (named, candidates):
        if len(found) == 1:
            message = f"pools are told apart by {found[0]}, the only label of the nodes' own that fits"
            return found[0], [Note(about, message, "name another one with --pool-label KEY")]
    notes = []
    if candidates:
        message = f"several labels could tell pools apart: {', '.join(named or candidates)}"
        notes = [Note(about, message, "choose one with --pool-label KEY")]
    if all(INSTANCE_TYPE in one.labels for one in left):
        return INSTANCE_TYPE, notes
    roles = [key for key in _shared(left) if key.startswith(ROLE) and key.removeprefix(ROLE) not in _COMMON_ROLES]
    others = [one for one in machines if one not in left]
    alone = [key for key in roles if not any(key in one.labels for one in others)]
    return (alone[0] if alone else ""), notes


def _candidates(nodes: Sequence[Machine]) -> list[str]:
    """Labels of people's own that all nodes have, with fewer values than nodes."""
    found = []
    for key in _shared(nodes):
        values = {one.labels[key] for one in nodes}
        few = len(values) < len(nodes) or len(nodes) == 1 or _POOL_WORD.search(key) is not None
        if few and "" not in values and not _is_system(key) and refused(key) is None:
            found.append(key)
    return found


def _shared(nodes: Iterable[Machine]) -> list[str]:
    """The keys that every node has, sorted."""
    labels: list[Mapping[str, str]] = [one.labels for one in nodes]
    return sorted(set.intersection(*(set(one) for one in labels))) if labels else []


def _is_system(key: str) -> bool:
    domain, slash, name = key.rpartition("/")
    if not slash:
        return name in {"name", "hostname", "displayName"}
    return any(domain == system or domain.endswith(f".{system}") for system in _SYSTEMS)
