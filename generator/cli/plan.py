"""`drivergate plan`: may a change be rolled, and what is to be built first?"""

import os
from datetime import date
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import UnsetType

from generator.change.driver_choice import Proposals
from generator.change.evidence import without_idle
from generator.change.lag import Lag, lag
from generator.change.need import Needs
from generator.change.plan import Verdict
from generator.change.plan import plan as make_plan
from generator.change.sequence import Named
from generator.change.whatif import Asked
from generator.change.wish import Unmeant, Wish, meant
from generator.change.work import Work, to_build, work
from generator.cli.completion import complete_branches
from generator.cli.options import (
    Branch,
    Clusters,
    Kernels,
    Observed,
    Operator,
    Pools,
    Rev,
    Rings,
    Root,
    Staged,
    Stream,
    System,
    Today,
    chosen_state,
)
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, out, say
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.cli.running import evidence
from generator.edges.errors import OutsideError, UnreadableError
from generator.edges.files import find_root
from generator.edges.git.command import git_at
from generator.edges.git.since import first_declared
from generator.facts.driver import is_driver
from generator.layout import INVENTORY
from generator.report import matrix
from generator.report import plan as report
from generator.report.formats import json
from generator.revision.declaration import Declaration
from generator.words import printable


class PlanFormat(StrEnum):
    """How a plan is printed; the last two are build matrices."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    GITLAB = "gitlab"


class FailOn(StrEnum):
    """What makes exit 1."""

    MISSING = "missing"
    UNKNOWN = "unknown"


def plan(
    kernel: Kernels = None,
    os: System = None,
    branch: Branch = None,
    node_image: Stream = None,
    operator: Operator = None,
    cluster: Clusters = None,
    ring: Rings = None,
    pool: Pools = None,
    via: Annotated[
        list[str] | None,
        typer.Option(
            "--via",
            metavar="DRIVER",
            help="A driver that may be passed through on the way, beside those of other pools (repeatable).",
            autocompletion=complete_branches,
        ),
    ] = None,
    observed: Observed = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 if a pool has this problem (repeatable).")
    ] = None,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: Annotated[
        PlanFormat, typer.Option("--format", help="How to print it; github and gitlab are build matrices.")
    ] = PlanFormat.TEXT,
) -> int:
    """Say for each pool whether a change, or what is declared as upcoming, has all its images; nothing is edited."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    wish = wished(kernel, os, branch, node_image, operator, cluster, ring, pool)
    fail = frozenset(str(one) for one in fail_on or ())
    files = tuple(observed or ())
    return planned(wish, chosen, via=_drivers(via), observed=files, fail_on=fail, printed=str(printed))


def wished(
    kernel: list[str] | None,
    system: str | None,
    branch: str | None,
    node_image: str | None,
    operator: str | None,
    cluster: list[str] | None,
    ring: list[str] | None,
    pool: list[str] | None,
) -> Wish:
    """The options as one value."""
    return Wish(
        kernels=tuple(kernel or ()),
        os=system or "",
        driver=branch or "",
        node_image=node_image or "",
        operator=operator or "",
        clusters=frozenset(cluster or ()),
        rings=frozenset(ring or ()),
        pools=frozenset(pool or ()),
    )


def _drivers(via: list[str] | None) -> tuple[str, ...]:
    """The drivers that may be passed through. UnreadableError for what is none."""
    for name in via or ():
        if not is_driver(name):
            message = f'--via "{printable(name)}" is no driver'
            raise UnreadableError(message, 'write a branch, "580", or an exact version, "580.126.20"')
    return tuple(via or ())


