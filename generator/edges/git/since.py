"""Since when something is declared, from the history of the inventory."""

import re
from collections.abc import Iterable

from msgspec import Struct

from generator.edges.git.command import Git
from generator.edges.git.history import is_shallow


class Declared(Struct, frozen=True):
    """When texts were first committed, in seconds since 1970, and when the last commit was."""

    first: dict[str, int]
    now: int
    whole: bool


def first_declared(git: Git, texts: Iterable[str], *folders: str, until: str = "HEAD") -> Declared:
    """Walks the history up to a commit once for all texts; in a shallow clone a text may be older than is told."""
    wanted = sorted(set(texts), key=len, reverse=True)
    now = int(git.read("log", "-1", "--format=%ct", until, "--").strip())
    shallow = is_shallow(git)
    if not wanted:
        return Declared({}, now, whole=not shallow)
    pattern = "|".join(re.escape(text) for text in wanted)
    raw = git.read(
        "log", "--reverse", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%ct",
        f"-G{_extended(wanted)}", until, "--", *folders,
    )  # fmt: skip
    found: dict[str, int] = {}
    for commit in raw.decode("utf-8", "replace").split("\0")[1:]:
        when, _, patch = commit.partition("\n")
        for line in patch.splitlines():
            if line.startswith("+"):
                for text in re.findall(f"(?<![\\w.-])(?:{pattern})(?![\\w.-])", line):
                    found.setdefault(text, int(when))
    return Declared(found, now, whole=not shallow)


def _extended(texts: Iterable[str]) -> str:
    """POSIX extended, as -G takes it: every character that means something is escaped."""
    return "|".join(re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", text) for text in texts)
