"""A fleet of every operator release, both driver APIs, every way to install, and every field of driver.spec."""

import json
from collections.abc import Iterator
from typing import Any

from generator.declared.driverspec import OWNED
from generator.facts import crd
from generator.facts.release import DriverApi, Release, Unsupported, known, resolve
from tests.model import chart as charts

INSTALLS = ("helm", "manifest", "olm")
MODES = ("precompiled", "compiled")
BASE = "bases/policy.yaml"
VERSION = "580.126.20"
KERNELS = ["5.15.0-173-generic", "5.15.0-177-generic"]
# Text that a YAML reader of one kind or another takes for something else (gitops facts, fixture 2).
TEXTS = ("on", "1e3", "0x1f", "12:30", "null", "-1", "0644", "~", "1_000", "2026-08-20", "y", ".5", "=", "{}", "größer")
# What a field must hold to make sense, whatever its type says.
MEANT = {"repository": "registry.example.com/nvidia", "image": "thing", "version": "1.0", "gds.enabled": True}
WITHOUT_PRECOMPILED = ("gds", "gdrcopy")
CRASHING = {DriverApi.CLUSTERPOLICY: ("livenessProbe", "readinessProbe"), DriverApi.NVIDIADRIVER: ()}

# Not ours: everything but spec.driver stays as it is, odd spellings, empty values and the order of keys included.
POLICY = {
    "apiVersion": "nvidia.com/v1",
    "kind": "ClusterPolicy",
    "metadata": {
        "name": "cluster-policy",
        "labels": {"example.com/on": "on"},
        "annotations": {"argocd.argoproj.io/sync-options": "ServerSideApply=true, Prune=false", "note": "a: b # c"},
    },
    "spec": {
        "toolkit": {"enabled": True, "env": [{"name": text, "value": text} for text in TEXTS]},
        "operator": {"defaultRuntime": "containerd", "initContainer": {}},
        "daemonsets": {"labels": {}, "tolerations": [{"operator": "Exists"}], "rollingUpdate": {"maxUnavailable": "1"}},
        "devicePlugin": {"args": [], "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}},
        "dcgm": {},
        "dcgmExporter": {"serviceMonitor": {"interval": "15s"}},
        "gfd": {
            "env": [{"name": "TEXT", "value": "several\nlines\n\twith a tab"}, {"name": "LONG", "value": "x y " * 80}]
        },
        "nodeStatusExporter": {"enabled": False},
    },
}

EVERY_SETTING: dict[str, dict[str, Any]] = {
    "argocd": {
        "namespace": "gitops",
        "project": "on",
        "targetRevision": "0644",
        "path": "teams/gpu",
        "destination": {"server": "https://203.0.113.7:6443"},
        "chart": {"repoURL": "registry.example.com/charts", "releaseName": "gpu", "valueFiles": ["charts/own.yaml"]},
        "automated": {"selfHeal": True},
    },
    "flux": {
        "namespace": "gitops",
        "sourceRef": {"kind": "OCIRepository", "name": "fleet", "namespace": "sources"},
        "path": "teams/gpu",
        "interval": "1h",
        "timeout": "90m",
        "prune": True,
        "wait": False,
        "dependsOn": [{"name": "operator", "namespace": "gpu"}],
        "substitute": "escape",
        "valuesConfigMap": True,
        "helmReleaseNamespace": "gpu-operator",
    },
}


def releases() -> tuple[Release, ...]:
    """Every release that is known."""
    found = tuple(map(resolve, known()))
    assert not any(isinstance(one, Unsupported) for one in found)
    return found  # type: ignore[return-value]


def files() -> dict[str, str | bytes]:
    """The repository. JSON is YAML."""
    defaults = {"driver": {"repository": "nvcr.io/nvidia/driver"}, "operator": {"namespace": "gpu-operator"}}
    made: dict[str, Any] = {"inventory/fleet.yaml": _document("Fleet", "everything", defaults=defaults), BASE: POLICY}
    for release in releases():
        for install in INSTALLS:
            for name, document in _clusters(release, install):
                made[f"inventory/clusters/{name}.yaml"] = {**document, **_delivered(len(made))}
    made["inventory/workloads.yaml"] = _workloads()
    return {path: json.dumps(document, ensure_ascii=False) for path, document in made.items()}


def _workloads() -> dict[str, Any]:
    """One of each kind of owner on the pool that every cluster has, each with a need and all but one with a budget."""
    owners: tuple[dict[str, Any], ...] = (
        *({"kind": kind} for kind in ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job")),
        *({"kind": kind} for kind in ("CronJob", "DaemonSet", "none")),
        {
            "kind": "Trainer",
            "name": "train.er",
            "podTemplates": ["spec.parts.worker.template", "spec.parts.on.template"],
        },
        {"kind": "CloneSet", "scalable": True, "podTemplates": ["spec.template"]},
    )
    needs = (
        {"toolkit": "12.4"},
        {"driver": ">=535.104.05"},
        {"require": "cuda>=12.4"},
        {"toolkit": "13.0", "by": "pool"},
    )
    terms = [
        {"matchExpressions": [{"key": "example.com/odd", "operator": "In", "values": [text]}]} for text in ("on", "1e3")
    ]
    made: dict[str, Any] = {}
    for index, owner in enumerate(owners):
        numbers = {"minAvailable": index} if index % 2 else {"maxUnavailable": f"{index}%"}
        made[f"{owner['kind'].lower()}.0644"] = {
            "runsOn": {"pools": ["on"]},
            "namespace": "on",
            "owner": owner,
            "podLabels": {"app": "0644", f"example.com/{index}": "null"},
            "cuda": needs[index % len(needs)],
            **({"nodeSelectorTerms": terms} if index % 3 == 0 else {}),
            **({"disruptionBudget": {"render": numbers}} if index else {}),
        }
    return {"apiVersion": "drivergate.dev/v1alpha1", "kind": "Workloads", "team": "on", "workloads": made}


def _delivered(number: int) -> dict[str, Any]:
    """By Argo CD, by Flux, or by nobody that is told of, in turn; with every setting, or with few."""
    few = {"argocd": {"repoURL": "https://git.example.com/fleet.git"}, "flux": {"dependsOn": [{"name": "operator"}]}}
    tool = ("argocd", "flux", "")[number % 3]
    if not tool:
        return {}
    return {"delivery": {tool: few[tool] | (EVERY_SETTING[tool] if number % 2 else {})}}


def _document(kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "drivergate.dev/v1alpha1", "kind": kind, "name": name, **rest}


def _clusters(release: Release, install: str) -> Iterator[tuple[str, dict[str, Any]]]:
    base = {} if install == "helm" else {"clusterPolicyBase": BASE}
    for api in DriverApi:
        operator = {"version": release.version, "install": install, "driverApi": str(api), **base}
        name = f"{release.version}-{install}-{api}"
        if api is DriverApi.NVIDIADRIVER:
            yield name, _document("Cluster", name, operator=operator, pools=_objects(release))
            continue
        for mode in MODES:
            driver = _driver(release, api, mode, install)
            pools = {pool: _pool(pool) for pool in ("first", "on")}
            yield (
                f"{name}-{mode}",
                _document("Cluster", f"{name}-{mode}", operator=operator, driver=driver, pools=pools),
            )


def _objects(release: Release) -> dict[str, Any]:
    """One pool for each thing that an NVIDIADriver can say."""
    api = DriverApi.NVIDIADRIVER
    pools = {mode: {**_pool(mode), "driver": _driver(release, api, mode, "")} for mode in MODES}
    taints = ["example.com/dedicated=0644:NoSchedule", "example.com/spot:NoExecute"]
    plain = {"mode": "precompiled", "branch": "580"}
    pools["on"] = {**_pool("on"), "taints": taints, "driver": {**plain, "kernelModuleType": "open"}}
    pools["rhel"] = {
        **_pool("rhel"),
        "os": {"id": "rhel", "version": "9.4"},
        "driver": {"mode": "compiled", "version": VERSION},
    }
    pools["kept"] = {**_pool("kept"), "driver": plain, "renamedFrom": "before", "protect": False}
    if release.object_upgrade_policy:
        pools["on"]["driver"]["upgradePolicy"] = {"maxUnavailable": 1, "drain": {"enable": True, "podSelector": "a=b"}}
    if release.default_object:
        pools["rest"] = {key: value for key, value in _pool("rest").items() if key != "nodeSelector"}
        pools["rest"] |= {"default": True, "driver": plain}
    return pools


def _pool(name: str) -> dict[str, Any]:
    return {
        "nodeSelector": {"example.com/pool": name, "example.com/odd": "0644"},
        "nodes": 2,
        "os": {"id": "ubuntu", "version": "22.04"},
        "arch": ["amd64"],
        "kernels": KERNELS,
    }


def _driver(release: Release, api: DriverApi, mode: str, install: str) -> dict[str, Any]:
    """A driver that sets every field that is the user's own."""
    kind, missing = str(api), release.lacks(str(api))
    schema = crd.schema(kind, release.fields, missing)
    schema = schema["properties"]["driver"] if api is DriverApi.CLUSTERPOLICY else schema
    spec = {}
    for field in sorted(schema["properties"].keys() - OWNED[api] - set(CRASHING[api])):
        if mode == "compiled" or field not in WITHOUT_PRECOMPILED:
            spec[field] = sample(schema["properties"][field], (field,))
    if install == "helm":
        _without_unmapped(spec, release)
    version = {"branch": "580"} if mode == "precompiled" else {"version": VERSION}
    return {"mode": mode, **version, "kernelModuleType": "open", "spec": spec}


def _without_unmapped(spec: dict[str, Any], release: Release) -> None:
    """Take out what no chart value can set."""
    for path in charts.unmapped_fields(release.fields, release.lacks("ClusterPolicy")):
        parent: Any = spec
        for key in path[:-1]:
            parent = parent.get(key, {})
        parent.pop(path[-1], None)


def sample(schema: Any, path: tuple[str, ...]) -> Any:
    """A value that a schema takes; text is of the kind that YAML readers disagree about."""
    meant = MEANT.get(".".join(path[-2:]), MEANT.get(path[-1]))
    if meant is not None:
        return meant
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("x-kubernetes-int-or-string"):
        return "1"
    match schema["type"]:
        case "string":
            return TEXTS[len("".join(path)) % len(TEXTS)] if "pattern" not in schema else "on"
        case "integer" | "number":
            return max(1, schema.get("minimum", 1))
        case "boolean":
            return True
        case "array":
            return [sample(schema["items"], path)]
    if "properties" in schema:
        return {key: sample(value, (*path, key)) for key, value in schema["properties"].items()}
    others = schema.get("additionalProperties")
    return (
        {text: sample(others, (*path, text)) for text in ("on", "plain")} if isinstance(others, dict) else {"on": "1e3"}
    )
