"""What Argo CD and Flux are told of a cluster: values for the templates below _delivery/."""

import re
from collections.abc import Mapping
from typing import Any

from generator.declared.delivery import ArgoCd, Flux, application_name, budgets_application_name
from generator.declared.fleet import Cluster, Install
from generator.facts.label import label_value_problem
from generator.layout import OUT
from generator.operator.driver import in_order
from generator.render.template import DELIVERY

APPLICATION = f"{DELIVERY}/argocd/{{cluster}}.yaml.j2"
HEALTH = f"{DELIVERY}/argocd/_health/argocd-cm.yaml.j2"
BUDGETS_APPLICATION = f"{DELIVERY}/argocd-budgets/{{cluster}}.yaml.j2"
KUSTOMIZATION = f"{DELIVERY}/flux/{{cluster}}/gpu-drivers.yaml.j2"
BUDGETS_KUSTOMIZATION = f"{DELIVERY}/flux/{{cluster}}/gpu-budgets.yaml.j2"
CONFIG_MAP = f"{DELIVERY}/flux/{{cluster}}/gpu-operator-values.yaml.j2"
# As rendered.DECIDES: the value without which a template prints nothing.
DECIDES = {
    APPLICATION: "spec",
    BUDGETS_APPLICATION: "spec",
    HEALTH: "argocd",
    KUSTOMIZATION: "spec",
    BUDGETS_KUSTOMIZATION: "spec",
    CONFIG_MAP: "values",
    f"{DELIVERY}/flux/{{cluster}}/kustomization.yaml.j2": "resources",
}

DRIVERS, WORKLOADS = "gpu-operator", "workloads"  # the folders of a cluster that are synced
NO_APPLICATION: dict[str, Any] = {"name": "", "namespace": "", "labels": {}, "annotations": {}, "spec": {}}
SYNC_OPTIONS = ["FailOnSharedResource=true", "ServerSideApply=true"]
SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
VARIABLE = "${"
UNESCAPED = r"(?<!\$)\$\{"
# argo-cd pkg/sync/syncwaves reads waves with Atoi, and takes anything else for 0.
WAVE = r"-?[0-9]{1,9}"
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
        case path if path == BUDGETS_APPLICATION:
            return _budgets_application(cluster, argocd if _is_synced(cluster, WORKLOADS, files) else None)
        case path if path == KUSTOMIZATION:
            spec = _kustomization(cluster, flux) if flux and _is_synced(cluster, DRIVERS, files) else {}
            return {"namespace": flux.namespace if flux else "", "spec": spec}
        case path if path == BUDGETS_KUSTOMIZATION:
            spec = _budgets_kustomization(cluster, flux) if flux and _is_synced(cluster, WORKLOADS, files) else {}
            return {"namespace": flux.namespace if flux else "", "spec": spec}
        case path if path == CONFIG_MAP:
            return _values(cluster, flux, files)
    return {}


def _is_synced(cluster: Cluster, folder: str, files: Mapping[str, str]) -> bool:
    return f"{cluster.name}/{folder}/kustomization.yaml" in files


def _values_file(cluster: Cluster) -> str:
    return f"{cluster.name}/values/gpu-operator.yaml"


def _below(root: str, path: str) -> str:
    """A path of this repository, as somebody who knows the whole repository finds it."""
    return f"{root}/{path}" if root else path


def _application(cluster: Cluster, argocd: ArgoCd | None, files: Mapping[str, str]) -> dict[str, Any]:
    """One Application: the chart with our values where Argo CD installs it, and the folder of driver objects."""
    sources = _sources(cluster, argocd, files) if argocd else []
    if argocd is None or not sources:
        return NO_APPLICATION
    # The chart leaves defaults of its CRD out, which only this way of comparing knows (gpu-operator issue 2866).
    annotations = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true", **_wave(cluster)}
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
        "labels": _labels(cluster),
        "annotations": annotations,
        "spec": in_order(spec),
    }


def _labels(cluster: Cluster) -> dict[str, str]:
    ring = {"drivergate.dev/ring": cluster.ring} if cluster.ring and not label_value_problem(cluster.ring) else {}
    return {"drivergate.dev/cluster": cluster.name, **ring}


def _wave(cluster: Cluster) -> dict[str, str]:
    return {"argocd.argoproj.io/sync-wave": str(int(cluster.ring))} if re.fullmatch(WAVE, cluster.ring) else {}


