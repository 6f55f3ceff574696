"""Every overlay of values, against the chart of the release that it is for."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from generator.declared.fleet import Install
from generator.facts import chart
from generator.facts.release import DriverApi
from tests.conformance import crds
from tests.model import chart as charts
from tests.testing.trees import NAMES, Emitted, emitted

# What templates/clusterpolicy.yaml of the chart reads though values.yaml doesn't show it.
READ_ONLY_BY_TEMPLATES = {("driver", "args"), ("driver", "livenessProbe"), ("driver", "readinessProbe")}


def overlays(name: str) -> list[Emitted]:
    return [file for file in emitted(name) if file.is_values]


def unknown(values: Mapping[str, Any], known: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths that values.yaml doesn't have; below an empty mapping, a list or nothing everything goes."""
    if not isinstance(known, Mapping) or not known:
        return
    for key, value in values.items():
        if key not in known:
            yield (*path, key)
        elif isinstance(value, Mapping):
            yield from unknown(value, known[key], (*path, key))


def merged(values: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """What Helm makes of the two: pkg/chartutil coalesce, maps key by key."""
    out = dict(values)
    for key, value in overlay.items():
        old = out.get(key)
        out[key] = merged(old, value) if isinstance(value, Mapping) and isinstance(old, Mapping) else value
    return out


@pytest.mark.parametrize("name", NAMES)
class TestOverlays:
    """Driver keys only, and only those that the chart has."""

    def test_no_key_that_the_real_chart_lacks(self, name: str) -> None:
        assert overlays(name)
        found = {}
        for file in overlays(name):
            release = file.cluster.operator.release
            lacking = set(unknown(file.document, crds.chart_values(release)))
            # repoConfig and others are handed on whole, so only their first name has to be there.
            whole = {path for path in lacking if len(path) > 2 and chart.has_key(release.fields, path)}
            if lacking - READ_ONLY_BY_TEMPLATES - whole:
                found[file.path] = lacking - READ_ONLY_BY_TEMPLATES - whole
        assert found == {}

    def test_no_key_that_our_facts_lack(self, name: str) -> None:
        for file in overlays(name):
            release = file.cluster.operator.release
            lacks = release.lacks("ClusterPolicy")
            assert charts.missing_keys(release.fields, file.document, lacks) == (), file.path

    def test_nothing_but_the_driver(self, name: str) -> None:
        for file in overlays(name):
            allowed = {"driver"} if file.cluster.operator.install is Install.HELM else {"driver", "clusterPolicy"}
            assert set(file.document) <= allowed, file.path

    def test_the_chart_makes_nothing_that_is_ours(self, name: str) -> None:
        """With the chart's own defaults below, as Helm merges them (gitops facts, fixture 13)."""
        for file in overlays(name):
            operator = file.cluster.operator
            values = merged(crds.chart_values(operator.release), file.document)
            objects = operator.driver_api is DriverApi.NVIDIADRIVER
            if operator.install is Install.HELM:
                assert values["driver"]["enabled"] is True, file.path
                assert values["driver"]["nvidiaDriverCRD"]["enabled"] is objects, file.path
                assert values.get("clusterPolicy", {}).get("deployCR", True) is True, file.path
            else:
                assert values["clusterPolicy"]["deployCR"] is False, file.path
            if objects or operator.install is not Install.HELM:
                assert values["driver"]["nvidiaDriverCRD"]["deployDefaultCR"] is False, file.path

    def test_a_cluster_without_a_chart_has_none(self, name: str) -> None:
        with_values = {file.cluster.name for file in overlays(name)}
        for cluster in {file.cluster.name: file.cluster for file in emitted(name) if file.cluster}.values():
            operator = cluster.operator
            wanted = operator.install is Install.HELM or (
                operator.install is Install.MANIFEST and operator.release.optional_cluster_policy
            )
            assert (cluster.name in with_values) is wanted, cluster.name


def test_a_policy_from_the_chart_is_the_policy_that_we_would_write() -> None:
    """The same inventory by values and by manifest says the same driver; the chart's words differ from the CRD's."""
    policies = {file.cluster.name: file for file in emitted("everything") if file.kind == "ClusterPolicy"}
    compared = 0
    for file in overlays("everything"):
        if "-helm-ClusterPolicy" not in file.cluster.name:
            continue
        written = policies[file.cluster.name.replace("-helm-", "-olm-")].document["spec"]["driver"]
        driver = dict(file.document["driver"])
        policy = dict(driver.pop("upgradePolicy"))
        policy["podDeletion"] = policy.pop("gpuPodDeletion")
        said = {**driver, "upgradePolicy": policy, "useNvidiaDriverCRD": driver.pop("nvidiaDriverCRD")["enabled"]}
        said.pop("nvidiaDriverCRD")
        release = file.cluster.operator.release
        unmapped = {path[0] for path in charts.unmapped_fields(release.fields, release.lacks("ClusterPolicy"))}
        both = (said.keys() & written.keys()) - unmapped - {"upgradePolicy", "manager"}
        assert {key: said[key] for key in both} == {key: written[key] for key in both}, file.path
        compared += 1
    assert compared >= 30
