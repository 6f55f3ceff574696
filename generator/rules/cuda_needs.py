"""Whether workloads can run on the drivers of their pools, as of the catalog: what the rules of cuda/ find."""

from collections.abc import Iterator

from generator.declared.fleet import Mode, Pool
from generator.facts import branch as branches
from generator.facts.affinity import Expression, Term, expression_matches, expressions, unreadable
from generator.facts.branch import Family
from generator.facts.cudachoice import By, LabelFamily
from generator.facts.driveraffinity import families
from generator.finding import Place
from generator.operator.carries import Loaded, Verdict, from_zero, known_labels
from generator.operator.cuda_placement import OnPool, Placed
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem

TERMS = "nodeSelectorTerms"
# k8s-device-plugin docs/gpu-feature-discovery: the names that went out of use, and what they are called now.
DEPRECATED = {
    "nvidia.com/cuda.driver.major": "nvidia.com/cuda.driver-version.major",
    "nvidia.com/cuda.driver.minor": "nvidia.com/cuda.driver-version.minor",
    "nvidia.com/cuda.driver.rev": "nvidia.com/cuda.driver-version.revision",
    "nvidia.com/cuda.runtime.major": "nvidia.com/cuda.runtime-version.major",
    "nvidia.com/cuda.runtime.minor": "nvidia.com/cuda.runtime-version.minor",
}
SET_BY_DRIVER = "nvidia.com/cuda."
HOLD_WITHOUT_LABEL = frozenset({"NotIn", "DoesNotExist"})


