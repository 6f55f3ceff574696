"""What a plain (unquoted) YAML scalar is: text, a canonical number, true or false, or ambiguous.

"Text" means that no reader takes it for anything else: YAML 1.1 (yaml.org/type, PyYAML), YAML 1.2 core
(yaml.org/spec/1.2.2, 10.3.2) and go-yaml, which kubectl uses. Where one of them reads a number, a date, null,
true or false, the scalar is ambiguous and stays as it was written.
"""

import re
from datetime import date

from msgspec import Struct

INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
# Of a scalar without its underscores: YAML 1.1 allows them in numbers, go-yaml drops them wherever they are.
NUMBER = re.compile(
    r"""[-+]?(?:
        0[xX][0-9a-fA-F]* | 0[bB][-+]?[01]* | 0[oO][-+]?[0-9]*
      | (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?
      | [0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?
      | \.(?:inf|nan)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9:.+\-Zz \t]*)?")
NUMERIC_START = frozenset("0123456789+-.")
NULLS = frozenset(("", "~", "null"))
TRUTHS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n"))
WORDS = NULLS | TRUTHS | {"<<", "="}
INT64 = 1 << 63


class Ambiguous(Struct, frozen=True, gc=False):
    """A plain scalar that readers disagree about, or that loses something when read. No `str` on purpose."""

    text: str

    @property
    def reads_as(self) -> str:
        """What another YAML reader may take it for, for a message: `550.90 is read as a number`."""
        word = self.text.lower()
        if word in NULLS:
            return "null"
        if word in TRUTHS:
            return "true or false"
        if DATE.fullmatch(self.text):
            return "a date"
        return "a number" if _is_number(self.text) else "something other than text"


# The plain `<<`, which merges where a key stands; `"<<"` in quotes is an ordinary key, so identity decides.
MERGE = Ambiguous("<<")


def resolve(text: str) -> str | int | bool | Ambiguous:
    """The value of a plain scalar. Only what prints again as it was written becomes an int or a bool."""
    if text[:1] in NUMERIC_START:
        if INTEGER.fullmatch(text) and -INT64 <= (number := int(text)) < INT64:
            return number
        return Ambiguous(text) if _is_number(text) or DATE.fullmatch(text) else text
    if len(text) > 5 or text.lower() not in WORDS:
        return text
    return text == "true" if text in {"true", "false"} else Ambiguous(text)


def is_too_large(text: str) -> bool:
    """Whether an ambiguous scalar is a whole number that 64 bits don't hold."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and not digits.startswith("0")


def is_null(value: object) -> bool:
    """Whether YAML 1.1 or 1.2 reads the value as null: `null`, `Null`, `NULL`, `~` or nothing at all."""
    return value is None or (isinstance(value, Ambiguous) and value.text.lower() in NULLS)


def named_day(text: str) -> date | None:
    """The day that a text names as YYYY-MM-DD, and in no other way; None for any other text."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None  # fromisoformat also reads 20260331 and 2026-W14-2


def key_text(value: str | int | bool | Ambiguous) -> str:
    """A key as text: nothing of `535:` or `true:` is lost."""
    if isinstance(value, Ambiguous):
        return value.text
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.replace("_", "")) is not None
