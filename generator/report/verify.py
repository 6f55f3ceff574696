"""What a run of verify says, for people and for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from generator.catalog.verify import Verified
from generator.finding import Severity
from generator.report.formats.text import COLORS, FAINT, RESET, sentence
from generator.words import printable


def as_text(found: Sequence[Verified], *, color: bool) -> str:
    """What isn't as it is listed, each with its line and the next step, and the counts of each repository."""
    word = f"{COLORS[Severity.ERROR]}error{RESET}" if color else "error"
    lines = []
    for one in (wrong for each in found for wrong in each.wrong):
        hint = f"    hint: {sentence(one.hint)}"
        lines.append(f"{printable(str(one.entry.place))}: {word}: {sentence(one.message)}")
        lines.append(f"{FAINT}{hint}{RESET}" if color else hint)
    lines += [_counts(one) for one in found]
    return "".join(f"{line}\n" for line in lines) if lines else "no image is listed\n"


def _counts(one: Verified) -> str:
    wrong = len({each.entry.tag for each in one.wrong})
    right = one.looked - wrong - len(one.unseen)
    parts = [f"{right} as listed"]
    parts += [f"{wrong} not as listed"] if wrong else []
    unknown = len(one.unseen) + one.lines - one.looked
    parts += [f"{unknown} could not be looked at"] if unknown else []
    return printable(f"{one.repository}: {', '.join(parts)}")


def talk(found: Sequence[Verified]) -> Iterator[str]:
    """What could not be looked at."""
    for one in found:
        for each in one.unseen:
            yield printable(f"could not look: {each.reason}")
        if one.error:
            yield printable(f"could not look: {one.error}")
            yield printable(f"    hint: {one.hint}")


def as_json(found: Sequence[Verified]) -> dict[str, Any]:
    """The same."""
    return {
        "repositories": [
            {
                "repository": one.repository,
                "lines": one.lines,
                "looked": one.looked,
                "wrong": [
                    {
                        "tag": each.entry.tag,
                        "file": each.entry.file,
                        "line": each.entry.line,
                        "message": sentence(each.message),
                        "hint": sentence(each.hint),
                    }
                    for each in one.wrong
                ],
                "unseen": [{"tag": each.entry.tag, "reason": sentence(each.reason)} for each in one.unseen],
                "error": {"message": one.error, "hint": one.hint} if one.error else None,
            }
            for one in found
        ]
    }