def driver_too_old(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools whose driver doesn't meet the need of a workload that may run there."""
    for one in inputs.placements:
        for on in () if one.stuck else one.selected:
            if on.met and on.met.verdict is Verdict.TOO_OLD:
                first = on.met.drivers[0]
                yield _problem(
                    _said(inputs, one),
                    one,
                    on.pool,
                    f"needs {one.need}, and pool {_quoted(one, on)} loads {_with_image(first)}",
                    _newer_driver(one, on),
                    first.name,
                )


def unsatisfiable(inputs: ClusterInputs) -> Iterator[Problem]:
    """Workloads that no change of a driver lets run in a cluster."""
    for one in inputs.placements:
        if not one.stuck:
            continue
        yield _kept_away(inputs, one) if not one.selected else _undrivable(inputs, one)


def cannot_tell(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools of which nobody can say whether the driver meets the need."""
    for one in inputs.placements:
        for on in () if one.stuck else one.selected:
            if on.met and on.met.verdict is Verdict.CANNOT_TELL:
                why, hint = _unknown(one, on)
                yield _problem(
                    _said(inputs, one), one, on.pool, f"needs {one.need}, and {why}", hint, on.pool.driver.version
                )


def scale_from_zero(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools that can be empty, of workloads that wait for a label which only a loaded driver brings."""
    for one in inputs.placements:
        for on in one.selected:
            why = _waits_for_label(one, on) if from_zero(on.pool) and on.verdict is not Verdict.TOO_OLD else ""
            if why:
                message = f"{why}, and pool {_quoted(one, on)} scales from zero: no node would come up for it"
                hint = "select the pool by a label that its nodes are made with"
                yield _problem(_said(inputs, one), one, on.pool, message, hint, on.pool.name)


def deprecated_label(inputs: ClusterInputs) -> Iterator[Problem]:
    """Own terms on old label names where the cluster chose the new ones, or on both in one term."""
    for one in inputs.placements:
        for index, term in enumerate(one.workload.node_selector_terms):
            found = _mixed(term) or _old_name(one, term)
            if found:
                message, hint, fact = found
                place = inputs.workload_place(one.workload, TERMS, index)
                yield _problem(place, one, None, message, hint, fact)
                break


def _kept_away(inputs: ClusterInputs, one: Placed) -> Problem:
    names = ", ".join(on.pool.name for on in one.pools)
    wrong = unreadable(one.workload.node_selector_terms)
    why = wrong or _differing(one.workload.node_selector_terms[0], one.pools[0])
    return _problem(
        inputs.workload_place(one.workload, TERMS),
        one,
        None,
        f'has nodeSelectorTerms that no node of {names} in cluster "{one.cluster.name}" can match: {why}',
        "correct nodeSelectorTerms, or name pools in runsOn that they select",
        names,
    )


def _undrivable(inputs: ClusterInputs, one: Placed) -> Problem:
    reach = " and ".join(_reach(family) for family in sorted({on.pool.family for on in one.selected}))
    names = ", ".join(on.pool.name for on in one.selected)
    return _problem(
        _said(inputs, one),
        one,
        None,
        f'needs {one.need}, and no driver for the GPUs of {names} in cluster "{one.cluster.name}" does: {reach}',
        "run it on a pool with other GPUs, or lower its need",
        names,
    )


def _reach(name: str) -> str:
    family = branches.reach(Family(name))
    ends = [f"begins with branch {family.first_branch}"] if family.first_branch else []
    if family.last_branch:
        ends.append(f"ends with branch {family.last_branch}")
    return f"{name} {' and '.join(ends)}"


def _newer_driver(one: Placed, on: OnPool) -> str:
    if not on.possible:
        return f"take {on.pool.name} out of runsOn: no driver for {on.pool.family} does"
    need = one.workload.cuda
    least = need.least(one.compatibility) if need else ""
    what = f"{least} or newer" if least else "that satisfies it"
    return f"give the pool a driver {what}, or take it out of runsOn"


def _unknown(one: Placed, on: OnPool) -> tuple[str, str]:
    """Why it can't be told, and how it could."""
    pool = _quoted(one, on)
    if on.pool.driver.mode is Mode.UNMANAGED:
        return f"pool {pool} is unmanaged: no driver of it is declared", "take it out of runsOn, or declare its driver"
    first = on.met.drivers[0] if on.met and on.met.drivers else None
    if first is None or not first.branch:
        return f"pool {pool} declares no driver version", "set driver.version to the one that its nodes load"
    others = _of_gpu(one, on)
    if others:
        hint = "say the need as toolkit or driver, unless the image may run on older drivers of such GPUs"
        return f"on pool {pool} with {first.name} that depends on the GPU: {others}", hint
    if not first.image:
        return (
            f"pool {pool} declares only branch {first.branch}",
            "set driver.version to the one that its nodes load",
        )
    said = f"pool {pool} loads {first.image}, and the catalog doesn't record which {first.branch} driver is in it"
    return said, "record driverVersion on that line of the catalog"


def _of_gpu(one: Placed, on: OnPool) -> str:
    """What must hold of the GPU besides, where a driver alone would not do."""
    need = one.workload.cuda
    if need is None or on.met is None:
        return ""
    held = [
        each.others
        for each in need.alternatives(one.compatibility)
        if each.others and any(not each.drivers.both(driver.may_be).empty for driver in on.met.drivers)
    ]
    return " or ".join(dict.fromkeys(" and ".join(others) for others in held))


def _waits_for_label(one: Placed, on: OnPool) -> str:
    own = one.workload.node_selector_terms
    waiting = [key for term in own if (key := _driver_label(term))]
    if own and len(waiting) == len(own):
        return f"has nodeSelectorTerms on {waiting[0]}, which no node bears before a driver ran"
    by_labels = one.workload.cuda is not None and one.workload.affinity_by is By.LABELS
    if by_labels and not on.pool.node_selector:
        return "is placed by labels that no node bears before a driver ran, and no nodeSelector can stand for the pool"
    return ""


def _driver_label(term: Term) -> str:
    """A label of the term that only a driver brings, and without which it doesn't hold."""
    return next((one["key"] for one in expressions(term) if _needs_driver(one)), "")


def _needs_driver(expression: Expression) -> bool:
    return expression["key"].startswith(SET_BY_DRIVER) and expression["operator"] not in HOLD_WITHOUT_LABEL


def _mixed(term: Term) -> tuple[str, str, str] | None:
    if len(families([term])) < 2:
        return None
    keys = sorted({one["key"] for one in expressions(term) if families([{"matchExpressions": [one]}])})
    message = f"asks for {' and '.join(keys)} in one of its nodeSelectorTerms"
    return message, "use the labels of one family, which not every release sets both of", keys[0]


def _old_name(one: Placed, term: Term) -> tuple[str, str, str] | None:
    if str(one.cluster.cuda.labels) != LabelFamily.DRIVER_VERSION:
        return None
    old = next((each["key"] for each in expressions(term) if each["key"] in DEPRECATED), "")
    if not old:
        return None
    message = (
        f'asks for {old} in its nodeSelectorTerms, a deprecated name, and cluster "{one.cluster.name}" chose the new'
    )
    return message, f"write {DEPRECATED[old]}", old


def _differing(term: Term, on: OnPool) -> str:
    """The first thing that a term asks for, and what a pool's nodes have instead."""
    known = known_labels(on.pool, on.drivers)
    found = next(each for each in expressions(term) if each["key"] in known and not expression_matches(each, known))
    asked = " ".join([found["key"], found["operator"], *found.get("values", ())])
    return f'it asks for {asked}, and {on.pool.name} has "{known[found["key"]]}"'


def _with_image(driver: Loaded) -> str:
    """The driver, and for one that only the catalog tells, where that is recorded."""
    if not driver.version or driver.image.startswith(driver.version):
        return driver.name
    return f"{driver.name} ({driver.image})" if driver.image else driver.name


def _quoted(one: Placed, on: OnPool) -> str:
    return f'"{one.cluster.name}/{on.pool.name}"'


def _said(inputs: ClusterInputs, one: Placed) -> Place:
    """Where the need is said; the workload itself without one."""
    need = one.workload.cuda
    return inputs.workload_place(one.workload, *(("cuda", str(need.kind)) if need else (TERMS,)))


def _problem(place: Place, one: Placed, pool: Pool | None, message: str, hint: str, fact: str) -> Problem:
    return Problem(
        place=place,
        message=f'workload "{one.workload.name}" {message}',
        hint=hint,
        cluster=one.cluster.name,
        pool=pool.name if pool else "",
        workload=one.workload.name,
        fact=fact,
    )
