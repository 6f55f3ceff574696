"""Writes docs/schemas/ from the model: `make schemas`; `--check` says what is not up to date."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from generator.declared.model import SLUGS, strict_schema

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "schemas"


def texts() -> dict[str, str]:
    """The text of every committed schema by its file name."""
    return {
        f"{slug}.json": json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n" for kind, slug in SLUGS.items()
    }


def schema(kind: str) -> dict[str, Any]:
    """The published JSON Schema of one kind: what editors may accept as it stands, a plain 535 for text too."""
    strict = strict_schema(kind)
    return {**strict, "$defs": _unquoted(strict["$defs"], truths=kind != "ImageCatalog")}


def _unquoted(wanted: Any, *, truths: bool) -> Any:
    """The same with whole numbers, and `truths` where they are taken, wherever nothing but text is wanted.

    Keywords for text, such as pattern, say nothing of a number: it is let in only where its text would fit.
    """
    if isinstance(wanted, list):
        return [_unquoted(one, truths=truths) for one in wanted]
    if not isinstance(wanted, dict):
        return wanted
    if wanted.get("type") != "string" or "enum" in wanted:
        # One of several alternatives that is text takes text alone (generator/declared/shape.py, _Fitting.fit).
        return {key: inner if key == "anyOf" else _unquoted(inner, truths=truths) for key, inner in wanted.items()}
    fits = re.compile(wanted.get("pattern", "")).search
    kinds = ["integer"] if fits("535") else []
    kinds += ["boolean"] if truths and fits("true") and fits("false") else []
    least = {} if fits("-535") or not kinds else {"minimum": 0}
    return {**wanted, "type": ["string", *kinds], **least} if kinds else wanted


def outdated() -> list[str]:
    """Files that differ from the model's, are missing, or belong to no kind."""
    wanted = texts()
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def main(arguments: list[str]) -> int:
    names = outdated()
    if arguments == ["--check"]:
        print("".join(f"docs/schemas/{name} is not up to date: run make schemas\n" for name in names), end="")
        return 1 if names else 0
    wanted = texts()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
