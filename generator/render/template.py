"""Templates by path: a template's path is its output's path, with names filled in and `.j2` dropped."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from generator.documents.syntax import Problem, character, decode
from generator.finding import Finding, Place, Severity, invalid
from generator.layout import TEMPLATES

ENDING = ".j2"
# What a GitOps tool is told, outside of every folder that it syncs to a cluster.
DELIVERY = "_delivery"
OF_A_CLUSTER = frozenset({"{cluster}", "{cluster}.yaml.j2", "{cluster}.yml.j2"})
HOLE = re.compile(r"\{[^{}]*\}|[{}]")
HOLES = ("cluster", "pool", "workload")


class Template(Struct, frozen=True, dict=True):
    """One template. `file` is where a message points: the user's file, or the bundled one's name."""

    path: str
    file: str
    text: str
    ours: bool

    @cached_property
    def per_pool(self) -> bool:
        """Whether it renders once a pool."""
        return "{pool}" in self.path

    @cached_property
    def per_workload(self) -> bool:
        """Whether it renders once a workload."""
        return "{workload}" in self.path

    @cached_property
    def per_fleet(self) -> bool:
        """Whether it renders once for all clusters."""
        return "{cluster}" not in self.path

    @cached_property
    def delivers(self) -> bool:
        """Whether it lies below _delivery/, and so renders after everything that is delivered."""
        return self.path.startswith(f"{DELIVERY}/")

    def output(self, *, cluster: str = "", pool: str = "", workload: str = "") -> str:
        """The path below out/."""
        path = self.path[: -len(ENDING)]
        return path.replace("{cluster}", cluster).replace("{pool}", pool).replace("{workload}", workload)


class Templates(Struct, frozen=True):
    """Ours with the user's laid over them by path; partials are what templates include.

    `texts` and `files` hold each template's text, and the file that a message points to, by its path.
    """

    rendered: tuple[Template, ...]
    texts: Mapping[str, str]
    files: Mapping[str, str]
    findings: tuple[Finding, ...]


def collect(bundled: Mapping[str, str], users: Mapping[str, bytes]) -> Templates:
    """All templates. `users` maps paths in the repository (templates/…) to their content."""
    chosen = {path: Template(path, f"(drivergate) {path}", text, ours=True) for path, text in bundled.items()}
    findings: list[Finding] = []
    for file in sorted(users):
        path = file.removeprefix(f"{TEMPLATES}/")
        if not path.endswith(ENDING):
            findings += _unread(file)
            continue
        text, problems = _text(file, users[file])
        findings += problems
        chosen[path] = Template(path, file, text, ours=path in bundled and bundled[path] == text)
    rendered = []
    for path in sorted(chosen):
        if path.rpartition("/")[2].startswith("_"):
            continue
        problems = list(_misplaced(chosen[path]))
        findings += problems
        if not problems:
            rendered.append(chosen[path])
    texts = {path: template.text for path, template in chosen.items()}
    files = {path: template.file for path, template in chosen.items()}
    return Templates(tuple(rendered), texts, files, tuple(findings))


def cluster_of(path: str) -> str:
    """The cluster that a file below out/ belongs to; of what is the whole fleet's, a name that no cluster has."""
    parts = path.split("/")
    if parts[0] != DELIVERY or len(parts) < 3:
        return parts[0]
    return parts[2] if len(parts) > 3 else parts[2].rpartition(".")[0]


def _text(file: str, data: bytes) -> tuple[str, list[Finding]]:
    """A template's text with LF as its line ends; nothing where it holds what no output may hold."""
    text = decode(data)
    problem = text if isinstance(text, Problem) else character(text)
    if problem is None:
        assert isinstance(text, str)
        return text.replace("\r\n", "\n"), []
    place = Place(file, problem.line, problem.column)
    return "", [invalid("template/syntax", place, problem.message, problem.hint)]


def _unread(file: str) -> Iterator[Finding]:
    if file.endswith((".yaml", ".yml")):
        yield Finding(
            rule="inventory/unread-file",
            severity=Severity.ERROR,
            place=Place(file),
            message=f'the file is not read: a template\'s name ends in "{ENDING}"',
            hint=f"rename it to {file}{ENDING}, or move it out of {TEMPLATES}/",
        )


def _misplaced(template: Template) -> Iterator[Finding]:
    place = Place(template.file)
    if not template.path.isprintable():
        message = f"the path {template.path!a} holds what can't be printed"
        yield invalid("template/outside-folder", place, message, "rename the template")
        return
    for name in HOLE.findall(template.path):
        if name[1:-1] not in HOLES:
            known = ", ".join(f"{{{hole}}}" for hole in HOLES)
            message = f'"{name}" in the path of {template.path} is filled by nothing'
            yield invalid("template/outside-folder", place, message, f"use {known} only")
            return
    if template.per_pool and template.per_workload:
        message = f"{template.path} renders once a pool and once a workload"
        yield invalid("template/outside-folder", place, message, "use one of {pool} and {workload}")
        return
    parts = template.path.split("/")
    least = {"{cluster}": 2, DELIVERY: 3}.get(parts[0], 0)
    if not least or len(parts) < least or {"", ".", ".."} & set(parts):
        message = f"{template.path} writes outside of a cluster's folder"
        yield invalid("template/outside-folder", place, message, "put it below templates/{cluster}/")
    elif parts[0] == DELIVERY and not _fits_delivery(parts):
        message = f"{template.path} mixes up what is one cluster's and what is the whole fleet's"
        tool = f"{TEMPLATES}/{DELIVERY}/{parts[1]}"
        hint = f"put it at {tool}/{{cluster}}.yaml.j2, below {tool}/{{cluster}}/, or without any {{…}} below {tool}/"
        yield invalid("template/outside-folder", place, message, hint)
    elif not template.path.endswith((".yaml.j2", ".yml.j2")):
        message = f"{template.path} renders no YAML file, and drivergate writes Kubernetes manifests only"
        yield invalid("template/not-a-manifest", place, message, 'let its name end in ".yaml.j2"')


def _fits_delivery(parts: list[str]) -> bool:
    """From its output's path it must be clear whose it is: a cluster's below _delivery/<tool>/, else the fleet's."""
    if parts[2] in OF_A_CLUSTER:
        return "{" not in parts[1]
    return "{" not in "/".join(parts)
