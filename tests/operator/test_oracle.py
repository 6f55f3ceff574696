"""Every answer of the real operator on images, OS tags, names, node pools and selectors, by the commands' own roads.

The cases are nodes and pools of generated inventories, which are read and judged as `check` does; what the operator
makes of a node is what `audit` and `tag --node` ask. What is left out is named here, with the reason.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from generator.declared.fleet import Cluster
from generator.facts import label, reference
from generator.facts.kernel import architecture
from generator.facts.release import DriverApi
from generator.observed.node import Node
from generator.operator.ask import (
    Answer,
    Asks,
    ClaimedTwice,
    NoReference,
    NotAGpuNode,
    Unclaimed,
    Unlabelled,
    ask,
)
from generator.operator.claim import PCI_LABELS
from generator.operator.driverpod import DriverPod, Machine, Unmade, driver_pod
from generator.operator.image import policy_daemonset
from generator.operator.nodepool import OPENSHIFT_NODE, OPENSHIFT_SYSTEMS
from tests.testing.image_cases import (
    APIS,
    CHOSEN,
    REFUSED,
    Case,
    Cases,
    ImagePools,
    expected,
    has_node_without_os,
    is_declarable,
    kind_of,
    system_labels,
)
from tests.testing.many_clusters import Made, cluster_document, fleet_of, pool_values
from tests.testing.shared import oracle, own, release_of

SOURCES = [pytest.param(oracle, id="shared"), pytest.param(own, id="excerpt")]
DRIVER, VERSION = "nvcr.io/nvidia/driver", "580.126.20"


def differing(cases: Iterable[Case], answer: Callable[[Case], tuple[Any, Any]]) -> list[tuple[str, Any, Any]]:
    """Id, what the operator says and what we say, of each case in which they differ."""
    found = []
    for case in cases:
        theirs, ours = answer(case)
        if theirs != ours:
            found.append((case["id"], theirs, ours))
    return found


# Images.


def image_answer(pools: ImagePools, made: Made) -> Callable[[Case], tuple[Any, Any]]:
    """What the operator says of a case, and what we say."""

    def answer(case: Case) -> tuple[Any, Any]:
        given, place = case["input"], pools.place(case)
        theirs = expected(case)
        theirs.pop("os_tag", None)  # part of the image, and of the pool's name
        if given["os_id"] in OPENSHIFT_SYSTEMS and not given["precompiled"]:
            theirs.pop("pool", None)  # named by its OSTREE_VERSION where the operator knows that it is OpenShift
        ours = worded(ask(made.clusters[place[0]], pools.node(case)), case)
        kind = kind_of(case)
        assert all(kind in REFUSED[rule] for rule in made.refused.get(place, ())), (case["id"], kind)
        return theirs, {key: value for key, value in ours.items() if key in theirs or key == "error"}

    return answer


def worded(found: Answer, case: Case) -> dict[str, Any]:
    """Our answer in the words of the oracle."""
    match found:
        case NoReference(refused=refused):
            return {"error": str(refused.reason)}
        case Unlabelled(missing=missing):
            return {"error": skipped(missing, case)}
        case Asks(reference=image, node_pool=pool):
            given = case["input"]
            of_policy = policy_daemonset(
                release_of(case),
                given["kernel_label"] or "",
                given["os_id"] or "",
                given["os_version_id"] or "",
            )
            return {
                "image": image,
                "image_parses": reference.parses(image),
                "pool": pool.name if pool else None,
                "daemonset": of_policy,
            }
        case other:
            return {"unexpected": other}


def skipped(missing: tuple[str, ...], case: Case) -> str:
    """A ClusterPolicy stops at the first label that it misses; before v26.3 it looked for the kernel first."""
    if case["input"]["api"] == "nvidiadriver":
        return "node_skipped"
    kernel_first = not release_of(case).needs_os_labels
    if label.KERNEL in missing and (kernel_first or missing == (label.KERNEL,)):
        return "kernel_label_missing"
    return "os_label_missing"


@pytest.mark.parametrize("source", SOURCES)
def test_images_of_drivers(source: Callable[[str], Cases]) -> None:
    cases = [case for case in source("image_refs") if case["input"]["component"] == "driver" and is_declarable(case)]
    cases = [case for case in cases if not has_node_without_os(case)]
    assert cases
    pools = ImagePools(cases)
    assert differing(cases, image_answer(pools, fleet_of(pools.documents))) == []


# A refused companion stops the pod; the sentence says why.
COMPANION_REFUSALS = {
    "no image is set": "empty_image",
    "must be set together": "incomplete_spec",
    "is no image reference": "unparseable_ref",
}


def companion(case: Case) -> tuple[Any, Any]:
    """The image of GDS or GDRCopy in the driver's pod, which `diff` makes of the old and of the new settings."""
    given, api = case["input"], APIS[case["input"]["api"]]
    name = given["component"]
    sidecar = {"enabled": True, **{key: given[key] for key in ("repository", "image", "version")}}
    driver = {"repository": "nvcr.io/nvidia", "image": "driver", "version": VERSION}
    spec = {**driver, name: sidecar} if api is DriverApi.NVIDIADRIVER else {"driver": driver, name: sidecar}
    found = driver_pod(api, release_of(case), spec, Machine(labels=system_labels(given)))
    theirs = expected(case)
    if "error" in theirs:
        assert isinstance(found, Unmade), case["id"]
        classes = [error for words, error in COMPANION_REFUSALS.items() if words in found.message]
        return [theirs["error"]], classes
    assert isinstance(found, DriverPod), (case["id"], found)
    return theirs["image"], found.loaded[f"{name}.image"]


