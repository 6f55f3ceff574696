"""From the nodes of one cluster to the pools that an inventory would declare."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from generator.adopt import poollabel
from generator.adopt.machine import Machine
from generator.adopt.note import Note, some
from generator.declared.fleet import Mode, OsRelease, Taint
from generator.facts import label
from generator.facts.branch import Family
from generator.facts.kernel import order_key
from generator.facts.release import Release

ARCHES = ("amd64", "arm64")
MAX_NAME = 63  # the name of a driver object is also a label's value
System = tuple[OsRelease, str]


class Pool(Struct, frozen=True, kw_only=True):
    """A pool as it is proposed. `mode` is None where the operator brings the driver."""

    name: str
    selector: Mapping[str, str]
    default: bool
    machines: tuple[Machine, ...]
    os: OsRelease | None
    arch: tuple[str, ...]
    kernels: tuple[str, ...]
    taints: tuple[Taint, ...]
    family: Family | None
    mode: Mode | None
    floating: bool


class Pools(Struct, frozen=True):
    """The pools, and what is to be said of nodes that are in none or unlike the others."""

    pools: tuple[Pool, ...]
    notes: tuple[Note, ...]


class _Group(Struct, frozen=True):
    """Nodes that one selector is to claim; an empty selector is the default object's."""

    name: str
    selector: Mapping[str, str]
    machines: tuple[Machine, ...]


def pools_of(
    cluster: str,
    release: Release,
    machines: Sequence[Machine],
    first: Sequence[str] = (),
    *,
    others: Sequence[Machine] = (),
    taken: frozenset[str] = frozenset(),
    default: bool = False,
) -> Pools:
    """Nodes divided by the label of their pool, then by system, so that no selector claims another pool's nodes.

    `others` are nodes that pools have already, `taken` the names of these, `default` whether one is the default.
    """
    usable, notes = _usable(cluster, machines)
    divided, told = poollabel.divided(cluster, usable, first)
    notes += told
    alone = len(divided) == 1 and not others
    groups = []
    for (key, value), nodes in divided.items():
        made, said = _groups(cluster, key, value, nodes, alone=alone)
        groups += made
        notes += said
    disjoint, left = _disjoint(groups, usable, others)
    if left and release.default_object and not default:
        name = next((one.name for one in groups if not one.selector), "others")
        disjoint.append(_Group(name, {}, tuple(left)))
    elif left and alone:
        disjoint.append(_Group(groups[0].name, {label.GPU_PRESENT: "true"}, tuple(left)))
    elif left:
        notes.append(_unlabelled(cluster, left))
    pools, names = [], set(taken)
    for group in sorted(disjoint, key=lambda one: (one.name, sorted(one.selector.items()))):
        name = _free(group.name, names)
        names.add(name)
        pool, said = pool_of(f"{cluster}/{name}", name, group.selector, group.machines, default=not group.selector)
        pools.append(pool)
        notes += said
    return Pools(tuple(pools), tuple(notes))


def _groups(
    cluster: str, key: str, value: str, nodes: Sequence[Machine], *, alone: bool
) -> tuple[list[_Group], list[Note]]:
    """The groups of one label value: one for each system. Nodes without a label are told apart by system alone."""
    systems = _by_system(nodes)
    if len(systems) == 1 or not (key or alone):
        return [_Group(_base_name(key, value), {key: value} if key else {}, tuple(nodes))], []
    which = ", ".join(f"{os} on {arch}" for os, arch in systems)
    where = f"nodes with {key}={value}" if key else "nodes"
    notes = [Note(cluster, f"{where} run {which}: one pool for each, told apart by labels")]
    groups = []
    for (os, arch), those in systems.items():
        selector = {**({key: value} if key else {}), **_apart(systems, os, arch)}
        groups.append(_Group(_name(_base_name(key, value), systems, os, arch), selector, tuple(those)))
    return groups, notes


