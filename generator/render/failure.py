"""What goes wrong in a template: at run time, or in what it prints."""

from collections.abc import Mapping

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError

from generator.finding import Finding, Place, invalid
from generator.render.output import RenderedFile
from generator.render.scalar import UnprintableError
from generator.render.template import Template

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
        f"{where}out/{file.path} is not one Kubernetes manifest: {problem}",
        "let the template print one object per file, and each value with one {{ … }} of its own",
        cluster=file.cluster,
        pool=file.pool,
        workload=file.workload,
    )