@pytest.mark.parametrize("source", SOURCES)
def test_images_of_companions(source: Callable[[str], Cases]) -> None:
    """Left out: an image that the operator's own environment names, which no inventory reads."""
    cases = [case for case in source("image_refs") if case["input"]["component"] != "driver"]
    named = [case for case in cases if not case["input"]["env"] or any(case["input"][key] for key in NAMING)]
    assert named
    assert differing(named, companion) == []


NAMING = ("repository", "image", "version")


# OS tags.


class OsTags:
    """A cluster for each release and API, with one pool of compiled drivers: its tag is version and OS."""

    def __init__(self, cases: Cases) -> None:
        releases = sorted({case["operator"] for case in cases})
        values = pool_values({}, repository=DRIVER, version=VERSION, precompiled=False)
        self.names = {(release, api): f"c{n}-{api.lower()}" for n, release in enumerate(releases) for api in DriverApi}
        self.made = fleet_of(
            cluster_document(name, release=release, api=str(api), pools={"all": values})
            for (release, api), name in self.names.items()
        )

    def answer(self, case: Case) -> tuple[Any, Any]:
        theirs = expected(case)
        given = {**case["input"], "kernel_label": "5.15.0-1-generic"}
        # Which tag a node's version gives is the question, not whether the node has every label.
        given["os_version_id_major"] = given.get("os_version_id_major") or "0"
        node = Node(name="n1", labels=system_labels(given))
        ours = {}
        for api in DriverApi:
            found = ask(self.made.clusters[self.names[case["operator"], api]], node)
            ours[api] = tag_of(found)
        wanted = dict.fromkeys(DriverApi, theirs)
        if "os_tag" in theirs and not reference.parses(f"{DRIVER}:{VERSION}-{theirs['os_tag']}"):
            wanted[DriverApi.NVIDIADRIVER] = {"error": "unparseable_ref"}
        return wanted, ours


def tag_of(found: Answer) -> dict[str, Any]:
    match found:
        case Asks(reference=image):
            return {"os_tag": image.removeprefix(f"{DRIVER}:{VERSION}-")}
        case NoReference(refused=refused):
            return {"error": str(refused.reason)}
        case other:
            return {"unexpected": other}


@pytest.mark.parametrize("source", SOURCES)
def test_os_tags(source: Callable[[str], Cases]) -> None:
    cases = source("os_tags")
    assert cases
    assert differing(cases, OsTags(cases).answer) == []


# Names. Left out: nvidiadriver_names, which depend on the UID of the object in the cluster. No command names them.


def precompiled_fleet(cases: Cases, api: DriverApi) -> dict[str, Cluster]:
    releases = sorted({case["operator"] for case in cases})
    values = pool_values({}, repository=DRIVER, version="580", precompiled=True)
    made = fleet_of(
        cluster_document(release.replace(".", "-"), release=release, api=str(api), pools={"all": values})
        for release in releases
    )
    return {release: made.clusters[release.replace(".", "-")] for release in releases}


def kernel_name(cluster: Cluster, kernel: str) -> str:
    """The kernel in the name of the operator's pool of a node that runs it."""
    given = {"os_id": "ubuntu", "os_version_id": "22.04", "os_version_id_major": "22", "kernel_label": kernel}
    found = ask(cluster, Node(name="n1", labels=system_labels(given)))
    assert isinstance(found, Asks), found
    assert found.node_pool is not None
    return found.node_pool.name.removeprefix("ubuntu22.04-")


