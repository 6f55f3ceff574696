"""Inventory files as people would write them: short collections on one line, comments where they help."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.render.scalar import scalar, text

WIDTH = 100
Path = tuple[str, ...]
Comments = Mapping[Path, Sequence[str]]


def document(
    tree: Mapping[str, Any], comments: Comments, *, opened: Sequence[Path] = (), schema: str = "", flow: bool = True
) -> str:
    """A whole file. `comments` stand before their path, () at the top; `opened` are written line by line."""
    writer = _Writer(comments, frozenset(opened), WIDTH if flow else 0)
    lines = [f"# yaml-language-server: $schema={schema}"] if schema else []
    lines += [f"# {line}" for line in comments.get((), ())]
    lines += writer.mapping(tree, (), "")
    return "\n".join(lines) + "\n"


def one_line(value: Any) -> str:
    """A value in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text(key)}: {one_line(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(one_line(inner) for inner in value) + "]"
    return scalar(value)


class _Writer:
    """Collections on one line where they fit, unless they are to be opened."""

    def __init__(self, comments: Comments, opened: frozenset[Path], width: int) -> None:
        self.comments, self.opened, self.width = comments, opened, width

    def mapping(self, tree: Mapping[str, Any], path: Path, indent: str) -> Iterator[str]:
        for key, value in tree.items():
            here = (*path, key)
            if path or self.comments.get(here):
                yield from (f"{indent}# {line}".rstrip() for line in self.comments.get(here, ()))
            yield from self.entry(f"{indent}{text(key)}:", value, here, indent)

    def entry(self, head: str, value: Any, path: Path, indent: str) -> Iterator[str]:
        short = f"{head} {one_line(value)}"
        if not isinstance(value, (Mapping, list, tuple)) or not value or self.fits(short, path):
            yield short
        elif isinstance(value, Mapping):
            yield head
            yield from self.mapping(value, path, f"{indent}  ")
        else:
            yield head
            yield from self.items(value, path, f"{indent}  " if indent or self.width else indent)

    def fits(self, short: str, path: Path) -> bool:
        return path not in self.opened and len(short) <= self.width

    def items(self, values: Sequence[Any], path: Path, indent: str) -> Iterator[str]:
        for value in values:
            short = f"{indent}- {one_line(value)}"
            if not isinstance(value, (Mapping, list, tuple)) or not value or len(short) <= self.width:
                yield short
                continue
            inner = f"{indent}  "
            lines = list(
                self.mapping(value, (*path, ""), inner)
                if isinstance(value, Mapping)
                else self.items(value, (*path, ""), inner)
            )
            yield f"{indent}- {lines[0].lstrip()}"
            yield from lines[1:]
