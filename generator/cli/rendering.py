"""What `drivergate render` does once its options are read. It needs no command-line library."""

from collections.abc import Sequence

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, colored, out, say
from generator.edges.errors import UnreadableError
from generator.finding import Finding, Severity

# Told by render itself, in what it writes.
OF_THE_GATE_ONLY = frozenset({"out/drift", "out/not-staged"})
REMOVAL = "out/removal"


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
        allow_remove=frozenset(allow_remove),
    )
    begun = begin(wanted)

    from generator.cli.allowed import asked_for
    from generator.cli.gather import gather
    from generator.cli.judging import judged
    from generator.report.formats import text

    gathered = gather(begun)
    findings = judged(gathered, without=OF_THE_GATE_ONLY).findings
    blocking = [one for one in findings if one.severity is Severity.INVALID]
    refused = bool(blocking) and all(one.rule == REMOVAL for one in blocking)
    if refused or not blocking:
        asked_for(gathered.context)
    if blocking and not (diff and refused and printed is Format.TEXT):
        return _blocked(blocking, findings, printed)
    context = gathered.context
    todo = context.todo()
    if not check and not diff:
        from generator.cli.writing import write

        write(gathered.root, todo, context.owned)
    if printed is Format.JSON:
        from generator.report.formats import json

        out(json.printed(json.changes(todo, findings)))
    else:
        if diff:
            from generator.report import diff as difference

            out(difference.unified(todo, context.out, color=colored()))
        else:
            out(text.changes(todo, done=not check))
        told = blocking or text.as_warnings(findings)
        if told:
            say(text.finding_lines(told, color=False).rstrip("\n"))
    if refused:
        return UNUSABLE
    changed = bool(todo.told or todo.removed)
    return FOUND if changed and (check or exit_non_zero_on_change) else CLEAN


def _blocked(blocking: Sequence[Finding], findings: Sequence[Finding], printed: Format) -> int:
    """Says why nothing is written."""
    if printed is Format.JSON:
        from generator.report.formats import json

        out(json.printed(json.changes(None, findings)))
    else:
        from generator.report.formats import text

        out(text.finding_lines(blocking, color=colored()))
        say("nothing is written")
    return UNUSABLE
