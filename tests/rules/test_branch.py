import pytest

from generator.finding import Finding
from tests.testing.judging import findings

FLEET = """\
apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: test
defaults:
  operator: {version: v26.7.0}
  driver: {repository: nvcr.io/nvidia/driver, branch: "535"}
"""
CLUSTER = """\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: c
pools:
  p:
    nodeSelector: {example.com/pool: p}
    os: {id: ubuntu, version: "22.04"}
    arch: [amd64]
    kernels: [5.15.0-1-generic]
    driver: {%s}
"""


def ended(given: dict[str, str]) -> list[Finding]:
    return [one for one in findings(given) if one.rule == "branch/end-of-life"]


def judged(driver: str, family: str = "") -> list[Finding]:
    gpu = f"    gpu: {{family: {family}}}\n" if family else ""
    given = {"inventory/fleet.yaml": FLEET, "inventory/c.yaml": CLUSTER % driver + gpu}
    return ended(given)


# docs.nvidia.com/datacenter/tesla/drivers/620 and the older pages named in driver_branches.yaml.
@pytest.mark.parametrize(
    ("driver", "words"),
    [
        ("branch: '535'", "ended in 2026-06"),
        ("version: 570.172.08", "ended in 2026-02"),
        ("mode: preinstalled, version: 470.82.01", "ended in 2024-07"),
        ("branch: '590'", "support has ended"),
    ],
)
def test_a_branch_that_has_ended_is_told_with_the_tables_date_and_what_is_supported(driver, words) -> None:
    (found,) = judged(driver)
    assert words in found.message
    assert "(as of 2026-11-29)" in found.message
    assert "supported are 580 until 2028-06, 595 until 2027-03, 620 until 2029-09" in found.message
    assert (str(found.severity), found.cluster, found.pool) == ("warning", "c", "p")


@pytest.mark.parametrize(
    "driver",
    [
        "branch: '580'",
        "branch: '615'",
        "branch: '999'",
        "branch: custom",
        "mode: preinstalled",
        "mode: unmanaged, version: 470.82.01",
        "mode: compiled, version: 'sha256:%s'" % (64 * "0"),
    ],
)
def test_what_has_not_ended_or_is_not_known_is_no_finding(driver) -> None:
    assert judged(driver) == []


def test_the_place_is_where_the_branch_was_said() -> None:
    (inherited,) = judged("mode: precompiled")
    assert str(inherited.place) == "inventory/fleet.yaml:6:55"
    (own,) = judged("branch: '550'")
    assert str(own.place) == "inventory/c.yaml:10:22"


def test_only_branches_that_drive_the_pool_are_named() -> None:
    (volta,) = judged("branch: '535'", "volta")
    assert "supported are 580 until 2028-06" in volta.message
    assert "595" not in volta.message
    (kepler,) = judged("branch: '470'", "kepler")
    assert "no supported branch drives kepler GPUs" in kepler.message


def test_a_branch_that_two_pools_inherit_is_told_once_and_silenced_for_each() -> None:
    other = "  q:\n    nodeSelector: {example.com/pool: q}\n    driver: {mode: preinstalled, version: 535.104.05}\n"
    inherits = (CLUSTER % "").replace("  p:", "  o:").replace("pool: p", "pool: o").partition("pools:\n")[2]
    silence = "silenced:\n  - {rule: branch/end-of-life, reason: frozen, pools: [%s]}\n"
    given = {"inventory/fleet.yaml": FLEET, "inventory/c.yaml": CLUSTER % "" + inherits + other}
    assert [str(one.place) for one in ended(given)] == ["inventory/c.yaml:19:43", "inventory/fleet.yaml:6:55"]
    given["inventory/c.yaml"] += silence % "o"
    assert [one.pool for one in ended(given)] == ["q", "p"]
    given["inventory/c.yaml"] = given["inventory/c.yaml"].replace("[o]", "[o, p]")
    assert [one.pool for one in ended(given)] == ["q"]
