"""The oracle's images as nodes of a generated inventory, and what the gate says of what the operator refuses."""

from collections.abc import Mapping
from typing import Any

from generator.facts import label
from generator.facts.release import DriverApi
from generator.observed.node import Node
from generator.operator.nodepool import OPENSHIFT_SYSTEMS
from tests.testing.many_clusters import cluster_document, pool_values
from tests.testing.shared import release_of

Case = dict[str, Any]
Cases = list[Case]
APIS = {"nvidiadriver": DriverApi.NVIDIADRIVER, "clusterpolicy": DriverApi.CLUSTERPOLICY}
CHOSEN = "oracle.example/pool"
OSTREE = "418.94.202501011200-0"


def expected(case: Case) -> dict[str, Any]:
    return {"error": case["error"]} if "error" in case else dict(case["output"])


def present(labels: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if value is not None}


def system_labels(given: Mapping[str, Any]) -> dict[str, str]:
    """NFD's labels of a case. OpenShift's own systems have the label of their image: no real one is without."""
    labels = {
        label.GPU_PRESENT: "true",
        label.OS_ID: given.get("os_id"),
        label.OS_VERSION: given.get("os_version_id"),
        label.OS_MAJOR: given.get("os_version_id_major"),
        label.KERNEL: given.get("kernel_label"),
    }
    if given.get("os_id") in OPENSHIFT_SYSTEMS:
        labels[label.OSTREE_VERSION] = OSTREE
    return present(labels)


# What the gate refuses, and what the operator makes of it: an error, or a reference that no runtime can pull.
UNPULLABLE = "unpullable"
REFUSED = {
    "image/digest-with-precompiled": {"digest_with_precompiled", UNPULLABLE},
    "image/incomplete-reference": {"incomplete_spec", "unparseable_ref", UNPULLABLE},
    # Beside tags that don't parse, those that only some node makes legal or illegal.
    "image/illegal-tag": {"unparseable_ref", UNPULLABLE, "image"},
    # The operator composes it, with the OS or the kernel twice in the tag.
    "image/version-has-suffix": {"image"},
}


def is_declarable(case: Case) -> bool:
    """Left out: images without a version. An inventory can't leave it out, nor read the operator's environment."""
    return bool(case["input"]["version"])


def has_node_without_os(case: Case) -> bool:
    """Left out: ClusterPolicies before v26.3 on nodes without OS labels. They ask for a tag that ends in "-".

    Nobody builds such an image, and our answer names the labels that are missing.
    """
    given = case["input"]
    unknown_os = given["os_id"] is None or given["os_version_id"] is None
    policy = given["api"] == "clusterpolicy" and not release_of(case).needs_os_labels
    return policy and unknown_os and "error" not in case


def driver_key(case: Case) -> tuple[str, str, bool]:
    given = case["input"]
    whole = f"{given['repository']}/{given['image']}" if given["repository"] else given["image"]
    return whole, given["version"], given["precompiled"]


class ImagePools:
    """A cluster for each release and API, with a pool for each driver; a ClusterPolicy has one driver to a cluster."""

    def __init__(self, cases: Cases) -> None:
        places: dict[tuple[str, str, tuple[str, str, bool]], tuple[str, str]] = {}
        pools: dict[str, dict[str, Any]] = {}
        heads: dict[str, tuple[str, str]] = {}
        for case in cases:
            operator, api, driver = case["operator"], case["input"]["api"], driver_key(case)
            if (operator, api, driver) in places:
                continue
            cluster = f"{operator.replace('.', '-')}-{api}"
            if api == "clusterpolicy":
                cluster += f"-{len(places)}"
            pool = f"p{len(places)}"
            repository, version, precompiled = driver
            values = pool_values({CHOSEN: pool}, repository=repository, version=version, precompiled=precompiled)
            pools.setdefault(cluster, {})[pool] = values
            heads[cluster] = (operator, str(APIS[api]))
            places[operator, api, driver] = (cluster, pool)
        self.places = places
        self.documents = [
            cluster_document(name, release=heads[name][0], api=heads[name][1], pools=of) for name, of in pools.items()
        ]

    def place(self, case: Case) -> tuple[str, str]:
        """The cluster and the pool of a case."""
        return self.places[case["operator"], case["input"]["api"], driver_key(case)]

    def node(self, case: Case, name: str = "n1") -> Node:
        """The node of a case."""
        return Node(name=name, labels={**system_labels(case["input"]), CHOSEN: self.place(case)[1]})


def kind_of(case: Case) -> str:
    """The operator's error, or whether a runtime can pull the image that it asks for."""
    if "error" in case:
        return str(case["error"])
    return UNPULLABLE if case["output"].get("image_parses") is False else "image"
