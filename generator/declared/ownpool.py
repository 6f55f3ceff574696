"""What a pool's own entry says, whatever it inherits: alternatives, labels, taints, size."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from generator.declared import model
from generator.declared.fleet import Taint
from generator.declared.inventory import Loaded
from generator.declared.modelparts import Size
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.label import label_key_problem, label_value_problem
from generator.finding import Finding, Place, Severity

TAINT = r"([^=:\s]+)(?:=([^=:\s]*))?:(NoSchedule|PreferNoSchedule|NoExecute)"
OWN_MACHINE = ("os", "arch", "kernels", "upcomingKernels")
LISTS = ("arch", "kernels", "upcomingKernels")
BOTH = "driver.branch and driver.version are alternatives, and both are given"


class Parts(Struct, frozen=True):
    """What a pool's entry comes to on its own; unfit where there are findings."""

    taints: tuple[Taint, ...]
    size: Size | None
    findings: tuple[Finding, ...]


def both(driver: Mapping[str, Any]) -> bool:
    """Whether one level gives both of the alternatives branch and version."""
    return "branch" in driver and "version" in driver


def repeated(values: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each item that stands earlier in its list, with the index of the first."""
    seen: dict[str, int] = {}
    for index, value in enumerate(values):
        first = seen.setdefault(value, index)
        if first != index:
            yield first, index


class OwnPool:
    """Reads the entries of one cluster's pools, and says what is wrong at a place in them."""

    def __init__(self, cluster: Loaded[model.Cluster], texts: Texts) -> None:
        self.cluster, self.texts = cluster, texts

    def parts(self, name: str) -> Parts:
        """Taints, size, and every problem that no inherited setting has a part in."""
        shape, tree = self.cluster.shape.pools[name], self.cluster.tree["pools"][name]
        findings = [*self._alternatives(name, tree), *self._labels(name, shape), *self._repeated(name, tree)]
        taints, problems = self._taints(name, shape)
        size, of_size = self._size(name, shape)
        return Parts(taints, size, (*findings, *problems, *of_size))

    def problem(self, name: str, path: Path, message: str, hint: str, *, key: bool = False) -> Finding:
        """A finding at a path inside the pool."""
        whole: Path = ("pools", name, *path)
        place = self.texts.key(self.cluster.file, whole) if key else self.texts.value(self.cluster.file, whole)
        return self.at(name, place, message, hint)

    def at(self, name: str, place: Place, message: str, hint: str) -> Finding:
        """A finding about the pool at any place."""
        return Finding(
            rule="inventory/schema",
            severity=Severity.INVALID,
            place=place,
            message=f'pool "{name}": {message}',
            hint=hint,
            cluster=self.cluster.shape.name,
            pool=name,
        )

    def _alternatives(self, name: str, tree: Mapping[str, Any]) -> Iterator[Finding]:
        own = [key for key in OWN_MACHINE if key in tree]
        if own and "nodeImage" in tree:
            message = f"nodeImage and {', '.join(own)} are alternatives, and both are given"
            yield self.problem(name, (own[0],), message, f"remove {', '.join(own)}, or nodeImage", key=True)
        if both(tree.get("driver", {})):
            yield self.problem(name, ("driver", "version"), BOTH, "remove one of the two", key=True)

    def _labels(self, name: str, shape: model.Pool) -> Iterator[Finding]:
        if shape.node_selector is UNSET:
            return
        for key, value in shape.node_selector.items():
            path: Path = ("nodeSelector", key)
            if why := label_key_problem(key):
                yield self.problem(name, path, f'nodeSelector key "{key}": {why}', "write a label key", key=True)
            elif why := label_value_problem(value):
                yield self.problem(name, path, f'nodeSelector {key} is "{value}": {why}', "write a label value")

    def _repeated(self, name: str, tree: Mapping[str, Any]) -> Iterator[Finding]:
        for key in LISTS:
            for first, index in repeated(tree.get(key, ())):
                yield self._twice(name, key, tree[key][index], first, index)

    def _twice(self, name: str, key: str, written: str, first: int, index: int) -> Finding:
        hint = f"remove one of them, or correct it to what was meant: the other is {key}.{first}"
        return duplicate(self.problem(name, (key, index), f'{key} lists "{written}" twice', hint))

    def _taints(self, name: str, shape: model.Pool) -> tuple[tuple[Taint, ...], list[Finding]]:
        taints: dict[Taint, int] = {}
        findings = []
        for index, written in enumerate(shape.taints):
            found = re.fullmatch(TAINT, written)
            if found is None:
                message = f'"{written}" is no taint'
                hint = 'write "key=value:Effect" or "key:Effect" with NoSchedule, PreferNoSchedule or NoExecute'
                findings.append(self.problem(name, ("taints", index), message, hint))
            elif why := label_key_problem(found[1]) or label_value_problem(found[2] or ""):
                hint = "write key and value as those of a label"
                findings.append(self.problem(name, ("taints", index), f'taint "{written}": {why}', hint))
            elif (first := taints.setdefault(Taint(found[1], found[2] or "", found[3]), index)) != index:
                findings.append(self._twice(name, "taints", written, first, index))
        return tuple(taints), findings

    def _size(self, name: str, shape: model.Pool) -> tuple[Size | None, list[Finding]]:
        nodes = shape.nodes
        if nodes is UNSET:
            return None, []
        if isinstance(nodes, int):
            return Size(nodes, nodes), []
        if nodes.min > nodes.max:
            message = f"nodes.min is {nodes.min} and nodes.max is {nodes.max}"
            return None, [self.problem(name, ("nodes",), message, "make min at most max")]
        return Size(nodes.min, nodes.max), []


def duplicate(finding: Finding) -> Finding:
    """The same finding as one of inventory/duplicate."""
    from msgspec.structs import replace

    return replace(finding, rule="inventory/duplicate")
