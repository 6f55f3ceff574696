"""The steps of a runbook in one cluster: its sync, and each pool with who moves its nodes and what to watch."""

from collections.abc import Iterator, Sequence

from generator.change.evicted import Eviction
from generator.change.runbook import Step, Way
from generator.declared.delivery import CHARTS, application_name
from generator.declared.fleet import Cluster, Install
from generator.layout import OUT
from generator.report.commands import code, codes, context, shell
from generator.report.plan import nodes
from generator.upgrade.state import STATE
from generator.words import counted, shell_quoted

BY_BOOT = """\
Roll its nodes with whatever rolls your node images, one first and then the rest. The operator starts a driver pod for
the new kernel as soon as node feature discovery labels it."""
BY_HAND = "`autoUpgrade` is off: nothing happens until you empty a node and delete its driver pod, node by node."


def synced(steps: Sequence[Step], operator: str) -> Iterator[str]:
    """How each cluster of some steps gets what was merged; `operator` is its new release, "" where that stays."""
    for cluster in {step.cluster.name: step.cluster for step in steps}.values():
        if operator and (how := _upgraded(cluster, operator)):
            yield from (*how, "")
        yield f"Sync `{code(cluster.name)}`:"
        yield from shell(*_sync(cluster))
        yield ""


def _upgraded(cluster: Cluster, operator: str) -> Iterator[str]:
    """Who brings another release of the operator; Argo CD's Application holds the chart's version itself."""
    delivery, name = cluster.delivery, code(cluster.name)
    if cluster.operator.install is Install.OLM:
        yield f"Upgrade the operator of `{name}` to {operator}: approve the install plan of its subscription:"
        yield from shell(
            f"kubectl --context {context(cluster)} get installplans -n {shell_quoted(cluster.operator.namespace)}"
        )
    elif delivery.argocd is not None and delivery.argocd.enabled:
        yield f"The Application holds chart {operator} too: the sync upgrades the operator of `{name}`."
    elif delivery.flux is not None and delivery.flux.enabled:
        yield f"Set the chart's version in the HelmRelease of `{name}` to {operator} in the same merge."
    elif cluster.operator.install is Install.HELM:
        yield f"Upgrade the operator of `{name}` to {operator}, with your own values before ours:"
        values = f"-f VALUES.yaml -f {OUT}/{cluster.name}/values/gpu-operator.yaml"
        where = f"--kube-context {context(cluster)} -n {shell_quoted(cluster.operator.namespace)}"
        yield from shell(
            f"helm upgrade gpu-operator gpu-operator --repo {CHARTS} --version {operator} {where} {values}"
        )
    else:
        yield f"Upgrade the operator of `{name}` to {operator} as you installed it, before the sync."


def _sync(cluster: Cluster) -> Iterator[str]:
    delivery = cluster.delivery
    if delivery.argocd is not None and delivery.argocd.enabled:
        name = application_name(cluster.name)
        yield f"argocd app diff {name}"
        yield f"argocd app sync {name}"
    elif delivery.flux is not None and delivery.flux.enabled:
        named = f"kustomization gpu-drivers -n {delivery.flux.namespace}"
        yield f"flux --context {context(cluster)} reconcile {named} --with-source"
    else:
        yield f"kubectl --context {context(cluster)} diff -k {OUT}/{cluster.name}/gpu-operator"
        yield f"kubectl --context {context(cluster)} apply --server-side -k {OUT}/{cluster.name}/gpu-operator"


def step_lines(step: Step) -> Iterator[str]:
    """One pool: who moves its nodes, who runs on them, and what to watch."""
    named = f"`{code(step.cluster.name)}/{code(step.pool.name)}`"
    yield f"### {'Canary: ' if step.canary else ''}{named}"
    yield ""
    yield f"{nodes(step.pool)}, which are to run {codes(step.tags, ' or ')}."
    yield ""
    yield from _doing(step)
    if step.evictions:
        yield ""
        yield "Workloads on these nodes:"
        yield ""
        yield from (_evicted(one, step.way) for one in step.evictions)
    yield ""
    yield "Watch:"
    yield from shell(*_watch(step))


def _doing(step: Step) -> Iterator[str]:
    match step.way:
        case Way.ROLL:
            yield BY_BOOT
        case Way.OPERATOR:
            going = (
                f"at most {counted(step.at_once, 'node')} at a time" if step.at_once is not None else "by its limits"
            )
            yield f"The operator upgrades its nodes by itself, {going}."
        case Way.BY_HAND:
            yield BY_HAND


def _evicted(one: Eviction, way: Way) -> str:
    named = f"- `{code(one.namespace)}/{code(one.workload)}` of team {code(one.team)}"
    if way is not Way.OPERATOR:
        return named
    if one.stays:
        return f"{named}; the operator does not evict it, so it keeps the old driver in use"
    return f"{named}, about {counted(one.at_once, 'pod')} at a time" if one.at_once is not None else named


def _watch(step: Step) -> Iterator[str]:
    selector = ",".join(f"{key}={value}" for key, value in sorted(step.pool.node_selector.items()))
    chosen = f" -l {shell_quoted(selector)}" if selector else ""
    yield f"kubectl --context {context(step.cluster)} get nodes{chosen} -L {STATE}"
    yield f"drivergate upgrade status --cluster {step.cluster.name}"
