"""From a team's Workloads document to effective workloads, with what contradicts itself or names nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from generator.declared import workloadmodel as model
from generator.declared.fleet import Cluster
from generator.declared.inventory import Inventory, Loaded
from generator.declared.modelparts import OBJECT_NAME, Size
from generator.declared.requirements import of_term
from generator.declared.shape import did_you_mean
from generator.declared.workload import POD, SCALABLE, UNSCALABLE, Workload
from generator.declared.workloadbudget import Budgets
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.cuda import Need, parse_driver, parse_require, parse_toolkit
from generator.facts.cudachoice import By, Compatibility
from generator.facts.label import label_key_problem, label_value_problem
from generator.facts.requirement import Refused
from generator.finding import Finding, invalid

# The name of a file has at most 255 characters: poddisruptionbudget-{workload}.yaml holds 25 of its own.
MAX_NAME = 230
NEEDS: dict[str, Callable[[Any], Need | Refused]] = {
    "toolkit": parse_toolkit,
    "driver": parse_driver,
    "require": parse_require,
}


class Known(Struct, frozen=True, kw_only=True):
    """The clusters and pools that a workload may name, fit or not: a pool that is wrong is not unknown.

    `pools` holds the pools of each cluster that was read, `where` the clusters that have a pool of a name. `others` are
    clusters that were left unread, or can't be read; with "" among them any name may be one of these.
    """

    pools: Mapping[str, frozenset[str]]
    where: Mapping[str, frozenset[str]]
    others: frozenset[str]

    def cluster(self, name: str) -> bool:
        """Whether there may be a cluster of that name."""
        return name in self.pools or name in self.others or "" in self.others


def known(inventory: Inventory) -> Known:
    """What the inventory declares."""
    where: dict[str, set[str]] = {}
    for one in inventory.clusters:
        for name in one.shape.pools:
            where.setdefault(name, set()).add(one.shape.name)
    return Known(
        pools={one.shape.name: frozenset(one.shape.pools) for one in inventory.clusters},
        where={name: frozenset(clusters) for name, clusters in where.items()},
        others=inventory.missing("Cluster") | frozenset(inventory.others),
    )


def read_workloads(inventory: Inventory, clusters: Iterable[Cluster]) -> tuple[tuple[Workload, ...], list[Finding]]:
    """All workloads that run on one of the clusters, sorted by name and team."""
    there, declared = {cluster.name for cluster in clusters}, known(inventory)
    found: list[Workload] = []
    findings: list[Finding] = []
    for one in inventory.workloads:
        for name in one.shape.workloads:
            made, problems = _Reader(one, name, inventory.texts).workload(declared, there)
            findings += problems
            if made is not None and made.clusters:
                found.append(made)
    found.sort(key=lambda one: (one.name, one.team))
    found, clashes = _apart(found, inventory.texts)
    return tuple(found), [*findings, *clashes]


class _Reader:
    """Reads one workload of a document."""

    def __init__(self, loaded: Loaded[model.Workloads], name: str, texts: Texts) -> None:
        self.loaded, self.name, self.texts = loaded, name, texts
        self.shape = loaded.shape.workloads[name]
        self.path: Path = ("workloads", name)
        self.findings: list[Finding] = []

    def problem(self, path: Path, message: str, hint: str, *, key: bool = False) -> None:
        """A finding at a path inside the workload."""
        whole = (*self.path, *path)
        place = self.texts.key(self.loaded.file, whole) if key else self.texts.value(self.loaded.file, whole)
        told = f'workload "{self.name}": {message}'
        self.findings.append(invalid("inventory/schema", place, told, hint, workload=self.name))

    def workload(self, declared: Known, there: set[str]) -> tuple[Workload | None, list[Finding]]:
        shape, owner = self.shape, self.shape.owner
        self._name()
        self._labels()
        self._terms()
        self._templates()
        kind = self._kind()
        clusters, pools = self._runs_on(declared)
        budgets = Budgets(self.name, shape, self.loaded.file, self.path, self.problem)
        made = Workload(
            name=self.name,
            team=self.loaded.shape.team,
            namespace=shape.namespace,
            owner_kind=kind,
            owner_name=self.name if owner.name is UNSET else owner.name,
            scalable=self._scalable(kind),
            file=self.loaded.file,
            path=self.path,
            pod_templates=() if owner.pod_templates is UNSET else tuple(owner.pod_templates),
            pod_labels=shape.pod_labels,
            replicas=self._replicas(),
            resource=shape.gpu.resource,
            count=shape.gpu.count,
            empty_dir=shape.empty_dir,
            clusters=tuple(name for name in clusters if name in there),
            pools=pools,
            node_selector_terms=tuple(self._tree().get("nodeSelectorTerms", ())),
            cuda=self._cuda(),
            compatibility=self._compatibility(),
            affinity_by=By.LABELS if shape.cuda is UNSET else By(shape.cuda.by),
            budgets=tuple(budgets.declared),
            manifests=tuple(budgets.manifests),
        )
        return (None if self.findings else made), self.findings

    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = self.loaded.tree["workloads"][self.name]
        return tree

    def _name(self) -> None:
        if len(self.name) > MAX_NAME or OBJECT_NAME.fullmatch(self.name) is None:
            message = f'its name is no object name (lower-case letters, digits, "-" and ".", at most {MAX_NAME})'
            self.problem((), message, "name the workload as its object is named", key=True)

    def _labels(self) -> None:
        for key, value in self.shape.pod_labels.items():
            if why := label_key_problem(key):
                self.problem(("podLabels", key), f'podLabels key "{key}": {why}', "write a label key", key=True)
            elif why := label_value_problem(value):
                self.problem(("podLabels", key), f'podLabels {key} is "{value}": {why}', "write a label value")
        if why := label_key_problem(self.shape.gpu.resource):
            message = f'gpu.resource is "{self.shape.gpu.resource}": {why}'
            self.problem(("gpu", "resource"), message, "write it as a container asks for it, such as nvidia.com/gpu")

    def _kind(self) -> str:
        """The owner's kind; one that differs from a built-in kind in its case alone is that one, misspelt."""
        kind = self.shape.owner.kind
        if kind.lower() in {"none", "pod"}:
            return POD
        meant = next((one for one in SCALABLE | UNSCALABLE if one.lower() == kind.lower()), kind)
        if meant != kind:
            self.problem(
                ("owner", "kind"), f'owner.kind is "{kind}", and Kubernetes calls it {meant}', f"write {meant}"
            )
        return meant

    def _scalable(self, kind: str) -> bool:
        written = self.shape.owner.scalable
        if written is UNSET:
            return kind in SCALABLE
        wrong = kind in SCALABLE if not written else kind in UNSCALABLE
        if wrong:
            has = "has no" if written else "has a"
            message = f"owner.scalable is {str(written).lower()}, and a {kind} {has} scale subresource"
            self.problem(("owner", "scalable"), message, "remove it, or correct owner.kind")
        return written

    def _replicas(self) -> Size | None:
        replicas = self.shape.replicas
        if replicas is UNSET:
            return None
        if isinstance(replicas, int):
            return Size(replicas, replicas)
        if replicas.min > replicas.max:
            message = f"replicas.min is {replicas.min} and replicas.max is {replicas.max}"
            self.problem(("replicas",), message, "make min at most max")
        return Size(replicas.min, replicas.max)

    def _cuda(self) -> Need | None:
        cuda = self.shape.cuda
        if cuda is UNSET:
            return None
        given = [key for key in NEEDS if getattr(cuda, key) is not UNSET]
        if len(given) != 1:
            said = f"cuda.{' and cuda.'.join(given)} are alternatives" if given else "cuda names no need"
            self.problem(("cuda",), said, "give one of toolkit, driver and require", key=True)
            return None
        need = NEEDS[given[0]](getattr(cuda, given[0]))
        if isinstance(need, Refused):
            self.problem(("cuda", given[0]), f"cuda.{given[0]}: {need.reason}", need.hint)
            return None
        return need

    def _compatibility(self) -> Compatibility | None:
        cuda = self.shape.cuda
        return None if cuda is UNSET or cuda.compatibility is UNSET else Compatibility(cuda.compatibility)

    def _templates(self) -> None:
        owner = self.shape.owner
        if owner.pod_templates is not UNSET and owner.kind in SCALABLE | UNSCALABLE:
            message = f"owner.podTemplates is given, and where a {owner.kind} describes its pods is known"
            self.problem(("owner", "podTemplates"), message, "remove it, or correct owner.kind")
        for index, path in enumerate(() if owner.pod_templates is UNSET else owner.pod_templates):
            if path.endswith(".spec"):
                message = f"owner.podTemplates names {path}, which is the spec inside a template and not the template"
                self.problem(("owner", "podTemplates", index), message, f"write {path.removesuffix('.spec')}")

    def _terms(self) -> None:
        terms = self.shape.node_selector_terms
        for index, term in enumerate(() if terms is UNSET else terms):
            parts = [part for part in (term.match_expressions, term.match_fields) if part is not UNSET]
            if not any(parts):
                message = f"nodeSelectorTerms.{index} is empty, and an empty term matches no node"
                self.problem(("nodeSelectorTerms", index), message, "remove it, or give it matchExpressions")
            for path, why in of_term(term):
                self.problem(("nodeSelectorTerms", index, *path), why, "write it as Kubernetes takes it")

    def _runs_on(self, declared: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The clusters and pools by name. A name that nothing has is a finding, where everything was read."""
        shape = self.shape.runs_on
        pools, named = sorted(set(shape.pools)), [] if shape.clusters is UNSET else shape.clusters
        if named:
            mistyped = all(name in declared.pools for name in named) and declared.where.keys().isdisjoint(pools)
            unfit = [not mistyped and self._cluster(index, name, declared) for index, name in enumerate(named)]
            whole = not any(unfit) and all(name in declared.pools for name in named)
        else:
            whole = not declared.others
        among = frozenset(named)
        for index, name in enumerate(shape.pools if whole else ()):
            there = declared.where.get(name, frozenset())
            if not there or (among and there.isdisjoint(among)):
                self._no_pool(index, name, declared)
        clusters = among or frozenset[str]().union(*(declared.where.get(name, ()) for name in pools))
        return tuple(sorted(clusters)), tuple(pools)

    def _cluster(self, index: int, name: str, declared: Known) -> bool:
        """Tells of a cluster that isn't there, or has none of the pools."""
        path: Path = ("runsOn", "clusters", index)
        if not declared.cluster(name):
            hint = did_you_mean(name, sorted(declared.pools)) or "declare the cluster, or remove its name"
            self.problem(path, f'no cluster is named "{name}"', hint)
        elif name in declared.pools and declared.pools[name].isdisjoint(self.shape.runs_on.pools):
            message = f'cluster "{name}" has none of the pools that it runs on'
            self.problem(path, message, "remove the cluster, or name a pool of it")
        else:
            return False
        return True

    def _no_pool(self, index: int, name: str, declared: Known) -> None:
        named = self.shape.runs_on.clusters
        if named is UNSET:
            known, said = sorted(declared.where), f'no cluster has a pool "{name}"'
        else:
            known = sorted(frozenset[str]().union(*(declared.pools[one] for one in named)))
            one = f'cluster "{named[0]}" has no pool' if len(named) == 1 else "of its clusters none has a pool"
            said = f'{one} "{name}"'
        hint = did_you_mean(name, known) or "declare the pool, or remove its name"
        self.problem(("runsOn", "pools", index), said, hint)


def _apart(found: Sequence[Workload], texts: Texts) -> tuple[list[Workload], list[Finding]]:
    """The workloads that lead to files and objects of their own, and a finding for each of the others."""
    seen: dict[tuple[str, ...], Workload] = {}
    kept, findings = [], []
    for one in found:
        own = list(_own(one))
        taken = next((seen[key] for key in own if key in seen), None)
        if taken is None:
            seen |= dict.fromkeys(own, one)
            kept.append(one)
            continue
        where = texts.key(taken.file, taken.path)
        message = f'workload "{one.name}" and workload "{taken.name}" at {where} lead to one name of an object or file'
        place, hint = texts.key(one.file, one.path), "rename one of them, or its budget"
        findings.append(invalid("inventory/name-clash", place, message, hint, workload=one.name))
    return kept, findings


def _own(one: Workload) -> Iterator[tuple[str, ...]]:
    """What a workload has for itself in each of its clusters: a folder, and the name of a rendered budget."""
    budget = one.rendered_budget
    for cluster in one.clusters:
        yield "folder", cluster, one.name.casefold()
        if budget is not None:
            yield "budget", cluster, budget.namespace, budget.name