def of_kind(cases: Cases, kind: str) -> Cases:
    """Left out: kernels that are no value of a label, as with a plus sign. No node can have them there."""
    found = [
        case
        for case in cases
        if case["input"]["kind"] == kind
        and not any(map(label.label_value_problem, case["input"].get("kernels") or [case["input"].get("kernel", "")]))
    ]
    assert found
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_kernels_in_names(source: Callable[[str], Cases]) -> None:
    cases = of_kind(source("names"), "sanitise")
    clusters = precompiled_fleet(cases, DriverApi.NVIDIADRIVER)

    def answer(case: Case) -> tuple[Any, Any]:
        return expected(case), {"sanitised": kernel_name(clusters[case["operator"]], case["input"]["kernel"])}

    assert differing(cases, answer) == []


@pytest.mark.parametrize("source", SOURCES)
def test_kernels_of_one_name(source: Callable[[str], Cases]) -> None:
    cases = of_kind(source("names"), "collide")
    clusters = precompiled_fleet(cases, DriverApi.NVIDIADRIVER)

    def answer(case: Case) -> tuple[Any, Any]:
        groups: dict[str, list[str]] = {}
        for kernel in case["input"]["kernels"]:
            groups.setdefault(kernel_name(clusters[case["operator"]], kernel), []).append(kernel)
        colliding = sorted(sorted(group) for group in groups.values() if len(group) > 1)
        return expected(case), {"colliding_groups": colliding, "distinct_names": len(groups)}

    assert differing(cases, answer) == []


def systems_of(case: Case) -> dict[tuple[str, str], list[str]]:
    """The kernels of each OS of a case; nodes without a label of either are left out."""
    found: dict[tuple[str, str], list[str]] = {}
    for node in case["input"]["nodes"]:
        labels = node["labels"]
        if all(key in labels for key in (label.OS_ID, label.OS_VERSION, label.KERNEL)):
            kernels = found.setdefault((labels[label.OS_ID], labels[label.OS_VERSION]), [])
            if labels[label.KERNEL] not in kernels:
                kernels.append(labels[label.KERNEL])
    return found


class PolicyNames:
    """A cluster for each case, with a pool for each OS of its nodes: what `check` says of them, and `audit`."""

    def __init__(self, cases: Cases) -> None:
        self.made = fleet_of(self._document(case) for case in cases)

    def _document(self, case: Case) -> str:
        pools = {}
        for number, ((os_id, version), kernels) in enumerate(systems_of(case).items()):
            pool = f"p{number}"
            values = pool_values({CHOSEN: pool}, repository=DRIVER, version="580", precompiled=True)
            machines = sorted({architecture(kernel) or "amd64" for kernel in kernels})
            system = {"os": {"id": os_id, "version": version}, "arch": machines, "kernels": kernels}
            pools[pool] = {**values, **system}
        api = str(DriverApi.CLUSTERPOLICY)
        return cluster_document(case["id"].partition("@")[0], release=case["operator"], api=api, pools=pools)

    def answer(self, case: Case) -> tuple[Any, Any]:
        name = case["id"].partition("@")[0]
        theirs = expected(case)
        if theirs.get("error") == "os_mismatch_same_kernel":
            return True, self._tells_of_systems(case, name)
        if theirs.get("error") == "kernel_label_missing":
            return True, any(label.KERNEL in self._missing(node, name) for node in case["input"]["nodes"])
        names = {}
        for node in case["input"]["nodes"]:
            labels = node["labels"]
            kernel, os_id, version = (labels.get(key, "") for key in (label.KERNEL, label.OS_ID, label.OS_VERSION))
            names[kernel] = policy_daemonset(release_of(case), kernel, os_id, version)
        listed = list(names.values())
        collisions = sum(listed.count(daemonset) > 1 for daemonset in set(listed))
        return [theirs["daemonsets"], theirs["collisions"]], [names, collisions]

    def _tells_of_systems(self, case: Case, name: str) -> bool:
        """By the rule of pools of two systems; a node without an OS label is told of itself."""
        refused = self.made.refused.items()
        by_rule = any(cluster == name and "operator/mixed-os" in rules for (cluster, _), rules in refused)
        return by_rule or any(label.OS_ID in self._missing(node, name) for node in case["input"]["nodes"])

    def _missing(self, node: Mapping[str, Any], name: str) -> tuple[str, ...]:
        labels = {**node["labels"], label.GPU_PRESENT: "true", CHOSEN: "p0"}
        found = ask(self.made.clusters[name], Node(name=node["name"], labels=labels))
        return found.missing if isinstance(found, Unlabelled) else ()


