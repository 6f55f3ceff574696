import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.facts.driverrange import EVERY, Range, after, joined, of_branch, relation
from tests.model.driver_range import holds

VERSIONS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
RANGES = st.builds(Range, VERSIONS, st.none() | VERSIONS)


@given(st.lists(RANGES, max_size=5), VERSIONS)
def test_joined_holds_the_same_versions(ranges, version):
    found = joined(ranges)
    assert any(holds(one, version) for one in found) == any(holds(one, version) for one in ranges)
    assert not any(one.empty for one in found)
    ends = [one.high for one in found[:-1]]
    assert all(end is not None and end < later.low for end, later in zip(ends, found[1:], strict=True))


@given(RANGES, RANGES, VERSIONS)
def test_both_and_covers(one, other, version):
    assert holds(one.both(other), version) == (holds(one, version) and holds(other, version))
    if one.covers(other) and holds(other, version):
        assert holds(one, version)


@pytest.mark.parametrize(
    ("wanted", "may_be", "answer"),
    [
        ([Range((580, 0, 0))], of_branch(580), True),
        ([Range((580, 82, 7))], of_branch(580), None),
        ([Range((580, 65, 6))], of_branch(580, (580, 65, 6)), True),
        ([Range((590, 0, 0))], of_branch(580), False),
        ([Range((470, 0, 0), (471, 0, 0)), Range((471, 0, 0))], EVERY, None),
        ([Range((470, 0, 0), (470, 5, 0)), Range((470, 5, 0), (471, 0, 0))], of_branch(470), True),
        ([], of_branch(580), False),
    ],
)
def test_what_is_wanted_and_what_may_be(wanted, may_be, answer):
    assert relation(wanted, may_be) is answer


def test_after_counts_the_last_part():
    assert after((535, 0, 0)) == (535, 0, 1)
