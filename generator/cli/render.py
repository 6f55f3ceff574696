"""`drivergate render`: inventory to manifests.

As with `check`, git is asked before the modules of the core are imported, and a call without options needs no typer.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, colored, out, say
from generator.edges.errors import UnreadableError
from generator.finding import Finding, Severity
from generator.layout import MANIFEST, OUT
from generator.words import dots, printable, shortened

if TYPE_CHECKING:
    from generator.cli.state import State
    from generator.render.ownership import Changes, Ownership
    from generator.revision.revision import Revision

# What they find, render says itself of the files that it writes.
RULES_OF_THE_GATE = frozenset({"out/drift", "out/not-staged"})
REMOVAL = "out/removal"
MOST_NAMED = 5


def with_options() -> Callable[..., int]:
    """The verb with its options, as typer reads them."""
    import typer

    from generator.cli.completion import complete_clusters
    from generator.cli.options import Clusters, ResultFormat, Root, Today

    def command(
        root: Root = None,
        check: Annotated[
            bool, typer.Option("--check", help="Write nothing; exit 1 if out/ is not up to date.")
        ] = False,
        diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")] = False,
        cluster: Clusters = None,
        today: Today = None,
        allow_remove: Annotated[
            list[str] | None,
            typer.Option(
                "--allow-remove",
                metavar="NAME",
                help="Cluster or CLUSTER/OBJECT that may be removed (repeatable).",
                autocompletion=complete_clusters,
            ),
        ] = None,
        exit_non_zero_on_change: Annotated[
            bool,
            typer.Option(
                "--exit-non-zero-on-change", help="Exit 1 if anything was written or removed: for commit hooks."
            ),
        ] = False,
        printed: ResultFormat = Format.TEXT,
    ) -> int:
        """Render inventory/ into out/.

        Writes nothing if no valid manifest can be made; other errors of the gate are warnings here.
        """
        return render(
            root=root,
            check=check,
            diff=diff,
            clusters=cluster or (),
            today=today,
            allow_remove=allow_remove or (),
            exit_non_zero_on_change=exit_non_zero_on_change,
            printed=printed,
        )

    return command


def render(
    *,
    root: str | None = None,
    check: bool = False,
    diff: bool = False,
    clusters: Sequence[str] = (),
    today: str | None = None,
    allow_remove: Sequence[str] = (),
    exit_non_zero_on_change: bool = False,
    printed: Format = Format.TEXT,
) -> int:
    """Renders, and writes what changed unless it is only to be checked or shown; the exit code."""
    if check and diff:
        raise UnreadableError("--check and --diff are alternatives", "give one of them")
    wanted = Wanted(
        root=root,
        today=today,
        compare=False,
        clusters=frozenset(clusters),
        allow_remove=frozenset(allow_remove),
    )
    begun = begin(wanted)

    from generator.cli.state import judged, judged_state
    from generator.report.formats import text

    state = judged_state(begun)
    findings = judged(state, without=RULES_OF_THE_GATE).findings
    blocking = [finding for finding in findings if finding.severity is Severity.INVALID]
    refused = bool(blocking) and all(finding.rule == REMOVAL for finding in blocking)
    if refused or not blocking:
        _check_names_of_removals(state.revision)
    if blocking and not (diff and refused and printed is Format.TEXT):
        code = _blocked(blocking, findings, printed)
        _say_notes(state)
        return code
    revision = state.revision
    todo = revision.fleet_inputs.todo
    if not check and not diff:
        _write(state.root, todo, revision.owned)
    if printed is Format.JSON:
        from generator.report.formats import json

        out(json.printed(json.changes(todo, findings)))
    else:
        if diff:
            from generator.report.diff import unified

            out(unified(todo, revision.out, color=colored()))
        else:
            out(text.changes(todo, done=not check))
        warnings = blocking or text.as_warnings(findings)
        if warnings:
            say(text.finding_lines(warnings, color=False).rstrip("\n"))
    _say_notes(state)
    if refused:
        return UNUSABLE
    changed = bool(todo.told or todo.removed)
    return FOUND if changed and (check or exit_non_zero_on_change) else CLEAN


def _say_notes(state: "State") -> None:
    for note in state.notes:
        say(f"note: {note}")


def _blocked(blocking: Sequence[Finding], findings: Sequence[Finding], printed: Format) -> int:
    """Says why nothing is written; the exit code."""
    if printed is Format.JSON:
        from generator.report.formats import json

        out(json.printed(json.changes(None, findings)))
    else:
        from generator.report.formats import text

        out(text.finding_lines(blocking, color=colored()))
        say("nothing is written")
    return UNUSABLE


def _check_names_of_removals(revision: "Revision") -> None:
    """UnreadableError where a name of --allow-remove allows no removal of this run: it is misspelt."""
    if not revision.allow_remove:
        return
    from generator.declared.shape import did_you_mean
    from generator.render.ownership import needless, taken_away

    removed = revision.fleet_inputs.todo.removed
    taken = list(taken_away(revision.rendered, revision.out, removed))
    known = sorted({removal.name for removal in taken})
    for name in needless(revision.allow_remove, taken, removed, revision.out):
        listed = f"what would go: {shortened(known, MOST_NAMED, dots)}"
        hint = did_you_mean(name, known) or (listed if known else "leave the option out")
        raise UnreadableError(f'nothing that would go is named "{printable(name)}"', hint)


def _write(root: str, todo: "Changes", owned: "Ownership") -> None:
    """Writes and removes files in an order from which any interruption recovers.

    The ownership manifest first names old and new files together, so that a killed run leaves nothing unowned behind.
    """
    from generator.edges.writer import Remove, Step, Write, apply
    from generator.render.ownership import manifest, ownership

    final = ownership(todo.manifest) if todo.relists else owned
    steps: list[Step] = []
    journal = ""
    if set(final.hashes) != set(owned.hashes):
        journal = manifest({**owned.hashes, **final.hashes})
        steps.append(Write(f"{OUT}/{MANIFEST}", journal.encode()))
    steps += [Write(f"{OUT}/{path}", data) for path, data in sorted(todo.written.items())]
    steps += [Remove(f"{OUT}/{path}") for path in todo.removed]
    if todo.relists and todo.manifest != journal:
        steps.append(Write(f"{OUT}/{MANIFEST}", todo.manifest.encode()))
    apply(root, steps)
