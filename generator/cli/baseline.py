"""`drivergate check --write-baseline`: the errors of today, so that only new ones fail."""

from msgspec.structs import replace

from generator.cli.gather import Gathered
from generator.cli.judging import judged
from generator.cli.outcome import CLEAN, UNUSABLE, colored, exit_code, out, say
from generator.declared.baseline import FILE, baseline_text, entries_of
from generator.edges.writer import Write, apply
from generator.finding import Severity
from generator.report import text
from generator.rules.table import BY_ID


def write(gathered: Gathered) -> int:
    """Writes the file, unless something can't be put into one; the exit code."""
    judgement = judged(replace(gathered, baseline=None))
    if exit_code(judgement.findings) == UNUSABLE:
        blocking = [one for one in judgement.findings if one.severity is Severity.INVALID]
        out(text.finding_lines(blocking, color=colored()))
        say("no baseline is written: what stands above can't be put into one")
        return UNUSABLE
    errors = [one for one in judgement.findings if one.severity is Severity.ERROR]
    passing = [one for one in errors if not BY_ID[one.rule].lasting]
    entries = entries_of(one for one in errors if one not in passing)
    apply(gathered.root, [Write(FILE, baseline_text(entries).encode())])
    say(f"wrote {FILE} with {len(entries)} findings")
    if passing:
        out(text.finding_lines(passing, color=colored()))
        say("what stands above is not listed: it tells of one change, or of files that render mends")
    return CLEAN
