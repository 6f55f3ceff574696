from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from generator.adopt.text import document
from generator.documents.document import read

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"))
SCALAR = st.one_of(TEXT, st.booleans(), st.integers(-(2**40), 2**40))
TREE = st.recursive(SCALAR, lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXT, inner)), max_leaves=12)


@given(st.dictionaries(TEXT, TREE, min_size=1))
def test_what_is_written_is_read_back(tree: dict[str, Any]) -> None:
    """In both styles of one tree, since it takes longer to invent one than to write it."""
    for flow in (True, False):
        written = read(document(tree, {}, flow=flow), "")
        assert written.findings == ()
        assert written.value == tree


def test_short_collections_stand_on_one_line_and_comments_before_their_key() -> None:
    tree = {"pools": {"a": {"nodes": 1, "arch": ["amd64"]}}, "name": "x"}
    comments = {(): ["first"], ("pools",): ["all"], ("pools", "a", "arch"): ["here"]}
    assert document(tree, comments, opened=[("pools",), ("pools", "a")]) == (
        "# first\n# all\npools:\n  a:\n    nodes: 1\n    # here\n    arch: [amd64]\nname: x\n"
    )
