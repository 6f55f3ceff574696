"""Every trace of the operator's real upgrade controller: from a cluster's objects through the machine, and simulate."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.upgrade.simulation import Wish, simulate
from tests.testing.command import process
from tests.testing.live import files, read
from tests.testing.shared import mismatches, oracle, own, release_of
from tests.testing.traces import is_left_alone, left_out, objects_of, states_of, trace

Case = dict[str, Any]
FILES = (oracle, own)


@pytest.mark.parametrize("cases", FILES)
def test_every_trace_state_for_state(cases) -> None:
    possible = [case for case in cases("upgrade_traces") if not left_out(case)]
    assert mismatches(possible, trace) == []


@pytest.mark.parametrize("cases", FILES)
def test_simulate_ends_where_the_controller_ends(cases) -> None:
    """Of the cases in which the cluster does by itself what simulate assumes: driver pods come back and are Ready."""
    found = {case["id"]: simulated(case) for case in cases("upgrade_traces") if comparable(case)}
    wanted = {case["id"]: states_of(case) for case in cases("upgrade_traces") if case["id"] in found}
    assert found == wanted
    assert found


def comparable(case: Case) -> bool:
    """Whether simulate replays the same.

    Where nothing is due it begins an upgrade of all nodes, and where upgrades are off it replays nothing.
    """
    if left_out(case) or not is_left_alone(case):
        return False
    found = simulation(case)
    return found.resumed and not found.off


def simulation(case: Case):
    return simulate(read(*objects_of(case)), release_of(case), Wish(driver_seconds=0))


def simulated(case: Case) -> dict[str, str]:
    return {lane.node: str(lane.spans[-1].state) for lane in simulation(case).lanes}


def test_one_of_each_class_through_the_process(tmp_path: Path) -> None:
    """Release, API and the states that the nodes end in."""
    classes: dict[tuple[Any, ...], Case] = {}
    for case in own("upgrade_traces"):
        if comparable(case):
            ends = tuple(sorted(set(states_of(case).values())))
            classes.setdefault((case["operator"], case["input"]["mode"], ends), case)
    assert {key[0] for key in classes} == {"v26.7.0", "v26.3.3"}
    assert {key[1] for key in classes} == {"clusterpolicy", "nvidiadriver"}
    for number, case in enumerate(classes.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = files(folder, *objects_of(case))
        ran = process(
            "upgrade", "simulate", *options, "--operator", case["operator"], "--driver-seconds", "0", "--format", "json"
        )
        assert ran.err == ""
        answer = json.loads(ran.out)
        assert {lane["node"]: lane["spans"][-1]["state"] for lane in answer["lanes"]} == states_of(case), case["id"]
        assert ran.code == (0 if answer["done"] else 1)


@pytest.mark.parametrize(
    ("what", "of"),
    [
        ({"clusterpolicy", "nvidiadriver"}, lambda case: [case["input"]["mode"]]),
        ({"v26.7.0", "v26.3.3"}, lambda case: [case["operator"]]),
        (
            {"bad_max_unavailable", "pod_deletion_spec_missing", "bad_selector", "operator_panic"},
            lambda case: [one.get("reconcile_error") for one in case["output"]["rounds"]],
        ),
        (
            {"upgrade-failed", "drain-required", "validation-required", "bogus-state", "post-maintenance-required"},
            lambda case: [node["state"] for one in case["output"]["rounds"] for node in one["nodes"].values()],
        ),
    ],
)
def test_the_excerpt_holds_every_kind(what, of) -> None:
    assert what <= {value for case in own("upgrade_traces") for value in of(case)}
