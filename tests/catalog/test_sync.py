"""When sync writes what it learned."""

from generator.catalog.sync import Pace


def test_the_first_write_waits_two_seconds() -> None:
    pace = Pace(100.0)
    assert not pace.is_due(101.9)
    assert pace.is_due(102.0)


def test_a_write_that_takes_long_is_seldom() -> None:
    pace = Pace(100.0)
    pace.wrote(102.0, 102.5)
    assert not pace.is_due(112.4)
    assert pace.is_due(112.5)


def test_a_write_that_takes_no_time_is_not_constant() -> None:
    pace = Pace(100.0)
    pace.wrote(102.0, 102.001)
    assert not pace.is_due(104.0)
    assert pace.is_due(104.002)
