"""The shape of the inventory: one frozen struct per kind, the source of the JSON Schemas.

Sample: `inventory/`. Names of driver and upgrade settings are the CRD's own.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from generator.declared import deliverymodel, workloadmodel
from generator.declared.entry import DIGEST, PLATFORM, REPOSITORY, TAG, VERSION
from generator.declared.modelparts import Count, Day, Labels, Namespace, ObjectName, Range, Shape, Text, schema_of
from generator.layout import INVENTORY

Arch = Literal["amd64", "arm64"]
Mode = Literal["precompiled", "compiled", "preinstalled", "unmanaged"]
Install = Literal["helm", "manifest", "olm"]
DriverApi = Literal["NVIDIADriver", "ClusterPolicy"]
ModuleType = Literal["auto", "open", "proprietary"]

# Patterns end in `$(?!\n)`: for Python's re, `$` alone lets a line end follow.
# A cluster's name is a folder under out/; a leading "_" or "." is reserved for drivergate's own.
ClusterName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$(?!\n)",
        max_length=100,
        description="the name of the cluster's folder under out/ (letters, digits, '-', '_' and '.')",
    ),
]


class Os(Shape, frozen=True):
    """An operating system as NFD labels it."""

    id: Annotated[Text, Meta(description="NFD's system-os_release.ID, for example ubuntu, rhel, rhcos")]
    version: Annotated[Text, Meta(description='NFD\'s system-os_release.VERSION_ID, quoted: "24.04"')]


class Gpu(Shape, frozen=True):
    """The GPUs of a pool."""

    family: Annotated[Text, Meta(description="GPU architecture, for example ampere, hopper, ada, blackwell")]


class WaitForCompletion(Shape, frozen=True):
    """upgradePolicy.waitForCompletion of the CRD."""

    pod_selector: str | UnsetType = UNSET
    timeout_seconds: Count | UnsetType = UNSET


class PodDeletion(Shape, frozen=True):
    """upgradePolicy.podDeletion of the CRD (the chart calls it gpuPodDeletion)."""

    force: bool | UnsetType = UNSET
    timeout_seconds: Count | UnsetType = UNSET
    delete_empty_dir: bool | UnsetType = UNSET


class Drain(Shape, frozen=True):
    """upgradePolicy.drain of the CRD."""

    enable: bool | UnsetType = UNSET
    force: bool | UnsetType = UNSET
    pod_selector: str | UnsetType = UNSET
    timeout_seconds: Count | UnsetType = UNSET
    delete_empty_dir: bool | UnsetType = UNSET


class UpgradePolicy(Shape, frozen=True):
    """spec.upgradePolicy of the CRD: its own names and meaning."""

    auto_upgrade: bool | UnsetType = UNSET
    max_parallel_upgrades: Annotated[Count, Meta(description="0 means no limit")] | UnsetType = UNSET
    max_unavailable: (
        Count
        | Annotated[str, Meta(pattern=r"^(100|[0-9]{1,2})%$(?!\n)", description='a number of nodes, or "25%"')]
        | UnsetType
    ) = UNSET
    wait_for_completion: WaitForCompletion | UnsetType = UNSET
    pod_deletion: PodDeletion | UnsetType = UNSET
    drain: Drain | UnsetType = UNSET


class DriverLayer(Shape, frozen=True):
    """Driver settings at one level; nearer levels win key by key."""

    repository: (
        Annotated[str, Meta(description="the whole name, as in the catalog: nvcr.io/nvidia/driver")] | UnsetType
    ) = UNSET
    mode: Mode | UnsetType = UNSET
    branch: (
        Annotated[
            Text,
            # What follows a dash is told by image/version-has-suffix.
            Meta(
                pattern=r"^[^.-]*(-[\s\S]*)?$(?!\n)",
                description='a driver branch such as "580" (an exact version, "580.126.20", is set as version)',
            ),
        ]
        | UnsetType
    ) = UNSET
    version: Annotated[Text, Meta(description='an exact driver version, "580.126.20"')] | UnsetType = UNSET
    kernel_module_type: ModuleType | UnsetType = UNSET
    upgrade_policy: UpgradePolicy | UnsetType = UNSET
    spec: (
        Annotated[
            dict[str, Any],
            Meta(description="any other field of the driver API in use, checked against the declared release"),
        ]
        | UnsetType
    ) = UNSET


class OperatorLayer(Shape, frozen=True):
    """Operator settings at one level."""

    version: Annotated[Text, Meta(description="the GPU operator's release, for example v26.7.0")] | UnsetType = UNSET
    namespace: Namespace | UnsetType = UNSET
    install: Install | UnsetType = UNSET
    cluster_policy_name: ObjectName | UnsetType = UNSET
    cluster_policy_base: (
        Annotated[Text, Meta(description="a ClusterPolicy manifest outside inventory/ and out/")] | UnsetType
    ) = UNSET
    driver_api: DriverApi | UnsetType = UNSET


# Days, as "1d": a unit leaves room for hours.
MaxAge = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,3}d$(?!\n)",
        description='how old an audit may be that --observed takes for evidence, in days: "1d"',
    ),
]


class Layer(Shape, frozen=True):
    """What can be set for a fleet, a profile or a cluster."""

    operator: OperatorLayer | UnsetType = UNSET
    driver: DriverLayer | UnsetType = UNSET
    cuda: workloadmodel.CudaLayer | UnsetType = UNSET
    protect: Annotated[bool, Meta(description="prune protection on driver objects")] | UnsetType = UNSET
    delivery: deliverymodel.Delivery | UnsetType = UNSET
    observed_max_age: MaxAge | UnsetType = UNSET


class Silence(Shape, frozen=True):
    """A rule that is ignored or lowered, why, and until which day."""

    rule: Text
    reason: Text
    until: Day | UnsetType = UNSET
    level: Literal["ignore", "warning"] = "ignore"
    pools: list[Text] | UnsetType = UNSET
    workloads: list[Text] | UnsetType = UNSET


class FleetSilence(Silence, frozen=True):
    """A silence for the whole fleet, or for some of its clusters."""

    clusters: list[Text] | UnsetType = UNSET


class Mirror(Shape, frozen=True):
    """A repository that stands for another one."""

    of: Annotated[
        str,
        Meta(
            pattern=f"^{REPOSITORY}$(?!\\n)", description="the whole name of its upstream, as in nvcr.io/nvidia/driver"
        ),
    ]
    kind: Annotated[
        Literal["copy", "proxy", "node"],
        Meta(
            description="copy: has its own catalog; proxy: hands out what its upstream has; node: nodes are sent to it"
        ),
    ]


class Source(Shape, frozen=True):
    """A part of the inventory that lives in another repository, read at the commit that a lock file pins."""

    url: Annotated[Text, Meta(description="https://…, ssh://… or user@host:path, without credentials")]
    ref: Annotated[Text, Meta(description="the branch or tag that `drivergate sources update` follows")]
    path: Annotated[str, Meta(description="the folder that holds the documents; default: inventory")] = INVENTORY


class Fleet(Shape, frozen=True):
    """The repository's one Fleet document."""

    api_version: Literal["drivergate.dev/v1alpha1"]
    kind: Literal["Fleet"]
    name: Text
    requires: Annotated[str, Meta(description='versions of drivergate that may render, ">=0.1,<1"')] = ""
    defaults: Layer = field(default_factory=Layer)
    profiles: dict[str, Layer] = {}
    mirrors: Annotated[dict[str, Mirror], Meta(description="by the mirror's own whole name")] = {}
    crds: Annotated[list[Text], Meta(description="CustomResourceDefinition files that really run")] = []
    sources: Annotated[dict[str, Source], Meta(description="inventories of other repositories, by a name")] = {}
    silenced: list[FleetSilence] = []


