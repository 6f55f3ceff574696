"""Pods: what the operator, the drain and the disruption controller look at, and nothing else, since there are many."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from sys import intern
from typing import Any, Final

from msgspec import Struct

from generator.facts.gpupod import ClaimReference, GpuPod

# kubernetes pkg/kubelet/types ConfigMirrorAnnotationKey: a static pod's reflection in the API.
MIRROR = "kubernetes.io/config.mirror"
REVISION = "controller-revision-hash"
GENERATION = "pod-template-generation"
COMPONENT, APP = "app.kubernetes.io/component", "app"
DRIVER_APP, DRIVER_COMPONENT = "nvidia-driver-daemonset", "nvidia-driver"
TOOLKIT_DRIVER = "openshift.driver-toolkit"  # gpu-operator controllers/object_controls.go, on OpenShift
VALIDATOR_APP = "nvidia-operator-validator"
DIGEST_ENV = "DRIVER_CONFIG_DIGEST"
DEVICES = "nvidia.com/"
# Finalizers that Kubernetes' own controllers take off by themselves: the Job's (pkg/apis/batch JobTrackingFinalizer),
# and the garbage collector's (apimachinery meta/v1 FinalizerOrphanDependents, FinalizerDeleteDependents).
PASSING_FINALIZERS = frozenset({"batch.kubernetes.io/job-tracking", "orphan", "foregroundDeletion"})
NOTHING: Final[Mapping[str, Any]] = {}


class Owner(Struct, frozen=True):
    """Who controls a pod."""

    kind: str
    name: str
    uid: str = ""


class Container(Struct, frozen=True, kw_only=True):
    """What the kubelet says of one container; `waiting` is why it doesn't run, such as ImagePullBackOff."""

    name: str
    init: bool = False
    ready: bool = False
    restarts: int = 0
    waiting: str = ""
    message: str = ""
    image: str = ""
    image_id: str = ""


class Pod(Struct, frozen=True, kw_only=True):
    """A pod. `containers`, init ones first, and `config_digest` are read for driver and validator pods only.

    `owned`: some owner reference is there, a controller or not, which is what the operator asks of driver pods.
    `finalizers` are those that somebody outside Kubernetes must take off before a deleted pod is gone.
    """

    namespace: str
    name: str
    node: str = ""
    phase: str = ""
    ready: bool = False
    terminating: bool = False
    labels: Mapping[str, str] = {}
    owner: Owner | None = None
    owned: bool = False
    empty_dir: bool = False
    mirror: bool = False
    resources: frozenset[str] = frozenset()
    wants: Mapping[str, int] = {}
    references: tuple[ClaimReference, ...] = ()
    made: Mapping[str, str] = {}
    containers: tuple[Container, ...] = ()
    config_digest: str = ""
    finalizers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"

    @property
    def drives(self) -> bool:
        """Whether it is a driver pod, of a ClusterPolicy or of an NVIDIADriver."""
        return is_driver(self.labels)

    @property
    def runs(self) -> bool:
        """Running, and every container Ready (common_manager.go isDriverPodInSync)."""
        main = [one for one in self.containers if not one.init]
        return self.phase == "Running" and bool(main) and all(one.ready for one in main)

    @property
    def restarts(self) -> int:
        """Of the container, an init one too, that restarted most."""
        return max((one.restarts for one in self.containers), default=0)

    @property
    def validates(self) -> bool:
        """Whether it is the operator's validator."""
        return self.labels.get(APP) == VALIDATOR_APP

    @property
    def gpu(self) -> GpuPod:
        """The pod as the operator's filter sees it."""
        return GpuPod(phase=self.phase, resources=self.resources, references=self.references, made=self.made)


def is_driver(labels: Mapping[str, str]) -> bool:
    """Whether the labels are those of a driver pod or its DaemonSet."""
    by_app = labels.get(APP) == DRIVER_APP or labels.get(COMPONENT) == DRIVER_COMPONENT
    return by_app or labels.get(TOOLKIT_DRIVER) == "true"


class _OwnerReference(Struct, frozen=True):
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class _Metadata(Struct, frozen=True, rename="camel"):
    name: str = ""
    namespace: str = "default"
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[_OwnerReference] | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] | None = None


class _Resources(Struct, frozen=True):
    limits: dict[str, Any] | None = None
    requests: dict[str, Any] | None = None


class _Env(Struct, frozen=True):
    name: str = ""
    value: str = ""


class _Container(Struct, frozen=True):
    name: str = ""
    resources: _Resources | None = None
    env: list[_Env] | None = None


class _Volume(Struct, frozen=True, rename="camel"):
    empty_dir: dict[str, Any] | None = None


