"""`drivergate render`: inventory to manifests."""

from typing import Annotated

import typer

from generator.cli.options import Clusters, Format, Printed, Root

# Told by render itself, in what it writes.
OF_THE_GATE_ONLY = frozenset({"out/drift", "out/not-staged"})


def render(
    root: Root = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if out/ is not up to date.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")] = False,
    cluster: Clusters = None,
    allow_remove: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-remove", metavar="NAME", help="A cluster or CLUSTER/OBJECT that may go; may be repeated."
        ),
    ] = None,
    exit_non_zero_on_change: Annotated[
        bool,
        typer.Option("--exit-non-zero-on-change", help="Exit 1 if anything was written or removed: for commit hooks."),
    ] = False,
    printed: Printed = Format.TEXT,
) -> int:
    """Render inventory/ into out/. Writes unless no valid manifest can be made; the gate's errors are warnings here."""
    from generator.cli.gather import Wanted, gather
    from generator.cli.judging import judged, summary
    from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, colored, exit_code, out, say
    from generator.finding import Severity
    from generator.report import diff as difference
    from generator.report import json, text

    if check and diff:
        raise typer.BadParameter("--check and --diff are alternatives")
    wanted = Wanted(
        root=root,
        compare=False,
        clusters=frozenset(cluster or ()),
        allow_remove=None if check or diff else frozenset(allow_remove or ()),
    )
    gathered = gather(wanted)
    judgement = judged(gathered, without=OF_THE_GATE_ONLY)
    findings = judgement.findings
    if exit_code(findings) == UNUSABLE:
        blocking = [one for one in findings if one.severity is Severity.INVALID]
        if printed is Format.JSON:
            out(json.report(findings, summary(gathered, judgement), ()))
        else:
            out(text.finding_lines(blocking, color=colored()))
            say("nothing is written")
        return UNUSABLE
    context = gathered.context
    todo = context.todo()
    if not check and not diff:
        from generator.cli.writing import write

        write(gathered.root, todo, context.owned)
    if printed is Format.JSON:
        out(json.printed(json.changes(todo, findings)))
    else:
        if diff:
            out(difference.unified(todo, context.out, color=colored()))
        else:
            out(text.changes(todo, done=not check))
        say_warnings = text.finding_lines(text.as_warnings(findings), color=False)
        if say_warnings:
            say(say_warnings.rstrip("\n"))
    changed = bool(todo.told or todo.removed)
    return FOUND if changed and (check or exit_non_zero_on_change) else CLEAN
