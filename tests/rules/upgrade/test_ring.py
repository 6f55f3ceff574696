"""What a later ring may not have before an earlier one."""

import pytest

from generator.declared.selection import exactly
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from generator.rules.upgrade.ring import order
from tests.testing.judging import revision_of
from tests.testing.pools import FLEET, cluster, fleet, messages, pool, told


def rings(**clusters: str) -> dict[str, str]:
    """A cluster per ring, named by it; each value is what stands above its pools, or a whole pool."""
    files = {FLEET: fleet()}
    for ring, said in clusters.items():
        pools = said if said.startswith("  ") else pool("a", "gpu: {family: ampere}")
        top = f'ring: "{ring.strip("r")}"\n' + ("" if said.startswith("  ") else said)
        files[f"inventory/{ring}.yaml"] = cluster(pools, top=top, name=ring)
    return files


def of(version: str, family: str = "ampere", os: str = '{id: ubuntu, version: "22.04"}') -> str:
    key = "branch" if len(version) == 3 else "version"
    return pool("a", f"gpu: {{family: {family}}}", f'driver: {{{key}: "{version}"}}', os=os)


def found(files: dict[str, str]) -> list[str]:
    return messages("upgrade/ring-order", files)


def test_rings_are_ordered_as_people_read_them() -> None:
    assert sorted(["10", "2", "a", "1b", "1a", "0", "b2", "b10"], key=order) == [
        *("0", "1a", "1b", "2", "10", "a", "b2", "b10"),
    ]


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [
        ("580", "580", False),
        ("580", "595", True),
        ("595", "580", False),
        ("580", "580.126.20", False),
        ("580.126.20", "580", False),
        ("580.126.20", "595", True),
        ("570.86.15", "580", True),
        ("580.82.07", "580.105.08", True),
        ("580.105.08", "580.82.07", False),
        ("535.104.05", "535.104.5", False),
    ],
)
def test_a_driver_that_no_earlier_ring_has(earlier: str, later: str, told: bool) -> None:
    assert len(found(rings(r0=of(earlier), r1=of(later)))) == told


def test_the_message_has_both_numbers_and_the_gpus() -> None:
    assert found(rings(r2=of("580"), r10=of("595"))) == [
        'ring "10" has driver 595 for ampere GPUs on ubuntu22.04, and the earlier ring "2" has 580 at most'
    ]


@pytest.mark.parametrize("other", [of("580", family="hopper"), of("580", os='{id: ubuntu, version: "24.04"}')])
def test_other_gpus_or_another_os_test_nothing(other: str) -> None:
    assert found(rings(r0=other, r1=of("595"))) == []


def test_one_cluster_of_an_earlier_ring_is_enough() -> None:
    files = rings(r0=of("580"), r1=of("595"))
    files["inventory/more.yaml"] = cluster(of("595"), top='ring: "0"\n', name="more")
    assert found(files) == []


def test_every_earlier_ring_counts_and_the_first_is_named() -> None:
    message = 'ring "%s" has driver 595 for ampere GPUs on ubuntu22.04, and the earlier ring "%s" has 580 at most'
    assert found(rings(r0=of("580"), r1=of("595"), r2=of("595"))) == [message % ("1", "0"), message % ("2", "0")]
    assert found(rings(r0=of("595"), r1=of("580"), r2=of("595"))) == [message % ("2", "1")]


def test_clusters_of_one_ring_or_without_one_are_not_compared() -> None:
    files = rings(r0=of("580"))
    files["inventory/none.yaml"] = cluster(of("595"), name="none")
    files["inventory/same.yaml"] = cluster(of("595"), top='ring: "0"\n', name="same")
    assert found(files) == []


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [("v26.3.3", "v26.7.0", True), ("v26.7.0", "v26.3.3", False), ("v26.7.0", "26.7.0", False)],
)
def test_an_operator_that_no_earlier_ring_has(earlier: str, later: str, told: bool) -> None:
    files = rings(**{f"r{ring}": f"operator: {{version: {one}}}\n" for ring, one in enumerate((earlier, later))})
    wanted = f'ring "1" has operator {later}, and the earlier ring "0" has {earlier} at most'
    assert found(files) == ([wanted] if told else [])


def test_operators_from_olm_are_compared_among_themselves() -> None:
    olm = "operator: {version: %s, install: olm, driverApi: ClusterPolicy, clusterPolicyBase: bases/p.yaml}\n"
    base = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"
    files = rings(r0=olm % "v25.10.1", r1="operator: {version: v26.7.0}\n") | {"bases/p.yaml": base}
    assert found(files) == []
    files |= {"inventory/r2.yaml": rings(r2=olm % "v26.3.3")["inventory/r2.yaml"]}
    assert found(files) == ['ring "2" has operator v26.3.3, and the earlier ring "0" has v25.10.1 at most']


def test_one_line_that_many_inherit_is_told_once() -> None:
    files = rings(r0=of("570"))
    for name in ("x1", "x2"):
        pools = pool("a", "gpu: {family: ampere}") + pool("b", "gpu: {family: ampere}")
        files[f"inventory/{name}.yaml"] = cluster(pools, top='ring: "1"\n', name=name)
    (finding,) = told("upgrade/ring-order", files)
    assert (finding.place.file, finding.cluster, finding.pool) == (FLEET, "", "")


def test_what_is_no_driver_version_is_not_compared() -> None:
    digest = 'mode: compiled, version: "sha256:%s"' % ("1f" * 32)
    odd = pool("a", "gpu: {family: ampere}", f"driver: {{{digest}}}")
    assert found(rings(r0=of("580"), r1=odd)) == []
    assert found(rings(r0=odd, r1=of("580"))) == []


def test_part_of_a_fleet_is_not_judged() -> None:
    from msgspec.structs import replace

    revision, _ = revision_of(rings(r0=of("580"), r1=of("595")))
    part = replace(revision, selection=exactly({"r0", "r1"}))
    assert list(problems_of(BY_ID["upgrade/ring-order"], part)) == []
