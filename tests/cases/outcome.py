"""What drivergate says to the input of a case, in the cases' own words."""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from generator.finding import Finding, Severity
from generator.report.formats import text
from generator.revision.driver_objects import DriverObject
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.judging import revision_of


class Result(StrEnum):
    """How a case ends; the exit codes are 0, 1 and 2."""

    OK = "OK"
    FINDINGS = "FINDINGS"
    INPUT_ERROR = "INPUT_ERROR"


class Outcome(Struct, frozen=True, kw_only=True):
    """The findings, and the files below out/ that render would write: none where the input is refused."""

    findings: tuple[Finding, ...]
    out: Mapping[str, str]

    @property
    def result(self) -> Result:
        """What the exit code follows."""
        severities = {one.severity for one in self.findings}
        if Severity.INVALID in severities:
            return Result.INPUT_ERROR
        return Result.FINDINGS if Severity.ERROR in severities else Result.OK

    @property
    def report(self) -> str:
        """The findings as people read them."""
        return text.finding_lines(self.findings, color=False)

    @property
    def shown(self) -> str:
        """Everything that a case's `must_show` and `must_not_show` speak of."""
        return "\n".join([self.report, *self.out.values()])

    @property
    def rules(self) -> set[str]:
        """The rules that found something."""
        return {one.rule for one in self.findings}

    def of(self, rule: str) -> list[str]:
        """The findings of one rule, as they are printed."""
        return [text.finding_lines([one], color=False) for one in self.findings if one.rule == rule]

    def severity(self, rule: str) -> Severity:
        """The one severity of a rule's findings."""
        (found,) = {one.severity for one in self.findings if one.rule == rule}
        return found

    def file(self, name: str) -> str:
        """The one rendered file whose path ends in a name."""
        (found,) = [content for path, content in self.out.items() if path.endswith(f"/{name}")]
        return found

    def asked(self, pool: str) -> list[str]:
        """The image references of a pool's drivers, as the ConfigMap of images lists them."""
        listed = self.file("drivergate-images.yaml").partition("data:\n")[2]
        (lines,) = re.findall(rf"^  {re.escape(pool)}: \|\n((?:    .*\n)+)", listed, re.MULTILINE)
        return [line.strip() for line in lines.splitlines() if "k8s-driver-manager" not in line]


def outcome(files: Mapping[str, str | bytes], *, against: tuple[DriverObject, ...] | None = None) -> Outcome:
    """Judges a repository given as path -> text, its output freshly rendered."""
    context, told = revision_of(files, against=against)
    findings = judge(context, RULES, told=told).findings
    refused = any(one.severity is Severity.INVALID for one in findings)
    out = {} if refused else {file.path: file.text for file in context.rendered.files}
    return Outcome(findings=findings, out=out)


def shows(said: str, *texts: str) -> None:
    """The case's `must_show`."""
    for one in texts:
        assert one in said, f"{one!r} is not in:\n{said}"


def hides(said: str, *patterns: str) -> None:
    """The case's `must_not_show`."""
    for pattern in patterns:
        assert not re.search(pattern, said, re.MULTILINE), f"{pattern!r} is in:\n{said}"
