"""Objects of a live cluster as kubectl get -o json prints them, cut to what could matter, for whole situations."""

import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.observed.objects import Objects, Reading
from tests.testing.command import call_in

SPACE = "gpu-operator"
DAEMONSET = "nvidia-driver-daemonset"
STATE = "nvidia.com/gpu-driver-upgrade-state"
POLICY = {
    "autoUpgrade": True,
    "maxParallelUpgrades": 1,
    "maxUnavailable": "25%",
    "waitForCompletion": {"podSelector": "", "timeoutSeconds": 0},
    "podDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": False},
    "drain": {"enable": False, "force": False, "timeoutSeconds": 300, "deleteEmptyDir": False, "podSelector": ""},
}
Object = dict[str, Any]


def node(name: str, state: str | None = None, *, cordoned: bool = False, ready: str = "True", **more: Any) -> Object:
    """A GPU node; `labels` and `annotations` are added."""
    labels = {
        "nvidia.com/gpu.present": "true",
        **({STATE: state} if state is not None else {}),
        **more.get("labels", {}),
    }
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": more.get("annotations", {})},
        "spec": {"unschedulable": True} if cordoned else {},
        "status": {"conditions": [{"type": "Ready", "status": ready}], "allocatable": more.get("devices", {})},
    }


def policy(*, driver: Object | None = None, **changes: Any) -> Object:
    """The ClusterPolicy; `changes` are of its upgradePolicy, None takes a part away."""
    written = {key: value for key, value in {**POLICY, **changes}.items() if value is not None}
    return {
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"driver": {"enabled": True, "upgradePolicy": written, **(driver or {})}},
    }


def nvidiadriver(name: str, **changes: Any) -> Object:
    """An NVIDIADriver with its own policy."""
    spec = {"upgradePolicy": {**POLICY, **changes}, "nodeSelector": {"pool": name}}
    return {"kind": "NVIDIADriver", "metadata": {"name": name}, "spec": spec}


def daemonset(name: str = DAEMONSET, digest: str = "new") -> list[Object]:
    """The driver DaemonSet with its two revisions; the newest has the hash `new`."""
    return [
        {
            "kind": "DaemonSet",
            "metadata": {"name": name, "namespace": SPACE, "labels": {"app": DAEMONSET}},
            "spec": {
                "template": {"spec": {"containers": [{"env": [{"name": "DRIVER_CONFIG_DIGEST", "value": digest}]}]}}
            },
        },
        *(
            {
                "kind": "ControllerRevision",
                "metadata": {
                    "name": f"{name}-{hash_}",
                    "namespace": SPACE,
                    "ownerReferences": [{"kind": "DaemonSet", "name": name, "controller": True}],
                },
                "revision": number,
            }
            for number, hash_ in enumerate(("old", "new"), 1)
        ),
    ]


def other_daemonset(name: str, namespace: str = "ml") -> Object:
    """A DaemonSet of somebody else's pods."""
    return {"kind": "DaemonSet", "metadata": {"name": name, "namespace": namespace}}


def driver_pod(on: str, revision: str = "new", *, ready: bool = True, **container: Any) -> Object:
    """A driver pod; `container` is what its status says besides."""
    status = {"name": "nvidia-driver-ctr", "ready": ready, "restartCount": 0, **container}
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"{DAEMONSET}-{on}",
            "namespace": SPACE,
            "labels": {"app": DAEMONSET, "controller-revision-hash": revision},
            "ownerReferences": [{"kind": "DaemonSet", "name": DAEMONSET, "controller": True}],
        },
        "spec": {"nodeName": on, "containers": [{"name": "nvidia-driver-ctr"}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def validator(on: str, *, ready: bool = True) -> Object:
    """The operator's validator."""
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"nvidia-operator-validator-{on}",
            "namespace": SPACE,
            "labels": {"app": "nvidia-operator-validator"},
            "ownerReferences": [{"kind": "DaemonSet", "name": "nvidia-operator-validator", "controller": True}],
        },
        "spec": {"nodeName": on, "containers": []},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": str(ready)}]},
    }


