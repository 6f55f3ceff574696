"""What `drivergate plan` does: read, decide, tell."""

import os

from generator.change.driver_choice import Proposals
from generator.change.need import Needs
from generator.change.plan import Verdict, plan
from generator.change.whatif import Asked
from generator.change.wish import Unmeant, Wish, meant
from generator.change.work import Work, to_build, work
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, out, say
from generator.cli.reading import Read, read, told
from generator.declared.catalog import collect
from generator.edges.errors import OutsideError, UnreadableError
from generator.edges.files import find_root
from generator.edges.git.command import git_at
from generator.edges.git.since import first_declared
from generator.report import plan as report
from generator.report.formats import json
from generator.report.formats.text import printable


def planned(
    wish: Wish, *, root: str | None, staged: bool, rev: str | None, fail_on: frozenset[str], printed: str
) -> int:
    """The exit code: 0 where it could answer, 1 for what `fail_on` names."""
    found = read(root, staged=staged, rev=rev, catalogs=True)
    incomplete = told(found, as_json=printed == "json")
    made = _told(found, _asked(wish, found), root, rev)
    _print(made, found, printed)
    if incomplete:
        return UNUSABLE
    failed = ("missing" in fail_on and made.plan.lacking) or ("unknown" in fail_on and made.plan.of(Verdict.UNKNOWN))
    return FOUND if failed else CLEAN


def runbook_of(wish: Wish, *, root: str | None, staged: bool, rev: str | None, as_json: bool) -> int:
    """The runbook of a plan; nothing is written where a part of the inventory can't be read."""
    from generator.change.runbook import runbook, whole
    from generator.render.output import Rendered
    from generator.report import runbook as page
    from generator.revision.revision import Revision

    found = read(root, staged=staged, rev=rev, catalogs=True)
    if told(found, as_json=False):
        return UNUSABLE
    asked = whole(_asked(wish, found), found.fleet)
    made = _told(found, asked, root, rev)
    context = Revision(
        fleet=found.fleet, catalog=collect(found.inventory.catalogs, found.fleet.mirrors), rendered=Rendered((), ())
    )
    book = runbook(context, asked, made.plan, made.works)
    out(json.printed(page.values(book)) if as_json else page.markdown(book))
    return CLEAN


def _asked(wish: Wish, found: Read) -> Asked:
    asked = meant(wish, found.fleet, {one.shape.name: one.shape for one in found.inventory.node_images})
    if isinstance(asked, Unmeant):
        raise UnreadableError(printable(asked.message), printable(asked.hint))
    if asked.operator is not None and asked.operator.unknown:
        say(f"note: operator {asked.operator.version} is not known; {asked.operator.basis} is judged in its place")
    return asked


def _told(found: Read, asked: Asked, root: str | None, rev: str | None) -> report.Told:
    catalog = collect(found.inventory.catalogs, found.fleet.mirrors)
    needs = Needs(found.fleet, catalog)
    answers = plan(found.fleet, catalog, asked, needs.objections)
    works = work(answers.answers, catalog)
    proposals = Proposals(catalog, needs.against)
    proposed = [proposals.of(one.cluster, one.pool) for one in answers.answers]
    return report.Told(
        plan=answers,
        works=works,
        lags=_lags(works, root, rev),
        proposals=tuple(one for one in proposed if one is not None),
    )


def _lags(works: tuple[Work, ...], root: str | None, rev: str | None) -> dict[str, report.Lag]:
    """None is told where there is no git, or no commit yet."""
    kernels = {one.kernel for one in works if one.kernel}
    if not kernels:
        return {}
    try:
        where = find_root(root)
        found = first_declared(git_at(where, os.environ), kernels, "inventory", until=rev or "HEAD")
    except OutsideError:
        return {}
    return {kernel: report.lag(first, found.now, whole=found.whole) for kernel, first in found.first.items()}


def _print(made: report.Told, found: Read, printed: str) -> None:
    if printed == "json":
        out(json.printed(json.with_findings(report.values(made), found.blocking)))
    elif printed == "text":
        out(report.text(made))
    else:
        _matrix(made, printed)


def _matrix(made: report.Told, printed: str) -> None:
    from generator.report import matrix

    works = tuple(to_build(made.works))
    out(matrix.github(works) if printed == "github" else matrix.gitlab(works))
    if len(works) > matrix.MOST[printed]:
        left = len(works) - matrix.MOST[printed]
        say(f"note: a matrix holds at most {matrix.MOST[printed]} jobs: {left} images are left for the next run")
    for one in made.works:
        if one not in works:
            say(f"note: not in the matrix: {printable(one.repository)}:{printable(one.tag)}: {one.reason}")
