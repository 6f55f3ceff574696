"""The shape of `Workloads`: what a team runs on GPUs. Names of Kubernetes fields are Kubernetes' own."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from generator.declared.modelparts import Count, Labels, Namespace, ObjectName, Range, Shape, Text

Compatibility = Literal["minor-version", "paired"]
# Kubernetes IsValidPercent: "05%" is one, "101%" is not.
# An int32, as the field of the API is.
PodCount = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Number = (
    PodCount | Annotated[str, Meta(pattern=r"^0*(100|[0-9]{1,2})%$(?!\n)", description='a number of pods, or "25%"')]
)
UnhealthyPods = Literal["IfHealthyBudget", "AlwaysAllow"]


class CudaLayer(Shape, frozen=True):
    """How CUDA needs are read and written, at one level."""

    compatibility: (
        Annotated[
            Compatibility,
            Meta(
                description="what a toolkit needs: a driver of its CUDA major (minor-version), or the one it came with"
            ),
        ]
        | UnsetType
    ) = UNSET
    labels: (
        Annotated[
            Literal["cuda.driver", "cuda.driver-version"],
            Meta(description="the node labels of GPU feature discovery that nodeAffinity compares"),
        ]
        | UnsetType
    ) = UNSET


class RunsOn(Shape, frozen=True):
    """Where a workload may run."""

    pools: Annotated[list[Text], Meta(min_length=1)]
    clusters: (
        Annotated[list[Text], Meta(min_length=1, description="default: every cluster that has one of the pools")]
        | UnsetType
    ) = UNSET


class Owner(Shape, frozen=True):
    """What makes the pods."""

    kind: Annotated[
        str,
        Meta(
            min_length=1,
            pattern=r"^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$(?!\n)",
            max_length=63,
            description="a kind such as Deployment (letters, digits and '-'); Pod or none for a bare pod",
        ),
    ]
    name: ObjectName | UnsetType = UNSET
    scalable: (
        Annotated[bool, Meta(description="whether the kind has a scale subresource; default: what its kind has")]
        | UnsetType
    ) = UNSET
    pod_templates: (
        Annotated[
            list[
                Annotated[
                    str,
                    Meta(
                        pattern=r"^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$(?!\n)",
                        description="a path such as spec.template",
                    ),
                ]
            ],
            Meta(min_length=1, description="of a custom kind: where its objects hold the templates of their pods"),
        ]
        | UnsetType
    ) = UNSET


class GpuRequest(Shape, frozen=True):
    """What each pod asks for."""

    resource: Annotated[Text, Meta(description="the resource's name, as a container asks for it")] = "nvidia.com/gpu"
    count: Annotated[int, Meta(ge=1)] = 1


class Cuda(Shape, frozen=True):
    """What the containers need of the driver: exactly one of toolkit, driver and require."""

    toolkit: Annotated[Text, Meta(description='the CUDA toolkit that is in the image: "12.4"')] | UnsetType = UNSET
    driver: Annotated[Text, Meta(description='a driver floor: ">=525.60.13"')] | UnsetType = UNSET
    require: (
        Annotated[Text, Meta(description='the text of NVIDIA_REQUIRE_*: "cuda>=12.4"')]
        | Annotated[list[Text], Meta(min_length=1)]
        | UnsetType
    ) = UNSET
    by: Annotated[
        Literal["labels", "pool"],
        Meta(description="labels: nodeAffinity on the driver's labels; pool: on the selectors of pools that fit"),
    ] = "labels"
    compatibility: Compatibility | UnsetType = UNSET


class NodeRequirement(Shape, frozen=True):
    """matchExpressions or matchFields of a nodeSelectorTerm."""

    key: Text
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: list[str] | UnsetType = UNSET


class NodeSelectorTerm(Shape, frozen=True):
    """One of the ORed nodeSelectorTerms."""

    match_expressions: list[NodeRequirement] | UnsetType = UNSET
    match_fields: list[NodeRequirement] | UnsetType = UNSET


class LabelRequirement(Shape, frozen=True):
    """matchExpressions of a labelSelector."""

    key: Text
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: list[str] | UnsetType = UNSET


class LabelSelector(Shape, frozen=True):
    """A labelSelector."""

    match_labels: Labels | UnsetType = UNSET
    match_expressions: list[LabelRequirement] | UnsetType = UNSET


class Numbers(Shape, frozen=True):
    """What a PodDisruptionBudget asks for: one of the two."""

    min_available: Number | UnsetType = UNSET
    max_unavailable: Number | UnsetType = UNSET


class ManifestSpec(Numbers, frozen=True):
    """spec of a PodDisruptionBudget manifest."""

    selector: LabelSelector | UnsetType = UNSET
    unhealthy_pod_eviction_policy: UnhealthyPods | UnsetType = UNSET


class BudgetManifest(Struct, frozen=True):
    """As much of a PodDisruptionBudget manifest as is judged."""

    spec: ManifestSpec = ManifestSpec()


class Budget(Numbers, frozen=True):
    """The fields of a PodDisruptionBudget: exactly one of minAvailable and maxUnavailable."""

    name: ObjectName | UnsetType = UNSET
    selector: Annotated[LabelSelector, Meta(description="default: the workload's podLabels")] | UnsetType = UNSET
    unhealthy_pod_eviction_policy: UnhealthyPods | UnsetType = UNSET


class ExistingBudget(Budget, frozen=True):
    """A budget that somebody else brings: its numbers, or the manifest that it is in."""

    file: (
        Annotated[Text, Meta(description="a PodDisruptionBudget manifest outside inventory/ and out/")] | UnsetType
    ) = UNSET


class DisruptionBudget(Shape, frozen=True):
    """Exactly one of the two."""

    existing: ExistingBudget | UnsetType = UNSET
    render: Budget | UnsetType = UNSET


class Workload(Shape, frozen=True):
    """Pods of one owner that run on GPUs."""

    runs_on: RunsOn
    namespace: Namespace
    owner: Owner
    pod_labels: Labels = {}
    replicas: Count | Range | UnsetType = UNSET
    gpu: GpuRequest = GpuRequest()
    empty_dir: Annotated[bool, Meta(description="whether its pods mount an emptyDir, /dev/shm among them")] = False
    cuda: Cuda | UnsetType = UNSET
    node_selector_terms: (
        Annotated[
            list[NodeSelectorTerm],
            Meta(min_length=1, description="its own required nodeAffinity, which a component must not lose"),
        ]
        | UnsetType
    ) = UNSET
    disruption_budget: DisruptionBudget | Annotated[list[DisruptionBudget], Meta(min_length=1)] | UnsetType = UNSET


class Workloads(Shape, frozen=True):
    """What one team runs on GPUs."""

    api_version: Literal["drivergate.dev/v1alpha1"]
    kind: Literal["Workloads"]
    team: Text
    workloads: dict[str, Workload] = {}
