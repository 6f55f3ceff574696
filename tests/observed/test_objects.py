"""Objects as kubectl prints them (kubernetes api/core/v1, policy/v1, apps/v1), cut to what could matter."""

import json
import tracemalloc

import pytest

from generator.facts.budget import Budget, Status
from generator.facts.gpupod import ClaimReference, Device, GpuPod
from generator.observed.objects import Objects, Reading
from generator.observed.pod import Container, Owner
from generator.observed.unreadable import Unreadable


def read(*objects: dict) -> Objects:
    reading = Reading()
    assert reading.add([json.dumps({"kind": "List", "items": objects}).encode()]) is None
    return reading.objects()


def driver_pod() -> dict:
    return {
        "kind": "Pod",
        "metadata": {
            "name": "nvidia-driver-daemonset-x1",
            "namespace": "gpu-operator",
            "labels": {"app": "nvidia-driver-daemonset", "controller-revision-hash": "6b7c"},
            "ownerReferences": [
                {"kind": "DaemonSet", "name": "nvidia-driver-daemonset", "uid": "u1", "controller": True}
            ],
        },
        "spec": {
            "nodeName": "n1",
            "initContainers": [{"name": "k8s-driver-manager", "env": [{"name": "NODE_NAME", "valueFrom": {}}]}],
            "containers": [{"name": "nvidia-driver-ctr", "env": [{"name": "DRIVER_CONFIG_DIGEST", "value": "4711"}]}],
            "volumes": [{"name": "run", "hostPath": {"path": "/run"}}, {"name": "tmp", "emptyDir": {}}],
        },
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "Ready", "status": "False"}],
            "initContainerStatuses": [{"name": "k8s-driver-manager", "ready": True, "restartCount": 12}],
            "containerStatuses": [
                {
                    "name": "nvidia-driver-ctr",
                    "ready": False,
                    "restartCount": 0,
                    "image": "nvcr.io/nvidia/driver:580.126.20-6.8.0-101-generic-ubuntu24.04",
                    "imageID": "nvcr.io/nvidia/driver@sha256:ab",
                    "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}},
                }
            ],
        },
    }


def test_a_driver_pod():
    (pod,) = read(driver_pod()).pods.values()
    assert (pod.key, pod.node, pod.phase, pod.ready, pod.drives) == (
        "gpu-operator/nvidia-driver-daemonset-x1",
        "n1",
        "Pending",
        False,
        True,
    )
    assert pod.config_digest == "4711"
    assert (pod.runs, pod.restarts) == (False, 12)
    assert (pod.owner, pod.empty_dir) == (Owner("DaemonSet", "nvidia-driver-daemonset", "u1"), True)
    assert pod.containers == (
        Container(name="k8s-driver-manager", init=True, ready=True, restarts=12),
        Container(
            name="nvidia-driver-ctr",
            waiting="ImagePullBackOff",
            message="Back-off pulling image",
            image="nvcr.io/nvidia/driver:580.126.20-6.8.0-101-generic-ubuntu24.04",
            image_id="nvcr.io/nvidia/driver@sha256:ab",
        ),
    )


def test_a_gpu_pod():
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "train",
            "namespace": "ml",
            "deletionTimestamp": "2026-05-01T00:00:00Z",
            "annotations": {"kubernetes.io/config.mirror": "x"},
            "ownerReferences": [{"kind": "ReplicaSet", "name": "train", "controller": False}],
        },
        "spec": {
            "containers": [
                {"name": "a", "resources": {"limits": {"nvidia.com/gpu": "2", "memory": "1Gi"}}},
                {"name": "b", "resources": {"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}},
            ],
            "initContainers": [{"name": "c", "resources": {"limits": {"nvidia.com/mig-1g.10gb": "1"}}}],
            "resourceClaims": [
                {"name": "one", "resourceClaimName": "mine"},
                {"name": "two", "resourceClaimTemplateName": "t"},
            ],
        },
        "status": {
            "phase": "Running",
            "resourceClaimStatuses": [{"name": "two", "resourceClaimName": "train-two"}],
        },
    }
    (found,) = read(pod).pods.values()
    assert found.gpu == GpuPod(
        resources=frozenset({"nvidia.com/gpu", "memory"}),
        references=(ClaimReference("one", "mine"), ClaimReference("two")),
        made={"two": "train-two"},
    )
    assert (found.owner, found.owned, found.terminating, found.mirror) == (None, True, True, True)
    assert found.wants == {"nvidia.com/gpu": 3}
    assert found.containers == ()


def test_a_budget_with_its_status():
    budget = {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "serving", "namespace": "ml", "generation": 2},
        "spec": {"maxUnavailable": "25%", "selector": {"matchLabels": {"app": "serving"}}},
        "status": {
            "observedGeneration": 2,
            "disruptionsAllowed": 0,
            "currentHealthy": 2,
            "desiredHealthy": 3,
            "expectedPods": 4,
            "conditions": [{"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods"}],
        },
    }
    (found,) = read(budget).budgets.values()
    assert found.budget == Budget(name="serving", max_unavailable="25%", selector={"matchLabels": {"app": "serving"}})
    assert found.status == Status(expected=4, desired=3, healthy=2, allowed=0)


