"""The one reader of package data: facts, bundled templates, committed JSON Schemas, the documentation of rules."""

# Every run comes through here, and pathlib costs start-up.
# ruff: noqa: PTH112, PTH123

import os
from typing import Any

from msgspec import json

_FACTS = __file__.rpartition("/")[0]
_PACKAGE = _FACTS.rpartition("/")[0]
_CHECKOUT = _PACKAGE.rpartition("/")[0]


def read_json(name: str) -> Any:
    """The value of `generator/facts/data/<name>`; FileNotFoundError where it doesn't exist."""
    with open(f"{_FACTS}/data/{name}", "rb") as file:
        return json.decode(file.read())


def templates() -> dict[str, str]:
    """Text of every bundled template by its path relative to the templates' root, in sorted order."""
    root = _bundled("templates", "templates")
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                path = f"{folder}/{name}"
                found[path[len(root) + 1 :]] = _text(path)
    return dict(sorted(found.items()))


def schema_json(slug: str) -> Any:
    """The committed JSON Schema of a kind, by its file name without `.json` (`node-image`)."""
    return json.decode(_text(f"{_bundled('schemas', 'docs/schemas')}/{slug}.json"))


def rule_docs(family: str) -> str:
    """The documentation of a family of rules, Markdown; FileNotFoundError where there is none."""
    return _text(f"{_bundled('rules', 'docs/rules')}/{family}.md")


def scaffold(name: str) -> str:
    """A file that `drivergate init` begins a repository with."""
    return _text(f"{_FACTS}/data/scaffold/{name}")


def _bundled(in_wheel: str, in_checkout: str) -> str:
    """A wheel carries the folder inside the package; an editable install reads the repository's own."""
    folder = f"{_PACKAGE}/_data/{in_wheel}"
    return folder if os.path.isdir(folder) else f"{_CHECKOUT}/{in_checkout}"


def _text(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
