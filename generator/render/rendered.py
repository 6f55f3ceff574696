"""The whole output as text: every template of every cluster, proven, with what is wrong with any of it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError
from msgspec import Struct

from generator.declared.document import read
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.finding import Finding, Place
from generator.render.environment import Sandbox, environment
from generator.render.proof import Prover, Skeleton, printed
from generator.render.scalar import UnprintableError
from generator.render.template import Template, Templates, template_finding
from generator.render.values import chart_values
from generator.render.views import ClusterValues

GPU_OPERATOR = "{cluster}/gpu-operator/"
OBJECT = f"{GPU_OPERATOR}nvidiadriver-{{pool}}.yaml.j2"
POLICY = f"{GPU_OPERATOR}clusterpolicy.yaml.j2"
IMAGES = f"{GPU_OPERATOR}drivergate-images.yaml.j2"
VALUES = "{cluster}/values/gpu-operator.yaml.j2"
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
    RecursionError,
)


class RenderedFile(Struct, frozen=True, kw_only=True):
    """One file below out/: its text, what it came from, and the manifest in it (none for values and kustomizations).

    `document` is the parsed manifest where a rule looks into it: a custom resource, or anything of a user's template.
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
    document: Mapping[str, Any] | None = None


class Rendered(Struct, frozen=True):
    """All files, sorted by path, and the findings that make some of them unfit to be written."""

    files: tuple[RenderedFile, ...]
    findings: tuple[Finding, ...]


def render(fleet: Fleet, templates: Templates, bases: Mapping[str, Mapping[str, Any]]) -> Rendered:
    """Everything below out/. `bases` are the clusters' own ClusterPolicy objects, by the path they lie at."""
    made = _Rendering(environment(templates.texts), templates)
    for cluster in fleet.clusters:
        base = bases.get(cluster.operator.policy_base) if cluster.operator.policy_base else None
        made.cluster(cluster, ClusterValues(cluster, base))
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
        last = [one for one in templates.rendered if one.path.endswith(tuple(f"/{k}.j2" for k in KUSTOMIZATIONS))]
        self.templates = [one for one in templates.rendered if one not in last]
        self.kustomizations = last

    def cluster(self, cluster: Cluster, values: ClusterValues) -> None:
        start = len(self.files)
        for template in self.templates:
            if template.per_pool:
                for pool in cluster.pools:
                    self.add(template, cluster, pool, values, _context(template, cluster, pool, values))
            else:
                self.add(template, cluster, None, values, _context(template, cluster, None, values))
        for template in self.kustomizations:
            folder = template.output(cluster.name).rpartition("/")[0] + "/"
            beside = [file.path for file in self.files[start:] if file.path.rpartition("/")[0] + "/" == folder]
            context: dict[str, Any] = {"resources": sorted(path.removeprefix(folder) for path in beside)}
            if not template.ours:
                context |= {"cluster": values.view}
            self.add(template, cluster, None, values, context)

    def add(
        self,
        template: Template,
        cluster: Cluster,
        pool: Pool | None,
        values: ClusterValues,
        context: dict[str, Any],
    ) -> None:
        if template.path in self.failed:
            return
        try:
            marked = self.sandbox.get_template(template.path).render(context)
        except TEMPLATE_ERRORS as error:
            self.failed.add(template.path)
            self.findings.append(_failure(template, error, cluster.name, pool.name if pool else ""))
            return
        if not marked.strip():
            return
        text, skeleton = self.prover.prove(marked.rstrip() + "\n")
        file = _file(template, cluster, pool, text, marked, skeleton, values)
        problem = skeleton.problem or _not_a_manifest(file, skeleton)
        if problem:
            self.failed.add(template.path)
            self.findings.append(_unfit(file, problem, skeleton.line))
        else:
            self.files.append(file)


