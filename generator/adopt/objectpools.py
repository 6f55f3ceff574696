"""A pool for each NVIDIADriver of a cluster, with the nodes that it claims."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.adopt.driverlayer import Taken, own_policy, taken
from generator.adopt.driverobject import plain
from generator.adopt.given import Given
from generator.adopt.machine import Machine
from generator.adopt.member import Absent, Member, host
from generator.adopt.note import Note, some
from generator.adopt.pools import Pool, claimed, object_name, pool_of, pools_of
from generator.adopt.running import Running, owned_by_tools
from generator.declared.fleet import Mode, Taint
from generator.facts import label
from generator.facts.release import DriverApi

# Tools' marks, and what drivergate writes itself: no loss.
_NOT_PEOPLES = ("argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.sh/", "app.kubernetes.io/")
# gpu-operator manifests/state-driver/0500_daemonset.yaml: the driver's pods always tolerate it.
_ALWAYS_TOLERATED = ("nvidia.com/gpu", "NoSchedule")


class _Object(Struct, frozen=True):
    """An NVIDIADriver as it was written."""

    name: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]

    @property
    def default(self) -> bool:
        """Whether it takes what no other claims."""
        return bool(self.spec.get("default"))

    @property
    def selector(self) -> Mapping[str, str]:
        """Its labels as text; empty where it has none."""
        return {key: str(value) for key, value in self.spec.get("nodeSelector", {}).items()}


class ObjectPools:
    """One run over the objects of a cluster: the pools, the objects without a node, and what is to be said."""

    def __init__(self, given: Given, runs: Running, gpus: Sequence[Machine], *, full: bool) -> None:
        self.given, self.runs, self.gpus, self.full = given, runs, gpus, full
        self.members: list[Member] = []
        self.absent: list[Absent] = []
        self.notes: list[Note] = []
        self.names: set[str] = set()
        self.taken_by: dict[str, str] = {}
        objects = [_object(one) for one in given.objects.drivers]
        self.selecting = [one for one in objects if not one.default]
        self.defaults = [one for one in objects if one.default]

    def make(self) -> None:
        """Selectors first, then the default, then pools for the nodes that neither claims."""
        for one in self.selecting:
            self._add(one, self._claimed(one))
        for one in self.defaults:
            nodes = [node for node in self._free() if node.mode is None]
            self.taken_by |= {node.name: one.name for node in nodes}
            self._add(one, nodes)
        self._rest()

    def _free(self) -> list[Machine]:
        return [node for node in self.gpus if node.name not in self.taken_by]

    def _claimed(self, one: _Object) -> list[Machine]:
        """The GPU nodes that the object matches, but for those of an earlier one."""
        about = f"{self.given.name}/{one.name}"
        selector: Mapping[str, str] = {label.GPU_PRESENT: "true"}
        if "nodeSelector" in one.spec:
            selector = one.selector
            if not selector:
                message = "spec.nodeSelector {} matches every node, and a pool without a selector GPU nodes only"
                self.notes.append(Note(about, message))
        nodes = list(claimed(selector, self.gpus))
        for node in nodes:
            if node.name in self.taken_by:
                message = f"node {node.name} is claimed by {self.taken_by[node.name]} too: the operator refuses both"
                self.notes.append(Note(about, message, "make the two nodeSelectors disjoint"))
        nodes = [node for node in nodes if node.name not in self.taken_by]
        self.taken_by |= {node.name: one.name for node in nodes}
        return nodes

    def _add(self, one: _Object, nodes: Sequence[Machine]) -> None:
        """The pool of one object, or its entry without a machine where it has no node."""
        name = object_name(one.name) or "pool"
        about = f"{self.given.name}/{name}"
        self.names.add(name)
        self.notes += _metadata(about, one)
        made = taken(about, DriverApi.NVIDIADRIVER, self.runs.release, one.spec, auto_upgrade=True, full=self.full)
        self.notes += made.notes
        driver = {**made.driver, **self._upgrade_policy()}
        if not any(node.mode is None and node.os and node.kernel for node in nodes):
            self.absent.append(Absent(name, _entry(one, made, driver)))
            message = "no node matches it now, so OS and kernels are not known: it is a comment to be completed"
            self.notes.append(Note(about, message, "complete it before Argo CD or Flux prunes what is not rendered"))
            return
        pool, said = pool_of(about, name, one.selector, nodes, default=one.default)
        self.notes += [*said, *_not_tolerated(about, pool, made.taints)]
        renamed = one.name if one.name != name else ""
        self.members.append(Member(pool=pool, driver=driver, taints=made.taints, object_name=renamed))

    def _upgrade_policy(self) -> dict[str, Any]:
        """Before v26.7 a ClusterPolicy's upgradePolicy rules the objects, too."""
        runs = self.runs
        if runs.policy is None or runs.release.object_upgrade_policy:
            return {}
        policy = runs.policy.get("upgradePolicy", {})
        found = own_policy(policy, auto_upgrade=runs.auto_upgrade, full=self.full)
        return {"upgradePolicy": found} if found else {}

    def _rest(self) -> None:
        """Nodes that no object selects, told apart by the labels that objects select by, where they have them."""
        free = self._free()
        if not free:
            return
        keys = Counter(key for one in self.selecting for key in one.selector)
        first = [key for key, _ in keys.most_common() if not label.is_circular(key) and key != label.GPU_PRESENT]
        found = pools_of(
            self.given.name,
            self.runs.release,
            free,
            (*self.given.first_labels, *first),
            others=[node for node in self.gpus if node.name in self.taken_by],
            taken=frozenset(self.names),
            default=bool(self.defaults),
        )
        self.notes += found.notes
        for pool in found.pools:
            if pool.mode is None:
                who = some(node.name for node in pool.machines)
                message = f"no NVIDIADriver selects its nodes ({who}): mode unmanaged"
                about = f"{self.given.name}/{pool.name}"
                self.notes.append(Note(about, message, "declare its driver where it should have one"))
            self.members.append(host(pool, Mode.UNMANAGED))


