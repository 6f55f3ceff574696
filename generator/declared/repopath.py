"""Paths that the inventory names: relative to the repository's root, outside of inventory/ and out/."""

from generator.layout import INVENTORY


def is_plain(path: str) -> bool:
    """Whether it can be looked for below the root: no way out, and one spelling only."""
    return {"", ".", ".."}.isdisjoint(path.split("/")) and path.isprintable()


def problem(path: str, example: str) -> tuple[str, str] | None:
    """What is wrong with a path and what to do, None where it may be read. Of out/, out/contains-input tells."""
    if not is_plain(path):
        return f"{path} is no path relative to the repository's root", f"write it like {example}"
    if path.split("/", maxsplit=1)[0] == INVENTORY:
        return f"{path} lies inside {INVENTORY}/", f"move it out, for example to {example}"
    return None
