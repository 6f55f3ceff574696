"""Our answers on budgets, evictions, drains, GPU pods and slots in the words of the oracle (its READMEs)."""

from typing import Any

from generator.facts import budgetspec, deletable, drain, gpupod
from generator.facts.budget import Budget, Owner, Pod, Scale, Status, status
from generator.facts.eviction import Answer, evict
from generator.operator import slots
from tests.testing.shared import release_of

SCALE = {
    "DaemonSet": Scale.NOT_IMPLEMENTED,
    "Job": Scale.NOT_IMPLEMENTED,
    "CRNoScale": Scale.NOT_IMPLEMENTED,
    "MissingOwner": Scale.NOT_FOUND,
    "RSWrongUID": Scale.NOT_FOUND,
}
RESOURCE = {"CRNoScale": "gadgets.example.com"}
Asked = list[tuple[Budget, Status]]


def budget_of(spec: dict[str, Any], name: str) -> Budget:
    return Budget(
        name=name,
        min_available=spec.get("minAvailable"),
        max_unavailable=spec.get("maxUnavailable"),
        selector=spec.get("selector"),
        always_allow=spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
    )


def owners_of(given: dict[str, Any]) -> list[Owner]:
    return [
        Owner(
            kind=owner["kind"],
            replicas=owner["replicas"],
            scale=SCALE.get(owner["kind"], Scale.SERVED),
            resource=RESOURCE.get(owner["kind"], ""),
        )
        for owner in given["owners"]
    ]


def pods_of(given: dict[str, Any]) -> list[Pod]:
    return [
        Pod(
            labels=pod["labels"],
            owner=pod["owner"] if pod["controlled"] else None,
            phase=pod["phase"],
            ready=pod["ready"],
            terminating=pod["terminating"],
            name=f"pod-{index}",
        )
        for index, pod in enumerate(given["pods"])
    ]


def disruption(case: dict[str, Any]) -> dict[str, Any]:
    """Every field of the answer but the texts of a refused creation, which we say in our own words."""
    given = case["input"]
    pods, owners = pods_of(given), owners_of(given)
    told, asked = [], Asked()
    for index, spec in enumerate(given["pdbs"]):
        if refusal := budgetspec.refused(spec):
            told.append({"created": refusal.code, "reason": refusal.reason, "field": refusal.field})
            continue
        budget = budget_of(spec, f"b{index}")
        found = status(budget, pods, owners, _before_the_late(budget, given, pods, owners))
        asked.append((budget, found))
        told.append({"name": budget.name, **_status(found)})
    evictions = [eviction(evict(pod, asked)) for pod in pods]
    return {"pdbs": told, "evictions_all": evictions, "eviction": evictions[given["target"]]}


def _before_the_late(budget: Budget, given: dict[str, Any], pods: list[Pod], owners: list[Owner]) -> Status:
    early = [pod for pod, one in zip(pods, given["pods"], strict=True) if not given["owners"][one["owner"]].get("late")]
    return status(budget, early, owners)


def _status(found: Status) -> dict[str, Any]:
    reason = "SyncFailed" if found.failure else "SufficientPods" if found.allowed else "InsufficientPods"
    return {
        "created": 201,
        "expectedPods": found.expected,
        "desiredHealthy": found.desired,
        "currentHealthy": found.healthy,
        "disruptionsAllowed": found.allowed,
        "disruptedPods": [],
        "observedGeneration": 1 if found.synced else None,
        "conditions": [
            {
                "type": "DisruptionAllowed",
                "status": "True" if found.allowed else "False",
                "reason": reason,
                "message": found.failure,
            }
        ],
    }


