"""Rules of the family inventory/: told where documents are read and put together, but for silences and mirrors."""

from collections.abc import Iterator

from generator.declared.kernel_twice import brought
from generator.finding import Severity
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.expiry import ending_holds, ends_soon, expired, touched_cluster
from generator.rules.image.mirror import unused, used_repositories
from generator.rules.rule import FleetRule, JoiningRule, Problem, Rule


def kernel_twice(fleet: FleetInputs) -> Iterator[Problem]:
    """An error in the change that brings it, else a warning: what is there already must still render."""
    twice = fleet.kernels_twice
    new = frozenset() if fleet.earlier is None else brought(twice, fleet.earlier)
    for kernel in twice:
        running, upcoming = ("kernels", "upcomingKernels") if kernel.pool else ("running", "upcoming")
        subject = f'pool "{kernel.document}/{kernel.pool}"' if kernel.pool else f'node image "{kernel.document}"'
        yield Problem(
            place=fleet.texts.value(kernel.file, kernel.path),
            message=f"{subject} lists {kernel.written} both in {running} and in {upcoming}",
            hint=f"remove it from {upcoming} if nodes run it, else from {running}; drivergate migrate does the former",
            cluster=kernel.document if kernel.pool else "",
            pool=kernel.pool,
            fact=kernel.written,
            severity=Severity.ERROR if kernel in new else Severity.WARNING,
        )


RULES = (
    Rule("inventory/schema", Severity.INVALID, "a document is not what its schema wants, or contradicts itself"),
    Rule(
        "inventory/quoting",
        Severity.INVALID,
        "text is written so that YAML readers take it for something else",
    ),
    Rule("inventory/duplicate", Severity.INVALID, "a key or a document is there twice"),
    Rule("inventory/name-clash", Severity.INVALID, "two names lead to one object or file"),
    FleetRule("inventory/kernel-twice", Severity.ERROR, "a kernel is declared both running and upcoming", kernel_twice),
    JoiningRule(
        "inventory/expired",
        Severity.ERROR,
        "a silence is past its day",
        touched_cluster,
        expired,
        silenceable=False,
    ),
    JoiningRule(
        "inventory/ends-soon",
        Severity.WARNING,
        "a silence or a hold ends within two weeks",
        ending_holds,
        ends_soon,
    ),
    Rule("inventory/unread-file", Severity.ERROR, "a file that looks like input takes no part in the result"),
    Rule(
        "inventory/unused-silence",
        Severity.WARNING,
        "a silence or a baseline entry meets no finding",
        fleet_wide=True,
    ),
    JoiningRule(
        "inventory/unused-mirror",
        Severity.WARNING,
        "a mirror that no pool's images come by",
        used_repositories,
        unused,
        needs_all=True,
        fleet_wide=True,
    ),
    Rule("inventory/source", Severity.INVALID, "an inventory of another repository can't be read as it is declared"),
    Rule("inventory/requires", Severity.INVALID, "the repository requires another version of drivergate"),
)
