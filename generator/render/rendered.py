"""The whole output as text: every template of every cluster, proven, with what is wrong with any of it."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError
from msgspec import Struct

from generator.declared.document import read
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.scalar import resolve
from generator.finding import Finding, Place
from generator.render.environment import Sandbox, environment
from generator.render.proof import Prover, Skeleton, printed
from generator.render.scalar import PLAIN, UnprintableError
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
        self.sources = templates.files
        last = [one for one in templates.rendered if one.path.endswith(tuple(f"/{k}.j2" for k in KUSTOMIZATIONS))]
        self.templates = [one for one in templates.rendered if one not in last]
        self.kustomizations = last

    def cluster(self, cluster: Cluster, values: ClusterValues) -> None:
        start = len(self.files)
        for template in self.templates:
            for pool in _each(template, cluster):
                self.add(template, cluster, pool, _context(template, cluster, pool, values))
        made = [file.path for file in self.files[start:]]
        for template in self.kustomizations:
            for pool in _each(template, cluster):
                folder = template.output(cluster.name, pool.name if pool else "").rpartition("/")[0] + "/"
                beside = [path.removeprefix(folder) for path in made if path.startswith(folder)]
                context = _context(template, cluster, pool, values)
                context["resources"] = sorted(name for name in beside if "/" not in name)
                self.add(template, cluster, pool, context)

    def add(self, template: Template, cluster: Cluster, pool: Pool | None, context: dict[str, Any]) -> None:
        if template.path in self.failed:
            return
        try:
            marked = self.sandbox.fill(template.path, context)
        except TEMPLATE_ERRORS as error:
            self.failed.add(template.path)
            self.findings.append(_failure(template, error, self.sources, cluster.name, pool.name if pool else ""))
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
            context |= {"namespace": cluster.operator.namespace, "images": list(values.images.items())}
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
    cluster: Cluster,
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
        path=template.output(cluster.name, pool.name if pool else ""),
        text=text,
        template=template,
        cluster=cluster.name,
        pool=pool.name if pool else "",
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
    return template_finding(rule, place, message, hint, cluster=cluster, pool=pool)


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
        key = (file.cluster, group, file.kind, file.namespace or "default", file.name)
        other = objects.setdefault(key, file)
        if other is not file and first is file:
            yield _clash(file, f"{file.kind} {file.name} is in out/{file.path} and in out/{other.path}")
    for folder in sorted(folders & paths.keys()):
        file = paths[folder]
        yield _clash(file, f"out/{file.path} is a file, and other files are to lie in a folder of that name")


def _clash(file: RenderedFile, message: str) -> Finding:
    return template_finding(
        "template/duplicate-object",
        Place(file.template.file),
        message,
        "rename one of the two, or remove one template",
        cluster=file.cluster,
        pool=file.pool,
    )
