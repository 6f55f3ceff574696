"""What `drivergate render` does once its options are read. It needs no command-line library."""

from collections.abc import Sequence

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, colored, exit_code, out, say
from generator.edges.errors import UnreadableError
from generator.finding import Severity

# Told by render itself, in what it writes.
OF_THE_GATE_ONLY = frozenset({"out/drift", "out/not-staged"})


def rendering(
    *,
    root: str | None = None,
    check: bool = False,
    diff: bool = False,
    clusters: Sequence[str] = (),
    allow_remove: Sequence[str] = (),
    exit_non_zero_on_change: bool = False,
    printed: Format = Format.TEXT,
) -> int:
    """Renders, and writes what changed unless it is only to be checked or shown; the exit code."""
    if check and diff:
        raise UnreadableError("--check and --diff are alternatives", "give one of them")
    wanted = Wanted(
        root=root,
        compare=False,
        clusters=frozenset(clusters),
        allow_remove=None if check or diff else frozenset(allow_remove),
    )
    begun = begin(wanted)

    from generator.cli.gather import gather
    from generator.cli.judging import judged, summary
    from generator.report import text

    gathered = gather(begun)
    judgement = judged(gathered, without=OF_THE_GATE_ONLY)
    findings = judgement.findings
    if exit_code(findings) == UNUSABLE:
        blocking = [one for one in findings if one.severity is Severity.INVALID]
        if printed is Format.JSON:
            from generator.report import json

            out(json.printed(json.changes(None, findings)))
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
        from generator.report import json

        out(json.printed(json.changes(todo, findings)))
    else:
        if diff:
            from generator.report import diff as difference

            out(difference.unified(todo, context.out, color=colored()))
        else:
            out(text.changes(todo, done=not check))
        say_warnings = text.finding_lines(text.as_warnings(findings), color=False)
        if say_warnings:
            say(say_warnings.rstrip("\n"))
    changed = bool(todo.told or todo.removed)
    return FOUND if changed and (check or exit_non_zero_on_change) else CLEAN
