"""What is wrong with a text before it is a document: its encoding, characters and YAML syntax."""

import re
from functools import cache
from typing import NamedTuple

MAX_DEPTH = 64
# Nodes that aliases may add: this many, or one for each character of the file, so that reading stays linear.
ALIAS_BUDGET = 100_000
# What no value may hold: C0 but for tab and newline, DEL, C1, surrogates, and what some readers take for a
# line end (NEL, LS, PS: breaks in YAML 1.1 and libyaml, text in YAML 1.2) or for nothing (byte order marks).
_NEVER = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
# Of these, what libyaml lets pass in the raw text.
_PASSED = ("\x85", "\u2028", "\u2029", "\ufeff")
HINTS = (
    ("tab character", "indent with spaces, not with tabs"),
    (
        "mapping values are not allowed",
        "indent the line like its neighbours, or quote a value that holds ': '",
    ),
    ("could not find expected ':'", "write 'key: value', and indent the lines of one mapping alike"),
    ("expected key", "indent the keys of one mapping alike"),
    ("expected '-' indicator", "indent the items of one list alike, each with its '-'"),
    ("sequence entries are not allowed", "put the list on the lines below its key"),
    ("','", "close the bracket, and put a comma between its items"),
    ("escape", "double the backslash, or use single quotes"),
    ("hexdecimal", "double the backslash, or use single quotes"),
    ("incompatible YAML", "remove the %YAML line"),
    ("directive", "remove the line that begins with '%'"),
    ("tag", "remove the tag"),
    ("unexpected end of stream", "close the quotes"),
    ("document separator", "close the quotes"),
    ("nesting depth", "flatten the document"),
)


class Problem(NamedTuple):
    """A message and a hint at a line and column, both from 1."""

    line: int
    column: int
    message: str
    hint: str


def decode(data: str | bytes) -> str | Problem:
    """The text of a file without its byte order mark, or the first byte that is not UTF-8."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode().removeprefix("\ufeff")
        message = f"the file is not UTF-8: byte 0x{data[error.start]:02x}"
        return Problem(*_position(before), message, "save the file as UTF-8")


def unreadable(text: str) -> Problem | None:
    """What libyaml would take: characters that end a comment or fold a text to some readers, and %TAG lines.

    Tags are refused anyway, and libyaml's time for their directives grows with the square of their number.
    """
    if not text.isascii() and any(char in text for char in _PASSED):
        return character(text)
    if "%TAG" in text and (match := re.search(r"^%TAG\b", text, re.MULTILINE)):
        return Problem(*_position(text[: match.start()]), "the directive %TAG is not supported", "remove the line")
    return None


def explain(problem: str, context: str, at: tuple[int, int], began: tuple[int, int] | None, text: str) -> Problem:
    """What libyaml has to say about a text. `at` and `began`, where its context began, count from 0."""
    where = f" {context}" if context else ""
    if began is not None and began[0] != at[0]:
        where += f" that begins in line {began[0] + 1}"
    hint = next((hint for part, hint in HINTS if part in problem), "") or _hint(context, _character_at(text, *at))
    line, column = began if began is not None and "unexpected end" in problem else at  # an end tells nothing
    return Problem(line + 1, column + 1, f"not valid YAML: {problem}{where}", hint)


def in_value(value: str) -> str:
    """The first character that no value may hold, such as a line end that only an escape puts there; or nothing."""
    match = _never("\r").search(value)
    return match[0] if match else ""


@cache
def _never(further: str) -> re.Pattern[str]:
    """Compiled when something is found to be wrong: sets of such ranges cost 3 ms each."""
    return re.compile(f"[{_NEVER}{further}]")


def spelled(char: str) -> str:
    """A character that can't be shown, by its number."""
    return f"U+{ord(char):04X}"


def character(text: str) -> Problem | None:
    """The first character that no document may hold."""
    match = _never("").search(text)
    if match is None:
        return None
    line, column = _position(text[: match.start()])
    message = f"the character {spelled(match[0])} is not allowed"
    return Problem(line, column, message, "remove the character")


def _position(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _character_at(text: str, line: int, column: int) -> str:
    lines = text.splitlines()
    return lines[line][column : column + 1] if line < len(lines) else ""


def _hint(context: str, char: str) -> str:
    if "block scalar" in context:
        return "put the value in quotes: a plain one can't begin with '>' or '|'"
    if char == "\t":
        return "indent with spaces, not with tabs"
    return "put the value in quotes" if char in {"@", "`", "%", "&", "*", "!", "|", ">"} else "correct the YAML here"
