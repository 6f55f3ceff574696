"""Every trace of the operator's real upgrade controller, and our own excerpt of them."""

import pytest

from tests.testing.shared import mismatches, oracle, own
from tests.upgrade.traces import trace

# None is left out. What no trace holds: requestor mode, an eviction that is refused for ever (timeoutSeconds 0),
# an NVIDIADriver with autoUpgrade false; tests/upgrade/test_machine.py has them from the facts.


def test_every_trace_state_for_state() -> None:
    cases = oracle("upgrade_traces")
    assert len(cases) == 216
    assert mismatches(cases, trace) == []


def test_our_excerpt_of_the_traces() -> None:
    cases = own("upgrade_traces")
    assert len(cases) >= 50
    assert mismatches(cases, trace) == []


def test_the_excerpt_is_verbatim() -> None:
    cases = {case["id"]: case for case in oracle("upgrade_traces")}
    assert all(cases.get(case["id"]) == case for case in own("upgrade_traces"))


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
