"""Findings as GitHub's workflow commands: annotations beside the lines of a pull request.

Escapes and limits are of actions/toolkit (packages/core/src/command.ts, docs/problem-matchers.md).
"""

from collections import Counter
from collections.abc import Iterator

from generator.finding import Finding
from generator.report.formats.text import WORDS, sentence
from generator.report.reported import Reported, line, told, worst_first
from generator.words import printable

MOST_OF_A_KIND = 10  # in a step; GitHub drops what comes after, so that the worst come first


def github(reported: Reported) -> str:
    """As many annotations as GitHub shows, the other findings as plain lines, then the counts."""
    return "".join(f"{one}\n" for one in (*_lines(reported), inert(printable(reported.sentence))))


def _lines(reported: Reported) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for one in worst_first(reported.findings):
        word = WORDS[one.severity]
        shown[word] += 1
        yield _command(word, one) if shown[word] <= MOST_OF_A_KIND else _plain(word, one)
    for note in reported.notes:
        yield inert(f"note: {printable(note)}")
    for rule, why in sorted(reported.unjudged.items()):
        yield inert(printable(f"note: {rule} is not judged: {why}"))


def _command(word: str, one: Finding) -> str:
    place = one.place
    parts = {"file": printable(place.file), "line": str(line(place))}
    if place.column:
        parts["col"] = str(place.column)
    parts["title"] = one.rule
    return f"::{word} {','.join(f'{key}={_property(value)}' for key, value in parts.items())}::{_data(told(one))}"


def _plain(word: str, one: Finding) -> str:
    """The word in front keeps a file's name from being read as a command."""
    return inert(f"{word}: {printable(str(one.place))}: {sentence(one.message)} [{one.rule}]")


def inert(text: str) -> str:
    """One line that the runner takes for text: `::` counts at the beginning only, the older `##[` anywhere."""
    text = text.replace("##[", "##\\[")
    return f"\\{text}" if text.lstrip().startswith("::") else text


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