@pytest.mark.parametrize("status", [None, {}, {"disruptionsAllowed": 0, "currentHealthy": 0}])
def test_a_budget_that_nobody_counted_has_no_status(status):
    budget = {"kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {"minAvailable": 1}}
    (found,) = read(budget | ({} if status is None else {"status": status})).budgets.values()
    assert found.status is None


def test_a_sync_that_failed():
    budget = {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "generation": 1},
        "spec": {"maxUnavailable": 1},
        "status": {
            "conditions": [
                {
                    "type": "DisruptionAllowed",
                    "status": "False",
                    "reason": "SyncFailed",
                    "message": "jobs.batch does not implement the scale subresource",
                }
            ]
        },
    }
    (found,) = read(budget).budgets.values()
    assert found.status == Status(synced=False, failure="jobs.batch does not implement the scale subresource")


def test_the_operators_objects():
    objects = read(
        {
            "kind": "NVIDIADriver",
            "metadata": {"name": "a"},
            "spec": {"usePrecompiled": True},
            "status": {"state": "ready"},
        },
        {"kind": "ClusterPolicy", "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"}},
        {
            "kind": "DaemonSet",
            "metadata": {
                "name": "d",
                "namespace": "gpu-operator",
                "labels": {"app.kubernetes.io/component": "nvidia-driver"},
                "annotations": {"deprecated.daemonset.template.generation": "3"},
                "ownerReferences": [{"kind": "NVIDIADriver", "name": "a", "controller": True}],
            },
            "spec": {"template": {"spec": {"containers": [{"env": [{"name": "DRIVER_CONFIG_DIGEST", "value": "9"}]}]}}},
            "status": {"desiredNumberScheduled": 4},
        },
        {"kind": "DaemonSet", "metadata": {"name": "other", "namespace": "kube-system"}},
        {"kind": "ControllerRevision", "metadata": {"name": "d-7", "namespace": "gpu-operator"}, "revision": 5},
        {"kind": "ReplicaSet", "metadata": {"name": "r", "namespace": "ml"}, "spec": {"replicas": 0}},
        {
            "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "ml"},
            "status": {"allocation": {"devices": {"results": [{"driver": "gpu.nvidia.com", "adminAccess": True}]}}},
        },
        {"kind": "Secret", "metadata": {"name": "s"}},
    )
    assert objects.drivers["a"].spec == {"usePrecompiled": True}
    assert objects.policies["p"].created == "2026-01-01T00:00:00Z"
    assert objects.daemonsets.keys() == {"gpu-operator/d", "kube-system/other"}
    daemonset = objects.daemonsets["gpu-operator/d"]
    assert (daemonset.owner_kind, daemonset.owner_name, daemonset.config_digest) == ("NVIDIADriver", "a", "9")
    assert (daemonset.template_generation, daemonset.desired) == ("3", 4)
    assert objects.revisions["gpu-operator/d-7"].number == 5
    assert objects.scales["ml/ReplicaSet/r"].replicas == 0
    assert objects.claims["ml/c"].devices == (Device("gpu.nvidia.com", admin=True),)
    assert "Secret" in objects.kinds


def test_an_object_that_is_read_twice_counts_once():
    first, second = driver_pod(), driver_pod()
    second["status"]["phase"] = "Running"
    assert [pod.phase for pod in read(first, second).pods.values()] == ["Running"]


def test_what_no_api_server_writes_is_named():
    reading = Reading()
    problem = reading.add([json.dumps({"kind": "Pod", "metadata": {"name": "p", "labels": {"a": 1}}}).encode()])
    assert problem == Unreadable(
        "Pod p is not as an API server writes it: expected `str`, got `int` at metadata.labels[...]",
        "write it again with kubectl get -o json",
    )


def test_many_pods_are_never_in_memory_as_text():
    """4,000 pods of 5 KB each are 20 MB of text; what is kept of them is less than half of that."""
    pod = driver_pod()
    pod["metadata"]["labels"] = {"app": "train"}
    pod["metadata"]["annotations"] = {"note": "x" * 4000}

    def chunks():
        yield b'{"kind": "List", "items": ['
        for number in range(4_000):
            pod["metadata"]["name"] = f"p{number}"
            yield b"," * (number > 0) + json.dumps(pod).encode()
        yield b"]}"

    reading = Reading()
    tracemalloc.start()
    try:
        assert reading.add(chunks()) is None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(reading.objects().pods) == 4_000
    assert peak < 12_000_000