def _budgets_application(cluster: Cluster, argocd: ArgoCd | None) -> dict[str, Any]:
    """An Application of its own: a namespace that a team hasn't made yet must not keep drivers from being synced."""
    if argocd is None:
        return NO_APPLICATION
    destination = _destination(cluster, argocd)
    source = {
        "repoURL": argocd.repo_url,
        "targetRevision": argocd.target_revision,
        "path": _below(argocd.path, f"{OUT}/{cluster.name}/{WORKLOADS}"),
    }
    policy: dict[str, Any] = {"syncOptions": SYNC_OPTIONS}
    if argocd.automated is not None:  # a budget that nobody declares any more would block drains for ever
        policy["automated"] = {"prune": True, "selfHeal": argocd.automated.self_heal}
    spec = {
        "project": argocd.project,
        "destination": {key: value for key, value in destination.items() if key != "namespace"},
        "syncPolicy": policy,
        "source": source,
    }
    return {
        "name": budgets_application_name(cluster.name),
        "namespace": argocd.namespace,
        "labels": _labels(cluster),
        "annotations": _wave(cluster),
        "spec": in_order(spec),
    }


def _sources(cluster: Cluster, argocd: ArgoCd, files: Mapping[str, str]) -> list[dict[str, Any]]:
    git = {"repoURL": argocd.repo_url, "targetRevision": argocd.target_revision}
    found: list[dict[str, Any]] = []
    chart, values = argocd.chart, _values_file(cluster)
    if chart.enabled and cluster.operator.install is Install.HELM and values in files:
        listed = [_below(argocd.path, path) for path in (*chart.value_files, f"{OUT}/{values}")]
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
    if _is_synced(cluster, DRIVERS, files):
        found.append({**git, "path": _below(argocd.path, f"{OUT}/{cluster.name}/{DRIVERS}")})
    return found


def _destination(cluster: Cluster, argocd: ArgoCd) -> dict[str, str]:
    destination = argocd.destination
    by = {"server": destination.server} if destination.server else {"name": destination.name}
    return {**by, "namespace": cluster.operator.namespace}


def _sync_policy(argocd: ArgoCd, *, installs: bool) -> dict[str, Any]:
    policy: dict[str, Any] = {"syncOptions": ["CreateNamespace=true", *SYNC_OPTIONS] if installs else SYNC_OPTIONS}
    if argocd.automated is not None:
        policy["automated"] = {"prune": argocd.automated.prune, "selfHeal": argocd.automated.self_heal}
    return policy


def _kustomization(cluster: Cluster, flux: Flux) -> dict[str, Any]:
    """No targetNamespace, which would give cluster-scoped objects a namespace, and no force, which recreates them."""
    spec: dict[str, Any] = {
        "dependsOn": [
            {"name": one.name, **({"namespace": one.namespace} if one.namespace else {})} for one in flux.depends_on
        ],
        # With the default, MirrorPrune, removing the Kustomization would remove what it prunes.
        "deletionPolicy": "Orphan",
        "force": False,
        "healthCheckExprs": list(HEALTH_EXPRESSIONS),
        "interval": flux.interval,
        "path": "./" + _below(flux.path, f"{OUT}/{cluster.name}/{DRIVERS}"),
        "prune": flux.prune,
        "sourceRef": _source(flux),
        "timeout": flux.timeout,
        "wait": flux.wait,
    }
    ordered: dict[str, Any] = in_order(spec)
    return ordered


def _budgets_kustomization(cluster: Cluster, flux: Flux) -> dict[str, Any]:
    """Budgets need no CRD and nobody waits for them; one that nobody declares any more would block drains for ever."""
    return {
        "force": False,
        "interval": flux.interval,
        "path": "./" + _below(flux.path, f"{OUT}/{cluster.name}/{WORKLOADS}"),
        "prune": True,
        "sourceRef": _source(flux),
        "timeout": flux.timeout,
        "wait": False,
    }


def _source(flux: Flux) -> dict[str, str]:
    namespace = {"namespace": flux.source_ref.namespace} if flux.source_ref.namespace else {}
    return {"kind": flux.source_ref.kind, "name": flux.source_ref.name, **namespace}


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
        return re.sub(UNESCAPED, f"${VARIABLE}", value)
    if isinstance(value, Mapping):
        return {_escaped(key): _escaped(inner) for key, inner in value.items()}
    return [_escaped(inner) for inner in value] if isinstance(value, (list, tuple)) else value
