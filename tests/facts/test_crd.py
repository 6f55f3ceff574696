"""The field facts against the CRDs that NVIDIA ships, and how one release differs from the next."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.facts import crd
from generator.facts.definition import judge
from generator.facts.structural import expression
from generator.facts.violation import Flaw
from generator.rules.operator.changed_objects import IMMUTABLE
from tests.model.closed_schema import closed
from tests.testing import shared
from tests.testing.crds import required

KINDS = {"ClusterPolicy": "clusterpolicies.yaml", "NVIDIADriver": "nvidiadrivers.yaml"}
EVERY = [(kind, release) for kind in KINDS for release in crd.RELEASES]
VALIDATORS = {kind: jsonschema_rs.validator_for(closed(crd.schema(kind, "v26.7.0"))) for kind in KINDS}
# What the shipped facts leave out: it decides nothing.
UNSHIPPED = {"description", "x-kubernetes-map-type"}


def bare(schema: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for word, value in schema.items():
        if word == "properties":
            kept[word] = {name: bare(field) for name, field in value.items()}
        elif word in {"items", "additionalProperties"}:
            kept[word] = bare(value)
        elif word not in UNSHIPPED:
            kept[word] = value
    return kept


def nodes(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """A schema and all below it, each with the path of its field."""
    yield path, schema
    below = {word: schema[word] for word in ("items", "additionalProperties") if isinstance(schema.get(word), dict)}
    for name, part in {**schema.get("properties", {}), **below}.items():
        yield from nodes(part, (*path, name))


@pytest.mark.parametrize(("kind", "release"), EVERY)
def test_every_rule_and_pattern_of_the_operators_own_is_judged(kind: str, release: str) -> None:
    """Rules that compare with the object before by operator/immutable-change, the others here."""
    schema = crd.schema(kind, release)
    rules = [(path, rule["rule"]) for path, node in nodes(schema) for rule in node.get("x-kubernetes-validations", ())]
    kept = {path for path, text in rules if text == "self == oldSelf"}
    assert kept == ({(field,) for field in IMMUTABLE} if kind == "NVIDIADriver" else set())
    assert len(crd.definition(kind, release).checks.rules) == len(rules) - len(kept)
    assert all(expression(node["pattern"]) is not None for _, node in nodes(schema) if "pattern" in node)


@pytest.mark.parametrize(("kind", "release"), EVERY)
def test_facts_are_the_real_crd(kind: str, release: str) -> None:
    folder = shared.operator_data()
    if folder is None:
        pytest.skip("no operator data: set DRIVERGATE_OPERATOR_DATA")
    real = yaml.load((folder / release / KINDS[kind]).read_text(), yaml.CSafeLoader)
    (version,) = real["spec"]["versions"]
    definition = crd.definition(kind, release)
    assert crd.schema(kind, release) == bare(version["schema"]["openAPIV3Schema"]["properties"]["spec"])
    assert definition.api_version == f"nvidia.com/{version['name']}"
    assert definition.namespaced is (real["spec"]["scope"] == "Namespaced")
    assert (definition.group, definition.kind) == (real["spec"]["group"], real["spec"]["names"]["kind"])


# gpu-operator.md, sections 4, 7 and 9.
@pytest.mark.parametrize(
    ("kind", "path", "first"),
    [
        ("NVIDIADriver", ("kernelModuleType",), "v25.3.4"),
        ("ClusterPolicy", ("driver", "kernelModuleType"), "v25.3.4"),
        ("NVIDIADriver", ("secretEnv",), "v25.10.1"),
        ("NVIDIADriver", ("hostNetwork",), "v26.3.3"),
        ("NVIDIADriver", ("default",), "v26.7.0"),
        ("NVIDIADriver", ("upgradePolicy", "drain", "enable"), "v26.7.0"),
        ("NVIDIADriver", ("usePrecompiled",), "v24.9.2"),
        ("ClusterPolicy", ("driver", "upgradePolicy", "podDeletion"), "v24.9.2"),
    ],
)
def test_releases_with(kind: str, path: tuple[str, ...], first: str) -> None:
    assert crd.releases_with(kind, path) == crd.RELEASES[crd.RELEASES.index(first) :]


def test_fields_that_are_not_there() -> None:
    assert crd.releases_with("ClusterPolicy", ("driver", "upgradePolicy", "gpuPodDeletion")) == ()
    assert crd.releases_with("ClusterPolicy", ("driver", "nodeSelector")) == ()
    assert crd.releases_with("NVIDIADriver", ("enabled",)) == ()
    assert not crd.has_field("NVIDIADriver", "v26.7.0", ("version", "major"))


def test_paths_go_through_maps_and_lists() -> None:
    assert crd.has_field("NVIDIADriver", "v26.7.0", ("nodeSelector", "any/label"))
    assert crd.has_field("NVIDIADriver", "v26.7.0", ("env", 0, "name"))
    assert not crd.has_field("NVIDIADriver", "v26.7.0", ("env", 0, "nam"))


def test_required_by_whom_writes() -> None:
    assert required("NVIDIADriver", "v26.7.0") == ()
    assert set(required("ClusterPolicy", "v26.7.0")) == {
        "daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd", "nodeStatusExporter",
        "operator", "toolkit",
    }  # fmt: skip


def test_field_names() -> None:
    assert crd.field_names("NVIDIADriver", "v26.7.0", ("upgradePolicy",)) == (
        "autoUpgrade", "drain", "maxParallelUpgrades", "maxUnavailable", "podDeletion", "waitForCompletion",
    )  # fmt: skip
    assert crd.field_names("NVIDIADriver", "v26.7.0", ("env", 0)) == ("name", "value")
    assert crd.field_names("NVIDIADriver", "v26.7.0", ("nodeSelector",)) == ()


def test_an_earlier_patch_release_lacks_fields() -> None:
    driver, policy = frozenset({"hostNetwork"}), frozenset({"driver.hostNetwork", "toolkit.hostNetwork"})
    item = {"spec": {"hostNetwork": True}}
    (violation,) = judge(crd.definition("NVIDIADriver", "v26.3.3", driver).checks, item)
    assert (violation.path, violation.kind) == (("spec", "hostNetwork"), Flaw.UNKNOWN)
    assert not judge(crd.definition("NVIDIADriver", "v26.3.3").checks, item)
    spec = {key: {} for key in required("ClusterPolicy", "v26.3.3")}
    spec |= {"driver": {"hostNetwork": True}, "toolkit": {"hostNetwork": True}, "gfd": {"hostNetwork": True}}
    refused = judge(crd.definition("ClusterPolicy", "v26.3.3", policy).checks, {"spec": spec})
    assert {violation.path[1:] for violation in refused} == {("driver", "hostNetwork"), ("toolkit", "hostNetwork")}
    assert not crd.has_field("NVIDIADriver", "v26.3.3", ("hostNetwork",), driver)


# kubernetes.md, "The operator's CRDs at the API server".
@pytest.mark.parametrize(
    ("spec", "broken"),
    [
        ({"default": True, "nodeSelector": {"a": "b"}}, True),
        ({"default": True, "nodeSelector": {}}, False),
        ({"default": True, "nodeSelector": {"a": None}}, False),
        ({"default": False, "nodeSelector": {"a": "b"}}, False),
        ({"nodeSelector": {"a": "b"}}, False),
    ],
)
def test_a_default_object_has_no_selector(spec: dict[str, Any], *, broken: bool) -> None:
    violations = crd.violations("NVIDIADriver", "v26.7.0", spec)
    assert [(violation.path, violation.kind) for violation in violations] == ([((), Flaw.RULE)] if broken else [])


def test_default_rule_came_with_the_field() -> None:
    spec = {"default": True, "nodeSelector": {"a": "b"}}
    (found,) = crd.violations("NVIDIADriver", "v26.3.3", spec)
    assert (found.path, found.kind) == (("default",), Flaw.UNKNOWN)


def test_rules_wait_for_the_structure() -> None:
    spec = {"version": 570, "default": True, "nodeSelector": {"a": "b"}}
    found = crd.violations("NVIDIADriver", "v26.7.0", spec)
    assert [(violation.path, violation.kind) for violation in found] == [(("version",), Flaw.TYPE)]


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that nearly fit: mostly right, now and then of another type, unknown, null or out of range."""
    scalars = st.sampled_from([None, True, "", "a", "25%", "auto", "gpu", "1 core", "500m", 0, -1, 1, 1.0, 0.5, 2**31])
    if "properties" in schema:
        fields = {name: values(field) for name, field in schema["properties"].items()}
        fitting: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional=fields)
        strange = st.dictionaries(st.sampled_from(["zzz", *fields]), scalars, max_size=2)
        return st.one_of(fitting, fitting, fitting, strange, scalars)
    if "items" in schema:
        return st.one_of(st.lists(values(schema["items"]), max_size=2), scalars)
    if "additionalProperties" in schema:
        inner = st.dictionaries(st.sampled_from(["x", "y"]), values(schema["additionalProperties"]))
        return st.one_of(inner, scalars)
    return st.one_of(st.sampled_from(schema.get("enum", ["a"])), scalars)


