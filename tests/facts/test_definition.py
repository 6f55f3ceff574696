"""CRDs as users give them."""

from typing import Any

import pytest
import yaml

from generator.facts import crd
from generator.facts.definition import definitions, judge
from generator.facts.violation import Flaw, dotted
from tests.testing import shared


def made(schema: Any, **spec: Any) -> dict[str, Any]:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Thing", "plural": "things"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
            **spec,
        },
    }


def kinds(schema: Any, item: dict[str, Any], **spec: Any) -> list[tuple[str, Flaw]]:
    (definition,) = definitions(made(schema, **spec))
    whole = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, **item}
    return [(dotted(found.path), found.kind) for found in judge(definition.checks, whole)]


SPEC = {"type": "object", "properties": {"size": {"type": "integer"}}}
ROOT = {"type": "object", "properties": {"spec": SPEC}}


def test_names() -> None:
    (definition,) = definitions(made(ROOT))
    assert (definition.group, definition.version, definition.kind) == ("example.com", "v1", "Thing")
    assert definition.api_version == "example.com/v1"
    assert definition.namespaced


def test_only_served_versions() -> None:
    whole = made(ROOT)
    (version,) = whole["spec"]["versions"]
    whole["spec"]["versions"] = [
        {**version, "name": "v1alpha1", "served": False},
        version,
        {**version, "name": "v2"},
    ]
    assert [definition.version for definition in definitions(whole)] == ["v1", "v2"]


@pytest.mark.parametrize(
    "other",
    [
        None,
        [],
        {"kind": "CustomResourceDefinition"},
        {**made(ROOT), "apiVersion": "apiextensions.k8s.io/v1beta1"},
        made("a text"),
        made({"type": "object", "properties": []}),
        made({"type": "object", "additionalProperties": False}),
        made({"type": "object", "required": "spec"}),
        made({"type": "object", "x-kubernetes-validations": ["self == oldSelf"]}),
        made({"type": "object", "properties": {"spec": {"type": "string", "pattern": 1}}}),
        made({"type": "object", "properties": {"spec": {"type": "string", "maxLength": "1"}}}),
        made({"type": "object", "properties": {"spec": {"type": "array", "items": 1}}}),
    ],
)
def test_anything_else_declares_nothing(other: Any) -> None:
    assert definitions(other) == ()


def test_strict() -> None:
    assert kinds(ROOT, {"spec": {"size": 1}}) == []
    assert kinds(ROOT, {"spec": {"sise": 1}}) == [("spec.sise", Flaw.UNKNOWN)]
    assert kinds(ROOT, {"data": {}}) == [("data", Flaw.UNKNOWN)]
    assert kinds(ROOT, {"spec": {"sise": 1}}, preserveUnknownFields=True) == [("spec.sise", Flaw.UNKNOWN)]
    assert kinds(ROOT, {"data": {}}, preserveUnknownFields=True) == []


def test_metadata() -> None:
    assert kinds(ROOT, {"metadata": {"name": "a", "labels": {"a": "b"}, "creationTimestamp": None}}) == []
    assert kinds(ROOT, {"metadata": {"nam": "a"}}) == [("metadata.nam", Flaw.UNKNOWN)]
    assert kinds(ROOT, {"metadata": {"labels": {"a": 1}}}) == [("metadata.labels.a", Flaw.TYPE)]
    named = {
        **ROOT,
        "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 1}}}},
    }
    assert kinds(named, {"metadata": {"name": "ab"}}) == [("metadata.name", Flaw.RANGE)]


def test_a_rule_that_is_not_known_is_not_judged() -> None:
    rule = {"rule": "self.size > 1", "message": "too small"}
    spec = {**SPEC, "x-kubernetes-validations": [rule]}
    assert kinds({"type": "object", "properties": {"spec": spec}}, {"spec": {"size": 1}}) == []


@pytest.mark.parametrize("release", crd.RELEASES)
@pytest.mark.parametrize("name", ["clusterpolicies.yaml", "nvidiadrivers.yaml"])
def test_the_operators_own(release: str, name: str) -> None:
    """A user's copy of the real CRD judges as the built-in facts do."""
    folder = shared.operator_data()
    if folder is None:
        pytest.skip("no operator data: set DRIVERGATE_OPERATOR_DATA")
    (given,) = definitions(yaml.load((folder / release / name).read_text(), yaml.CSafeLoader))
    built_in = crd.definition(given.kind, release)
    assert (given.api_version, given.namespaced) == (built_in.api_version, built_in.namespaced)
    assert given.checks.rules == built_in.checks.rules
    item = {"metadata": {"name": "a"}, "spec": {"driver": 1, "driverType": "x", "upgradePolicy": {"zzz": 1}}}
    assert judge(given.checks, item) == judge(built_in.checks, item) != ()