def _disjoint(
    groups: Sequence[_Group], usable: Sequence[Machine], others: Sequence[Machine]
) -> tuple[list[_Group], list[Machine]]:
    """Groups whose selectors claim no node twice, those that claim most first, and the nodes that none claims."""
    claims = {id(one): list(claimed(one.selector, [*usable, *others])) for one in groups if one.selector}
    order = sorted(
        (one for one in groups if one.selector),
        key=lambda one: (-len(claims[id(one)]), one.name, sorted(one.selector.items())),
    )
    gone = {one.name for one in others}
    kept = []
    for group in order:
        names = {one.name for one in (*claims[id(group)], *group.machines)}
        if gone.isdisjoint(names):
            gone |= names
            kept.append(_Group(group.name, group.selector, tuple(one for one in usable if one.name in names)))
    return kept, [one for one in usable if one.name not in gone]


def pool_of(
    about: str, name: str, selector: Mapping[str, str], machines: Sequence[Machine], *, default: bool
) -> tuple[Pool, list[Note]]:
    """One pool of these nodes, whatever their number; what most of them are counts."""
    mode, notes = _mode(about, machines)
    working = [one for one in machines if one.mode is None] if mode is None else list(machines)
    os, arch, told = _system(about, working)
    notes += told
    kernels = sorted({one.kernel for one in working if one.kernel and one.os == os}, key=order_key)
    families = {one.family for one in working if one.family}
    if len(families) > 1:
        notes.append(
            Note(about, f"GPUs of several families: {', '.join(sorted(families))}", "divide the pool by label")
        )
    taints, told = _taints(about, working)
    notes += told
    floating, told = _floating(about, working)
    notes += told
    return Pool(
        name=name,
        selector=dict(selector),
        default=default,
        machines=tuple(machines),
        os=os,
        arch=arch,
        kernels=tuple(kernels),
        taints=taints,
        family=families.pop() if len(families) == 1 else None,
        mode=mode,
        floating=floating,
    ), notes


def object_name(text: str) -> str:
    """The nearest name of an object, "" where nothing of the text can be one."""
    return re.sub(r"\.(?=[-.])|(?<=-)\.", "", re.sub(r"[^a-z0-9.-]", "-", text.lower()))[:MAX_NAME].strip("-.")


def _usable(cluster: str, machines: Sequence[Machine]) -> tuple[list[Machine], list[Note]]:
    """The nodes that can be put into a pool; the others, and those that NFD has not labelled, are named."""
    notes = []
    unlabelled = [one.name for one in machines if one.unlabelled]
    if unlabelled:
        keys = sorted({key for one in machines for key in one.unlabelled})
        message = f"nodes without {', '.join(keys)}: {some(unlabelled)}; the operator passes them over until they have"
        hint = "see that node-feature-discovery runs on them; their kubelet's word is taken meanwhile"
        notes.append(Note(cluster, message, hint))
    unknown = [one.name for one in machines if one.mode is None and _lacks(one)]
    if unknown:
        message = f"OS, architecture or kernel of these GPU nodes is not known, so they are in no pool: {some(unknown)}"
        notes.append(Note(cluster, message, "let node-feature-discovery label them, and run this again"))
    lost = set(unknown)
    return [one for one in machines if one.name not in lost], notes


def _lacks(one: Machine) -> bool:
    return one.os is None or one.arch not in ARCHES or not one.kernel


def _by_system(machines: Iterable[Machine]) -> dict[System, list[Machine]]:
    """Nodes by OS and architecture. A host driver's nodes need neither, and go with the others of their kind."""
    found: dict[System, list[Machine]] = {}
    for one in machines:
        found.setdefault((one.os or OsRelease("", ""), one.arch), []).append(one)
    return dict(sorted(found.items(), key=lambda item: (str(item[0][0]), item[0][1])))


def _apart(systems: Iterable[System], os: OsRelease, arch: str) -> dict[str, str]:
    """The labels that keep the systems of one pool label apart."""
    systems = tuple(systems)
    labels = {}
    if len({one.id for one, _ in systems}) > 1:
        labels[label.OS_ID] = os.id
    if len({one.version for one, _ in systems}) > 1:
        labels[label.OS_VERSION] = os.version
    if len({one for _, one in systems}) > 1:
        labels[label.ARCH] = arch
    return labels