def parts(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, field in crd.schema(kind, "v26.7.0")["properties"].items():
        if kind == "NVIDIADriver" or name in {"driver", "daemonsets", "sandboxWorkloads", "migManager"}:
            yield name, field


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_closed_schema_says_the_same(kind: str, data: st.DataObject) -> None:
    """Two implementations: our walk, and jsonschema-rs over the closed JSON Schema."""
    name, field = data.draw(st.sampled_from(list(parts(kind))))
    spec = {key: {} for key in required(kind, "v26.7.0")} | {name: data.draw(values(field))}
    found = [one for one in crd.violations(kind, "v26.7.0", spec) if one.kind is not Flaw.RULE]
    assert bool(found) is not VALIDATORS[kind].is_valid(spec), found


@given(data=st.data())
def test_defaulting_is_done_once(data: st.DataObject) -> None:
    spec = {name: data.draw(values(field)) for name, field in parts("NVIDIADriver") if "Policy" in name}
    before = repr(spec)
    once = crd.defaulted("NVIDIADriver", "v26.7.0", spec)
    assert repr(spec) == before
    assert crd.defaulted("NVIDIADriver", "v26.7.0", once) == once


def test_defaulting_never_touches_the_facts() -> None:
    once = crd.defaulted("NVIDIADriver", "v26.7.0", {"upgradePolicy": {}})
    once["upgradePolicy"]["maxUnavailable"] = "mine"
    again = crd.defaulted("NVIDIADriver", "v26.7.0", {"upgradePolicy": {}})
    assert again["upgradePolicy"]["maxUnavailable"] == "25%"
