"""What the gate says of a change: the findings that it brings, and how many stood before."""

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.baseline import entry_of
from generator.declared.fleet import Fleet
from generator.finding import Finding
from generator.revision.revision import Before, Revision
from generator.rules.judge import judge
from generator.rules.table import RULES

# What lies below out/ is not read where two revisions are compared: what they render is.
NOT_READ = frozenset(rule.id for rule in RULES if rule.id.startswith("out/"))


class Verdict(Struct, frozen=True):
    """The findings of the clusters that were compared; `standing` counts those that the revision before has as well."""

    new: tuple[Finding, ...]
    standing: int


def verdict(base: Revision, head: Revision, ran: Fleet) -> Verdict:
    """The gate on both sides, the second as a change of the first. A finding is known by what a baseline would list.

    `ran` is the base's fleet with the kernels that its nodes may run.
    """
    before = {entry_of(finding) for finding in judge(base, RULES, told=base.findings, without=NOT_READ).findings}
    judged = replace(head, before=Before(ran, base.catalog))
    after = judge(judged, RULES, told=head.findings, without=NOT_READ).findings
    new = tuple(finding for finding in after if entry_of(finding) not in before)
    return Verdict(new, len(after) - len(new))
