"""From a new kernel to a finished upgrade, with the installed command in a real repository. Labels are the facts."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.audited import node
from tests.testing.command import DRIVERGATE
from tests.testing.fleet import CATALOG, EAST, FLEET, IMAGES, NEXT, NEXT_TAG, OBJECT, TAG, Fleet, drivergate
from tests.testing.live import STATE, budget, daemonset, driver_pod, pod, validator
from tests.testing.registry import keeping
from tests.testing.registry.debian import running
from tests.testing.registry.keeping import built
from tests.testing.registry.pusher import Pusher

REPOSITORY = "nvcr.io/nvidia/driver"
WORKLOADS = "inventory/workloads/ml.yaml"
BUDGET = """\
apiVersion: drivergate.dev/v1alpha1
kind: Workloads
team: ml
workloads:
  serving:
    runsOn: {clusters: [east], pools: [train]}
    namespace: ml
    owner: {kind: Deployment}
    podLabels: {app: serving}
    replicas: 2
    disruptionBudget: {existing: {%s}}
"""
NAMES = ("train-1", "train-2", "train-3", "train-4")
AHEAD = "train-4"
Object = dict[str, Any]


def nodes() -> list[Object]:
    """Four nodes of the pool; the last one has booted a kernel that nobody declared."""
    more = {"x/y": None, "example.com/pool": "train", "nvidia.com/gpu.deploy.driver": "true", STATE: "upgrade-done"}
    kernels = {AHEAD: {"kernel": NEXT}}
    return [node(name, labels=more, **kernels.get(name, {})) for name in NAMES]


def waiting(tag: str) -> Object:
    """A container whose image nobody built."""
    reason = {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{REPOSITORY}:{tag}"'}
    return {"image": f"{REPOSITORY}:{tag}", "state": {"waiting": reason}}


def pods(*, pulled: bool) -> Iterator[Object]:
    """A driver pod and a validator for each node, and two pods that use GPUs."""
    for name in NAMES:
        tag = NEXT_TAG if name == AHEAD else TAG
        if name == AHEAD and not pulled:
            yield driver_pod(name, ready=False, **waiting(tag))
        else:
            yield driver_pod(name, image=f"{REPOSITORY}:{tag}")
            yield validator(name)
    for index in (0, 1):
        yield pod(f"serving-{index}", NAMES[index], labels={"app": "serving"})


def seen(folder: Path, *objects: Mapping[str, Any]) -> str:
    """What kubectl wrote down, as one list of mixed kinds."""
    folder.mkdir(exist_ok=True)
    path = folder / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)


@pytest.fixture
def gated(fleet: Fleet) -> Fleet:
    """The small fleet behind the gate: git itself asks it."""
    fleet.hook(f"exec {DRIVERGATE} check --staged")
    return fleet


def refused(fleet: Fleet) -> str:
    """What the hook says to a commit of everything that is there."""
    fleet.git("add", "-A")
    fleet.git("commit", "-qm", "refused", code=1)
    return drivergate(fleet.path, "check", "--staged").out


def test_from_a_new_kernel_to_a_finished_upgrade(gated: Fleet, tmp_path: Path) -> None:
    root, objects = gated.path, [yaml.safe_load((gated.path / OBJECT).read_text())]
    files = seen(tmp_path / "before", *nodes(), *pods(pulled=False), *daemonset(), *objects)

    # A node with a newer kernel joins; audit names it first.
    audit = drivergate(root, "audit", "--nodes", files)
    told = [line.strip() for line in audit.out.splitlines() if line.startswith("  error: ")]
    assert audit.code == 1
    assert told[0] == (
        f"error: node {AHEAD} (train): it runs ubuntu22.04 with {NEXT} on amd64, and the pool declares ubuntu22.04 "
        "with 5.15.0-173-generic on amd64 [undeclared]"
    )
    assert told[1].startswith(f"error: node {AHEAD} (train): it needs {NEXT_TAG} for linux/amd64, which is not in")
    assert f"see what is nearest and how to build it: drivergate plan --kernel {NEXT}\n" in audit.out
    assert "2 errors" in audit.out.splitlines()[-1]
    assert not any(f"node {name} " in audit.out for name in NAMES[:3])
    stuck = drivergate(root, "upgrade", "status", "--nodes", files, "--cluster", "east")
    assert stuck.code == 1
    assert f"the pull of {REPOSITORY}:{NEXT_TAG} fails, ImagePullBackOff" in stuck.out

    # Plan, as audit's hint says, lists the image.
    plan = drivergate(root, "plan", "--kernel", NEXT, "--fail-on", "missing")
    assert plan.code == 1
    assert plan.out.startswith("HOLD       east/train  4 nodes, 1 image\n")
    assert f"to come by first:\n  {REPOSITORY}:{NEXT_TAG}  linux/amd64\n" in plan.out

    # Declaring the kernel before its image is built is refused.
    assert drivergate(root, "audit", "--nodes", files, "--write-inventory").out == f"wrote {EAST}\n"
    gated.render()
    said = refused(gated)
    assert f'{EAST}:12:35: error: pool "east/train" needs {NEXT_TAG} for linux/amd64' in said
    assert "[image/missing]" in said
    assert drivergate(root, "upgrade", "runbook", "--kernel", NEXT).out.count("## ") == 1

    # The catalog gains it: the gate lets the commit through, and git agrees with the cluster.
    added = drivergate(root, "catalog", "add", f"{REPOSITORY}:{NEXT_TAG}", "--platform", "linux/amd64")
    assert (added.code, f"wrote {IMAGES}" in added.out) == (0, True), added.text
    assert "0 errors" in gated.check().out
    gated.commit(message="train-4 and its kernel")
    after = seen(tmp_path / "after", *nodes(), *pods(pulled=True), *daemonset(), *objects)
    again = drivergate(root, "audit", "--nodes", after)
    assert again.code == 0
    assert again.out.endswith("0 errors, 0 warnings: 4 of 4 GPU nodes as declared\n")

    # A budget would refuse the drain: the finding names it, and so does the replay.
    gated.write({WORKLOADS: BUDGET % "minAvailable: 2"})
    said = refused(gated)
    assert f'{WORKLOADS}:11:49: error: workload "serving": minAvailable 2 of 2 pods: nothing may be evicted' in said
    assert "[disruption/no-room]" in said
    stalls = drivergate(root, "upgrade", "simulate", "--cluster", "east")
    assert stalls.code == 1
    assert stalls.out.startswith("an upgrade of every node stalls: ")
    assert "the disruption budget serving needs 2 healthy pods and has 2 currently" in stalls.out
    live = budget("serving", {"app": "serving"}, (2, 2, 2), minAvailable=2)
    guarded = seen(tmp_path / "guarded", *nodes(), *pods(pulled=True), live, *daemonset(), *objects)
    assert drivergate(root, "upgrade", "simulate", "--nodes", guarded, "--cluster", "east").code == 1

    # The budget is mended: the gate lets it through, and the replay ends.
    gated.write({WORKLOADS: BUDGET % "maxUnavailable: 1"})
    gated.render()
    assert "0 errors" in gated.check().out
    gated.commit(message="one pod of serving at a time")
    mended = budget("serving", {"app": "serving"}, (2, 1, 2), maxUnavailable=1)
    roomy = seen(tmp_path / "mended", *nodes(), *pods(pulled=True), mended, *daemonset(), *objects)
    for given in (["--cluster", "east"], ["--cluster", "east", "--nodes", roomy]):
        finished(root, *given)


def finished(root: Path, *given: str) -> None:
    """Every node is upgrade-done and uncordoned, one after the other, and both pods had to move."""
    text = drivergate(root, "upgrade", "simulate", *given)
    assert text.code == 0
    assert "4 nodes are upgrade-done" in text.out.splitlines()[0]
    found = drivergate(root, "upgrade", "simulate", *given, "--format", "json").json
    assert found["done"] is True
    assert [lane["node"] for lane in found["lanes"]] == list(NAMES)
    assert [[span["state"] for span in lane["spans"]][-2:] for lane in found["lanes"]] == [
        ["uncordon-required", "upgrade-done"]
    ] * len(NAMES)
    kinds = [(one["kind"], one["node"]) for one in found["events"] if one["kind"] in {"cordoned", "uncordoned"}]
    assert kinds == [(kind, name) for name in NAMES for kind in ("cordoned", "uncordoned")]
    evicted = [one["detail"] for one in found["events"] if one["kind"] == "evicted"]
    assert {*evicted} == {"ml/serving-0", "ml/serving-1"}


def test_the_catalog_gains_it_from_a_registry(
    tmp_path: Path, rendered: dict[str, str | bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same image, built and pushed: sync finds it, and the gate opens."""
    keeping.alone(tmp_path, monkeypatch)
    with running(tmp_path / "registry") as address:
        repository = f"{address}/nvidia/driver"
        pusher = Pusher(f"http://{address}")
        pusher.push("nvidia/driver", TAG, built(TAG))
        own = {"inventory/fleet.yaml": FLEET, IMAGES: f"{CATALOG.rstrip()} []\n", EAST: rendered[EAST]}
        moved = {path: str(text).replace(REPOSITORY, repository) for path, text in own.items() if path != EAST}
        cluster = bytes(str(rendered[EAST]).replace("173-generic]", f"173-generic, {NEXT}]"), "utf-8")
        fleet = Fleet(tmp_path / "fleet", {**moved, EAST: cluster})
        fleet.commit()
        assert drivergate(fleet.path, "catalog", "sync").code == 0
        fleet.render()
        missing = fleet.check()
        assert missing.code == 1
        assert f"needs {NEXT_TAG} for linux/amd64" in missing.out
        assert TAG in (fleet.path / IMAGES).read_text()

        pusher.push("nvidia/driver", NEXT_TAG, built(NEXT_TAG))
        synced = drivergate(fleet.path, "catalog", "sync")
        assert synced.code == 0
        assert f"new  {repository}:{NEXT_TAG}" in synced.out
        assert fleet.check().code == 0
        verified = drivergate(fleet.path, "catalog", "verify")
        assert (verified.code, verified.out) == (0, f"{repository}: 2 as listed\n")
    gone = drivergate(fleet.path, "catalog", "verify")
    assert gone.code == 3
    assert fleet.check().code == 0, "the gate works offline"
