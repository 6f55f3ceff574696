"""Findings as JUnit XML: one test case for each rule and cluster, for Jenkins and GitLab alike.

Valid by the schema of Jenkins' xUnit plugin (junit-10.xsd), which knows no file of a test case: the text has it.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from generator.finding import Finding
from generator.report.formats.text import sentence
from generator.report.reported import Reported, fails
from generator.words import counted, printable

OF_THE_FLEET = "fleet"  # a finding of no cluster
LARGEST = 25_000_000  # characters; GitLab leaves out a file of 30 MB
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"})


class Case(Struct, frozen=True, kw_only=True):
    """One rule over one cluster. `failed`, `warned` and `skipped` are texts, "" for no."""

    cluster: str
    rule: str
    failed: str = ""
    warned: str = ""
    skipped: str = ""
    count: int = 0


def junit(reported: Reported) -> str:
    """A suite of all cases. Those that pass are listed too, as long as the file stays readable for GitLab."""
    cases = list(_found(reported))
    told = {(case.rule, case.cluster) for case in cases}
    others = [case for case in _others(reported) if (case.rule, case.cluster) not in told]
    texts, used = [], 0
    for case in (*cases, *others):
        text = _case(case, short=used > LARGEST)
        used += len(text)
        if used > LARGEST and not case.failed:
            continue
        texts.append((case, text))
    return "".join(_document(reported, texts))


def _document(reported: Reported, texts: list[tuple[Case, str]]) -> Iterator[str]:
    failures = sum(bool(case.failed) for case, _ in texts)
    skipped = sum(bool(case.skipped) for case, _ in texts)
    counts = f'tests="{len(texts)}" failures="{failures}" errors="0"'
    name = _attribute(f"drivergate {reported.name}")
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites {counts}>\n"
    yield f'<testsuite name="{name}" {counts} skipped="{skipped}" time="0">\n'
    yield from (text for _, text in texts)
    yield f"<system-out>{_text(_closing(reported))}</system-out>\n</testsuite>\n</testsuites>\n"


def _closing(reported: Reported) -> str:
    return "\n".join(printable(line) for line in (reported.sentence, *reported.notes))


def _found(reported: Reported) -> Iterator[Case]:
    """The cases that something was found for, each with all of it."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in reported.findings:
        groups.setdefault((one.rule, one.cluster), []).append(one)
    for (rule, cluster), findings in sorted(groups.items()):
        failing = [one for one in findings if fails(one, strict=reported.strict)]
        text = _lines(failing or findings)
        yield Case(
            cluster=cluster,
            rule=rule,
            failed=text if failing else "",
            warned="" if failing else text,
            count=len(failing),
        )


def _others(reported: Reported) -> Iterator[Case]:
    """The rules of all clusters that found nothing, could not look, or were told of another cluster."""
    failing = {one.rule for one in reported.findings if fails(one, strict=reported.strict)}
    for rule in reported.judged:
        for cluster in reported.clusters:
            again = (rule, cluster) in reported.repeated
            text = "the same as of another cluster, where it is told" if again else ""
            failed = text if rule in failing else ""
            yield Case(cluster=cluster, rule=rule, failed=failed, warned=text if not failed else "", count=int(again))
    for rule, why in sorted(reported.unjudged.items()):
        for cluster in reported.clusters:
            yield Case(cluster=cluster, rule=rule, skipped=f"not judged: {why}")


def _lines(findings: Iterable[Finding]) -> str:
    return "\n".join(
        f"{printable(str(one.place))}: {sentence(one.message)}\n    hint: {sentence(one.hint)}" for one in findings
    )


def _case(case: Case, *, short: bool) -> str:
    name = f'classname="{_attribute(case.cluster or OF_THE_FLEET)}" name="{_attribute(case.rule)}" time="0"'
    if case.failed:
        count = counted(case.count, "finding")
        text = "" if short else _text(case.failed)
        return (
            f'<testcase {name}><failure type="{_attribute(case.rule)}" message="{count}">{text}</failure></testcase>\n'
        )
    if case.skipped:
        return f'<testcase {name}><skipped message="{_attribute(case.skipped)}"/></testcase>\n'
    if case.warned:
        return f"<testcase {name}><system-out>{_text(case.warned)}</system-out></testcase>\n"
    return f"<testcase {name}/>\n"


def _attribute(text: str) -> str:
    return printable(text).translate(ESCAPES)


def _text(text: str) -> str:
    """Lines that are printable each: no control character is left for XML to refuse."""
    return "\n".join(printable(line) for line in text.split("\n")).translate(ESCAPES).replace("&#10;", "\n")
