"""The whole output as text: every template of every cluster, proven, with what is wrong with any of it."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError
from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.document import read
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.scalar import resolve
from generator.finding import Finding, Place, invalid
from generator.render import delivery
from generator.render.environment import Sandbox, environment
from generator.render.proof import Prover, Skeleton, printed
from generator.render.scalar import PLAIN, UnprintableError
from generator.render.template import DELIVERY, Template, Templates, cluster_of
from generator.render.values import chart_values
from generator.render.views import ClusterValues, fleet_view

GPU_OPERATOR = "{cluster}/gpu-operator/"
OBJECT = f"{GPU_OPERATOR}nvidiadriver-{{pool}}.yaml.j2"
POLICY = f"{GPU_OPERATOR}clusterpolicy.yaml.j2"
IMAGES = f"{GPU_OPERATOR}drivergate-images.yaml.j2"
VALUES = "{cluster}/values/gpu-operator.yaml.j2"
# The value without which a template of ours prints nothing: it needn't be compiled, which costs more than printing.
DECIDES = {OBJECT: "spec", POLICY: "document", IMAGES: "images", VALUES: "values", **delivery.DECIDES}
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")
DRIVER_KINDS = frozenset({"NVIDIADriver", "ClusterPolicy"})

# What a template can do wrong at run time; anything else is a bug of ours and is not caught here.
TEMPLATE_ERRORS = (
    TemplateError,
    UnprintableError,
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RuntimeError,
    MemoryError,
    AssertionError,  # Jinja's filters check their arguments with it: truncate(1)
    SyntaxError,  # of the Python that Jinja makes: a keyword argument given twice, blocks nested too deep
)


class RenderedFile(Struct, frozen=True, kw_only=True, dict=True):
    """One file below out/: its text, what it came from, and the manifest in it (none for values and kustomizations).

    `own` is the driver object that a template of ours prints.
    """

    path: str
    text: str
    template: Template
    cluster: str
    pool: str = ""
    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    own: Mapping[str, Any] | None = None

    @cached_property
    def document(self) -> Mapping[str, Any] | None:
        """The manifest where a rule looks into it: a driver object of ours, or anything of a user's template.

        That is read when a rule asks, since a reading costs more than all else that is done for a file.
        """
        if self.template.ours:
            return self.own
        value = read(self.text, "").value
        return value if isinstance(value, dict) else None


class Rendered(Struct, frozen=True):
    """All files, sorted by path, and the findings that make some of them unfit to be written."""

    files: tuple[RenderedFile, ...]
    findings: tuple[Finding, ...]


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
        made.cluster(cluster, ClusterValues(cluster, base, catalog))
    if whole:
        made.fleet(fleet, bases)
    files = tuple(sorted(made.files, key=lambda file: file.path))
    return Rendered(files, (*templates.findings, *made.findings, *_clashes(files)))


class _Rendering:
    """One run: the compiled templates, the proven skeletons, and what came out so far."""

    def __init__(self, sandbox: Sandbox, templates: Templates) -> None:
        self.sandbox = sandbox
        self.prover = Prover()
        self.files: list[RenderedFile] = []
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
        start = len(self.files)
        for template in self.of_cluster:
            for pool in _each(template, cluster):
                context = _context(template, cluster, pool, values)
                if template.delivers:
                    asked = cluster.delivery.argocd or cluster.delivery.flux
                    context |= delivery.context(template.path, cluster, self.made(start) if asked else {})
                if _is_kustomization(template):
                    folder = template.output(cluster.name, pool.name if pool else "").rpartition("/")[0] + "/"
                    context["resources"] = self.beside(folder, start)
                self.add(template, cluster, pool, context)

    def fleet(self, fleet: Fleet, bases: Mapping[str, Mapping[str, Any]]) -> None:
        view = None
        for template in sorted(self.of_fleet, key=_is_kustomization):
            context: dict[str, Any] = {}
            if template.path == delivery.HEALTH:
                context["argocd"] = any(cluster.delivery.argocd for cluster in fleet.clusters)
            if not template.ours:
                context["fleet"] = view = view or fleet_view(fleet, bases)
            if _is_kustomization(template):
                context["resources"] = self.beside(template.output("").rpartition("/")[0] + "/", 0)
            self.add(template, None, None, context)
        names = {cluster.name for cluster in fleet.clusters}
        shared = [file for file in self.files if not file.cluster]
        self.findings += [_in_the_way(file) for file in shared if cluster_of(file.path) in names]

    def made(self, start: int) -> dict[str, str]:
        return {file.path: file.text for file in self.files[start:]}

    def beside(self, folder: str, start: int) -> list[str]:
        below = [file.path.removeprefix(folder) for file in self.files[start:] if file.path.startswith(folder)]
        return sorted(name for name in below if "/" not in name)

    def add(self, template: Template, cluster: Cluster | None, pool: Pool | None, context: dict[str, Any]) -> None:
        decides = DECIDES.get(template.path)
        if template.path in self.failed or (template.ours and decides and not context[decides]):
            return
        try:
            marked = self.sandbox.fill(template.path, context)
        except TEMPLATE_ERRORS as error:
            self.failed.add(template.path)
            self.findings.append(_failure(template, error, self.sources, _name(cluster), _name(pool)))
            return
        if not marked.strip():
            return
        marked = marked.rstrip() + "\n"
        if template.ours:
            text, skeleton = self.prover.prove(marked)
        else:
            text, skeleton = self.prover.prove_in_full(marked)
        own = _own(template, context, skeleton) if template.ours else None
        file = _file(template, cluster, pool, text, marked, skeleton, own)
        problem = skeleton.problem or _not_a_manifest(file, skeleton)
        if problem:
            self.failed.add(template.path)
            self.findings.append(_unfit(file, problem, skeleton.line))
        else:
            self.files.append(file)


def _name(of: Cluster | Pool | None) -> str:
    return of.name if of else ""


def _is_kustomization(template: Template) -> bool:
    return template.path.endswith(tuple(f"/{name}.j2" for name in KUSTOMIZATIONS))


def _each(template: Template, cluster: Cluster) -> tuple[Pool | None, ...]:
    """What a template renders once for: every pool, or the cluster as a whole."""
    return cluster.pools if template.per_pool else (None,)


def _context(template: Template, cluster: Cluster, pool: Pool | None, values: ClusterValues) -> dict[str, Any]:
    """Flat names for our own templates' values; a user's template also gets `cluster` and `pool` whole."""
    context: dict[str, Any] = {}
    if not template.ours:
        context = {"cluster": values.view}
        if pool is not None:
            context |= values.names[pool.name]
    match template.path:
        case path if path == OBJECT and pool is not None:
            context |= values.object(pool)
        case path if path == POLICY:
            context["document"] = values.policy
        case path if path == IMAGES:
            context |= {"namespace": cluster.operator.namespace, "images": list(values.listed.items())}
        case path if path == VALUES:
            context["values"] = chart_values(cluster)
    return context


def _own(template: Template, context: Mapping[str, Any], skeleton: Skeleton) -> Mapping[str, Any] | None:
    """The driver object that a template of ours prints."""
    if template.path == OBJECT:
        identity = skeleton.identity
        return {"apiVersion": identity.api_version, "kind": identity.kind, "spec": context["spec"]}
    return context["document"] if template.path == POLICY else None


def _file(
    template: Template,
    cluster: Cluster | None,
    pool: Pool | None,
    text: str,
    marked: str,
    skeleton: Skeleton,
    own: Mapping[str, Any] | None,
) -> RenderedFile:
    def part(found: str | int) -> str:
        return _loaded(printed(marked, found)) if isinstance(found, int) else found

    identity = skeleton.identity
    return RenderedFile(
        path=template.output(_name(cluster), _name(pool)),
        text=text,
        template=template,
        cluster=_name(cluster),
        pool=_name(pool),
        api_version=part(identity.api_version),
        kind=part(identity.kind),
        name=part(identity.name),
        namespace=part(identity.namespace),
        own=own,
    )


def _loaded(scalar: str) -> str:
    """The text that a printed scalar loads as; what is no text is nothing. Most names are plain."""
    if PLAIN.fullmatch(scalar) and resolve(scalar) == scalar:
        return scalar
    value = read(scalar, "").value
    return value if isinstance(value, str) else ""


def is_values(path: str) -> bool:
    """Whether a path lies in a cluster's values folder, which no tool syncs."""
    parts = path.split("/")
    return parts[0] != DELIVERY and parts[1:2] == ["values"]


