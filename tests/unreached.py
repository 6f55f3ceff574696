"""Judges that every function of generator/ is reached by a command: `make unreached`, some minutes.

Runs the tests that call the command, measures what the command runs, and compares the functions that it never entered
with those that `tests/unreached.txt` lists with a reason. What tests call themselves doesn't count as reached.
`python -m tests.unreached tests/cli/test_tag.py` only lists what a part leaves out.
"""

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import coverage

REPO = Path(__file__).resolve().parents[1]
LISTED = REPO / "tests" / "unreached.txt"
CALLERS = (
    "tests/audit",
    "tests/cli",
    "tests/e2e",
    "tests/cases",
    "tests/edges/registry",
    "tests/upgrade",
    "tests/test_bad.py",
    "tests/test_docs.py",
    "tests/test_readme.py",
)
CONFIG = """\
[run]
source = {source}
data_file = {data}
parallel = true
sigterm = true
"""


def main(arguments: list[str]) -> int:
    """0 where what no command reaches is what is listed; 1 with each function that is not, by its module's path."""
    with tempfile.TemporaryDirectory() as folder:
        lines = measured(Path(folder), arguments or list(CALLERS))
    unreached = {
        f"{name} {function}"
        for name, text in sources().items()
        for function in functions_without(ast.parse(text), lines.get(name, frozenset()))
    }
    if arguments:
        print("\n".join(sorted(unreached)))
        print(f"these tests leave {len(unreached)} functions unreached")
        return 0
    wrong = [*judged(unreached, listed(LISTED.read_text(encoding="utf-8")))]
    print("\n".join([*wrong, f"no command reaches {len(unreached)} functions"]))
    return 1 if wrong else 0


def listed(text: str) -> dict[str, str]:
    """The reason for each function that may stay unreached: a reason stands above the functions that it is for."""
    reasons: dict[str, str] = {}
    reason = ""
    for line in text.splitlines():
        if line.startswith("#"):
            reason = line.removeprefix("#").strip()
        elif not line:
            reason = ""
        else:
            reasons[line] = reason
    return reasons


def judged(unreached: set[str], reasons: dict[str, str]) -> Iterator[str]:
    """What is wrong: a function that nobody listed, a line without a reason, and one that says what is no longer so."""
    for function in sorted(unreached - reasons.keys()):
        yield f"{function}: no command reaches it: remove it, let a command's test reach it, or list it with a reason"
    for function in sorted(reasons.keys() - unreached):
        yield f"{function}: a command reaches it, or it is gone: remove its line from {LISTED.name}"
    for function in sorted(unreached & reasons.keys()):
        if not reasons[function]:
            yield f"{function}: it is listed without a reason"


def measured(folder: Path, tests: list[str]) -> dict[str, frozenset[int]]:
    """The lines of each file of generator/ that commands ran. Tests that fail are shown, and don't stop it."""
    config, data = folder / "coveragerc", folder / "data"
    config.write_text(CONFIG.format(source=REPO / "generator", data=data), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "tests.testing.measured",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "DRIVERGATE_MEASURED": str(config)}
    subprocess.run([*command, *tests], cwd=REPO, env=environment, check=False, stdout=sys.stderr)
    combined = coverage.Coverage(config_file=str(config))
    combined.combine()
    found = combined.get_data()
    return {
        Path(file).relative_to(REPO).as_posix(): frozenset(found.lines(file) or ()) for file in found.measured_files()
    }


def sources() -> dict[str, str]:
    """The text of each file of generator/ by its path in the repository."""
    files = sorted((REPO / "generator").rglob("*.py"))
    return {file.relative_to(REPO).as_posix(): file.read_text(encoding="utf-8") for file in files}


def functions_without(tree: ast.AST, lines: frozenset[int], outer: str = "") -> Iterator[str]:
    """The qualified names of functions of which no line of the first statement ran."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from functions_without(node, lines, outer)
            continue
        name = f"{outer}.{node.name}" if outer else node.name
        if isinstance(node, ast.FunctionDef) and lines.isdisjoint(first_lines(node)):
            yield name  # and whatever it defines inside is unreached with it
        else:
            yield from functions_without(node, lines, name)


def first_lines(function: ast.FunctionDef) -> range:
    """The lines of what runs first in a call; for a protocol's method without a body those of its definition."""
    statements = [statement for statement in function.body if not _is_text(statement)]
    first: ast.stmt = statements[0] if statements else function
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)


def _is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring or an ellipsis, for which nothing runs."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
