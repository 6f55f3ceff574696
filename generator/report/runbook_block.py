"""One block of a runbook, which is one pull request: edit, merge, sync, roll or wait, what to see, the way back."""

from collections.abc import Iterator, Sequence

from generator.change.evicted import Eviction
from generator.change.runbook import Runbook, Step, Way
from generator.change.sequence import Move
from generator.declared.delivery import CHARTS, application_name
from generator.declared.fleet import Cluster, Install
from generator.facts.release import DriverApi
from generator.layout import OUT
from generator.report.commands import code, codes, context, shell
from generator.report.plan import nodes, seen_by, step_words
from generator.upgrade.state import STATE
from generator.words import and_more, counted, shell_quoted

BY_BOOT = """\
Roll its nodes with whatever rolls your node images, one first and then the rest. The operator starts a driver pod for
the new kernel as soon as node feature discovery labels it."""
BY_HAND = "`autoUpgrade` is off: nothing happens until you empty a node and delete its driver pod, node by node."
BY_LABEL = """\
Make its nodes anew, one first and then the rest, with the labels of the new pool and its kernel."""
CANARY = "This pool is the canary: go on with the next one when its nodes are through and its workloads are back."
SHOWN = 4  # pools in a heading
BACK_BY_BOOT = """\
boot the nodes with the machine image that they had, in the same order: the operator starts the old driver by itself.
Then revert the merge. The old images, as the catalog proves them:"""
BACK_BY_LABEL = "give the nodes the labels and the kernel that they had, then revert the merge. The old images:"
BACK_BY_SYNC = "revert the merge, render, sync. The old images, as the catalog proves them:"


def block(steps: Sequence[Step], book: Runbook) -> Iterator[str]:
    """The lines of one pull request; of several pools where the same change is merged for all of them."""
    yield f"### {_title(steps)}"
    yield ""
    yield f"**Edit**: {_edit(steps, book)}"
    yield ""
    yield "**Merge** it as in 3."
    yield ""
    if any(_reaches_cluster(step) for step in steps):
        yield from _synced(steps, book.operator)
    for step in steps:
        yield from _pool(step)
        if step.canary and len(steps) > 1:
            yield from (CANARY, "")
    yield from _seen(steps)
    yield from _back(steps)


def _title(steps: Sequence[Step]) -> str:
    names = codes(f"{step.cluster.name}/{step.pool.name}" for step in steps[:SHOWN]) + and_more(len(steps), SHOWN)
    if steps[0].edit is not None:
        return f"{names}, {steps[0].number} of {len(steps[0].answer.steps)}"
    return f"Canary: {names}" if steps[0].canary and len(steps) == 1 else names


def _reaches_cluster(step: Step) -> bool:
    """Whether an object of the cluster differs: kernels stand in none of the driver's."""
    if step.edit is not None:
        return step.edit.move not in {Move.JOIN, Move.LEAVE}
    return step.way is not Way.ROLL or step.answer.before[1].driver != step.answer.pool.driver


def _edit(steps: Sequence[Step], book: Runbook) -> str:
    """What is written in the inventory."""
    first = steps[0]
    if first.edit is not None:
        return f"{code(step_words(first.edit))}."
    if not book.declared:
        whom = "the cluster" if first.together else counted(len(steps), "pool")
        return f"`{code(book.change)}` for {whom}, in its own lines or those of a profile that no other pool has."
    return (
        "move the kernels of these pools, or the releases of their node image, from `upcoming` to `running`, and keep "
        "the old ones in `running`."
    )


def _synced(steps: Sequence[Step], operator: str) -> Iterator[str]:
    """How each cluster of some steps gets what was merged; `operator` is its new release, "" where that stays."""
    for cluster in {step.cluster.name: step.cluster for step in steps}.values():
        if operator and (how := list(_upgraded(cluster, operator))):
            yield from (*how, "")
        changed = [step for step in steps if step.cluster.name == cluster.name]
        yield f"**Sync** `{code(cluster.name)}`:"
        yield from shell(*_sync(cluster, changed))
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
        yield from shell(_helm(cluster, operator))
    else:
        yield f"Upgrade the operator of `{name}` to {operator} as you installed it, before the sync."


def _helm(cluster: Cluster, release: str) -> str:
    values = f"-f VALUES.yaml -f {OUT}/{cluster.name}/values/gpu-operator.yaml"
    where = f"--kube-context {context(cluster)} -n {shell_quoted(cluster.operator.namespace)}"
    return f"helm upgrade gpu-operator gpu-operator --repo {CHARTS} --version {release} {where} {values}"


