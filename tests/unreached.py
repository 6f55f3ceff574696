"""Which functions of generator/ no command reaches: `make unreached`.

Runs the tests that call the command, in process or as a process of its own, under coverage. A function that none of
them enters is code that only other tests reach, or nobody.
"""

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coverage import Coverage, CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "generator"
CALLERS = (
    "tests/cli",
    "tests/cases",
    "tests/e2e",
    "tests/golden",
    "tests/test_bad.py",
    "tests/edges/registry",
    "tests/test_docs.py",
    "tests/test_readme.py",
)
# Each process that the tests start measures itself; what a kill ends in the middle is not needed.
SETTINGS = """[run]
source = generator
parallel = true
patch = subprocess
data_file = {folder}/data
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """Every function and method with its dotted name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            name = f"{prefix}.{child.name}" if prefix else child.name
            if isinstance(child, Function):
                yield name, child
            yield from functions(child, name)
        else:
            yield from functions(child, prefix)


def body_lines(function: Function) -> set[int]:
    """The lines that run when the function is entered."""
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]  # the docstring, or the `...` of a protocol
    inner = {
        line
        for statement in body
        for child in ast.walk(statement)
        if isinstance(child, Function)
        for line in range(child.lineno, (child.end_lineno or child.lineno) + 1)
    }
    lines = {line for statement in body for line in range(statement.lineno, (statement.end_lineno or 0) + 1)}
    return lines - inner or lines


def unreached(data: CoverageData) -> list[str]:
    """`room/module.py function` of each one that was never entered, sorted."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if "_data" in path.parts:
            continue
        entered = set(data.lines(str(path)) or ())
        for name, function in functions(ast.parse(path.read_text(encoding="utf-8")), ""):
            lines = body_lines(function)
            if lines and not lines & entered:
                names.append(f"{path.relative_to(PACKAGE)} {name}")
    return names


def measured(folder: Path) -> CoverageData:
    """What the tests that call the command ran."""
    settings = folder / "coveragerc"
    settings.write_text(SETTINGS.format(folder=folder), encoding="utf-8")
    coverage = (sys.executable, "-m", "coverage", "run", f"--rcfile={settings}")
    tests = ("-m", "pytest", "-q", "-n", "auto", *CALLERS)
    ended = subprocess.run((*coverage, *tests), cwd=ROOT, check=False)
    if ended.returncode:
        sys.exit(ended.returncode)
    measurement = Coverage(config_file=str(settings))
    measurement.combine()
    return measurement.get_data()


def main() -> None:
    """Prints them, from a file of coverage data where one is named."""
    if len(sys.argv) > 1:
        coverage = Coverage(data_file=sys.argv[1])
        coverage.load()
        names = unreached(coverage.get_data())
    else:
        with tempfile.TemporaryDirectory() as folder:
            names = unreached(measured(Path(folder)))
    print("\n".join(names))
    print(f"no command reaches {len(names)} functions")


if __name__ == "__main__":
    main()
