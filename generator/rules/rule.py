"""What a rule is: an id that stays for ever, a severity, a sentence, and a small pure function."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from importlib import import_module
from typing import Any, Generic, TypeVar

from msgspec import Struct

from generator.finding import Finding, Place, Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
from generator.revision.revision import Revision

T = TypeVar("T")


class Problem(Struct, frozen=True, kw_only=True):
    """What a rule's function found; the table adds the rule's id, and its severity unless this one is lowered.

    `mistake` is what several pools or clusters may have inherited: of a rule's problems with the same one only the
    first is reported. Without it every problem is.
    """

    place: Place
    message: str
    hint: str
    cluster: str = ""
    pool: str = ""
    workload: str = ""
    fact: str = ""
    severity: Severity | None = None
    mistake: tuple[Hashable, ...] | None = None


def distinct(problems: Iterable[Problem]) -> Iterator[Problem]:
    """A rule's problems without those whose mistake is reported already."""
    reported: set[tuple[Hashable, ...]] = set()
    for problem in problems:
        if problem.mistake is None:
            yield problem
        elif problem.mistake not in reported:
            reported.add(problem.mistake)
            yield problem


class Judges(Enum):
    """What a rule is about, and so which verb reports it."""

    REPOSITORY = "repository"  # `check`: what one state of the repository declares and holds
    CHANGE = "change"  # `diff`: what lies between two states of it


class Row(Struct, frozen=True):
    """What every row of the table has."""

    id: str
    severity: Severity
    summary: str


class Rule(Row, frozen=True, kw_only=True):
    """One row of the table. What is only a `Rule` is reported where a document is read or a template rendered.

    One that `needs_all` compares what is there with everything that is declared: it says nothing while a part of
    that could not be read or rendered. One that `needs_catalog` says nothing while a line of the catalog can't be read.
    One that `compares` judges a change, and nothing where the revision to compare with can't be read; one that
    `compares_inventory` compares what both declare. One that is
    `fleet_wide` compares clusters with each other, and says nothing where only some of them are read. What is not
    `silenceable` stands whatever a silence or a baseline says.
    """

    needs_all: bool = False
    needs_catalog: bool = False
    compares: bool = False
    compares_inventory: bool = False
    fleet_wide: bool = False
    silenceable: bool = True
    judges: Judges = Judges.REPOSITORY

    @property
    def lasting(self) -> bool:
        """Whether a baseline may list it: it tells of the fleet, not of one change or of files that render mends."""
        changes = self.compares or self.compares_inventory
        return self.silenceable and not changes and self.family != "out"

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    def finding(self, problem: Problem) -> Finding:
        """The problem as a finding of this rule."""
        return Finding(
            rule=self.id,
            severity=problem.severity or self.severity,
            place=problem.place,
            message=problem.message,
            hint=problem.hint,
            cluster=problem.cluster,
            pool=problem.pool,
            workload=problem.workload,
            fact=problem.fact,
        )


class ClusterRule(Rule, frozen=True):
    """A rule that sees one cluster, and nothing of another one."""

    check: Callable[[ClusterInputs], Iterable[Problem]]


class FleetRule(Rule, frozen=True):
    """A rule that sees what the fleet declares for all clusters, and what is rendered and committed."""

    check: Callable[[FleetInputs], Iterable[Problem]]


class JoiningRule(Rule, Generic[T], frozen=True):
    """A rule of the fleet that must know something of clusters: of those it sees what each of them hands up.

    Where it is `fleet_wide`, clusters hand up that are not judged too, of which nothing is rendered.
    """

    hand_up: Callable[[ClusterInputs], T]
    join: Callable[[FleetInputs, Sequence[T]], Iterable[Problem]]


def problems_of(rule: Rule, revision: Revision) -> Iterator[Problem]:
    """What a rule has against a revision; nothing of what is reported while it is read and rendered."""
    match rule:
        case ClusterRule(check=check):
            yield from distinct(problem for cluster in revision.clusters for problem in check(cluster))
        case FleetRule(check=check):
            yield from distinct(check(revision.fleet_inputs))
        case JoiningRule(hand_up=hand_up, join=join):
            clusters = revision.all_clusters if rule.fleet_wide else revision.clusters
            if clusters is not None:
                handed_up = [hand_up(cluster) for cluster in clusters]
                yield from distinct(join(revision.fleet_inputs, handed_up))


def of_workloads(module: str, function: str) -> Callable[[ClusterInputs], Iterable[Any]]:
    """The function of a module of rules/ that judges workloads, imported where a cluster has any.

    It needs a quarter of the modules of a check, and a check of a fleet without workloads shall not wait for them.
    """
    return _loaded_where(lambda inputs: bool(inputs.workloads), module, function)


def of_changed_objects(module: str, function: str) -> Callable[[ClusterInputs], Iterable[Any]]:
    """The function of a module of rules/ that judges driver objects that changed, imported where any did."""
    return _loaded_where(lambda inputs: bool(inputs.against), module, function)


def _loaded_where(
    is_needed: Callable[[ClusterInputs], bool], module: str, function: str
) -> Callable[[ClusterInputs], Iterable[Any]]:
    def ask(inputs: ClusterInputs) -> Iterable[Any]:
        if not is_needed(inputs):
            return ()
        answer: Iterable[Any] = getattr(import_module(f"generator.rules.{module}"), function)(inputs)
        return answer

    return ask


def joining(module: str, function: str) -> Callable[[FleetInputs, Sequence[Iterable[Any]]], Iterable[Problem]]:
    """The function that joins what `of_workloads` has of all clusters, imported where there is anything to join."""

    def join(fleet: FleetInputs, handed_up: Sequence[Iterable[Any]]) -> Iterable[Problem]:
        values = [value for of_cluster in handed_up for value in of_cluster]
        if not values:
            return ()
        problems: Iterable[Problem] = getattr(import_module(f"generator.rules.{module}"), function)(fleet, values)
        return problems

    return join


# The rules that run in `check`, and not while a document is read or a template rendered.
RUNS = (ClusterRule, FleetRule, JoiningRule)
