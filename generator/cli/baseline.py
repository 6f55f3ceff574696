"""`drivergate check --write-baseline`: the errors of today, so that only new ones fail."""

from msgspec.structs import replace

from generator.cli.gather import Gathered
from generator.cli.judging import judged
from generator.cli.outcome import CLEAN, UNUSABLE, colored, exit_code, out, say
from generator.declared.baseline import FILE, baseline_text, entries_of
from generator.edges.writer import Write, apply
from generator.finding import Severity
from generator.report import text


def write(gathered: Gathered) -> int:
    """Writes the file, unless something can't be put into one; the exit code."""
    judgement = judged(replace(gathered, baseline=None))
    if exit_code(judgement.findings) == UNUSABLE:
        blocking = [one for one in judgement.findings if one.severity is Severity.INVALID]
        out(text.finding_lines(blocking, color=colored()))
        say("no baseline is written: what stands above can't be put into one")
        return UNUSABLE
    entries = entries_of(judgement.findings)
    apply(gathered.root, [Write(FILE, baseline_text(entries).encode())])
    say(f"wrote {FILE} with {len(entries)} findings")
    return CLEAN
