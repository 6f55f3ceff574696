"""Inheritance as the product tells it: pool > cluster > profile > defaults."""

from generator.declared.layers import Level, below, leaves, merged, origin, over


def level(name: str, **value: object) -> Level:
    return Level(name, f"{name}.yaml", (name,), value)


def test_settings_merge_key_by_key() -> None:
    assert over({"a": {"x": 1, "y": 1}}, {"a": {"y": 2}, "b": 3}) == {"a": {"x": 1, "y": 2}, "b": 3}


def test_selectors_and_lists_are_replaced_as_a_whole() -> None:
    far = {"nodeSelector": {"a": "1"}, "labels": {"a": "1"}, "matchLabels": {"a": "1"}, "args": ["a"]}
    near = {"nodeSelector": {"b": "2"}, "labels": {"b": "2"}, "matchLabels": {"b": "2"}, "args": ["b"]}
    assert over(far, near) == near


def test_of_alternatives_the_nearer_drops_the_other() -> None:
    assert over({"branch": "580", "mode": "x"}, {"version": "580.1"}) == {"mode": "x", "version": "580.1"}
    assert over({"version": "580.1"}, {"branch": "580"}) == {"branch": "580"}


def test_neither_mapping_is_changed() -> None:
    far, near = {"a": {"b": 1}, "branch": "1"}, {"a": {"c": 2}, "version": "2"}
    over(far, near)
    assert (far, near) == ({"a": {"b": 1}, "branch": "1"}, {"a": {"c": 2}, "version": "2"})


def test_the_nearest_of_many_levels_wins() -> None:
    levels = (level("cluster", a=1), level("profile", a=2, b=2), level("defaults", a=3, b=3, c=3))
    assert merged(levels) == {"a": 1, "b": 2, "c": 3}
    assert merged(()) == {}


def test_a_level_that_lacks_the_key_is_no_level_below_it() -> None:
    levels = (level("pool"), level("cluster", driver={"mode": "compiled"}), level("defaults", driver={}))
    assert [(one.name, one.path) for one in below(levels, "driver")] == [
        ("cluster", ("cluster", "driver")),
        ("defaults", ("defaults", "driver")),
    ]


def test_origin_is_the_nearest_level_that_says_it() -> None:
    levels = (level("pool", a={"x": 1}), level("defaults", a={"y": [2]}))
    found = origin(levels, ("a", "y", 0))
    assert found is not None
    assert (found[0].name, found[1]) == ("defaults", ("defaults", "a", "y", 0))
    assert origin(levels, ("a", "y", 1)) is None
    assert origin(levels, ("a", "x", "z")) is None


def test_leaves_are_every_value_with_its_path() -> None:
    value = {"a": {"b": 1, "c": {}}, "nodeSelector": {"k": "v"}, "l": [1]}
    assert list(leaves(value)) == [(("a", "b"), 1), (("a", "c"), {}), (("nodeSelector",), {"k": "v"}), (("l",), [1])]