def _sync(cluster: Cluster, steps: Sequence[Step]) -> Iterator[str]:
    """The sync that moves the driver."""
    delivery, operator = cluster.delivery, cluster.operator
    by_chart = operator.driver_api is DriverApi.CLUSTERPOLICY and operator.install is Install.HELM
    if delivery.argocd is not None and delivery.argocd.enabled:
        name = application_name(cluster.name)
        yield f"argocd app diff {name}"
        yield f"argocd app sync {name}"
    elif delivery.flux is not None and delivery.flux.enabled:
        named = f"kustomization gpu-drivers -n {delivery.flux.namespace}"
        yield f"flux --context {context(cluster)} reconcile {named} --with-source"
        if by_chart:
            namespace = shell_quoted(operator.namespace)
            yield f"flux --context {context(cluster)} reconcile helmrelease gpu-operator -n {namespace} --force"
    elif by_chart:
        yield _helm(cluster, operator.release.version)
    else:
        yield from _applied(cluster, steps)


def _applied(cluster: Cluster, steps: Sequence[Step]) -> Iterator[str]:
    """The driver's own objects; the folder has a ConfigMap of references beside them, which nobody asked for here."""
    folder = f"{OUT}/{cluster.name}/gpu-operator"
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        files = [f"{folder}/clusterpolicy.yaml"]
    else:
        files = [f"{folder}/nvidiadriver-{step.pool.name}.yaml" for step in steps]
    given = " ".join(f"-f {shell_quoted(file)}" for file in files)
    yield f"kubectl --context {context(cluster)} diff --server-side {given}"
    yield f"kubectl --context {context(cluster)} apply --server-side {given}"


def _pool(step: Step) -> Iterator[str]:
    """One pool: who moves its nodes, who runs on them, and what to watch."""
    if step.way is Way.NONE:
        yield "No node moves." if _reaches_cluster(step) else "No node moves, and nothing of the driver differs."
        yield ""
        return
    named = f"`{code(step.cluster.name)}/{code(step.pool.name)}`"
    yield f"**{'Wait for' if step.way is Way.OPERATOR else 'Roll'}** {named}: {_reached(step)}."
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
    yield ""


def _reached(step: Step) -> str:
    return f"{nodes(step.pool)}, which are to run {codes(step.tags, ' or ')}"


def _doing(step: Step) -> Iterator[str]:
    match step.way:
        case Way.ROLL:
            yield BY_BOOT
        case Way.MOVE:
            yield BY_LABEL
        case Way.OPERATOR:
            going = (
                f"at most {counted(step.at_once, 'node')} at a time" if step.at_once is not None else "by its limits"
            )
            yield f"The operator upgrades its nodes by itself, {going}."
        case Way.BY_HAND:
            yield BY_HAND
        case Way.NONE:
            pass


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


def seen_of(step: Step) -> str:
    """The command that ends with 0 when the next block may begin; "" where nothing is to be waited for."""
    if step.edit is not None:
        return seen_by(step.answer, step.number)
    was, becomes = step.answer.before[1], step.answer.pool
    if was.driver.version != becomes.driver.version:
        gone = [was.driver.version]
    else:
        later = {kernel.name for kernel in becomes.kernels if kernel.upcoming}
        gone = [kernel.written for kernel in was.kernels if not kernel.upcoming and later and kernel.name not in later]
    where = f"drivergate audit --cluster {step.cluster.name}"
    return f"{where} --pool {step.pool.name} {' '.join(f'--gone {value}' for value in gone)}" if gone else where


def _seen(steps: Sequence[Step]) -> Iterator[str]:
    """What shows that it is through."""
    commands = dict.fromkeys(command for step in steps if (command := seen_of(step)))
    if commands:
        ends = "ends" if len(commands) == 1 else "each end"
        yield f"**See**: go on when this {ends} with 0, and the workloads are back:"
        yield from shell(*commands)
        yield ""
    if any(step.way is Way.ROLL and step.edit is None for step in steps):
        yield "Then remove those kernels from `running`, in a pull request of its own."
        yield ""


def _back(steps: Sequence[Step]) -> Iterator[str]:
    match steps[0].way:
        case Way.ROLL:
            how = BACK_BY_BOOT
        case Way.MOVE:
            how = BACK_BY_LABEL
        case Way.OPERATOR | Way.BY_HAND | Way.NONE:
            how = BACK_BY_SYNC
    yield f"**The way back**: {how}"
    yield ""
    for step in steps:
        named = f"`{code(step.cluster.name)}/{code(step.answer.pool.name)}`"
        if step.back.lost:
            yield f"- {named}: **there is no way back**: the catalog lacks {codes(step.back.lost)}"
        else:
            yield f"- {named}: {codes(step.back.built) or 'no image of its own'}"