def pod(name: str, on: str, owner: str = "ReplicaSet", *, gpus: int = 1, **more: Any) -> Object:
    """A workload's pod of the namespace ml; without `owner` a bare one."""
    owners = [{"kind": owner, "name": f"{name.rpartition('-')[0] or name}", "controller": True}] if owner else []
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "labels": more.get("labels", {}),
            "ownerReferences": owners,
        },
        "spec": {
            "nodeName": on,
            "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": str(gpus)} if gpus else {}}}],
            "volumes": [{"name": "scratch", "emptyDir": {}}] if more.get("empty_dir") else [],
        },
        "status": {"phase": more.get("phase", "Running"), "conditions": [{"type": "Ready", "status": "True"}]},
    }


def budget(name: str, labels: dict[str, str], counts: tuple[int, int, int] | None = None, **spec: Any) -> Object:
    """A budget of ml; `counts` are expected, desired and healthy pods as its status has them."""
    found = {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "ml", "generation": 1},
        "spec": {"selector": {"matchLabels": labels}, **spec},
    }
    if counts is None:
        return found
    expected, desired, healthy = counts
    return found | {
        "status": {
            "observedGeneration": 1,
            "expectedPods": expected,
            "desiredHealthy": desired,
            "currentHealthy": healthy,
            "disruptionsAllowed": max(healthy - desired, 0),
        }
    }


def key(pod: dict[str, Any]) -> str:
    """Namespace and name of a pod that a case describes."""
    return f"{pod['namespace']}/{pod['name']}"


def owner_name(pod: str) -> str:
    """The name of the controller that a pod of this name is made by."""
    return pod.rpartition("-")[0] or pod


def read(*objects: Object, complete: Iterable[str] = ()) -> Objects:
    """The objects as a verb reads them, in files of every kind; of the `complete` kinds a cluster was asked for all."""
    reading = Reading()
    assert reading.add([json.dumps({"kind": "List", "items": objects}).encode()]) is None
    reading.looked_for("Node", "Pod", "PodDisruptionBudget", *complete)
    return reading.objects()


def files(folder: Path, *objects: Object) -> list[str]:
    """The objects in the files that the options name, and those options."""
    kinds = {"Node": "nodes", "Pod": "pods", "PodDisruptionBudget": "budgets"}
    options = []
    for option in ("nodes", "pods", "budgets", "drivers"):
        items = [one for one in objects if kinds.get(one["kind"], "drivers") == option]
        path = folder / f"{option}.json"
        path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}, indent=4))
        options += [f"--{option}", str(path)]
    return options


def upgrade(
    verb: str, *objects: Object, version: str = "", without: Iterable[str] = (), more: Iterable[str] = ()
) -> Any:
    """What `upgrade status` or `upgrade simulate` answers as JSON; `without` names options that are not given."""
    with TemporaryDirectory() as folder:
        given = files(Path(folder), *objects)
        pairs = zip(given[::2], given[1::2], strict=True)
        options = [text for pair in pairs if pair[0].removeprefix("--") not in without for text in pair]
        release = ["--operator", version] if version else []
        called = call_in(Path(folder), "upgrade", verb, *options, *release, "--format", "json")
    assert called.code in {0, 1, 3}, called.text
    return called.objects


# One node's upgrade has failed, and three wait for it.
FAILED = (
    policy(),
    *daemonset(),
    node("n1", "upgrade-failed", cordoned=True),
    *(node(f"n{number}", "upgrade-required") for number in (2, 3, 4)),
    *(driver_pod(f"n{number}", "old") for number in (1, 2, 3, 4)),
    *(validator(f"n{number}") for number in (1, 2, 3, 4)),
    pod("train-0", "n1", "Job", empty_dir=True),
)
# One node, which runs the driver that is wanted.
WELL = (policy(), *daemonset(), node("n1", "upgrade-done"), driver_pod("n1"), validator("n1"))
