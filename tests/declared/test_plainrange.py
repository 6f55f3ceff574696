"""The short way for `requires` says yes only where packaging does."""

from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from generator.declared.plainrange import plainly_within

VERSIONS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
CLAUSES = st.lists(
    st.tuples(st.sampled_from((">=", "<", ">=", "<", "==", "~=")), VERSIONS).map("".join),
    min_size=1,
    max_size=3,
).map(",".join)


@given(VERSIONS, CLAUSES)
def test_it_agrees_with_packaging_on_plain_bounds(version: str, wanted: str) -> None:
    if "=" in wanted.replace(">=", ""):
        assert not plainly_within(version, wanted)
    else:
        assert plainly_within(version, wanted) is SpecifierSet(wanted).contains(version, prereleases=True)


def test_a_release_that_is_not_final_and_other_words_are_packagings_to_judge() -> None:
    assert not plainly_within("0.2.0rc1", ">=0.1")
    assert not plainly_within("0.2.0", "")
    assert not plainly_within("0.2.0", ">=0.1,!=0.3")
    assert not plainly_within("0.2.0", ">=0.1rc1")
