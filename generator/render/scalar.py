"""How a value is printed into YAML: the environment's `finalize`, so nobody can forget the quotes.

Every printed scalar stands between two marks until the file is proven (see proof.py); then the marks are taken out.
Text is plain only where YAML 1.1, YAML 1.2 and go-yaml all read it as that text; otherwise it is double-quoted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2 import Undefined

from generator.declared.scalar import Ambiguous, is_null, resolve

START, END = "\x02", "\x03"
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
# JSON's escapes are YAML's too; JSON leaves these as they are, and a YAML reader refuses or folds them.
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

_texts: dict[str, str] = {}
_CACHED = 4096


class Printed(str):
    """Text that is YAML already: it came from this module, with its scalars between marks."""

    __slots__ = ()


class UnprintableError(Exception):
    """A template printed what is no scalar."""


def finalize(value: Any) -> str:
    """One printed expression of a template."""
    if type(value) is str:
        return value if START in value else f"{START}{text(value)}{END}"
    if isinstance(value, Printed):
        return value
    if isinstance(value, Undefined):
        return str(value)  # a strict undefined raises here, with its name
    return f"{START}{scalar(value)}{END}"


def scalar(value: Any) -> str:
    """A value as one YAML scalar, without marks."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Ambiguous):  # only from a user's own manifest, printed again as it was written
        return "null" if is_null(value) else value.text
    if value is None:
        raise UnprintableError("a template printed a value that is none")
    raise UnprintableError(
        f"a template printed a {type(value).__name__}; print its parts, or use the filter block(indent)"
    )


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
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)


def block(value: Mapping[str, Any] | Sequence[Any], indent: int = 0) -> Printed:
    """A mapping or a list as YAML block lines; the first line's indentation is the template's own."""
    return Printed(f"\n{' ' * indent}".join(_lines(value)))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(f"{_key(key)}:", inner, "  ")
    else:
        for inner in value:
            yield from _item(inner)


def _key(key: str) -> str:
    """A plain key is part of the skeleton, so that a manifest's kind can be read from it; others are marked."""
    printed = text(key)
    return printed if printed == key else f"{START}{printed}{END}"


def _entry(head: str, inner: Any, indent: str) -> Iterator[str]:
    if isinstance(inner, (Mapping, list, tuple)):
        if not inner:
            yield f"{head} {{}}" if isinstance(inner, Mapping) else f"{head} []"
            return
        yield head
        for line in _lines(inner):
            yield indent + line
    else:
        yield f"{head} {START}{scalar(inner)}{END}"


def _item(inner: Any) -> Iterator[str]:
    if isinstance(inner, (Mapping, list, tuple)) and inner:
        first = True
        for line in _lines(inner):
            yield ("- " if first else "  ") + line
            first = False
    else:
        yield from _entry("-", inner, "  ")


def lines(value: Sequence[str], indent: int) -> Printed:
    """Several lines as one literal block scalar, each at `indent` spaces."""
    if any(not PRINTABLE_LINE.fullmatch(line) for line in value):
        return Printed(f"{START}{quoted(''.join(f'{line}' + chr(10) for line in value))}{END}")
    body = "".join(f"\n{' ' * indent}{line}" for line in value)
    return Printed(f"{START}|{body}{END}")


PRINTABLE_LINE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
