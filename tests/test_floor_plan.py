"""Holds the plan of the house: who may import whom, which library lives where, and no cycles."""

import ast
from functools import cache
from pathlib import Path

from generator import layout
from generator.cli.app import VERBS
from generator.cli.group import Verb, Verbs

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "generator"

# Data goes down this table: a room imports those above it that its row names. Nobody imports cli.
PLAIN = {"finding", "layout", "words"}
DECLARED = PLAIN | {"facts", "documents", "declared"}
JUDGED = DECLARED | {"observed", "operator", "images", "render", "revision"}
ROOMS: dict[str, set[str]] = {
    "finding": set(),
    "layout": set(),
    "words": set(),
    "facts": set(),
    "documents": PLAIN,
    "declared": PLAIN | {"facts", "documents"},
    "observed": PLAIN | {"facts"},
    "operator": DECLARED | {"observed"},
    "images": DECLARED | {"operator"},
    "catalog": DECLARED | {"observed", "operator", "images"},
    "render": DECLARED | {"operator"},
    "revision": DECLARED | {"operator", "images", "render"},
    "rules": JUDGED | {"change"},
    "upgrade": DECLARED | {"observed", "operator"},
    "change": JUDGED | {"catalog", "rules", "upgrade"},
    "adopt": DECLARED | {"observed", "operator", "render", "revision"},
    "audit": DECLARED | {"observed", "operator", "images", "revision"},
    "report": JUDGED | {"catalog", "rules", "upgrade", "change", "adopt", "audit"},
    "edges": PLAIN,
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
    "os", "io", "pathlib", "subprocess", "socket", "time", "random", "secrets", "tempfile", "shutil",
    "glob", "threading", "multiprocessing", "select", "selectors", "signal", "uuid", "platform", "getpass", "http",
    "urllib", "logging",
}  # fmt: skip
OUTSIDE_CALLS = {"open", "print", "input", "exec", "eval", "compile", "__import__"}
# A date is a value like any other; these ask the machine for one.
CLOCK_CALLS = {"today", "now", "utcnow", "fromtimestamp"}
DATA_READER = "facts/data.py"

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if "data" not in path.parts)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def name_of(path: Path) -> str:
    """As the table of libraries names a file."""
    return str(path.relative_to(PACKAGE))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that a file imports, and every name of one, with dots."""
    names = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def ours(path: Path) -> frozenset[str]:
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
    return frozenset(found)


def test_a_room_imports_only_what_its_row_allows() -> None:
    wrong = []
    for path in MODULES:
        room = room_of(path)
        if room in {"__init__", "__main__"}:
            continue
        assert room in ROOMS, f"{room} is not on the plan"
        allowed = {room, *ROOMS[room], "__init__"}
        wrong += [f"{name_of(path)} imports {module}" for module in ours(path) if module_room(module) not in allowed]
    assert wrong == []


def module_room(module: str) -> str:
    return module.split("/", maxsplit=1)[0].removesuffix(".py")


def test_a_library_is_imported_only_where_it_lives() -> None:
    wrong = []
    for path in MODULES:
        for name in imports(path):
            homes = LIBRARIES.get(name.split(".", maxsplit=1)[0])
            if homes is not None and not homes & {room_of(path), name_of(path)}:
                wrong.append(f"{name_of(path)} imports {name}")
    assert wrong == []


def test_the_core_is_pure() -> None:
    wrong = []
    for path in MODULES:
        if room_of(path) in {"edges", "cli", "__main__"} or name_of(path) == DATA_READER:
            continue
        wrong += [
            f"{name_of(path)} imports {name}" for name in imports(path) if name.split(".", maxsplit=1)[0] in OUTSIDE
        ]
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OUTSIDE_CALLS:
                wrong.append(f"{name_of(path)}:{node.lineno} calls {node.func.id}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS:
                wrong.append(f"{name_of(path)}:{node.lineno} calls {node.func.attr}")
    assert wrong == []


def test_no_test_imports_another_test() -> None:
    """What two tests use lies in tests/testing, or in a module beside them that holds no test."""
    wrong = []
    for path in TESTS:
        for name in imports(path):
            module = next((part for part in name.split(".") if part.startswith("test_") or part == "conftest"), None)
            if name.startswith("tests.") and module is not None:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


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


def test_cli_has_one_file_a_verb_and_few_others() -> None:
    verbs = [verb for top in VERBS for verb in (top.commands.values() if isinstance(top, Verbs) else [top])]
    of_verbs = {verb.module for verb in verbs if isinstance(verb, Verb)}
    files = {path.stem for path in (PACKAGE / "cli").glob("*.py")} - {"__init__"}
    assert of_verbs <= files
    assert len(files - of_verbs) <= 15, sorted(files - of_verbs)


def test_names_that_hide_what_they_hold_are_not_used() -> None:
    banned = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [path for path in MODULES if path.stem in banned]


def test_the_repository_s_own_names_are_spelled_once() -> None:
    """In layout.py: another spelling is a file that half of the commands don't know."""
    own = {value for key, value in vars(layout).items() if key.isupper() and isinstance(value, str)}
    # The bundled templates are a folder of the package, and out/ is a family of rules.
    elsewhere = {("facts/data.py", layout.TEMPLATES), ("rules/rule.py", layout.OUT)}
    spelled = {
        (name_of(path), node.value)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in own
    }
    assert {place for place in spelled - elsewhere if place[0] != "layout.py"} == set()