def _context(template: Template, cluster: Cluster, pool: Pool | None, values: ClusterValues) -> dict[str, Any]:
    """Flat names for our own templates' values; a user's template also gets `cluster` and `pool` whole."""
    context: dict[str, Any] = {}
    if not template.ours:
        context = {"cluster": values.view}
        if pool is not None:
            view = values.pools[pool.name]
            context |= {field: getattr(view, field) for field in view.__struct_fields__ if field != "cluster"}
            context["pool"] = view
    match template.path:
        case path if path == OBJECT and pool is not None:
            context |= values.object(pool)
        case path if path == POLICY:
            context["document"] = values.policy
        case path if path == IMAGES:
            context |= {"namespace": cluster.operator.namespace, "images": list(values.images.items())}
        case path if path == VALUES:
            context["values"] = chart_values(cluster)
    return context


def _file(
    template: Template,
    cluster: Cluster,
    pool: Pool | None,
    text: str,
    marked: str,
    skeleton: Skeleton,
    values: ClusterValues,
) -> RenderedFile:
    def part(found: str | int) -> str:
        return str(read(printed(marked, found), "").value) if isinstance(found, int) else found

    identity = skeleton.identity
    kind = part(identity.kind)
    document: Mapping[str, Any] | None = None
    if template.ours and pool is not None and template.path == OBJECT:
        document = {"apiVersion": identity.api_version, "kind": kind, "spec": values.object(pool)["spec"]}
    elif template.ours and template.path == POLICY:
        document = values.policy
    elif not template.ours and skeleton.is_mapping and not skeleton.problem:
        document = read(text, "").value
    return RenderedFile(
        path=template.output(cluster.name, pool.name if pool else ""),
        text=text,
        template=template,
        cluster=cluster.name,
        pool=pool.name if pool else "",
        api_version=part(identity.api_version),
        kind=kind,
        name=part(identity.name),
        namespace=part(identity.namespace),
        document=document,
    )


def is_values(path: str) -> bool:
    """Whether a path lies in a cluster's values folder, which no tool syncs."""
    return path.split("/")[1:2] == ["values"]


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
    return template_finding(
        "template/not-a-manifest",
        Place(file.template.file),
        f"{where}out/{file.path} is not one Kubernetes manifest: {problem}",
        "let the template print one object per file, and each value with one {{ … }} of its own",
        cluster=file.cluster,
        pool=file.pool,
    )


def _failure(template: Template, error: Exception, cluster: str, pool: str) -> Finding:
    """What went wrong in a template, at its line."""
    if isinstance(error, TemplateSyntaxError):
        rule, line = "template/syntax", error.lineno
        file = template.file if error.name in {None, template.path} else f"templates/{error.name}"
    else:
        rule = "template/undefined" if isinstance(error, UndefinedError) else "template/syntax"
        line, file = _line(error, template.path), template.file
    message = " ".join(str(error.message if isinstance(error, TemplateError) and error.message else error).split())
    hint = "use a name that docs/templates.md lists" if rule == "template/undefined" else "correct the template"
    return template_finding(rule, Place(file, line, 1 if line else 0), message, hint, cluster=cluster, pool=pool)


def _line(error: Exception, path: str) -> int:
    """Jinja rewrites tracebacks so that a frame of a template carries its path and line."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _clashes(files: Iterable[RenderedFile]) -> Iterator[Finding]:
    """Two files of one path, or of paths that differ in case only; two manifests of one object in a cluster."""
    paths: dict[str, RenderedFile] = {}
    objects: dict[tuple[str, ...], RenderedFile] = {}
    for file in files:
        first = paths.setdefault(file.path.casefold(), file)
        if first is not file:
            message = f"out/{file.path} and out/{first.path} ({first.template.file}) are one file on many file systems"
            yield _clash(file, message)
        if not file.name:
            continue
        group = file.api_version.rpartition("/")[0]
        key = (file.cluster, group, file.kind, file.namespace, file.name)
        other = objects.setdefault(key, file)
        if other is not file and first is file:
            yield _clash(file, f"{file.kind} {file.name} is in out/{file.path} and in out/{other.path}")


def _clash(file: RenderedFile, message: str) -> Finding:
    return template_finding(
        "template/duplicate-object",
        Place(file.template.file),
        message,
        "rename one of the two, or remove one template",
        cluster=file.cluster,
        pool=file.pool,
    )
