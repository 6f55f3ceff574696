"""Our answers in the words of the oracle (README-operator.md of the shared folder)."""

from typing import Any

from generator.facts import kernel as kernels
from generator.facts import label, osname, reference
from generator.facts.label import Node
from generator.facts.release import DriverApi, Release, resolve
from generator.operator import nodepool, objectname, selector
from generator.operator.image import Component, ImageSpec, NodeSystem, Refused, driver_image

APIS = {"nvidiadriver": DriverApi.NVIDIADRIVER, "clusterpolicy": DriverApi.CLUSTERPOLICY}


def release_of(case: dict[str, Any]) -> Release:
    found = resolve(case["operator"])
    assert isinstance(found, Release)
    return found


def nodes_of(given: dict[str, Any]) -> list[Node]:
    return [Node(node["name"], node["labels"]) for node in given["nodes"]]


def os_tag(case: dict[str, Any]) -> dict[str, Any]:
    tag = osname.os_tag(release_of(case), case["input"]["os_id"], case["input"]["os_version_id"])
    return {"error": "os_version_parse"} if isinstance(tag, osname.OsTagError) else {"os_tag": tag}


def image_ref(case: dict[str, Any]) -> dict[str, Any]:
    given, release = case["input"], release_of(case)
    spec = ImageSpec(
        api=APIS[given["api"]],
        repository=given["repository"],
        image=given["image"],
        version=given["version"],
        precompiled=given["precompiled"],
        component=Component(given["component"]),
        env=given["env"],
    )
    node = NodeSystem(
        os_id=given["os_id"],
        os_version=given["os_version_id"],
        os_major=given["os_version_id_major"],
        kernel=given["kernel_label"],
    )
    image = driver_image(release, spec, node)
    if isinstance(image, Refused):
        return {"error": str(image.reason)}
    if spec.api is DriverApi.NVIDIADRIVER:
        return {"image": image, **_pool_of(release, spec, node)}
    found = {"image": image, "image_parses": reference.parses(image)}
    if spec.precompiled and spec.component is Component.DRIVER:
        os_id, os_version = node.os_id or "", node.os_version or ""
        found["daemonset"] = objectname.policy_daemonset(release, node.kernel or "", os_id, os_version)
    return found


def _pool_of(release: Release, spec: ImageSpec, system: NodeSystem) -> dict[str, str]:
    labels = {
        label.GPU_PRESENT: "true",
        label.OWNER: "it",
        label.OS_ID: system.os_id,
        label.OS_VERSION: system.os_version,
        label.OS_MAJOR: system.os_major,
        label.KERNEL: system.kernel,
    }
    node = Node("n1", {key: value for key, value in labels.items() if value is not None})
    driver = nodepool.PoolDriver(name="it", precompiled=spec.precompiled)
    found = nodepool.node_pools(release, driver, [node])
    assert isinstance(found, nodepool.NodePools)
    (pool,) = found.pools
    return {"os_tag": pool.os_tag, "pool": pool.name}


def name(case: dict[str, Any]) -> dict[str, Any]:
    given, release = case["input"], release_of(case)
    match given["kind"]:
        case "sanitise":
            return {"sanitised": kernels.sanitised(given["kernel"], release)}
        case "collide":
            return _collisions(release, given["kernels"])
        case "nvidiadriver_names":
            return {
                "app_name": objectname.app_name(
                    given["driver_type"],
                    given["os_tag"],
                    given["uid"],
                    kernel=given["kernel"],
                    rhcos_version=given["rhcos_version"],
                ),
                "name": objectname.object_name(given["driver_type"], given["cr_name"], given["os_tag"]),
            }
        case "clusterpolicy_precompiled_daemonsets":
            return _policy_names(release, given)
        case other:
            raise AssertionError(other)


def _collisions(release: Release, given: list[str]) -> dict[str, Any]:
    groups: dict[str, list[str]] = {}
    for kernel in given:
        groups.setdefault(kernels.sanitised(kernel, release), []).append(kernel)
    return {
        "colliding_groups": sorted(sorted(group) for group in groups.values() if len(group) > 1),
        "distinct_names": len(groups),
    }


def _policy_names(release: Release, given: dict[str, Any]) -> dict[str, Any]:
    nodes = [Node(node.name, {**node.labels, label.GPU_PRESENT: "true"}) for node in nodes_of(given)]
    found = objectname.policy_daemonsets(release, nodes)
    if isinstance(found, objectname.KernelRefused):
        return {"error": str(found.reason)}
    names = list(found.daemonsets.values())
    return {
        "kernel_os": found.kernel_os,
        "daemonsets": found.daemonsets,
        "collisions": sum(names.count(one) > 1 for one in set(names)),
    }


def pools(case: dict[str, Any]) -> dict[str, Any]:
    forth, back = _pools(case, reverse=False), _pools(case, reverse=True)
    if isinstance(forth, nodepool.OsTagError) or isinstance(back, nodepool.OsTagError):
        return {"error": "os_version_parse"}
    found = {
        "pools": _pool_values(forth),
        "not_candidate": sorted(forth.not_candidate),
        "skipped": sorted(forth.skipped),
        "unserved": sorted(forth.unserved),
        "order_dependent": _pool_values(forth) != _pool_values(back),
    }
    return found | ({"pools_reverse_order": _pool_values(back)} if found["order_dependent"] else {})


def _pools(case: dict[str, Any], *, reverse: bool) -> nodepool.NodePools | osname.OsTagError:
    given = case["input"]
    driver = nodepool.PoolDriver(
        name=given["driver"]["name"],
        node_selector=given["driver"]["nodeSelector"],
        precompiled=given["driver"]["usePrecompiled"],
    )
    nodes = sorted(nodes_of(given), key=lambda node: node.name, reverse=reverse)
    return nodepool.node_pools(release_of(case), driver, nodes, openshift=given["openshift"])


def _pool_values(found: nodepool.NodePools) -> list[dict[str, Any]]:
    return [
        {
            "name": pool.name,
            "osTag": pool.os_tag,
            "kernel": pool.kernel,
            "rhcosVersion": pool.rhcos_version,
            "nodeSelector": dict(pool.node_selector),
            "nodes": sorted(pool.nodes),
        }
        for pool in found.pools
    ]


def selectors(case: dict[str, Any]) -> dict[str, Any]:
    release, nodes = release_of(case), nodes_of(case["input"])
    drivers = [
        selector.Driver(
            name=each["name"],
            node_selector=each["nodeSelector"],
            default=each["default"],
            deleting=each["deleting"],
        )
        for each in case["input"]["drivers"]
    ]
    problem = selector.validate(release, drivers, nodes)
    verdict = str(problem.reason) if problem else "ok"
    found: dict[str, Any] = {
        "validator": {driver.name: verdict for driver in drivers},
        "conflict": verdict != "ok",
    }
    if problem:
        found["conflict_class"] = verdict
    if not release.owner_label:
        chosen = selector.selected_by(release, drivers, nodes)
        return found | {"selected_by": {name: list(names) for name, names in chosen.items()}}
    before = {node.name: node.labels.get(label.OWNER) for node in nodes}
    after = selector.owners(drivers, nodes)
    if isinstance(after, selector.Conflicting):
        return found | {"owners": before, "assign_error": str(after.reason)}
    return found | {"owners": after, "assign_changed": after != before}
