"""What Argo CD and Flux are told of a cluster: values for the templates below _delivery/."""

import re
from collections.abc import Mapping
from typing import Any

from generator.declared.delivery import ArgoCd, Flux, application_name
from generator.declared.fleet import Cluster, Install
from generator.facts.label import label_value_problem
from generator.render.driver import in_order
from generator.render.template import DELIVERY

APPLICATION = f"{DELIVERY}/argocd/{{cluster}}.yaml.j2"
HEALTH = f"{DELIVERY}/argocd/_health/argocd-cm.yaml.j2"
KUSTOMIZATION = f"{DELIVERY}/flux/{{cluster}}/gpu-drivers.yaml.j2"
CONFIG_MAP = f"{DELIVERY}/flux/{{cluster}}/gpu-operator-values.yaml.j2"
# As rendered.DECIDES: the value without which a template prints nothing.
DECIDES = {
    APPLICATION: "spec",
    HEALTH: "argocd",
    KUSTOMIZATION: "spec",
    CONFIG_MAP: "values",
    f"{DELIVERY}/flux/{{cluster}}/kustomization.yaml.j2": "resources",
}

SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
VARIABLE = "${"
UNESCAPED = re.compile(r"(?<!\$)\$\{")
# argo-cd pkg/sync/syncwaves reads waves with Atoi, and takes anything else for 0.
WAVE = re.compile(r"-?[0-9]{1,9}")
# gpu-operator internal/conditions, v26.7: Error=True with any other reason is an ordinary rollout.
FINAL = ("ReconcileFailed", "ConflictingNodeSelector", "PrerequisiteNotMet")
# A missing parent is an error in CEL, on which Flux waits; with no status at all that is what it shall do
# (fluxcd/pkg runtime/cel/status_evaluator.go).
FAILED = (
    "has(status.conditions) && status.conditions.exists(c, c.type == 'Error' && c.status == 'True'"
    f" && c.reason in {list(FINAL)})"
)
HEALTH_EXPRESSIONS = (
    {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "current": "has(status.state) && status.state == 'ready'",
        "failed": f"(has(status.state) && status.state == 'ignored') || ({FAILED})",
    },
    {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "current": "has(status.state) && status.state == 'ready'",
        "failed": FAILED,
    },
)


def context(path: str, cluster: Cluster, files: Mapping[str, str]) -> dict[str, Any]:
    """The values of one of drivergate's own delivery templates. `files` is what was rendered of the cluster so far."""
    argocd, flux = cluster.delivery.argocd, cluster.delivery.flux
    match path:
        case path if path == APPLICATION:
            return _application(cluster, argocd, files)
        case path if path == KUSTOMIZATION:
            synced = flux is not None and _is_synced(cluster, files)
            spec = _kustomization(cluster, flux) if synced and flux else {}
            return {"namespace": flux.namespace if flux else "", "spec": spec}
        case path if path == CONFIG_MAP:
            return _values(cluster, flux, files)
    return {}


def _is_synced(cluster: Cluster, files: Mapping[str, str]) -> bool:
    return f"{cluster.name}/gpu-operator/kustomization.yaml" in files


def _values_file(cluster: Cluster) -> str:
    return f"{cluster.name}/values/gpu-operator.yaml"


def _below(root: str, path: str) -> str:
    """A path of this repository, as somebody who knows the whole repository finds it."""
    return f"{root}/{path}" if root else path


def _application(cluster: Cluster, argocd: ArgoCd | None, files: Mapping[str, str]) -> dict[str, Any]:
    """One Application: the chart with our values where Argo CD installs it, and the folder of driver objects."""
    sources = _sources(cluster, argocd, files) if argocd else []
    if argocd is None or not sources:
        return {"name": "", "namespace": "", "labels": {}, "annotations": {}, "spec": {}}
    labels = {"drivergate.dev/cluster": cluster.name}
    if cluster.ring and not label_value_problem(cluster.ring):
        labels["drivergate.dev/ring"] = cluster.ring
    # The chart leaves defaults of its CRD out, which only this way of comparing knows (gpu-operator issue 2866).
    annotations = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
    if WAVE.fullmatch(cluster.ring):
        annotations["argocd.argoproj.io/sync-wave"] = str(int(cluster.ring))
    spec: dict[str, Any] = {
        "project": argocd.project,
        "destination": _destination(cluster, argocd),
        "syncPolicy": _sync_policy(argocd, installs=any("chart" in source for source in sources)),
        **({"sources": sources} if len(sources) > 1 else {"source": sources[0]}),
    }
    name = application_name(cluster.name)
    return {
        "name": name,
        "namespace": argocd.namespace,
        "labels": labels,
        "annotations": annotations,
        "spec": in_order(spec),
    }


