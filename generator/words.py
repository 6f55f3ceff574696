"""How numbers, long lists and names are put on one line of a message, the same everywhere."""

from collections.abc import Sequence


def counted(number: int, noun: str, *, grouped: bool = False) -> str:
    """`1 pool`, `2 pools`, for nouns that take an s; `1,200 pools` where thousands are grouped."""
    digits = f"{number:,}" if grouped else str(number)
    return f"{digits} {noun}" if number == 1 else f"{digits} {noun}s"


def shortened(names: Sequence[str], most: int) -> str:
    """The first names, with how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + and_more(len(names), most)


def and_more(total: int, shown: int) -> str:
    """What follows the first of a list: ` and 3 more`; nothing where all are shown."""
    return f" and {total - shown} more" if total > shown else ""


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