class _Claim(Struct, frozen=True, rename="camel"):
    name: str = ""
    resource_claim_name: str | None = None


class _Spec(Struct, frozen=True, rename="camel"):
    node_name: str = ""
    containers: list[_Container] | None = None
    init_containers: list[_Container] | None = None
    volumes: list[_Volume] | None = None
    resource_claims: list[_Claim] | None = None


class _Condition(Struct, frozen=True):
    type: str = ""
    status: str = ""


class _Waiting(Struct, frozen=True):
    reason: str = ""
    message: str = ""


class _State(Struct, frozen=True):
    waiting: _Waiting | None = None


class _ContainerStatus(Struct, frozen=True, rename={"restart_count": "restartCount", "image_id": "imageID"}):
    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: _State | None = None
    image: str = ""
    image_id: str = ""


class _Status(Struct, frozen=True, rename="camel"):
    phase: str = ""
    conditions: list[_Condition] | None = None
    container_statuses: list[_ContainerStatus] | None = None
    init_container_statuses: list[_ContainerStatus] | None = None
    resource_claim_statuses: list[_Claim] | None = None


class PodItem(Struct, frozen=True):
    """A pod as the API writes it."""

    metadata: _Metadata
    spec: _Spec = _Spec()
    status: _Status = _Status()


def pod_of(item: PodItem) -> Pod:
    """The pod without what nobody asks about."""
    meta, spec, status = item.metadata, item.spec, item.status
    labels = meta.labels or {}
    close = is_driver(labels) or labels.get(APP) == VALIDATOR_APP
    return Pod(
        namespace=intern(meta.namespace),
        name=meta.name,
        node=intern(spec.node_name),
        phase=intern(status.phase),
        ready=any(one.type == "Ready" and one.status == "True" for one in status.conditions or ()),
        terminating=meta.deletion_timestamp is not None,
        labels=_shared(tuple(labels.items())),
        owner=_controller(meta.owner_references or ()),
        owned=bool(meta.owner_references),
        empty_dir=any(volume.empty_dir is not None for volume in spec.volumes or ()),
        mirror=MIRROR in (meta.annotations or ()),
        resources=_resources(spec.containers or ()),
        wants=_wants(spec.containers or ()),
        references=tuple(ClaimReference(one.name, one.resource_claim_name or "") for one in spec.resource_claims or ()),
        made={one.name: one.resource_claim_name or "" for one in status.resource_claim_statuses or ()} or NOTHING,
        containers=_containers(status) if close else (),
        config_digest=_digest((*(spec.init_containers or ()), *(spec.containers or ()))) if close else "",
        finalizers=tuple(name for name in meta.finalizers or () if name not in PASSING_FINALIZERS),
    )


def _controller(references: Iterable[_OwnerReference]) -> Owner | None:
    return next((_owner(one.kind, one.name, one.uid) for one in references if one.controller), None)


# Thousands of pods have the same labels and owners: they are kept once.
@lru_cache(maxsize=65536)
def _shared(items: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    return dict(items)


@lru_cache(maxsize=65536)
def _owner(kind: str, name: str, uid: str) -> Owner:
    return Owner(kind, name, uid)


@lru_cache(maxsize=65536)
def _names(names: frozenset[str]) -> frozenset[str]:
    return names


def _resources(containers: Iterable[_Container]) -> frozenset[str]:
    named = (part for one in containers if one.resources for part in (one.resources.limits, one.resources.requests))
    return _names(frozenset(name for part in named for name in part or ()))


def _wants(containers: Iterable[_Container]) -> Mapping[str, int]:
    """Devices can't be overcommitted: what is requested is what is limited."""
    found: dict[str, int] = {}
    for one in containers:
        resources = one.resources or _Resources()
        for name, amount in {**(resources.requests or {}), **(resources.limits or {})}.items():
            if name.startswith(DEVICES) and str(amount).isdigit():
                found[name] = found.get(name, 0) + int(amount)
    return found or NOTHING


def _digest(containers: Iterable[_Container]) -> str:
    found = (env.value for one in containers for env in one.env or () if env.name == DIGEST_ENV)
    return next(found, "")


def _containers(status: _Status) -> tuple[Container, ...]:
    first = (_container(one, init=True) for one in status.init_container_statuses or ())
    return (*first, *(_container(one, init=False) for one in status.container_statuses or ()))


def _container(one: _ContainerStatus, *, init: bool) -> Container:
    waiting = (one.state and one.state.waiting) or _Waiting()
    return Container(
        name=one.name,
        init=init,
        ready=one.ready,
        restarts=one.restart_count,
        waiting=waiting.reason,
        message=waiting.message,
        image=one.image,
        image_id=one.image_id,
    )