def _sources(cluster: Cluster, argocd: ArgoCd, files: Mapping[str, str]) -> list[dict[str, Any]]:
    git = {"repoURL": argocd.repo_url, "targetRevision": argocd.target_revision}
    found: list[dict[str, Any]] = []
    chart, values = argocd.chart, _values_file(cluster)
    if chart.enabled and cluster.operator.install is Install.HELM and values in files:
        listed = [_below(argocd.path, path) for path in (*chart.value_files, f"out/{values}")]
        found.append(
            {
                "repoURL": chart.repo_url,
                "chart": chart.name,
                "targetRevision": chart.version,
                "helm": {
                    "releaseName": chart.release_name,
                    "valueFiles": [f"$values/{path}" for path in listed],
                },
            }
        )
        # With a path it would be rendered too (argo-cd docs/user-guide/multiple_sources.md).
        found.append({**git, "ref": "values"})
    if _is_synced(cluster, files):
        found.append({**git, "path": _below(argocd.path, f"out/{cluster.name}/gpu-operator")})
    return found


def _destination(cluster: Cluster, argocd: ArgoCd) -> dict[str, str]:
    destination = argocd.destination
    by = {"server": destination.server} if destination.server else {"name": destination.name}
    return {**by, "namespace": cluster.operator.namespace}


def _sync_policy(argocd: ArgoCd, *, installs: bool) -> dict[str, Any]:
    options = ["FailOnSharedResource=true", "ServerSideApply=true"]
    policy: dict[str, Any] = {"syncOptions": ["CreateNamespace=true", *options] if installs else options}
    if argocd.automated is not None:
        policy["automated"] = {"prune": argocd.automated.prune, "selfHeal": argocd.automated.self_heal}
    return policy


def _kustomization(cluster: Cluster, flux: Flux) -> dict[str, Any]:
    """No targetNamespace, which would give cluster-scoped objects a namespace, and no force, which recreates them."""
    source = {"kind": flux.source_ref.kind, "name": flux.source_ref.name}
    if flux.source_ref.namespace:
        source["namespace"] = flux.source_ref.namespace
    spec: dict[str, Any] = {
        "dependsOn": [
            {"name": one.name, **({"namespace": one.namespace} if one.namespace else {})} for one in flux.depends_on
        ],
        # With the default, MirrorPrune, removing the Kustomization would remove what it prunes.
        "deletionPolicy": "Orphan",
        "force": False,
        "healthCheckExprs": list(HEALTH_EXPRESSIONS),
        "interval": flux.interval,
        "path": "./" + _below(flux.path, f"out/{cluster.name}/gpu-operator"),
        "prune": flux.prune,
        "sourceRef": source,
        "timeout": flux.timeout,
        "wait": flux.wait,
    }
    ordered: dict[str, Any] = in_order(spec)
    return ordered


def _values(cluster: Cluster, flux: Flux | None, files: Mapping[str, str]) -> dict[str, Any]:
    """The chart values once more, as lines: what the file beside the synced folder says, without its head."""
    text = files.get(_values_file(cluster), "") if flux and flux.values_config_map else ""
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return {
        "namespace": flux.helm_release_namespace if flux else "",
        "annotations": substitution(flux, lines),
        "values": escaped(flux, lines),
    }


def substitution(flux: Flux | None, value: Any) -> dict[str, str]:
    """The annotation that keeps Flux from filling variables in, where there is something that looks like one."""
    if flux is None or flux.substitute != "disabled" or not _holds_variable(value):
        return {}
    return {SUBSTITUTE: "disabled"}


def escaped(flux: Flux | None, value: Any) -> Any:
    """The value with each `${` written so that Flux's substitution makes one of it, where that is asked for."""
    if flux is None or flux.substitute != "escape" or not _holds_variable(value):
        return value
    return _escaped(value)


def _holds_variable(value: Any) -> bool:
    if isinstance(value, str):
        return VARIABLE in value
    if isinstance(value, Mapping):
        return any(VARIABLE in key or _holds_variable(inner) for key, inner in value.items())
    return isinstance(value, (list, tuple)) and any(map(_holds_variable, value))


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return UNESCAPED.sub(f"${VARIABLE}", value)
    if isinstance(value, Mapping):
        return {_escaped(key): _escaped(inner) for key, inner in value.items()}
    return [_escaped(inner) for inner in value] if isinstance(value, (list, tuple)) else value
