"""The shape of `delivery`: what Argo CD or Flux is told of a cluster. Names are the tools' own."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from generator.declared.modelparts import Namespace, ObjectName, Shape, Text

# fluxcd/kustomize-controller v1.9.4, config/crd: interval and timeout.
Duration = Annotated[
    str,
    Meta(pattern=r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$(?!\n)", description='a duration such as "10m" or "1h30m"'),
]
InRepository = Annotated[
    Text, Meta(description="where drivergate's root lies in the repository, where that is not its own root")
]


class Destination(Shape, frozen=True):
    """The cluster as Argo CD knows it: exactly one of the two. Absent: by the cluster's name."""

    name: Text | UnsetType = UNSET
    server: Text | UnsetType = UNSET


class Chart(Shape, frozen=True):
    """The GPU operator's chart, where `install: helm` and Argo CD installs it with drivergate's values."""

    enabled: Annotated[bool, Meta(description="false: somebody else's Application installs the chart")] | UnsetType = (
        UNSET
    )
    repo_url: (
        Annotated[Text, Meta(description="a Helm repository; of an OCI registry the name without oci://")] | UnsetType
    ) = field(default=UNSET, name="repoURL")
    name: Text | UnsetType = UNSET
    version: Annotated[Text, Meta(description="the chart's version; default: operator.version")] | UnsetType = UNSET
    release_name: Text | UnsetType = UNSET
    value_files: (
        Annotated[list[Text], Meta(description="your own values, paths in this repository; ours is listed last")]
        | UnsetType
    ) = UNSET


class Automated(Shape, frozen=True):
    """syncPolicy.automated of the Application. Absent: people sync."""

    prune: bool | UnsetType = UNSET
    self_heal: bool | UnsetType = UNSET


class ArgoCd(Shape, frozen=True):
    """What the cluster's Application says."""

    enabled: bool | UnsetType = UNSET
    namespace: Namespace | UnsetType = UNSET
    project: Text | UnsetType = UNSET
    repo_url: Annotated[Text, Meta(description="the git repository that holds out/")] | UnsetType = field(
        default=UNSET, name="repoURL"
    )
    target_revision: Text | UnsetType = UNSET
    path: InRepository | UnsetType = UNSET
    destination: Destination | UnsetType = UNSET
    chart: Chart | UnsetType = UNSET
    automated: Automated | UnsetType = UNSET


class SourceRef(Shape, frozen=True):
    """The source that holds out/, as Flux knows it."""

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] | UnsetType = UNSET
    name: ObjectName | UnsetType = UNSET
    namespace: Namespace | UnsetType = UNSET


class Dependency(Shape, frozen=True):
    """A Kustomization that must be ready before."""

    name: ObjectName
    namespace: Namespace | UnsetType = UNSET


class Flux(Shape, frozen=True):
    """What the cluster's Flux Kustomization says."""

    enabled: bool | UnsetType = UNSET
    namespace: Namespace | UnsetType = UNSET
    source_ref: SourceRef | UnsetType = UNSET
    path: InRepository | UnsetType = UNSET
    interval: Duration | UnsetType = UNSET
    timeout: Duration | UnsetType = UNSET
    prune: bool | UnsetType = UNSET
    wait: bool | UnsetType = UNSET
    depends_on: (
        Annotated[
            list[Dependency],
            Meta(min_length=1, description="the Kustomization that installs the operator and its CRDs"),
        ]
        | UnsetType
    ) = UNSET
    substitute: (
        Annotated[
            Literal["disabled", "escape"],
            Meta(description="objects that hold ${: annotated for Flux to leave alone, or written $${"),
        ]
        | UnsetType
    ) = UNSET
    values_config_map: (
        Annotated[bool, Meta(description="the chart values also as a ConfigMap, for a HelmRelease's valuesFrom")]
        | UnsetType
    ) = UNSET
    helm_release_namespace: Namespace | UnsetType = UNSET


class Delivery(Shape, frozen=True):
    """Objects for Argo CD or Flux (the nearer level's drops the other), and what the list of images says."""

    argocd: ArgoCd | UnsetType = UNSET
    flux: Flux | UnsetType = UNSET
    image_digests: (
        Annotated[bool, Meta(description="digests of the catalog beside the image references")] | UnsetType
    ) = UNSET
