"""How a value is printed into YAML: the environment's `finalize`, so nobody can forget the quotes.

Every printed scalar stands between two marks until the file is proven (see proof.py); then the marks are taken out.
Text is plain only where YAML 1.1, YAML 1.2 and go-yaml all read it as that text; otherwise it is double-quoted.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Undefined

from generator.documents.scalar import INT64, Ambiguous, is_null, resolve

START, END = "\x02", "\x03"
BLOCK = f"{START}|"  # how a marked block of lines begins; no scalar does
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
# JSON's escapes are YAML's too; JSON leaves these as they are, and a YAML reader refuses or folds them. Rare, and 2 ms
# to compile, so it is compiled where it is met.
UNPRINTABLE = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
ADDRESS = re.compile(r"<\S.* at 0x[0-9a-f]{6,}>")
PRINTABLE_LINE = re.compile(r"[!-~](?:[ -~]*[!-~])?")  # the first line of a block tells its indentation
FURTHER_LINE = re.compile(r"[ -~]*[!-~]")
# YAML 1.1 and 1.2, 7.4.2 and 8.2.2: a key before its ":" is at most 1024 characters, quotes and escapes included.
LONGEST_KEY = 1024

# In this order, since Mapping is asked in Python: it costs ten times what dict does.
NESTED = (dict, list, tuple, Mapping)

_texts: dict[str, str] = {}
_blocks: dict[tuple[int, str], tuple[Any, list[str]]] = {}
WORTH_REMEMBERING = 4
_CACHED = 4096


class Printed(str):
    """Text that is YAML already: it came from this module, with its scalars between marks."""

    __slots__ = ()


class UnprintableError(Exception):
    """A template printed what is no scalar."""


def finalize(value: Any) -> str:
    """One printed expression of a template."""
    if type(value) is str:
        if START in value:
            raise UnprintableError("a template changed what a macro or one of the filters block and lines printed")
        if " at 0x" in value and ADDRESS.search(value):
            raise UnprintableError("a template printed the address of an object, which is another in every run")
        return f"{START}{text(value)}{END}"
    if isinstance(value, Printed):
        return value
    return f"{START}{scalar(value)}{END}"


def scalar(value: Any) -> str:
    """A value as one YAML scalar, without marks."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -INT64 <= value < INT64:
            raise UnprintableError("a template printed a number of more than 64 bits")
        return str(value)
    if isinstance(value, Ambiguous):  # only from a user's own manifest, printed again as it was written
        return "null" if is_null(value) else value.text
    if value is None:
        raise UnprintableError("a template printed None; give what may be missing a default")
    raise UnprintableError(f"a template printed {_told(value)}; print its parts, or use the filter block(indent)")


def _told(value: Any) -> str:
    """What was to be printed, in words. A strict undefined raises its own error, with its name."""
    return str(value) if isinstance(value, Undefined) or value is None else f"a {type(value).__name__}"


def text(value: str) -> str:
    """Text as a plain or a double-quoted scalar, on one line."""
    printed = _texts.get(value)
    if printed is None:
        printed = value if PLAIN.fullmatch(value) and resolve(value) == value else quoted(value)
        if len(_texts) < _CACHED:
            _texts[value] = printed
    return printed


def quoted(value: str) -> str:
    """Text in double quotes, whatever it holds."""
    from json import dumps

    escaped = dumps(value, ensure_ascii=False)
    if escaped.isascii() and "\x7f" not in escaped:
        return escaped
    return re.sub(UNPRINTABLE, lambda found: f"\\u{ord(found[0]):04x}", escaped)


def block(value: Mapping[str, Any] | Sequence[Any], indent: int = 0) -> Printed:
    """A mapping or a list as YAML block lines; the first line's indentation is the template's own."""
    if not isinstance(value, (Mapping, list, tuple)):
        raise UnprintableError(f"the filter block prints mappings and lists, and was given {_told(value)}")
    made: list[str] = []
    _write(value, "", made)
    return Printed(f"\n{' ' * indent}".join(made) if made else _empty(value))


def _empty(value: Any) -> str:
    return "{}" if isinstance(value, Mapping) else "[]"


def _write(value: Any, indent: str, made: list[str]) -> None:
    """The lines of a mapping or a list, into one list: generators within generators cost twice as much."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if type(inner) is str:
                made.append(f"{indent}{_key(key)}: {START}{text(inner)}{END}")
            else:
                _entry(f"{indent}{_key(key)}:", inner, f"{indent}  ", made)
    else:
        for inner in value:
            _item(inner, indent, made)


def _key(key: str) -> str:
    """A plain key is part of the skeleton, so that a manifest's kind can be read from it; others are marked."""
    printed = text(key)
    if len(printed) > LONGEST_KEY:
        raise UnprintableError(f"a key of {len(key)} characters is longer than YAML allows")
    return printed if printed == key else f"{START}{printed}{END}"


def _entry(head: str, inner: Any, indent: str, made: list[str]) -> None:
    if isinstance(inner, (str, int)) or not isinstance(inner, NESTED):
        made.append(f"{head} {START}{scalar(inner)}{END}")
    elif not inner:
        made.append(f"{head} {_empty(inner)}")
    elif len(inner) < WORTH_REMEMBERING:
        made.append(head)
        _write(inner, indent, made)
    else:
        made.append(head)
        made += _remembered(inner, indent)


def _remembered(value: Any, indent: str) -> list[str]:
    """The lines of a larger value. What pools inherit is one object in all of them; values are frozen once rendered."""
    key = (id(value), indent)
    known = _blocks.get(key)
    if known is not None:
        return known[1]
    made: list[str] = []
    _write(value, indent, made)
    if len(_blocks) < _CACHED:
        _blocks[key] = (value, made)  # the value is kept, so that no other gets its identity
    return made


def _item(inner: Any, indent: str, made: list[str]) -> None:
    if isinstance(inner, NESTED) and inner:
        first = len(made)
        _write(inner, f"{indent}  ", made)
        made[first] = f"{indent}- {made[first][len(indent) + 2 :]}"
    else:
        _entry(f"{indent}-", inner, f"{indent}  ", made)


def lines(value: Sequence[str], indent: int) -> Printed:
    """Several lines as one literal block scalar, each at `indent` spaces; in quotes where a line is not plain ASCII."""
    for one in value if isinstance(value, (list, tuple)) else (value,):
        if not isinstance(one, str) or one is value:
            raise UnprintableError(f"the filter lines prints a list of texts, and was given {_told(one)}")
    if not value or not PRINTABLE_LINE.fullmatch(value[0]) or not all(map(FURTHER_LINE.fullmatch, value)):
        return Printed(f"{START}{quoted(''.join(f'{line}' + chr(10) for line in value))}{END}")
    body = "".join(f"\n{' ' * indent}{line}" for line in value)
    return Printed(f"{BLOCK}{body}{END}")
