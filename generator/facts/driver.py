"""The text of a driver version: `580` is a branch, `580.126.20` and `455.28` are versions.

Text is kept as written (`535.104.05` never becomes `535.104.5`); numbers are for comparing only.
"""

import re

GRAMMAR = r"[0-9]{3}(?:\.[0-9]{1,3}(?:\.[0-9]{1,3})?)?"
_DRIVER = re.compile(GRAMMAR)


def is_driver(text: str) -> bool:
    """A branch or a version."""
    return _DRIVER.fullmatch(text) is not None


def is_branch(text: str) -> bool:
    """Just the branch, which precompiled images of NVIDIA are named by."""
    return len(text) == 3 and is_driver(text)


def branch(text: str) -> str:
    """The branch of a version or of itself."""
    return text.partition(".")[0]


def order_key(text: str) -> tuple[int, int, int]:
    """Three integers, a missing one is 0 (driver-images 6.4); ValueError for what is no driver version."""
    if not is_driver(text):
        raise ValueError(f'"{text}" is no driver version')
    major, minor, revision, *_ = (*map(int, text.split(".")), 0, 0)
    return major, minor, revision
