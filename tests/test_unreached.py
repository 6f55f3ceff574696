"""The judge of what no command reaches, on a list of its own; the real list is judged by `make unreached`."""

import ast

from tests.unreached import LISTED, functions_without, judged, listed, sources

TEXT = """\
# what the file is

# a protocol's method, which has no body
generator/a.py Door.read

# only where a disk is full
generator/a.py _full
generator/b.py _also
"""


def test_a_reason_stands_above_the_functions_that_it_is_for() -> None:
    full = "only where a disk is full"
    assert listed(TEXT) == {
        "generator/a.py Door.read": "a protocol's method, which has no body",
        "generator/a.py _full": full,
        "generator/b.py _also": full,
    }


def test_what_is_not_listed_and_what_is_listed_in_vain_are_named() -> None:
    unreached = {"generator/a.py Door.read", "generator/a.py _full", "generator/c.py new"}
    unlisted, stale = judged(unreached, listed(TEXT))
    assert unlisted.startswith("generator/c.py new: no command reaches it")
    assert stale == "generator/b.py _also: a command reaches it, or it is gone: remove its line from unreached.txt"
    (bare,) = judged({"generator/a.py f"}, listed("generator/a.py f\n"))
    assert bare == "generator/a.py f: it is listed without a reason"


def test_a_function_is_unreached_where_its_first_statement_never_ran() -> None:
    tree = ast.parse('def f():\n    """Text."""\n    return 1\n\n\nclass C:\n    def m(self):\n        return 2\n')
    assert [*functions_without(tree, frozenset({3}))] == ["C.m"]
    assert [*functions_without(tree, frozenset({1, 7}))] == ["f", "C.m"]


def test_every_listed_function_is_there() -> None:
    known = {
        f"{name} {function}"
        for name, text in sources().items()
        for function in functions_without(ast.parse(text), frozenset())
    }
    assert listed(LISTED.read_text(encoding="utf-8")).keys() <= known
