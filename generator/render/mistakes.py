"""Mistakes of templates: what fails in one, what is no manifest, and what is in each other's way."""

from collections.abc import Iterable, Iterator, Mapping

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError

from generator.finding import Finding, Place, invalid
from generator.layout import OUT
from generator.render.output import KUSTOMIZATIONS, RenderedFile
from generator.render.scalar import UnprintableError
from generator.render.template import Template, cluster_of

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


def clashes(files: Iterable[RenderedFile]) -> Iterator[Finding]:
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
            yield _clash(file, f"{OUT}/{file.path} and {OUT}/{first.path} ({first.template.file}) {why}")
        if not file.kind or not file.name:
            continue
        group = file.api_version.rpartition("/")[0]
        key = (_scope(file), group, file.kind, file.namespace or "default", file.name)
        other = objects.setdefault(key, file)
        if other is not file and first is file:
            yield _clash(file, f"{file.kind} {file.name} is in {OUT}/{file.path} and in {OUT}/{other.path}")
    for folder in sorted(folders & paths.keys()):
        file = paths[folder]
        yield _clash(file, f"{OUT}/{file.path} is a file, and other files are to lie in a folder of that name")


def in_the_way(file: RenderedFile) -> Finding:
    """A file of the whole fleet where those of one cluster lie: with `--cluster` nobody could tell whose it is."""
    name = cluster_of(file.path)
    return invalid(
        "template/outside-folder",
        Place(file.template.file),
        f'{OUT}/{file.path} is the whole fleet\'s, and lies where those of cluster "{name}" do',
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
        workload=file.workload,
    )


def failure(template: Template, error: Exception, files: Mapping[str, str], about: Mapping[str, str]) -> Finding:
    """What went wrong in a template, or in what it includes, at its line. `about` names cluster, pool and workload."""
    rule = "template/undefined" if isinstance(error, UndefinedError) else "template/syntax"
    path, line = _where(error, template.path, files)
    said = str(error.message if isinstance(error, TemplateError) and error.message else error)
    message = " ".join(f"{said[:1].lower()}{said[1:]}".split()).rstrip(".")
    hint = "use a name that docs/templates.md lists" if rule == "template/undefined" else "correct the template"
    if isinstance(error, TemplateNotFound):
        message, hint = f'there is no template "{error.name}"', "include a template by its path below templates/"
    place = Place(files[path], line, 1 if line else 0)
    return invalid(rule, place, message, hint, **about)


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


def unfit(file: RenderedFile, problem: str, line: int) -> Finding:
    """A file that is no manifest, by the line where that shows."""
    where = f"line {line} of " if line else ""
    return invalid(
        "template/not-a-manifest",
        Place(file.template.file),
        f"{where}{OUT}/{file.path} is not one Kubernetes manifest: {problem}",
        "let the template print one object per file, and each value with one {{ … }} of its own",
        cluster=file.cluster,
        pool=file.pool,
        workload=file.workload,
    )
