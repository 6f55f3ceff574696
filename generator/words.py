"""How numbers, long lists, names and commands are put on one line of a message, the same everywhere."""

from collections.abc import Callable, Sequence


def counted(number: int, noun: str, *, grouped: bool = False) -> str:
    """`1 pool`, `2 pools`, for nouns that take an s; `1,200 pools` where thousands are grouped."""
    digits = f"{number:,}" if grouped else str(number)
    return f"{digits} {noun}" if number == 1 else f"{digits} {noun}s"


def and_more(total: int, shown: int, noun: str = "", *, aside: bool = False) -> str:
    """What follows the first of a list: ` and 3 more`, with a noun ` and 3 more pools`, aside ` (and 3 more)`.

    Nothing where all are shown.
    """
    if total <= shown:
        return ""
    left_out = total - shown
    words = f"and {counted(left_out, f'more {noun}')}" if noun else f"and {left_out} more"
    return f" ({words})" if aside else f" {words}"


def plus(total: int, shown: int) -> str:
    """The same for a cell of a table: ` +3`."""
    return f" +{total - shown}" if total > shown else ""


def dots(total: int, shown: int) -> str:
    """The same where nobody needs the number: `, …`."""
    return ", …" if total > shown else ""


def shortened(names: Sequence[str], most: int, rest: Callable[[int, int], str] = and_more) -> str:
    """The first names, with how many more there are: `a, b and 3 more`. `rest` says it from total and shown."""
    return ", ".join(names[:most]) + rest(len(names), most)


def shell_quoted(*words: str) -> str:
    """Words of a command to copy: what a shell would act on in one is quoted."""
    import shlex  # few runs print a command

    return shlex.join(words)


def printable(text: str) -> str:
    """Text of files and names without what a terminal would act on, and with the bytes of names that are no UTF-8."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    # os.fsdecode puts bytes that are no UTF-8 there (PEP 383).
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return ascii(char)[1:-1]
