"""What one reconcile does to the nodes of one state: a function a step, in the order of the operator's ApplyState.

k8s-operator-libs pkg/upgrade/upgrade_state.go, common_manager.go, upgrade_inplace.go. A step sees the nodes as they
were when the reconcile began, so that a node moves at most one state.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from generator.facts.podselector import selector_problem, selects
from generator.upgrade import drain as draining
from generator.upgrade.drain import Evict
from generator.upgrade.event import Event, Kind, Stopped, StoppedError
from generator.upgrade.policy import Emptying, Policy
from generator.upgrade.state import MOST_RESTARTS, VALIDATION_SECONDS, State
from generator.upgrade.world import DriverPod, Leaving, Node, Pod, World, due


class Reconcile(Struct, kw_only=True):
    """One reconcile of one scope: the nodes as they were, the world that changes, and what is told of it."""

    world: World
    policy: Policy
    snapshot: Mapping[str, list[Node]]
    now: int
    next: int
    evict: Evict
    slots: int
    restart_only: bool
    events: list[Event]
    deleted: dict[str, DriverPod]
    evicted: dict[str, Pod]

    def tell(self, kind: Kind, node: Node, detail: str = "", why: str = "", seconds: int = 0) -> None:
        """Something happened to a node."""
        self.events.append(Event(at=self.now, kind=kind, node=node.name, detail=detail, why=why, seconds=seconds))

    def move(self, node: Node, state: State, why: str = "", **changes: Any) -> None:
        """A node's next state."""
        self.world.put(replace(node, state=state, **changes))
        self.tell(Kind.STATE, node, state, why)

    def cordoned(self, node: Node) -> Node:
        """The node, unschedulable."""
        if not node.cordoned:
            self.tell(Kind.CORDONED, node)
        return replace(node, cordoned=True)


def done_or_unknown(run: Reconcile, state: State) -> None:
    """Whether a node's driver pod is the wanted one; a cordon that somebody else set is remembered."""
    for node in run.snapshot.get(state, ()):
        if due(node):
            run.move(node, State.UPGRADE_REQUIRED, was_cordoned=node.was_cordoned or node.cordoned)
        elif state is State.UNKNOWN:
            run.move(node, State.DONE)


def upgrade_required(run: Reconcile) -> None:
    """Gives the free slots away, by name; a node that is cordoned already goes on without one."""
    for node in run.snapshot.get(State.UPGRADE_REQUIRED, ()):
        asked = replace(node, requested=False)
        if node.requested:
            run.world.put(asked)
        if node.skip or (run.slots <= 0 and not node.cordoned):
            continue
        run.slots -= 1
        if run.restart_only and _only_restarts(node):
            run.move(run.cordoned(asked), State.POD_RESTART, "the driver's settings are the same: restart only")
        else:
            run.move(asked, State.CORDON_REQUIRED)


def _only_restarts(node: Node) -> bool:
    driver = node.driver
    same = driver is not None and driver.same_digest and not driver.orphan
    return same and not node.requested and not node.safe_load


def cordon_required(run: Reconcile) -> None:
    """Cordons."""
    for node in run.snapshot.get(State.CORDON_REQUIRED, ()):
        run.move(run.cordoned(node), State.WAIT_FOR_JOBS)


def wait_for_jobs(run: Reconcile) -> None:
    """Waits until no pod of the selector runs, or until a timeout that isn't 0."""
    policy, waiting = run.policy, run.snapshot.get(State.WAIT_FOR_JOBS, [])
    if policy.wait_selector and waiting and selector_problem(policy.wait_selector):
        raise StoppedError(Stopped.BAD_SELECTOR)
    for node in waiting:
        jobs = [
            pod
            for pod in (run.world.pods_on(node.name) if policy.wait_selector else ())
            if pod.unfinished and selects(policy.wait_selector, pod.labels)
        ]
        if not jobs:
            run.move(node, State.POD_DELETION, waits_since=None)
        elif policy.wait_timeout and node.waits_since is None:
            run.world.put(replace(node, waits_since=run.now))
        elif policy.wait_timeout and run.now > (node.waits_since or 0) + policy.wait_timeout:
            run.tell(Kind.TIMED_OUT, node, jobs[0].name, "it still runs", policy.wait_timeout)
            run.move(
                node, State.POD_DELETION, f"{jobs[0].name} still runs after {policy.wait_timeout} s", waits_since=None
            )


def pod_deletion(run: Reconcile) -> None:
    """Evicts the GPU pods; where one can't go, the node is drained or has failed."""
    nodes = run.snapshot.get(State.POD_DELETION, ())
    if nodes and run.policy.pod_deletion is None:
        raise StoppedError(Stopped.POD_DELETION_MISSING)
    for node in nodes:
        assert run.policy.pod_deletion is not None
        pods = draining.to_delete(run.world, node)
        kept = draining.kept_by_deletion(pods, run.policy.pod_deletion)
        _empty(run, node, kept, pods, run.policy.pod_deletion)


def drain(run: Reconcile) -> None:
    """Drains the node after a pod deletion that failed; the drain cordons too."""
    how = run.policy.drain
    for node in run.snapshot.get(State.DRAIN, ()):
        if how is None or not run.policy.drain_enabled:
            run.move(node, State.POD_RESTART, "drain is disabled")
            continue
        pods = draining.to_drain(run.world, node, how)
        cordoned = run.cordoned(node)
        if isinstance(pods, str):
            run.move(cordoned, State.FAILED, f"drain.podSelector is no selector: {pods}")
        else:
            kept = draining.kept_by_drain(run.world, node, how)
            _empty(run, cordoned, kept, pods, how)


