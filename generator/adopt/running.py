"""What the driver objects of one cluster say together: the release, who installs, which API carries the driver."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.adopt.driverobject import Objects, plain
from generator.adopt.note import Note
from generator.declared.fleet import Install
from generator.facts import crd
from generator.facts.release import DriverApi, Release, Unsupported, known, resolve
from generator.facts.violation import Flaw

_CHART = re.compile(r"gpu-operator-(v?\d+\.\d+\.\d+)")
_RELEASE_NAMESPACE = "meta.helm.sh/release-namespace"
# gpu-operator deployments/gpu-operator/values.yaml, v24.9 to v26.7: what its chart says of a driver unasked.
_CHART_SAYS: Mapping[str, Any] = {
    "imagePullPolicy": "IfNotPresent",
    "startupProbe": {"initialDelaySeconds": 60, "periodSeconds": 10, "timeoutSeconds": 60, "failureThreshold": 120},
    "rdma": {"enabled": False, "useHostMofed": False},
    "licensingConfig": {"nlsEnabled": True},
    "hostNetwork": False,
}
# What a cluster, a GitOps tool or Helm keeps in an object: none of it belongs into git.
_CLUSTERS_OWN = frozenset(
    {"creationTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"}
)
_TOOLS_OWN = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/instance",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/namespace",
    "helm.toolkit.fluxcd.io/",
    "config.k8s.io/owning-inventory",
    "meta.helm.sh/",
    "objectset.rio.cattle.io/",
)


class Running(Struct, frozen=True, kw_only=True):
    """One cluster's operator. `policy` is ClusterPolicy spec.driver, None where nothing tells it."""

    release: Release
    install: Install
    api: DriverApi
    namespace: str
    policy_name: str
    policy: Mapping[str, Any] | None
    whole: Mapping[str, Any] | None
    from_values: bool
    notes: tuple[Note, ...]

    @property
    def enabled(self) -> bool:
        """Whether the operator brings drivers at all; a ClusterPolicy that is silent about it does."""
        return self.policy is None or self.policy.get("enabled", True) is not False

    @property
    def auto_upgrade(self) -> bool:
        """What a ClusterPolicy gets from an inventory that is silent about autoUpgrade."""
        return self.install is Install.HELM

    @property
    def base(self) -> Mapping[str, Any] | None:
        """The user's own ClusterPolicy, where no chart makes it."""
        return None if self.install is Install.HELM else self.whole


def running(cluster: str, objects: Objects, operator: str | None) -> Running:
    """Reads the objects together. `operator` is a release that somebody named, one that resolves."""
    notes: list[Note] = []
    whole = objects.policies[0] if objects.policies else None
    if len(objects.policies) > 1:
        names = ", ".join(str(one.get("metadata", {}).get("name")) for one in objects.policies)
        notes.append(Note(cluster, f"several ClusterPolicy objects: {names}; the first is taken", "remove the others"))
    release = _release(cluster, objects, whole, operator, notes)
    install = _install(cluster, objects, whole, notes)
    values = plain(objects.values[0]) if objects.values else None
    policy = plain(whole.get("spec", {})).get("driver", {}) if whole else None
    from_values = policy is None and values is not None
    if policy is None and values is not None:
        policy = _from_values(values, release)
    elif policy is not None and install is Install.HELM:
        policy = beyond_chart(policy, release)
    by_object = policy.get("useNvidiaDriverCRD") is True if policy is not None else True
    if whole and install is Install.HELM:
        message = "the chart makes the ClusterPolicy: what it says besides the driver stays in your own chart values"
        notes.append(Note(cluster, message))
    metadata = whole.get("metadata", {}) if whole else {}
    return Running(
        release=release,
        install=install,
        api=DriverApi.NVIDIADRIVER if by_object else DriverApi.CLUSTERPOLICY,
        namespace=_namespace(metadata, install),
        policy_name=str(metadata.get("name", "")),
        policy=policy,
        whole=whole,
        from_values=from_values,
        notes=tuple(notes),
    )


