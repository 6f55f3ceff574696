"""A kernel in both lists: an error in the change that brings it, else a warning."""

import pytest
from msgspec.structs import replace

from generator.finding import Finding, Severity
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.judging import revision_of

FLEET = """apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: f
defaults:
  operator: {version: v26.7.0, namespace: gpu-operator, install: helm, driverApi: NVIDIADriver}
  driver: {repository: r.example/driver, mode: precompiled, branch: "580"}
"""
CLUSTER = """apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: c
pools:
  a:
    nodeSelector: {a: b}
    os: {id: ubuntu, version: "22.04"}
    arch: [amd64]
    kernels: [5.15.0-173-generic]
    upcomingKernels: [5.15.0-177-generic, 5.15.0-173-generic]
"""
WITHOUT = CLUSTER.replace(", 5.15.0-173-generic]", "]")
OTHER_PLACE = CLUSTER.replace("[5.15.0-177-generic, 5", "[5")


def findings(earlier: dict[str, bytes] | None) -> list[Finding]:
    revision, told = revision_of({"inventory/fleet.yaml": FLEET, "inventory/c.yaml": CLUSTER})
    judged = judge(replace(revision, earlier=earlier), RULES, told=told).findings
    return [finding for finding in judged if finding.rule == "inventory/kernel-twice"]


@pytest.mark.parametrize(
    ("earlier", "severity"),
    [
        (None, Severity.WARNING),
        ({}, Severity.ERROR),
        ({"inventory/c.yaml": WITHOUT.encode()}, Severity.ERROR),
        ({"inventory/c.yaml": CLUSTER.encode()}, Severity.WARNING),
        ({"inventory/c.yaml": OTHER_PLACE.encode()}, Severity.WARNING),
        ({"inventory/c.yaml": b"pools: ["}, Severity.ERROR),
    ],
    ids=["no base", "a new file", "a new item", "there already", "there at another index", "an unreadable base"],
)
def test_who_brings_it_is_stopped_and_who_has_it_is_warned(
    earlier: dict[str, bytes] | None, severity: Severity
) -> None:
    (finding,) = findings(earlier)
    assert (finding.severity, str(finding.place), finding.cluster, finding.pool) == (
        severity,
        "inventory/c.yaml:10:43",
        "c",
        "a",
    )


def test_two_releases_with_one_kernel_are_no_double() -> None:
    image = """apiVersion: drivergate.dev/v1alpha1
kind: NodeImage
name: i
os: {id: ubuntu, version: "22.04"}
arch: [amd64]
kernels: {"1": 5.15.0-173-generic, "2": 5.15.0-173-generic}
running: ["1"]
upcoming: ["2"]
"""
    revision, _ = revision_of({"inventory/fleet.yaml": FLEET, "inventory/c.yaml": WITHOUT, "inventory/i.yaml": image})
    assert revision.fleet.kernels_twice == ()
