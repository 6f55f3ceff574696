"""What would change below out/, as a unified diff that people read and `git apply` takes."""

from collections.abc import Iterator, Mapping
from difflib import unified_diff

from generator.layout import OUT
from generator.render.ownership import Changes, normal

COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
RESET = "\x1b[0m"


def unified(todo: Changes, present: Mapping[str, bytes], *, color: bool) -> str:
    """Changed, new and removed files in the order of their paths; the manifest of owned files is left out."""
    lines: list[str] = []
    for path in sorted({*todo.written, *todo.removed}):
        old = normal(present[path]).decode("utf-8", "replace") if path in present else ""
        new = todo.written[path].decode() if path in todo.written else ""
        lines += _file(path, old, new, is_new=path not in present, is_gone=path not in todo.written)
    return "".join(_painted(lines) if color else lines)


def patch(path: str, old: str, new: str) -> str:
    """One changed file of the repository as `git apply` takes it."""
    return "".join(_lines(old, new, f"a/{path}", f"b/{path}"))


def _file(path: str, old: str, new: str, *, is_new: bool, is_gone: bool) -> Iterator[str]:
    before = "/dev/null" if is_new else f"a/{OUT}/{path}"
    after = "/dev/null" if is_gone else f"b/{OUT}/{path}"
    yield from _lines(old, new, before, after)


def _lines(old: str, new: str, before: str, after: str) -> Iterator[str]:
    for line in unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _painted(lines: list[str]) -> Iterator[str]:
    for line in lines:
        paint = COLORS.get(line[0], "")
        yield f"{paint}{line.rstrip(chr(10))}{RESET}\n" if paint else line