def _not_a_manifest(file: RenderedFile, skeleton: Skeleton) -> str:
    name = file.path.rpartition("/")[2]
    if not skeleton.is_mapping:
        return "it is no mapping"
    if name.endswith("Chart.yaml"):
        return "Argo CD takes a folder with a file of that name for a Helm chart"
    if is_values(file.path):
        return ""
    missing = [key for key, value in (("apiVersion", file.api_version), ("kind", file.kind)) if not value]
    if not file.name and name not in KUSTOMIZATIONS:
        missing.append("metadata.name")
    return f"{' and '.join(missing)} missing" if missing else ""


def _unfit(file: RenderedFile, problem: str, line: int) -> Finding:
    where = f"line {line} of " if line else ""
    return invalid(
        "template/not-a-manifest",
        Place(file.template.file),
        f"{where}out/{file.path} is not one Kubernetes manifest: {problem}",
        "let the template print one object per file, and each value with one {{ … }} of its own",
        cluster=file.cluster,
        pool=file.pool,
    )


def _failure(template: Template, error: Exception, files: Mapping[str, str], cluster: str, pool: str) -> Finding:
    """What went wrong in a template, or in what it includes, at its line."""
    rule = "template/undefined" if isinstance(error, UndefinedError) else "template/syntax"
    path, line = _where(error, template.path, files)
    said = str(error.message if isinstance(error, TemplateError) and error.message else error)
    message = " ".join(f"{said[:1].lower()}{said[1:]}".split()).rstrip(".")
    hint = "use a name that docs/templates.md lists" if rule == "template/undefined" else "correct the template"
    if isinstance(error, TemplateNotFound):
        message, hint = f'there is no template "{error.name}"', "include a template by its path below templates/"
    place = Place(files[path], line, 1 if line else 0)
    return invalid(rule, place, message, hint, cluster=cluster, pool=pool)


