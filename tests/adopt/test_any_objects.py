"""Whatever driver objects a cluster holds: adoption ends in a finding or a word, never in an exception."""

import json
from typing import Any

import hypothesis
from hypothesis import strategies as st

from generator.adopt.driverobject import Objects, parse
from generator.adopt.given import Given
from generator.adopt.proposal import proposed
from generator.observed import node
from generator.observed.unreadable import Unreadable
from tests.testing.judging import DAY
from tests.testing.nodes import listed
from tests.testing.stored import HELM, IMAGE, NODES, UPGRADE, driver, policy, selecting


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a tree."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, below in inner for place in paths(below, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return copy


WHOLE = driver(
    "train",
    {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    **selecting("train"),
    tolerations=[{"key": "sku", "operator": "Exists", "effect": "NoExecute"}],
    env=[{"name": "A", "value": "1"}],
)
ANYTHING = [WHOLE, policy(metadata=HELM, driver={"enabled": True, **IMAGE, "upgradePolicy": UPGRADE}), policy()]
ANYTHING.append({"driver": {"nvidiaDriverCRD": {"enabled": False}, "upgradePolicy": UPGRADE, **IMAGE}})
PLACES = [(number, path) for number, thing in enumerate(ANYTHING) for path in paths(thing)]


@hypothesis.given(st.sampled_from(PLACES), st.sampled_from(["", "x", 7, -1, 1.5, True, None, [], ["x"], {}, {"x": 1}]))
def test_no_object_breaks_it(place: tuple[int, tuple[Any, ...]], by: Any) -> None:
    """What an API server would refuse ends in a finding or a word, never in an exception."""
    number, path = place
    objects = parse(json.dumps(replaced(ANYTHING[number], path, by)).encode())
    nodes = node.parse(listed(NODES))
    assert not isinstance(nodes, Unreadable)
    if isinstance(objects, Objects):
        proposed("fleet", [Given(name="one", nodes=nodes, objects=objects)], {}, day=DAY)