class NodeImage(Shape, frozen=True):
    """A stream of machine images: append-only, one kernel per release."""

    api_version: Literal["drivergate.dev/v1alpha1"]
    kind: Literal["NodeImage"]
    name: Text
    os: Os
    arch: Annotated[list[Arch], Meta(min_length=1)]
    kernels: Annotated[dict[str, Text], Meta(description="release of the image -> uname -r")]
    running: Annotated[list[Text], Meta(description="releases that a node may boot today, rollback included")]
    upcoming: Annotated[list[Text], Meta(description="releases that the next roll brings")] = []


class Hold(Shape, frozen=True):
    """Why the driver of a pool may not change for now, and until which day."""

    reason: Text
    until: Day | UnsetType = UNSET


class Pool(Shape, frozen=True):
    """GPU nodes of a cluster that share selector, node image or kernels, and driver."""

    owner: Text | UnsetType = UNSET
    node_selector: Labels | UnsetType = UNSET
    default: Annotated[bool, Meta(description="the GPU nodes that no other pool claims, from v26.7 on")] = False
    taints: Annotated[list[Text], Meta(description='as kubectl writes them: "key=value:NoSchedule"')] = []
    nodes: Count | Range | UnsetType = UNSET
    gpu: Gpu | UnsetType = UNSET
    secure_boot: bool | UnsetType = UNSET
    node_image: Annotated[Text, Meta(description="the name of a NodeImage")] | UnsetType = UNSET
    os: Os | UnsetType = UNSET
    arch: Annotated[list[Arch], Meta(min_length=1)] | UnsetType = UNSET
    kernels: list[Text] | UnsetType = UNSET
    upcoming_kernels: list[Text] | UnsetType = UNSET
    kernel_source: Literal["pinned", "floating"] = "pinned"
    driver: DriverLayer | UnsetType = UNSET
    protect: bool | UnsetType = UNSET
    renamed_from: Annotated[Text, Meta(description="the driver object's name, kept through a rename")] | UnsetType = (
        UNSET
    )
    hold: Annotated[Hold, Meta(description="the gate refuses a change of the pool's driver")] | UnsetType = UNSET


