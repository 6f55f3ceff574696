"""Findings as a Markdown comment that GitHub and GitLab render alike.

Text of names and files stands in code only: there nothing is markup, a mention or a link.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from generator.finding import Finding
from generator.report.formats.text import WORDS, sentence
from generator.report.reported import RANK, Reported, worst_first
from generator.words import counted, printable

LONGEST = 60_000  # characters; GitHub refuses a comment of 65,536
WIDTH = 110  # of a line of code, which isn't wrapped
BACKTICKS = re.compile("`+")


def markdown(reported: Reported) -> str:
    """The whole comment: marker, counts, findings by rule with the most severe first, what was not judged."""
    head = [marker(reported.name), "", f"### drivergate {reported.verb}: {code(reported.sentence)}", ""]
    tail = [f"- note: {code(note)}" for note in reported.notes]
    tail += [f"- {code(rule)} is not judged: {code(why)}" for rule, why in sorted(reported.unjudged.items())]
    blocks = list(_blocks(reported))
    return bounded("\n".join(head), blocks, "\n".join(tail), what="finding")


def marker(name: str) -> str:
    """What a bot finds its own comment by: one for each verb and scope."""
    return f"<!-- drivergate:{re.sub('[^A-Za-z0-9/._-]|--+', '-', name)} -->"


def cell(text: str) -> str:
    """The same within a table, where a bar ends a cell even in code."""
    return code(text).replace("|", "\\|")


def code(text: str) -> str:
    """Text as it is, in a code span."""
    text = printable(text)
    ticks = _ticks(text, 1)
    space = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def fence(lines: Iterable[str]) -> str:
    """Lines of code, whatever they hold."""
    text = "\n".join(printable(line) for line in lines)
    ticks = _ticks(text, 3)
    return f"{ticks}text\n{text}\n{ticks}"


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in BACKTICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def bounded(head: str, blocks: Sequence[str], tail: str = "", *, what: str, longest: int = LONGEST) -> str:
    """As many whole blocks as fit, in their order; the rest is counted in its own line. Nothing is left open."""
    tail = tail[: longest // 4].rpartition("\n")[0] if len(tail) > longest // 4 else tail
    room = longest - len(head) - len(tail) - 200
    kept: list[str] = []
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            break
        kept.append(block)
    left = len(blocks) - len(kept)
    rest = f"{counted(left, f'more {what}')}: too many for a comment, all of them are in the job's log"
    parts = [head, *kept, *([f"**{rest}**"] if left else []), *([tail] if tail else [])]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _blocks(reported: Reported) -> Iterator[str]:
    """One block a finding; the first of a rule has its heading."""
    worst: dict[str, int] = {}
    for one in reported.findings:
        worst[one.rule] = min(RANK[one.severity], worst.get(one.rule, len(RANK)))
    ordered = sorted(worst_first(reported.findings), key=lambda one: (worst[one.rule], one.rule))
    for rule, findings in groupby(ordered, key=lambda one: one.rule):
        text = reported.rules[rule]
        name = f"[{code(rule)}]({text.url})" if text.url else code(rule)
        heading = f"**{name}** {code(text.summary)}\n\n"
        for one in findings:
            yield heading + fence(_lines(one))
            heading = ""


def _lines(one: Finding) -> Iterator[str]:
    yield from _wrapped(f"{one.place}: {WORDS[one.severity]}: {sentence(one.message)}")
    yield from _wrapped(f"hint: {sentence(one.hint)}")


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(printable(text), WIDTH, break_long_words=False, break_on_hyphens=False)