@pytest.mark.parametrize("source", SOURCES)
def test_daemonsets_of_a_precompiled_policy(source: Callable[[str], Cases]) -> None:
    """Left out: kernel_os, which is the labels of the nodes, and cases in which no node has all of its labels."""
    cases = [case for case in of_kind(source("names"), "clusterpolicy_precompiled_daemonsets") if systems_of(case)]
    assert differing(cases, PolicyNames(cases).answer) == []


# Node pools.


class NodePools:
    """A cluster for each case, with one pool: its NVIDIADriver."""

    def __init__(self, cases: Cases) -> None:
        self.made = fleet_of(self._document(case) for case in cases)

    def _document(self, case: Case) -> str:
        driver = case["input"]["driver"]
        precompiled = driver["usePrecompiled"]
        selector = driver["nodeSelector"] or {}
        version = "580" if precompiled else VERSION
        values = pool_values(selector, repository=DRIVER, version=version, precompiled=precompiled)
        api = str(DriverApi.NVIDIADRIVER)
        return cluster_document(cluster_name(case), release=case["operator"], api=api, pools={driver["name"]: values})

    def answer(self, case: Case) -> tuple[Any, Any]:
        theirs, forth = expected(case), self._pools(case, reverse=False)
        if "error" in theirs or "error" in forth:
            return theirs, forth
        theirs.pop("order_dependent", None)
        reverse = theirs.pop("pools_reverse_order", theirs["pools"])
        back = self._pools(case, reverse=True)
        return (theirs, reverse), (forth, back["pools"])

    def _pools(self, case: Case, *, reverse: bool) -> dict[str, Any]:
        """The nodes by the operator's pools, where the first of two that share a name decides for both."""
        given, nodes = case["input"], sorted(case["input"]["nodes"], key=lambda node: node["name"], reverse=reverse)
        pools: dict[str, Mapping[str, str]] = {}
        passed: dict[str, list[str]] = {"not_candidate": [], "skipped": []}
        for node in nodes:
            if not is_owned(case, node):
                passed["not_candidate"].append(node["name"])
                continue
            labels = {**node["labels"], **({OPENSHIFT_NODE: "rhel"} if given["openshift"] else {})}
            match ask(self.made.clusters[cluster_name(case)], Node(name=node["name"], labels=labels)):
                case Asks(node_pool=pool):
                    assert pool is not None
                    pools.setdefault(pool.name, pool.node_selector)
                case Unlabelled(missing=missing) if PCI_LABELS[0] not in missing:
                    passed["skipped"].append(node["name"])
                case NoReference(refused=refused):
                    return {"error": str(refused.reason)}
                case NotAGpuNode() | Unclaimed() | Unlabelled():
                    passed["not_candidate"].append(node["name"])
                case other:
                    raise AssertionError((case["id"], other))
        return self._served(case, pools, passed)

    def _served(
        self, case: Case, pools: Mapping[str, Mapping[str, str]], passed: Mapping[str, list[str]]
    ) -> dict[str, Any]:
        nodes = case["input"]["nodes"]
        rows = []
        for name, selector in sorted(pools.items()):
            chosen = sorted(node["name"] for node in nodes if label.matches(selector, node["labels"]))
            rows.append({"name": name, "nodeSelector": dict(selector), "nodes": chosen})
        served = {name for row in rows for name in row["nodes"]}
        away = {name for names in passed.values() for name in names}
        return {
            "pools": rows,
            "not_candidate": sorted(passed["not_candidate"]),
            "skipped": sorted(passed["skipped"]),
            "unserved": sorted(node["name"] for node in nodes if node["name"] not in served | away),
        }


def cluster_name(case: Case) -> str:
    return case["id"].replace("@", "-").replace(".", "-")


def is_owned(case: Case, node: Mapping[str, Any]) -> bool:
    """The owner label is the answer of another function of the operator, here a part of the question."""
    return not release_of(case).owner_label or node["labels"].get(label.OWNER) == case["input"]["driver"]["name"]