def _base_name(key: str, value: str) -> str:
    return object_name(value) or object_name(key.rpartition("/")[2]) or "gpu"


def _name(base: str, systems: Iterable[System], os: OsRelease, arch: str) -> str:
    """The label's value, and what tells a system from others of that value."""
    parts = [base]
    if len({one for one, _ in systems}) > 1:
        parts.append(str(os))
    if len({one for _, one in systems}) > 1:
        parts.append(arch)
    return object_name("-".join(filter(None, parts)))


def _free(wanted: str, taken: set[str]) -> str:
    """The name, or with a number where another pool has it."""
    if wanted not in taken:
        return wanted
    start = wanted[: MAX_NAME - 5].rstrip("-.")
    return next(name for number in range(2, 10_000) if (name := f"{start}-{number}") not in taken)


def _unlabelled(cluster: str, machines: Sequence[Machine]) -> Note:
    message = f"no label tells these nodes from other pools, so they are in none: {some(one.name for one in machines)}"
    return Note(cluster, message, "give them a label of their own, and name it with --pool-label KEY")


def _mode(about: str, machines: Sequence[Machine]) -> tuple[Mode | None, list[Note]]:
    """Who brings the driver: the host where it does on every node, else the operator."""
    modes = Counter(one.mode for one in machines)
    if len(modes) == 1:
        mode, why = machines[0].mode, machines[0].why
        said = [Note(about, f"mode {mode}: {why}")] if mode and why.startswith("no driver image") else []
        return mode, said
    if None not in modes:
        return Mode.UNMANAGED, [
            Note(about, "some of its nodes have a driver of their own, and the others pass GPUs on")
        ]
    hosts = [one for one in machines if one.mode]
    message = f"{some(one.name for one in hosts)}: {hosts[0].why}, so the operator leaves them alone; their kernels"
    return None, [Note(about, f"{message} are not counted", "give them a pool label of their own")]


def _system(about: str, machines: Sequence[Machine]) -> tuple[OsRelease | None, tuple[str, ...], list[Note]]:
    """The OS that most nodes run, and their architectures: a pool has one OS."""
    counted = Counter(one.os for one in machines if one.os)
    os = min(counted, key=lambda one: (-counted[one], str(one)), default=None)
    arch = tuple(sorted({one.arch for one in machines if one.os == os and one.arch in ARCHES}))
    others = [one.name for one in machines if one.os != os]
    if not others or os is None:
        return os, arch, []
    message = f"a pool has one OS, {os} here, so the gate doesn't look for images of {some(others)}"
    return os, arch, [Note(about, message, "divide the pool by an OS label once its object may change")]


def _taints(about: str, machines: Sequence[Machine]) -> tuple[tuple[Taint, ...], list[Note]]:
    """The taints of any node: the driver's pods must tolerate each."""
    counted = Counter(taint for one in machines for taint in set(one.taints))
    notes = [
        Note(about, f"taint {taint} is on {count} of {len(machines)} nodes")
        for taint, count in sorted(counted.items(), key=lambda item: str(item[0]))
        if count < len(machines)
    ]
    return tuple(sorted(counted, key=str)), notes


def _floating(about: str, machines: Sequence[Machine]) -> tuple[bool, list[Note]]:
    """Nodes of one machine image that run several kernels have been upgraded in place."""
    by_image: dict[tuple[str, str], set[str]] = {}
    for one in machines:
        if one.image:
            by_image.setdefault((one.image.release, one.arch), set()).add(one.kernel)
    for (release, _), kernels in by_image.items():
        if len(kernels) > 1:
            message = f"nodes of image {release} run {', '.join(sorted(kernels, key=order_key))}"
            return True, [Note(about, f"{message}: kernels change without a commit, so it is kernelSource: floating")]
    return False, []


def claimed(selector: Mapping[str, str], machines: Iterable[Machine]) -> Iterator[Machine]:
    """The GPU nodes that a selector matches; the operator gives each of them gpu.present."""
    for one in machines:
        if label.matches(selector, {**one.labels, label.GPU_PRESENT: "true"}):
            yield one