def _object(one: Mapping[str, Any]) -> _Object:
    metadata = one.get("metadata", {})
    return _Object(str(metadata.get("name", "")), metadata, plain(one.get("spec", {})))


def _entry(one: _Object, made: Taken, driver: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a pool without nodes."""
    entry: dict[str, Any] = {"default": True} if one.default else {}
    if one.selector:
        entry["nodeSelector"] = dict(one.selector)
    if made.taints:
        entry["taints"] = [str(taint) for taint in made.taints]
    return {**entry, "nodes": 0, "driver": driver}


def _not_tolerated(about: str, pool: Pool, tolerated: Sequence[Taint]) -> Iterator[Note]:
    """Taints that nodes have and that keep the object's driver away today."""
    left = [
        str(taint)
        for taint in pool.taints
        if taint.effect != "PreferNoSchedule"
        and (taint.key, taint.effect) != _ALWAYS_TOLERATED
        and not any(_tolerates(one, taint) for one in tolerated)
    ]
    if left:
        message = f"nodes have taints that the object doesn't tolerate: {', '.join(left)}"
        yield Note(about, message, "add them to taints where its driver should reach these nodes")


def _tolerates(toleration: Taint, taint: Taint) -> bool:
    """A toleration without a value is one of any value."""
    same = toleration.key == taint.key and toleration.effect == taint.effect
    return same and toleration.value in {"", taint.value}


def _metadata(about: str, one: _Object) -> Iterator[Note]:
    """Labels and annotations that people gave an object, and whether it is a chart's to delete."""
    if any(key.startswith("meta.helm.sh/") for key in one.metadata.get("annotations", {})):
        message = "the chart made this object, and Helm deletes it once its values say deployDefaultCR: false"
        hint = f"first: kubectl annotate nvidiadriver {one.name} helm.sh/resource-policy=keep"
        yield Note(about, message, hint)
    for part in ("labels", "annotations"):
        keys = sorted(one.metadata.get(part, {}))
        own = [key for key in keys if not owned_by_tools(key) and not key.startswith(_NOT_PEOPLES)]
        if own:
            hint = "override the template nvidiadriver-{pool}.yaml.j2 to keep them"
            yield Note(about, f"metadata.{part} can't be said: {', '.join(own)}", hint)