def _empty(run: Reconcile, node: Node, kept: list[draining.Kept], pods: list[Pod], how: Emptying) -> None:
    """Begins to empty a node, or goes on with it; what can't end before the next round stays in the background."""
    if node.leaving is None and kept:
        for one in kept:
            run.tell(Kind.CANNOT_LEAVE, node, one.pod, one.refusal)
        run.move(node, _after_failure(run, node), f"{kept[0].pod} can't be evicted: {kept[0].refusal}")
        return
    before = node.leaving or Leaving(since=run.now, asked=tuple(pod.name for pod in pods))
    attempt = draining.attempt(run.world, node, before, run.evict)
    _tell_attempt(run, node, before, attempt)
    leaving = attempt.leaving
    if not leaving.asked and not leaving.held:
        if leaving.failure is None:
            run.move(node, State.POD_RESTART, leaving=None)
        else:
            name, why = leaving.failure
            run.move(node, _after_failure(run, node), f"{name} can't be evicted: {why}", leaving=None)
        return
    if not how.timeout or leaving.since + how.timeout >= run.next:
        run.world.put(replace(node, leaving=leaving))
        return
    if leaving.asked:
        name, why = next((pod.name, answer.why) for pod, answer in attempt.refused if answer.retried)
        reason = f"{name} was refused for {how.timeout} s: {why}"
    else:
        name, why = attempt.held[0].name, _finalizers(attempt.held[0])
        reason = f"{name} is still there {how.timeout} s after its eviction: {why}"
    run.tell(Kind.TIMED_OUT, node, name, why, how.timeout)
    run.move(node, _after_failure(run, node), reason, leaving=None)


def _tell_attempt(run: Reconcile, node: Node, before: Leaving, attempt: draining.Attempt) -> None:
    """What is new: a refusal that is repeated is reported once, a pod that was deleted before isn't evicted again."""
    for pod in attempt.evicted:
        if pod.held:
            continue
        run.evicted[pod.name] = pod
        run.tell(Kind.EVICTED, node, pod.name)
    for pod in attempt.held:
        if pod.name not in before.held:
            run.tell(Kind.HELD, node, pod.name, _finalizers(pod))
    if node.leaving is None:
        for pod, answer in attempt.refused:
            run.tell(Kind.EVICTION_REFUSED, node, pod.name, answer.why)


def _finalizers(pod: Pod) -> str:
    return f"its finalizers hold it: {', '.join(pod.finalizers)}"


def _after_failure(run: Reconcile, node: Node) -> State:
    return State.DRAIN if node.state == State.POD_DELETION and run.policy.drain_enabled else State.FAILED


def pod_restart(run: Reconcile) -> None:
    """Deletes a driver pod that isn't the wanted one; waits for the new one, unless it restarts too often."""
    for node in run.snapshot.get(State.POD_RESTART, ()):
        driver = node.driver
        assert driver is not None
        if not driver.in_sync or driver.orphan:
            run.world.put(replace(node, driver=None))
            run.deleted[node.name] = driver
            run.tell(Kind.DRIVER_POD_DELETED, node)
            continue
        loaded = replace(node, safe_load=False)
        if driver.ready:
            run.move(loaded, State.VALIDATION)
        elif driver.restarts > MOST_RESTARTS:
            run.move(loaded, State.FAILED, f"the driver pod restarted {driver.restarts} times")
        else:
            run.world.put(loaded)


def failed(run: Reconcile) -> None:
    """A node whose driver pod is the wanted one and ready has got over it."""
    for node in run.snapshot.get(State.FAILED, ()):
        if _well(node.driver):
            _released(run, node)


def validation(run: Reconcile) -> None:
    """Waits for the validator pods: for ever where there is none, 600 s where one isn't ready."""
    for node in run.snapshot.get(State.VALIDATION, ()):
        if node.validators and all(node.validators):
            _released(run, replace(node, safe_load=False, validates_since=None))
        elif node.validators and node.validates_since is None:
            run.world.put(replace(node, safe_load=False, validates_since=run.now))
        elif node.validators and run.now > (node.validates_since or 0) + VALIDATION_SECONDS:
            why = f"the validator wasn't ready for {VALIDATION_SECONDS} s"
            run.tell(Kind.TIMED_OUT, node, "", "the validator isn't Ready", VALIDATION_SECONDS)
            run.move(node, State.FAILED, why, safe_load=False, validates_since=None)


def uncordon(run: Reconcile) -> None:
    """Uncordons."""
    for node in run.snapshot.get(State.UNCORDON, ()):
        if node.cordoned:
            run.tell(Kind.UNCORDONED, node)
        run.move(node, State.DONE, cordoned=False)


def _released(run: Reconcile, node: Node) -> None:
    """A node that was cordoned before its upgrade stays so."""
    if node.was_cordoned:
        run.move(node, State.DONE, "it was cordoned before", was_cordoned=False)
    else:
        run.move(node, State.UNCORDON)


def _well(driver: DriverPod | None) -> bool:
    return driver is not None and driver.in_sync and driver.ready and not driver.orphan