def eviction(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = {"code": answer.code, "reason": answer.reason or None}
    if answer.message:
        found["message"] = answer.message
    if answer.cause:
        found["causes"] = [{"reason": "DisruptionBudget", "message": answer.cause}]
    return found | ({"retry_after": answer.retry_after} if answer.retry_after else {})


def in_our_words(case: dict[str, Any]) -> dict[str, Any]:
    """The case with a refused creation cut down to code, reason and the first field."""
    refusals = [_cut(each) if "message" in each else each for each in case["output"]["pdbs"]]
    return {**case, "output": {**case["output"], "pdbs": refusals}}


def _cut(refusal: dict[str, Any]) -> dict[str, Any]:
    # A 400 has no causes: its message ends "... Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type".
    causes = refusal["causes"] or [{"field": refusal["message"].split("PodDisruptionBudgetSpec.")[1].split()[0]}]
    return {"created": refusal["created"], "reason": refusal["reason"], "field": causes[0]["field"]}


def prior(case: dict[str, Any]) -> list[int]:
    """The codes of the evictions that were done one after the other before the pods were looked at."""
    given = case["input"]
    done = given["prior_evictions"]
    pods, owners = pods_of(given), owners_of(given)
    begun = [
        pod if index not in {one["pod"] for one in done} else _alive(pod)
        for index, pod in enumerate(pods)
        if not given["pods"][index]["added_by_controller"]
    ]
    codes = []
    for one in done:
        budgets = [budget_of(spec, f"b{index}") for index, spec in enumerate(given["pdbs"])]
        answer = evict(begun[one["pod"]], [(budget, status(budget, begun, owners)) for budget in budgets])
        codes.append(answer.code)
        if answer.evicted:
            begun[one["pod"]] = _alive(begun[one["pod"]], terminating=True)
    return codes


def _alive(pod: Pod, *, terminating: bool = False) -> Pod:
    return Pod(labels=pod.labels, owner=pod.owner, phase=pod.phase, ready=pod.ready, terminating=terminating)


def gpu_pod(case: dict[str, Any]) -> dict[str, Any]:
    pod = case["input"]["pod"]
    claims = {
        claim["metadata"]["name"]: _devices(claim)
        for claim in case["input"]["resource_claims"]
        if claim["metadata"]["namespace"] == pod["metadata"]["namespace"]
    }
    return {"matched": gpupod.is_gpu_pod(release_of(case), _gpu_pod(pod), claims)}


def _gpu_pod(pod: dict[str, Any]) -> gpupod.GpuPod:
    asked = [each.get("resources", {}) for each in pod["spec"]["containers"]]
    return gpupod.GpuPod(
        phase=pod["status"]["phase"],
        resources=frozenset(name for one in asked for part in one.values() for name in part),
        references=tuple(
            gpupod.ClaimReference(each["name"], each.get("resourceClaimName", ""))
            for each in pod["spec"].get("resourceClaims", ())
        ),
        made={each["name"]: each["resourceClaimName"] for each in pod["status"].get("resourceClaimStatuses", ())},
    )


def _devices(claim: dict[str, Any]) -> tuple[gpupod.Device, ...]:
    results = claim["status"]["allocation"]["devices"]["results"]
    return tuple(gpupod.Device(one["driver"], one.get("adminAccess", False)) for one in results)


def upgrade_slots(case: dict[str, Any]) -> dict[str, Any]:
    given = case["input"]
    nodes = [
        slots.NodeStanding(node["state"], node["cordoned"], node["ready_condition"] in {"", "True"})
        for node in given["nodes"]
    ]
    found = slots.slots(nodes, given["maxParallelUpgrades"], given["maxUnavailable"])
    if isinstance(found, slots.BadMaxUnavailable):
        return {"error": "bad_max_unavailable"}
    return {name: getattr(found, name) for name in found.__struct_fields__}


def drained(case: dict[str, Any]) -> dict[str, Any]:
    given = case["input"]
    flags, mode, selector = _called(given["args"])
    pods = [] if selector else _on_the_node(given)
    found = drain.drained(pods, flags, mode)
    passed = len(_on_the_node(given)) - len(pods)
    return {
        "exit": found.exit,
        "all_error_classes": list(found.troubles),
        "node_cordoned": found.cordoned or given["already_cordoned"],
        "pods_left_on_node": found.left + passed,
        "pods_terminating": found.terminating,
    }


def _called(args: list[str]) -> tuple[deletable.Flags, drain.Mode, str]:
    named = dict(arg.lstrip("-").partition("=")[::2] for arg in args)
    flags = deletable.Flags(
        force="force" in named,
        delete_empty_dir="delete-emptydir-data" in named,
        ignore_daemonsets="ignore-daemonsets" in named,
    )
    mode = drain.Mode(evicting="disable-eviction" not in named, dry_run=named.get("dry-run", ""))
    return flags, mode, named.get("pod-selector", "")


GROUP_OWNER = {
    "ReplicaSet": "ReplicaSet",
    "DaemonSet": "DaemonSet",
    "missing-rs": "ReplicaSet",
    "missing-ds": "DaemonSet",
}


def _on_the_node(given: dict[str, Any]) -> list[drain.DrainedPod]:
    groups = [group for group in given["groups"] for _ in range(group.get("n", 1))]
    pods = [Pod(labels={"app": "w"}, owner=0) for _ in groups]
    owners = [Owner(kind="ReplicaSet", replicas=len(pods))]
    budgets = [budget_of({**spec, "selector": {"matchLabels": {"app": "w"}}}, "b") for spec in given["pdbs"]]
    asked = [(budget, status(budget, pods, owners)) for budget in budgets]
    return [
        drain.DrainedPod(
            standing=deletable.Standing(
                owner=GROUP_OWNER[group["kind"]],
                owner_found=group["kind"] != "missing-ds",
                empty_dir=group.get("emptyDir", False),
            ),
            answer=evict(pod, asked),
            held=group.get("finalizer", False),
        )
        for group, pod in zip(groups, pods, strict=True)
    ]