def planned(
    wish: Wish,
    chosen: Chosen,
    *,
    via: tuple[str, ...],
    observed: tuple[str, ...],
    fail_on: frozenset[str],
    printed: str,
) -> int:
    """The exit code: 0 where it could answer, 1 for what `fail_on` names."""
    found = read_declaration(chosen, catalogs=True)
    incomplete = report_unread(found, as_json=printed == "json")
    made = planned_work(found, understood(wish, found), chosen, via, observed)
    _print(made, found, printed)
    if incomplete:
        return UNUSABLE
    failed = ("missing" in fail_on and made.plan.lacking) or ("unknown" in fail_on and made.plan.of(Verdict.UNKNOWN))
    return FOUND if failed else CLEAN


def understood(wish: Wish, found: Declaration) -> Asked:
    asked = meant(wish, found.fleet, {one.shape.name: one.shape for one in found.inventory.node_images})
    if isinstance(asked, Unmeant):
        raise UnreadableError(printable(asked.message), printable(asked.hint))
    if asked.operator is not None and not asked.operator.date:
        say(f"note: operator {asked.operator.version} is not known; {asked.operator.basis} is judged in its place")
    return asked


def planned_work(
    found: Declaration, asked: Asked, chosen: Chosen, via: tuple[str, ...] = (), observed: tuple[str, ...] = ()
) -> report.Told:
    catalog = found.catalog()
    needs = Needs(found.fleet, catalog)
    ran = found.fleet
    if observed:
        proven = evidence(observed, found.fleet, found.inventory, found.day)
        ran = without_idle(found.fleet, proven)
        for note in proven.notes:
            say(f"note: {note}")
    answers = make_plan(found.fleet, catalog, asked, needs.objections, named=_named(found, via), ran=ran)
    works = work(answers.answers, catalog)
    proposals = Proposals(catalog, needs.against)
    # Another branch is an answer only where this one is what holds a pool.
    proposed = [proposals.of(answer.cluster, answer.pool) for answer in answers.of(Verdict.HOLD)]
    return report.Told(
        plan=answers,
        works=works,
        lags=_lags(works, chosen, found.day),
        proposals=tuple(one for one in proposed if one is not None),
    )


def _named(found: Declaration, via: tuple[str, ...]) -> Named:
    """What the repository names beside its pools: drivers of profiles that no pool may have, and node images."""
    drivers = [layer.driver for fleet in found.inventory.fleets for layer in fleet.shape.profiles.values()]
    versions = [
        version
        for driver in drivers
        if not isinstance(driver, UnsetType)
        for version in (driver.branch, driver.version)
        if isinstance(version, str)
    ]
    kernels = {image.shape.name: tuple(image.shape.kernels.values()) for image in found.inventory.node_images}
    return Named(drivers=(*via, *filter(is_driver, versions)), kernels=kernels)


def _lags(works: tuple[Work, ...], chosen: Chosen, day: date) -> dict[str, Lag]:
    """For how long each kernel of the works has been declared on this day; none without git, or before a commit."""
    kernels = {one.kernel for one in works if one.kernel}
    if not kernels:
        return {}
    try:
        git = git_at(find_root(chosen.root), os.environ)
        declared = first_declared(git, kernels, INVENTORY, until=chosen.rev or "HEAD")
    except OutsideError:
        return {}
    return {kernel: lag(first, day, whole=declared.whole) for kernel, first in declared.first.items()}


def _print(made: report.Told, found: Declaration, printed: str) -> None:
    if printed == "json":
        out(json.printed(json.with_findings(report.values(made), found.blocking)))
    elif printed == "text":
        out(report.text(made))
    else:
        _matrix(made, printed)


def _matrix(made: report.Told, printed: str) -> None:
    works = tuple(to_build(made.works))
    out(matrix.github(works) if printed == "github" else matrix.gitlab(works))
    if len(works) > matrix.MOST[printed]:
        left = len(works) - matrix.MOST[printed]
        say(f"note: a matrix holds at most {matrix.MOST[printed]} jobs: {left} images are left for the next run")
    for one in made.works:
        if one not in works:
            say(f"note: not in the matrix: {printable(one.repository)}:{printable(one.tag)}: {one.reason}")
