"""Holds the plan of the house: who may import whom, which library lives where, and no cycles."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "generator"

# Data goes down this table: a room imports those above it that its row names. Nobody imports cli.
DECLARED = {"finding", "facts", "documents", "declared"}
JUDGED = DECLARED | {"observed", "operator", "images", "render", "revision"}
ROOMS: dict[str, set[str]] = {
    "finding": set(),
    "facts": set(),
    "documents": {"finding"},
    "declared": {"finding", "facts", "documents"},
    "observed": {"finding", "facts"},
    "operator": DECLARED | {"observed"},
    "images": DECLARED | {"operator"},
    "catalog": DECLARED | {"observed", "operator", "images"},
    "render": DECLARED | {"operator"},
    "revision": DECLARED | {"operator", "images", "render"},
    "rules": JUDGED,
    "upgrade": DECLARED | {"observed", "operator"},
    "change": JUDGED | {"catalog", "rules", "upgrade"},
    "adopt": DECLARED | {"observed", "operator", "render"},
    "audit": DECLARED | {"observed", "operator", "images", "revision"},
    "report": JUDGED | {"catalog", "rules", "upgrade", "change", "adopt", "audit"},
    "edges": {"finding"},
    "cli": JUDGED | {"catalog", "rules", "upgrade", "change", "adopt", "audit", "report", "edges"},
}

# A library is at home in a room or in one file of it. msgspec is how every room writes its values.
LIBRARIES: dict[str, set[str]] = {
    "msgspec": {*ROOMS},
    "yaml": {"documents/document.py"},
    "ruamel": {"documents/edit.py"},
    "jinja2": {"render"},
    "markupsafe": {"render"},
    "jsonschema_rs": {"declared", "rules"},
    "packaging": {"facts", "declared"},
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    "urllib3": {"edges/registry/transport.py", "edges/registry/retry.py"},
}

# What makes a room impure. Only edges/ and cli/ may use these.
OUTSIDE = {
    "os", "io", "pathlib", "subprocess", "socket", "time", "datetime", "random", "secrets", "tempfile", "shutil",
    "glob", "threading", "multiprocessing", "select", "selectors", "signal", "uuid", "platform", "getpass", "http",
    "urllib", "logging",
}  # fmt: skip
OUTSIDE_CALLS = {"open", "print", "input", "exec", "eval", "compile", "__import__"}
DATA_READER = "facts/data.py"

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path: Path) -> set[str]:
    """The modules of this package that a file imports, as paths from the package's root."""
    found = set()
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "generator":
            continue
        for end in range(len(parts), 1, -1):
            base = PACKAGE.joinpath(*parts[1:end])
            if base.with_suffix(".py").exists():
                found.add(str(base.with_suffix(".py").relative_to(PACKAGE)))
                break
            if (base / "__init__.py").exists():
                found.add(str((base / "__init__.py").relative_to(PACKAGE)))
                break
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_what_its_row_allows(path: Path) -> None:
    room = room_of(path)
    if room in {"__init__", "__main__"}:
        return
    assert room in ROOMS, f"{room} is not on the plan"
    for module in ours(path):
        other = module.split("/")[0].removesuffix(".py")
        assert other in {room, *ROOMS[room], "__init__"}, f"{room} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_library_is_imported_only_where_it_lives(path: Path) -> None:
    relative = str(path.relative_to(PACKAGE))
    for name in imports(path):
        homes = LIBRARIES.get(name.split(".")[0])
        if homes is not None:
            assert room_of(path) in homes or relative in homes, f"{relative} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_core_is_pure(path: Path) -> None:
    relative = str(path.relative_to(PACKAGE))
    if room_of(path) in {"edges", "cli", "__main__"} or relative == DATA_READER:
        return
    for name in imports(path):
        assert name.split(".")[0] not in OUTSIDE, f"{relative} imports {name}"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in OUTSIDE_CALLS, f"{relative}:{node.lineno} calls {node.func.id}"


def test_every_room_says_what_it_owns() -> None:
    for folder in sorted(p for p in PACKAGE.iterdir() if (p / "__init__.py").exists()):
        doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
        assert doc, folder.name
        assert doc.startswith("Owns "), folder.name


def test_no_import_cycles() -> None:
    graph = {str(path.relative_to(PACKAGE)): ours(path) for path in MODULES}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module in done:
            return
        for other in sorted(graph.get(module, set()) - {module}):
            visit(other, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


def test_names_that_hide_what_they_hold_are_not_used() -> None:
    banned = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [path for path in MODULES if path.stem in banned]
