"""Numbers that may be percentages; as a control plane and the operator round them: test_standing_oracle."""

from generator.facts.amount import rounded_up


def test_a_percentage_of_very_many_is_exact():
    assert rounded_up("1%", 10**18 + 1) == 10**16 + 1
