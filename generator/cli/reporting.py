"""Findings to stdout in one format, and to files in any number of others."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from generator import __version__
from generator.cli.outcome import Reporting, out
from generator.edges.destination import Destination, destination
from generator.edges.errors import UnreadableError
from generator.edges.installed import installed
from generator.edges.writer import Write, apply
from generator.facts.data import rule_docs
from generator.finding import Finding
from generator.layout import INPUTS, OUT
from generator.report.docs import docs_url
from generator.report.reported import Reported, RuleText
from generator.rules.docs import section
from generator.rules.rule import Rule
from generator.rules.table import BY_ID
from generator.words import printable

Texts = Mapping[Reporting, Callable[[], str]]


class Output(Struct, frozen=True):
    """One file that is asked for."""

    format: Reporting
    destination: Destination


def outputs(written: Sequence[str], root: str) -> tuple[Output, ...]:
    """The files that `FORMAT=FILE` ask for, before anything is judged. OutsideError where one can't be."""
    found: list[Output] = []
    for one in written:
        name, _, file = one.partition("=")
        if name not in {*Reporting} or not file:
            message = f"--output {printable(one)} is not FORMAT=FILE with one of the formats {', '.join(Reporting)}"
            raise UnreadableError(message, f"write it like --output {Reporting.SARIF}=build/drivergate.sarif")
        where = destination(file, root, (*INPUTS, OUT, ".git"))
        if any(where == other.destination for other in found):
            raise UnreadableError(f"two reports would be written to {printable(file)}", "give each a file of its own")
        found.append(Output(Reporting(name), where))
    return tuple(found)


def printed_and_written(texts: Texts, printed: Reporting, files: Sequence[Output]) -> None:
    """Prints one and writes the others, each made once."""
    made = {name: texts[name]() for name in dict.fromkeys((printed, *(one.format for one in files)))}
    out(made[printed])
    written({name: partial(str, text) for name, text in made.items()}, files)


def written(texts: Texts, files: Sequence[Output]) -> None:
    """Writes files alone, all of them made before the first is written."""
    made = {name: texts[name]() for name in dict.fromkeys(one.format for one in files)}
    for one in files:
        data = made[one.format].encode("utf-8", "backslashreplace")
        apply(one.destination.folder, [Write(one.destination.path, data)])


def for_reviewers(reported: Callable[[], Reported]) -> dict[Reporting, Callable[[], str]]:
    """Every format but text and JSON, which are the verb's own."""
    from generator.report.formats.github import github
    from generator.report.formats.gitlab import gitlab
    from generator.report.formats.junit import junit
    from generator.report.formats.markdown import markdown
    from generator.report.formats.sarif import sarif

    return {
        Reporting.SARIF: lambda: sarif(reported(), version=__version__),
        Reporting.JUNIT: lambda: junit(reported()),
        Reporting.GITHUB: lambda: github(reported()),
        Reporting.GITLAB: lambda: gitlab(reported()),
        Reporting.MARKDOWN: lambda: markdown(reported()),
    }


def documented(findings: Sequence[Finding]) -> dict[str, RuleText]:
    """What is known of the rules of some findings."""
    source = installed()
    found = sorted({finding.rule for finding in findings})
    return {name: _documented(BY_ID[name], docs_url(source.url, source.revision, name)) for name in found}


def _documented(rule: Rule, url: str) -> RuleText:
    text = section(rule.id, rule_docs(rule.family))
    return RuleText(id=rule.id, severity=rule.severity, summary=rule.summary, text=text, url=url)
