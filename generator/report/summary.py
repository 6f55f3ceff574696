"""The counts that close a report."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from generator.finding import Finding, Severity
from generator.words import counted


class Summary(Struct, frozen=True, kw_only=True):
    """What was judged, and how it came out. `not_judged` counts custom resources of kinds that nothing describes."""

    source: str
    clusters: int
    pools: int
    images: int
    errors: int
    warnings: int
    silenced: int
    not_judged: Mapping[str, int]

    @property
    def sentence(self) -> str:
        """All of it on one line."""
        found = f"{counted(self.errors, 'error')}, {counted(self.warnings, 'warning')}"
        silenced = f" ({self.silenced} silenced)" if self.silenced else ""
        judged = f"{counted(self.clusters, 'cluster')}, {counted(self.pools, 'pool')}, {counted(self.images, 'image')}"
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.not_judged.items()))
        unknown = f"; not judged, no schema: {kinds}" if kinds else ""
        return f"{found}{silenced} in {judged} of the {self.source}{unknown}"


def counts(findings: Sequence[Finding]) -> tuple[int, int]:
    """Errors and warnings."""
    warnings = sum(one.severity is Severity.WARNING for one in findings)
    return len(findings) - warnings, warnings
