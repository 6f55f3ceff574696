"""The whole output as text: every template of every cluster, proven, with what is wrong with any of it."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.workload import Workload
from generator.documents.document import read
from generator.documents.scalar import resolve
from generator.finding import Finding
from generator.render import delivery
from generator.render.environment import Sandbox, environment
from generator.render.mistakes import TEMPLATE_ERRORS, clashes, failure, in_the_way, unfit
from generator.render.output import KUSTOMIZATIONS, Rendered, RenderedFile, holds_no_manifests
from generator.render.proof import NOTHING, Proven, Prover, Skeleton
from generator.render.scalar import PLAIN
from generator.render.template import Template, Templates, cluster_of
from generator.render.views import ClusterValues, chart_values, fleet_view
from generator.render.workload import budget, component

GPU_OPERATOR = "{cluster}/gpu-operator/"
OBJECT = f"{GPU_OPERATOR}nvidiadriver-{{pool}}.yaml.j2"
POLICY = f"{GPU_OPERATOR}clusterpolicy.yaml.j2"
IMAGES = f"{GPU_OPERATOR}drivergate-images.yaml.j2"
VALUES = "{cluster}/values/gpu-operator.yaml.j2"
BUDGET = "{cluster}/workloads/poddisruptionbudget-{workload}.yaml.j2"
COMPONENT = "{cluster}/components/{workload}/kustomization.yaml.j2"
AFFINITY = "{cluster}/components/{workload}/node-affinity.yaml.j2"
# The value without which a template of ours prints nothing: it needn't be compiled, which costs more than printing.
DECIDES = {
    OBJECT: "spec",
    POLICY: "document",
    IMAGES: "images",
    VALUES: "values",
    BUDGET: "spec",
    COMPONENT: "patch",
    AFFINITY: "patch",
    "{cluster}/workloads/kustomization.yaml.j2": "resources",
    **delivery.DECIDES,
}
LISTS = tuple(f"/{name}.j2" for name in KUSTOMIZATIONS)
DRIVER_KINDS = frozenset({"NVIDIADriver", "ClusterPolicy"})


def render(
    fleet: Fleet,
    templates: Templates,
    bases: Mapping[str, Mapping[str, Any]],
    *,
    catalog: Catalog | None = None,
    whole: bool = True,
) -> Rendered:
    """Everything below out/. `bases` are the clusters' own ClusterPolicy objects, by the path they lie at.

    `catalog` knows digests. Of a fleet that is not whole nothing is rendered that speaks of all its clusters.
    """
    made = _Rendering(environment(templates.texts), templates)
    for cluster in fleet.clusters:
        base = bases.get(cluster.operator.policy_base) if cluster.operator.policy_base else None
        made.cluster(cluster, ClusterValues(cluster, base, catalog, fleet.workloads_of(cluster)))
    if whole:
        made.fleet(fleet, bases)
    files = tuple(sorted(made.files, key=lambda file: file.path))
    return Rendered(files, (*templates.findings, *made.findings, *clashes(files)))


class _Subject(Struct, frozen=True, dict=True):
    """What one file is rendered for: the fleet, a cluster, or one of its pools or workloads."""

    cluster: Cluster | None = None
    pool: Pool | None = None
    workload: Workload | None = None

    @cached_property
    def about(self) -> dict[str, str]:
        """The names, as findings and files say them."""
        return {
            "cluster": self.cluster.name if self.cluster else "",
            "pool": self.pool.name if self.pool else "",
            "workload": self.workload.name if self.workload else "",
        }


class _Rendering:
    """One run: the compiled templates, the proven skeletons, and what came out so far."""

    def __init__(self, sandbox: Sandbox, templates: Templates) -> None:
        self.sandbox = sandbox
        self.prover = Prover()
        self.files: list[RenderedFile] = []
        self.names: dict[str, list[str]] = {}  # by folder
        self.findings: list[Finding] = []
        self.failed: set[str] = set()
        self.sources = templates.files
        self.of_fleet = [one for one in templates.rendered if one.per_fleet]
        # Kustomizations list what lies beside them, and what is delivered must be there before it is told of.
        self.of_cluster = sorted(
            (one for one in templates.rendered if not one.per_fleet),
            key=lambda one: (one.delivers, _is_kustomization(one)),
        )

    def cluster(self, cluster: Cluster, values: ClusterValues) -> None:
        start, whole = len(self.files), (_Subject(cluster),)
        of_pools = tuple(_Subject(cluster, pool) for pool in cluster.pools)
        of_workloads = tuple(_Subject(cluster, None, workload) for workload in values.workloads)
        for template in self.of_cluster:
            for subject in of_pools if template.per_pool else of_workloads if template.per_workload else whole:
                context = _context(template, cluster, subject, values)
                if template.delivers:
                    asked = cluster.delivery.argocd or cluster.delivery.flux
                    context |= delivery.context(template.path, cluster, self.made(start) if asked else {})
                if _is_kustomization(template):
                    folder = template.output(**subject.about).rpartition("/")[0] + "/"
                    context["resources"] = self.beside(folder)
                self.add(template, subject, context)

    def fleet(self, fleet: Fleet, bases: Mapping[str, Mapping[str, Any]]) -> None:
        view = None
        for template in sorted(self.of_fleet, key=_is_kustomization):
            context: dict[str, Any] = {}
            if template.path == delivery.HEALTH:
                context["argocd"] = any(cluster.delivery.argocd for cluster in fleet.clusters)
            if not template.ours:
                context["fleet"] = view = view or fleet_view(fleet, bases)
            if _is_kustomization(template):
                context["resources"] = self.beside(template.output().rpartition("/")[0] + "/")
            self.add(template, _Subject(), context)
        names = {cluster.name for cluster in fleet.clusters}
        shared = [file for file in self.files if not file.cluster]
        self.findings += [in_the_way(file) for file in shared if cluster_of(file.path) in names]

    def made(self, start: int) -> dict[str, str]:
        return {file.path: file.text for file in self.files[start:]}

    def beside(self, folder: str) -> list[str]:
        return sorted(self.names.get(folder, ()))

    def add(self, template: Template, subject: _Subject, context: dict[str, Any]) -> None:
        decides = DECIDES.get(template.path)
        if template.path in self.failed or (template.ours and decides and not context[decides]):
            return
        try:
            marked = self.sandbox.fill(template.path, context)
        except TEMPLATE_ERRORS as error:
            self.failed.add(template.path)
            self.findings.append(failure(template, error, self.sources, subject.about))
            return
        if not marked.strip():
            return
        marked = marked.rstrip() + "\n"
        proven = self.prover.prove(marked) if template.ours else self.prover.prove_in_full(marked)
        own = _own(template, context, proven.skeleton) if template.ours else None
        file = _file(template, subject, proven, own)
        problem = proven.skeleton.problem or _not_a_manifest(file, proven.skeleton)
        if problem:
            self.failed.add(template.path)
            self.findings.append(unfit(file, problem, proven.skeleton.line))
        else:
            self.files.append(file)
            folder, slash, name = file.path.rpartition("/")
            self.names.setdefault(folder + slash, []).append(name)


def _is_kustomization(template: Template) -> bool:
    return template.path.endswith(LISTS)


def _context(template: Template, cluster: Cluster, subject: _Subject, values: ClusterValues) -> dict[str, Any]:
    """Flat names for our own templates' values; a user's template also gets its subjects whole."""
    pool, workload = subject.pool, subject.workload
    context: dict[str, Any] = {}
    if not template.ours:
        context = {"cluster": values.view}
        if pool is not None:
            context |= values.names[pool.name]
        if workload is not None:
            context |= values.workload_names[workload.name]
    match template.path:
        case path if path == OBJECT and pool is not None:
            context |= values.object(pool)
        case path if path == POLICY:
            context["document"] = values.policy
        case path if path == IMAGES:
            context |= {"namespace": cluster.operator.namespace, "images": list(values.listed.items())}
        case path if path == VALUES:
            context["values"] = chart_values(cluster)
        case path if path == BUDGET and workload is not None:
            context |= budget(workload)
        case path if path in {COMPONENT, AFFINITY} and workload is not None:
            context |= component(cluster, workload)
    return context


def _own(template: Template, context: Mapping[str, Any], skeleton: Skeleton) -> Mapping[str, Any] | None:
    """The driver object that a template of ours prints."""
    if template.path == OBJECT:
        identity = skeleton.identity
        return {"apiVersion": identity.api_version, "kind": identity.kind, "spec": context["spec"]}
    return context["document"] if template.path == POLICY else None


def _file(template: Template, subject: _Subject, proven: Proven, own: Mapping[str, Any] | None) -> RenderedFile:
    def part(found: str | int) -> str:
        return _loaded(proven.scalars[found]) if isinstance(found, int) else found

    path = template.output(**subject.about)
    identity = NOTHING if holds_no_manifests(path) else proven.skeleton.identity
    return RenderedFile(
        path=path,
        text=proven.text,
        template=template,
        **subject.about,
        api_version=part(identity.api_version),
        kind=part(identity.kind),
        name=part(identity.name),
        namespace=part(identity.namespace),
        own=own,
    )


@lru_cache(4096)
def _loaded(scalar: str) -> str:
    """The text that a printed scalar loads as; what is no text is nothing. Most are plain, and stand in many files."""
    if PLAIN.fullmatch(scalar) and resolve(scalar) == scalar:
        return scalar
    value = read(scalar, "").value
    return value if isinstance(value, str) else ""


def _not_a_manifest(file: RenderedFile, skeleton: Skeleton) -> str:
    name = file.path.rpartition("/")[2]
    if not skeleton.is_mapping:
        return "it is no mapping"
    if name.endswith("Chart.yaml"):
        return "Argo CD takes a folder with a file of that name for a Helm chart"
    if (file.api_version and file.kind and file.name) or holds_no_manifests(file.path):
        return ""
    missing = [key for key, value in (("apiVersion", file.api_version), ("kind", file.kind)) if not value]
    if not file.name and name not in KUSTOMIZATIONS:
        missing.append("metadata.name")
    return f"{' and '.join(missing)} missing" if missing else ""