class Cluster(Shape, frozen=True):
    """One cluster and its pools."""

    api_version: Literal["drivergate.dev/v1alpha1"]
    kind: Literal["Cluster"]
    name: ClusterName
    ring: Annotated[
        str, Meta(description='the wave of a rollout that the cluster is in; "0" is the canary, 10 comes after 9')
    ] = ""
    kube_context: Annotated[str, Meta(description="default: the cluster's name")] = ""
    profile: str = ""
    operator: OperatorLayer | UnsetType = UNSET
    driver: DriverLayer | UnsetType = UNSET
    cuda: workloadmodel.CudaLayer | UnsetType = UNSET
    protect: bool | UnsetType = UNSET
    delivery: deliverymodel.Delivery | UnsetType = UNSET
    observed_max_age: MaxAge | UnsetType = UNSET
    pools: dict[str, Pool] = {}
    silenced: list[Silence] = []


class CatalogImage(Shape, frozen=True):
    """One built image, on one line."""

    tag: Annotated[str, Meta(pattern=f"^{TAG}$")]
    platforms: (
        Annotated[
            list[Annotated[str, Meta(pattern=f"^{PLATFORM}$")]], Meta(min_length=1, description="absent: not recorded")
        ]
        | UnsetType
    ) = UNSET
    driver_version: Annotated[str, Meta(pattern=f"^{VERSION}$")] | UnsetType = UNSET
    module_type: Literal["open", "proprietary"] | UnsetType = UNSET
    digest: Annotated[str, Meta(pattern=f"^{DIGEST}$")] | UnsetType = UNSET
    gone: Annotated[bool, Meta(description="vanished from the registry: counts as missing")] = False


class ImageCatalog(Shape, frozen=True):
    """The images of one repository that are built; one file, or split by branch and OS."""

    api_version: Literal["drivergate.dev/v1alpha1"]
    kind: Literal["ImageCatalog"]
    repository: Annotated[str, Meta(pattern=f"^{REPOSITORY}$")]
    images: list[CatalogImage] = []


KINDS: dict[str, type[Shape]] = {
    "Fleet": Fleet,
    "NodeImage": NodeImage,
    "Cluster": Cluster,
    "Workloads": workloadmodel.Workloads,
    "ImageCatalog": ImageCatalog,
}
SLUGS = {
    "Fleet": "fleet",
    "NodeImage": "node-image",
    "Cluster": "cluster",
    "Workloads": "workloads",
    "ImageCatalog": "image-catalog",
}


def strict_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one kind with text as text; `x-…` keys at the top are anybody's."""
    from msgspec.json import schema as json_schema

    made = json_schema(KINDS[kind], schema_hook=schema_of)
    top = made["$defs"][kind]
    top["patternProperties"] = {"^x-": {}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"drivergate {kind}",
        **made,
    }
