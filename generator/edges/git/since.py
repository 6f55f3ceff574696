"""Since when something is declared, from the history of the inventory."""

import re
from collections.abc import Iterable
from datetime import date

from msgspec import Struct

from generator.edges.git.command import Git
from generator.edges.git.history import is_shallow, utc_day


class Declared(Struct, frozen=True):
    """The days, in UTC, on which texts were first committed; `whole` says that all of the history was read."""

    first: dict[str, date]
    whole: bool


def first_declared(git: Git, texts: Iterable[str], *folders: str, until: str = "HEAD") -> Declared:
    """Walks the history up to a commit once for all texts; in a shallow clone a text may be older than is told."""
    wanted = sorted(set(texts), key=len, reverse=True)
    shallow = is_shallow(git)
    if not wanted:
        return Declared({}, whole=not shallow)
    pattern = "|".join(re.escape(text) for text in wanted)
    raw = git.read(
        "log", "--reverse", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%ct",
        f"-G{_extended(wanted)}", until, "--", *folders,
    )  # fmt: skip
    found: dict[str, date] = {}
    for commit in raw.decode("utf-8", "replace").split("\0")[1:]:
        when, _, patch = commit.partition("\n")
        day = utc_day(int(when))
        if day is None:
            continue
        for line in patch.splitlines():
            if line.startswith("+"):
                for text in re.findall(f"(?<![\\w.-])(?:{pattern})(?![\\w.-])", line):
                    found.setdefault(text, day)
    return Declared(found, whole=not shallow)


def _extended(texts: Iterable[str]) -> str:
    """POSIX extended, as -G takes it: every character that means something is escaped."""
    return "|".join(re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", text) for text in texts)
