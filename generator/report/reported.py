"""One run's findings as every format for reviewers is given them: what all of them know, and in which order."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.finding import Finding, Place, Severity
from generator.layout import SOURCES, SOURCES_LOCK
from generator.report.formats.text import sentence
from generator.words import printable

RANK = {Severity.INVALID: 0, Severity.ERROR: 1, Severity.WARNING: 2}


class RuleText(Struct, frozen=True, kw_only=True):
    """What is known of a rule. `text` is its section of the documentation, Markdown; `url` may be "" for unknown."""

    id: str
    severity: Severity
    summary: str
    text: str = ""
    url: str = ""


class Reported(Struct, frozen=True, kw_only=True):
    """One run. `sentence` counts it, `notes` say what could not be judged.

    `rules` has at least those of the findings. `judged` are the rules that looked at every one of `clusters`,
    `unjudged` those that could not, with the reason; `repeated` are rule and cluster of findings that were told of
    another cluster already. `scope` sets this run apart from others over the same change, such as a shard's.
    """

    verb: str
    findings: tuple[Finding, ...]
    sentence: str
    rules: Mapping[str, RuleText]
    notes: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    unjudged: Mapping[str, str] = {}
    repeated: frozenset[tuple[str, str]] = frozenset()
    scope: str = ""
    strict: bool = False

    @property
    def name(self) -> str:
        """The verb with its scope, as a category or a marker has it."""
        return f"{self.verb}/{self.scope}" if self.scope else self.verb


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Most severe first, each severity in the order given."""
    return sorted(findings, key=lambda one: RANK[one.severity])


def fails(finding: Finding, *, strict: bool) -> bool:
    """Whether the finding makes the run fail."""
    return strict or finding.severity is not Severity.WARNING


def told(finding: Finding) -> str:
    """Message and hint on two lines, printable and bounded."""
    return f"{sentence(finding.message)}\nhint: {sentence(finding.hint)}"


def below(prefix: str, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with places relative to git's top folder, below which the fleet's root lies at `prefix`.

    A document of another repository is no file of this one: what is wrong with it stands at its pin.
    """
    return tuple(_below(prefix, one) for one in findings)


def _below(prefix: str, one: Finding) -> Finding:
    place = one.place
    if place.file.startswith(SOURCES) and "/" in place.file.removeprefix(SOURCES):
        return replace(one, place=Place(f"{prefix}{SOURCES_LOCK}"), message=f"{place}: {one.message}")
    return replace(one, place=replace(place, file=f"{prefix}{place.file}")) if prefix else one


def line(place: Place) -> int:
    """The line, the first where the file has no better."""
    return place.line or 1


def fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """A name for each finding that survives edits elsewhere in its file, and that no other finding has.

    Of rule, file and subject, never of the line; findings that agree in all of it are numbered.
    """
    import hashlib

    seen: Counter[str] = Counter()
    for one in findings:
        subject = (one.rule, printable(one.place.file), one.cluster, one.pool, one.workload, one.fact or one.message)
        digest = hashlib.sha256("\0".join(subject).encode("utf-8", "backslashreplace")).hexdigest()
        seen[digest] += 1
        yield digest if seen[digest] == 1 else hashlib.sha256(f"{digest}:{seen[digest]}".encode()).hexdigest()
