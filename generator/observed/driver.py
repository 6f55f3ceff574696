"""The operator's own objects, and the DaemonSets and revisions that it makes of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from generator.facts import crd
from generator.facts.violation import Flaw, dotted
from generator.observed.pod import DIGEST_ENV

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


class DriverObject(Struct, frozen=True, kw_only=True):
    """An NVIDIADriver or ClusterPolicy; `created` is its creationTimestamp, by which the oldest policy counts."""

    kind: str
    name: str
    created: str = ""
    deleting: bool = False
    spec: Mapping[str, Any] = {}
    state: str = ""
    uid: str = ""


class DaemonSet(Struct, frozen=True, kw_only=True):
    """A DaemonSet: who made it, and how many nodes it should run on; of a driver's one the digest of its settings."""

    namespace: str
    name: str
    uid: str = ""
    owner_kind: str = ""
    owner_name: str = ""
    config_digest: str = ""
    template_generation: str = ""
    desired: int | None = None


class Revision(Struct, frozen=True, kw_only=True):
    """One ControllerRevision: the newest of a DaemonSet names the hash that its pods should carry."""

    namespace: str
    name: str
    number: int
    owner: str = ""


class Scale(Struct, frozen=True, kw_only=True):
    """An owner of pods and the replicas that it asks for; `deployment` is who controls a ReplicaSet, if one does."""

    kind: str
    namespace: str
    name: str
    replicas: int
    uid: str = ""
    deployment: str = ""

    @property
    def key(self) -> str:
        """Namespace, kind and name."""
        return f"{self.namespace}/{self.kind}/{self.name}"


class _OwnerReference(Struct, frozen=True):
    kind: str = ""
    name: str = ""
    controller: bool | None = None


class _Metadata(Struct, frozen=True, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[_OwnerReference] | None = None
    creation_timestamp: str = ""
    deletion_timestamp: str | None = None


class ObjectItem(Struct, frozen=True):
    """A custom resource as the API writes it."""

    metadata: _Metadata
    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}


class _Env(Struct, frozen=True):
    name: str = ""
    value: str = ""


class _Container(Struct, frozen=True):
    env: list[_Env] | None = None


class _PodSpec(Struct, frozen=True, rename="camel"):
    containers: list[_Container] | None = None
    init_containers: list[_Container] | None = None


class _Template(Struct, frozen=True):
    spec: _PodSpec = _PodSpec()


class _DaemonSetSpec(Struct, frozen=True):
    template: _Template = _Template()


class _DaemonSetStatus(Struct, frozen=True, rename="camel"):
    desired_number_scheduled: int | None = None


class DaemonSetItem(Struct, frozen=True):
    """A DaemonSet as the API writes it."""

    metadata: _Metadata
    spec: _DaemonSetSpec = _DaemonSetSpec()
    status: _DaemonSetStatus = _DaemonSetStatus()


class RevisionItem(Struct, frozen=True):
    """A ControllerRevision as the API writes it."""

    metadata: _Metadata
    revision: int = 0


class _ScaleSpec(Struct, frozen=True):
    replicas: int | None = None


class ScaleItem(Struct, frozen=True):
    """A Deployment, ReplicaSet, StatefulSet or ReplicationController as the API writes it."""

    metadata: _Metadata
    spec: _ScaleSpec = _ScaleSpec()


def object_of(kind: str, item: ObjectItem) -> DriverObject:
    """The object as it is stored."""
    meta = item.metadata
    return DriverObject(
        kind=kind,
        name=meta.name,
        created=meta.creation_timestamp,
        deleting=meta.deletion_timestamp is not None,
        spec=item.spec,
        state=str(item.status.get("state") or ""),
        uid=meta.uid,
    )


def wrong_type(stored: DriverObject) -> str:
    """The first field of the spec whose value has another type than the newest CRD's, in words; "" where none has.

    An API server would not have stored it, whichever release it has: types of fields do not change.
    """
    for violation in crd.violations(stored.kind, crd.RELEASES[-1], stored.spec):
        if violation.kind is Flaw.TYPE and _at(stored.spec, violation.path) is not None:
            return f"spec.{dotted(violation.path)} {violation.message}"
    return ""


def _at(value: Any, path: Iterable[str | int]) -> Any:
    for part in path:
        value = value[part]
    return value


def daemonset_of(item: DaemonSetItem) -> DaemonSet:
    """The DaemonSet, of drivers or of something else."""
    meta, template = item.metadata, item.spec.template.spec
    owner = next((one for one in meta.owner_references or () if one.controller), _OwnerReference())
    containers = (*(template.init_containers or ()), *(template.containers or ()))
    digests = (env.value for one in containers for env in one.env or () if env.name == DIGEST_ENV)
    return DaemonSet(
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        owner_kind=owner.kind,
        owner_name=owner.name,
        config_digest=next(digests, ""),
        template_generation=(meta.annotations or {}).get(TEMPLATE_GENERATION, ""),
        desired=item.status.desired_number_scheduled,
    )


def revision_of(item: RevisionItem) -> Revision:
    """The revision and the DaemonSet, or other controller, that it is of."""
    meta = item.metadata
    owner = next((one.name for one in meta.owner_references or () if one.controller), "")
    return Revision(namespace=meta.namespace, name=meta.name, number=item.revision, owner=owner)


def scale_of(kind: str, item: ScaleItem) -> Scale:
    """The owner; what is absent is 1, as the API defaults it (apps/v1 defaults.go)."""
    meta, replicas = item.metadata, item.spec.replicas
    owner = next((one for one in meta.owner_references or () if one.controller), _OwnerReference())
    return Scale(
        kind=kind,
        namespace=meta.namespace,
        name=meta.name,
        replicas=1 if replicas is None else replicas,
        uid=meta.uid,
        deployment=owner.name if owner.kind == "Deployment" else "",
    )