def shown(case: Case) -> Case:
    """Left out: osTag, kernel and rhcosVersion of a pool, which are in its name and in its selector."""
    if "error" in case:
        return case
    output = dict(case["output"])
    for key in ("pools", "pools_reverse_order"):
        if key in output:
            rows = output[key]
            output[key] = [{name: row[name] for name in ("name", "nodeSelector", "nodes")} for row in rows]
    return {**case, "output": output}


def contradicts_itself(case: Case) -> bool:
    """Left out: nodes of OpenShift's own systems in a cluster that is not OpenShift. There are none."""
    systems = {node["labels"].get(label.OS_ID) for node in case["input"]["nodes"]}
    return not case["input"]["openshift"] and bool(systems & OPENSHIFT_SYSTEMS)


@pytest.mark.parametrize("source", SOURCES)
def test_node_pools(source: Callable[[str], Cases]) -> None:
    cases = [shown(case) for case in source("node_pools") if not contradicts_itself(case)]
    assert cases
    assert differing(cases, NodePools(cases).answer) == []


# Selectors.


class Owners:
    """A cluster for each case, with a pool for each NVIDIADriver that is not being deleted: git has no other."""

    def __init__(self, cases: Cases) -> None:
        self.made = fleet_of(self._document(case) for case in cases)

    def _document(self, case: Case) -> str:
        pools = {}
        for driver in case["input"]["drivers"]:
            if driver["deleting"]:
                continue
            selector = driver["nodeSelector"] or {}
            values = pool_values(selector, repository=DRIVER, version="580", precompiled=True)
            if driver["default"] and release_of(case).default_object:
                values["default"] = True
            pools[driver["name"]] = values
        api = str(DriverApi.NVIDIADRIVER)
        return cluster_document(cluster_name(case), release=case["operator"], api=api, pools=pools)

    def answer(self, case: Case) -> tuple[Any, Any]:
        """Who claims each GPU node: one owner, none, or several that the operator then serves none of."""
        output = case["output"]
        cluster = self.made.clusters[cluster_name(case)]
        nodes = [node for node in case["input"]["nodes"] if node["labels"].get(label.GPU_PRESENT) == "true"]
        ours = {node["name"]: self._claiming(cluster, node) for node in nodes}
        if "selected_by" in output:
            return {node["name"]: output["selected_by"][node["name"]] for node in nodes}, ours
        if output.get("assign_error") == "conflict":
            return True, any(len(names) > 1 for names in ours.values())
        owners = {node["name"]: output["owners"][node["name"]] for node in nodes}
        return {name: [owner] if owner else [] for name, owner in owners.items()}, ours

    def _claiming(self, cluster: Cluster, node: Mapping[str, Any]) -> list[str]:
        match ask(cluster, Node(name=node["name"], labels=node["labels"])):
            case ClaimedTwice(pools=pools):
                return sorted(pool.object_name for pool in pools)
            case Unclaimed():
                return []
            case Unlabelled(pool=pool) | Asks(pool=pool):
                return [pool.object_name]
            case other:
                raise AssertionError(other)


# Errors of the objects themselves: the gate refuses them by these rules, and no node is asked about.
OBJECT_FAULTS = {
    "multiple_default": "operator/default-conflict",
    "default_with_selector": "operator/default-conflict",
    "reserved_label": "operator/reserved-label",
}


@pytest.mark.parametrize("source", SOURCES)
def test_who_claims_a_node(source: Callable[[str], Cases]) -> None:
    """An object that is being deleted is in no inventory: `selected_by` of cases with one is asked of status alone."""
    cases = [case for case in source("selector_conflicts") if case["output"].get("assign_error") not in OBJECT_FAULTS]
    cases = [case for case in cases if "owners" in case["output"] or not has_deleted(case)]
    assert cases
    assert differing(cases, Owners(cases).answer) == []


def has_deleted(case: Case) -> bool:
    return any(driver["deleting"] for driver in case["input"]["drivers"])


@pytest.mark.parametrize("source", SOURCES)
def test_objects_that_contradict_themselves_are_refused_by_the_gate(source: Callable[[str], Cases]) -> None:
    cases = [case for case in source("selector_conflicts") if case["output"].get("assign_error") in OBJECT_FAULTS]
    assert cases
    made = Owners(cases).made

    def answer(case: Case) -> tuple[Any, Any]:
        rules = {
            rule for (cluster, _), found in made.refused.items() if cluster == cluster_name(case) for rule in found
        }
        return True, OBJECT_FAULTS[case["output"]["assign_error"]] in rules

    assert differing(cases, answer) == []