def cleaned(whole: Mapping[str, Any]) -> dict[str, Any]:
    """A ClusterPolicy as it would stand in git, without its driver."""
    metadata = {key: value for key, value in whole.get("metadata", {}).items() if key not in _CLUSTERS_OWN}
    for key in ("annotations", "labels"):
        kept = {name: value for name, value in metadata.get(key, {}).items() if not name.startswith(_TOOLS_OWN)}
        metadata.pop(key, None)
        if kept:
            metadata[key] = kept
    spec = {key: value for key, value in whole.get("spec", {}).items() if key != "driver"}
    return {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": metadata, "spec": spec}


def beyond_chart(policy: Mapping[str, Any], release: Release) -> dict[str, Any]:
    """spec.driver without what the chart says unasked: to repeat it would pin it through chart upgrades."""
    image, _, version = release.driver_manager.rpartition(":")
    repository, _, name = image.rpartition("/")
    manager = {"repository": repository, "image": name, "version": version, "imagePullPolicy": "IfNotPresent"}
    return _beyond(policy, {**_CHART_SAYS, "manager": manager})


def _beyond(value: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    made = {}
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            kept: Any = _beyond(inner, said.get(key, {}) if isinstance(said.get(key), Mapping) else {})
        else:
            kept = None if inner in ("", []) or inner == said.get(key) else inner
        if kept not in (None, {}):
            made[key] = kept
    return made


def owned_by_tools(key: str) -> bool:
    """Whether a label or annotation is a tool's own record."""
    return key.startswith(_TOOLS_OWN)


def _release(
    cluster: str, objects: Objects, whole: Mapping[str, Any] | None, operator: str | None, notes: list[Note]
) -> Release:
    if operator:
        return _resolved(operator)
    labels = whole.get("metadata", {}).get("labels", {}) if whole else {}
    if found := _CHART.fullmatch(str(labels.get("helm.sh/chart", ""))):
        resolved = resolve(found[1])
        if not isinstance(resolved, Unsupported):
            return resolved
    hint = "say it with --operator VERSION"
    if not objects:
        notes.append(Note(cluster, f"operator {known()[-1]} is assumed", hint))
        return _resolved(known()[-1])
    fits = [one for one in crd.RELEASES if not any(_unknown(one, objects))]
    release = fits[0] if fits else crd.RELEASES[-1]
    notes.append(Note(cluster, f"operator {release} is taken, the first with all the fields that are used", hint))
    return _resolved(release)


def _resolved(version: str) -> Release:
    release = resolve(version)
    assert not isinstance(release, Unsupported)
    return release


def _unknown(release: str, objects: Objects) -> Iterator[bool]:
    """Fields that the CRDs of a release don't have."""
    for kind, listed in (("ClusterPolicy", objects.policies), ("NVIDIADriver", objects.drivers)):
        for one in listed:
            for found in crd.violations(kind, release, plain(one.get("spec", {}))):
                if found.kind is Flaw.UNKNOWN:
                    yield True


def _install(cluster: str, objects: Objects, whole: Mapping[str, Any] | None, notes: list[Note]) -> Install:
    metadata = whole.get("metadata", {}) if whole else {}
    labels, annotations = metadata.get("labels", {}), metadata.get("annotations", {})
    by_helm = labels.get("app.kubernetes.io/managed-by") == "Helm" or any(
        key.startswith("meta.helm.sh/") for key in annotations
    )
    if whole is None:
        if objects.drivers and not objects.values:
            message = "no ClusterPolicy and no chart values are given: install: helm is assumed"
            notes.append(Note(cluster, message, "add them to --from-driver"))
        return Install.HELM
    if by_helm or "helm.sh/chart" in labels or objects.values:
        return Install.HELM
    operator = whole.get("spec", {}).get("operator", {})
    openshift = operator.get("use_ocp_driver_toolkit") is True or operator.get("defaultRuntime") == "crio"
    install = Install.OLM if openshift else Install.MANIFEST
    notes.append(Note(cluster, f"the ClusterPolicy is not a chart's: install: {install} is taken"))
    return install


def _namespace(metadata: Mapping[str, Any], install: Install) -> str:
    known = str(metadata.get("annotations", {}).get(_RELEASE_NAMESPACE, ""))
    return known or ("nvidia-gpu-operator" if install is Install.OLM else "")


def _from_values(values: Mapping[str, Any], release: Release) -> dict[str, Any]:
    """ClusterPolicy spec.driver as the chart makes it of its values, where they say something."""
    driver = dict(values.get("driver", {}))
    by_object = bool(driver.pop("nvidiaDriverCRD", {}).get("enabled", False))
    made: dict[str, Any] = {"enabled": driver.pop("enabled", True), "useNvidiaDriverCRD": by_object}
    if "upgradePolicy" in driver:
        policy = driver["upgradePolicy"]
        driver["upgradePolicy"] = {("podDeletion" if k == "gpuPodDeletion" else k): v for k, v in policy.items()}
    if not by_object:
        made |= {"repository": "nvcr.io/nvidia", "image": "driver", "version": release.driver}
    return {**made, **driver}
