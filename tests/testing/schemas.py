"""Writes docs/schemas/ from the model: `make schemas`; `--check` says what is not up to date."""

import json
import sys
from pathlib import Path

from generator.declared.model import SLUGS, schema

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "schemas"


def texts() -> dict[str, str]:
    """The text of every committed schema by its file name."""
    return {
        f"{slug}.json": json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n" for kind, slug in SLUGS.items()
    }


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