def _where(error: Exception, path: str, files: Mapping[str, str]) -> tuple[str, int]:
    """The innermost template and line. Jinja rewrites tracebacks so that a template's frame carries both."""
    if isinstance(error, TemplateSyntaxError) and error.name and error.name in files:
        return error.name, error.lineno
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            path, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return path, line


def _clashes(files: Iterable[RenderedFile]) -> Iterator[Finding]:
    """Two files of one path, or of paths that differ in case only; two manifests of one object in a cluster."""
    paths: dict[str, RenderedFile] = {}
    objects: dict[tuple[str, ...], RenderedFile] = {}
    folders = set()
    for file in files:
        folder, _, name = file.path.casefold().rpartition("/")
        first = paths.setdefault(f"{folder}/{'kustomization' if name in KUSTOMIZATIONS else name}", file)
        folders.add(folder)
        if first is not file:
            same = first.path.casefold() == file.path.casefold()
            why = "are one file on many file systems" if same else "are two kustomizations of one folder"
            yield _clash(file, f"out/{file.path} and out/{first.path} ({first.template.file}) {why}")
        if not file.kind or not file.name:
            continue
        group = file.api_version.rpartition("/")[0]
        key = (_scope(file), group, file.kind, file.namespace or "default", file.name)
        other = objects.setdefault(key, file)
        if other is not file and first is file:
            yield _clash(file, f"{file.kind} {file.name} is in out/{file.path} and in out/{other.path}")
    for folder in sorted(folders & paths.keys()):
        file = paths[folder]
        yield _clash(file, f"out/{file.path} is a file, and other files are to lie in a folder of that name")


def _in_the_way(file: RenderedFile) -> Finding:
    """A file of the whole fleet where those of one cluster lie: with `--cluster` nobody could tell whose it is."""
    name = cluster_of(file.path)
    return invalid(
        "template/outside-folder",
        Place(file.template.file),
        f'out/{file.path} is the whole fleet\'s, and lies where those of cluster "{name}" do',
        'give it another name, for example in a folder that begins with "_"',
    )


def _scope(file: RenderedFile) -> str:
    """What shares one API server: a cluster's files, and below _delivery/ the files of one folder."""
    return file.path.rpartition("/")[0] if file.template.delivers else file.cluster


def _clash(file: RenderedFile, message: str) -> Finding:
    return invalid(
        "template/duplicate-object",
        Place(file.template.file),
        message,
        "rename one of the two, or remove one template",
        cluster=file.cluster,
        pool=file.pool,
    )
