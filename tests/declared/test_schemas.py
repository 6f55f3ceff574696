"""The committed JSON Schemas: as the model is, and of use to an editor, which reads YAML by itself."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from generator.declared.inventory import load
from generator.declared.model import KINDS, SLUGS, strict_schema
from generator.declared.modelparts import API_VERSION
from generator.facts.data import schema_json
from tests.testing import schemas
from tests.testing.shared import REPO

SAMPLES = sorted((REPO / "inventory").rglob("*.yaml"))


def document(path: Any) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def errors(value: dict[str, Any]) -> list[Any]:
    return list(jsonschema_rs.validator_for(schema_json(SLUGS[value["kind"]])).iter_errors(value))


def test_they_are_what_the_model_says() -> None:
    assert schemas.outdated() == []


def test_each_kind_has_one_that_is_a_schema() -> None:
    assert set(SLUGS) == set(KINDS)
    for slug in SLUGS.values():
        jsonschema_rs.meta.validate(schema_json(slug))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(REPO)))
def test_they_accept_every_sample(path: Any) -> None:
    assert errors(document(path)) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(REPO)))
def test_every_sample_names_the_schema_of_its_kind(path: Any) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    named = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / named).resolve() == REPO / "docs" / "schemas" / f"{SLUGS[document(path)['kind']]}.json"


def test_the_samples_are_of_every_kind() -> None:
    assert {document(path)["kind"] for path in SAMPLES} == set(KINDS)


CLUSTER = document(REPO / "inventory" / "clusters" / "onprem-muc.yaml")
FLEET = document(REPO / "inventory" / "fleet.yaml")
IMAGE = document(REPO / "inventory" / "node-images" / "aws-ubuntu2404.yaml")
WORKLOADS = document(REPO / "inventory" / "workloads" / "inference.yaml")
CATALOG = {
    "apiVersion": "drivergate.dev/v1alpha1",
    "kind": "ImageCatalog",
    "repository": "nvcr.io/nvidia/driver",
    "images": [{"tag": "580-6.8.0-1050-aws-ubuntu24.04"}],
}


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        (CLUSTER, ("pool",), {}),
        (CLUSTER, ("name",), "../elsewhere"),
        (CLUSTER, ("apiVersion",), "v1"),
        (CLUSTER, ("operator",), {"driverApi": "nvidiadriver"}),
        (CLUSTER, ("pools", "gh200-arm", "arch"), ["aarch64"]),
        (CLUSTER, ("pools", "gh200-arm", "arch"), []),
        (CLUSTER, ("pools", "gh200-arm", "nodes"), -1),
        (CLUSTER, ("pools", "gh200-arm", "nodes"), {"min": 1}),
        (CLUSTER, ("pools", "gh200-arm", "nodeSelector"), {"pool": None}),
        (CLUSTER, ("pools", "gh200-arm", "driver"), {"version": 550.54}),
        (CLUSTER, ("pools", "gh200-arm", "driver"), {"mode": "vgpu"}),
        (CLUSTER, ("pools", "gh200-arm", "driver"), {"upgradePolicy": {"maxUnavailable": "125%"}}),
        (CLUSTER, ("silenced",), [{"rule": "image/missing"}]),
        (FLEET, ("defaults", "drivers"), {}),
        (FLEET, ("profiles", "openshift", "operator", "install"), "argocd"),
        (WORKLOADS, ("workloads", "chat", "owner"), "Deployment"),
        (WORKLOADS, ("workloads", "chat", "replicas"), "4"),
        (WORKLOADS, ("workloads", "chat", "disruptionBudget"), {"existing": {"maxUnavailable": "101%"}}),
        (WORKLOADS, ("workloads", "chat", "disruptionBudget"), [{"rendered": {"minAvailable": 1}}]),
        (WORKLOADS, ("workloads", "chat", "nodeSelectorTerms"), [{"matchLabels": {"a": "b"}}]),
        (IMAGE, ("os",), {"id": "ubuntu", "version": 24.04}),
        (IMAGE, ("running",), "2026.04"),
        (CATALOG, ("images", 0, "digest"), "sha256:abc"),
        (CATALOG, ("images", 0, "arch"), "amd64"),
    ],
)
def test_they_refuse_what_is_broken(base: dict[str, Any], path: tuple[str | int, ...], value: Any) -> None:
    broken: Any = copy.deepcopy(base)
    inner = broken
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert errors(broken) != []


def texts(wanted: Any, path: tuple[str | int, ...], defs: dict[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """The path of every place of a document where the model wants text and nothing else."""
    while "$ref" in wanted:
        wanted = defs[wanted["$ref"].rpartition("/")[2]]
    if wanted.get("type") == "string":
        yield path
    for key, inner in wanted.get("properties", {}).items():
        yield from texts(inner, (*path, key), defs)
    if isinstance(extra := wanted.get("additionalProperties"), dict):
        yield from texts(extra, (*path, "key"), defs)
    if "items" in wanted:
        yield from texts(wanted["items"], (*path, 0), defs)


def put(value: Any, path: tuple[str | int, ...], leaf: Any) -> Any:
    """The same with a leaf at a path, which is made where it isn't there."""
    if not path:
        return leaf
    step, *rest = path
    if step == 0:
        return [put((value or [None])[0], (*rest,), leaf)]
    inner = dict(value or {})
    return {**inner, step: put(inner.get(step), (*rest,), leaf)}


SMALL = {
    "Fleet": {"name": "f"},
    "NodeImage": {"name": "n", "os": {"id": "a", "version": "b"}, "arch": ["amd64"], "kernels": {}, "running": []},
    "Cluster": {"name": "c"},
    "Workloads": {
        "team": "t",
        "workloads": {"key": {"namespace": "a", "owner": {"kind": "Job"}, "runsOn": {"pools": ["a"]}}},
    },
    "ImageCatalog": {"repository": "example.com/a", "images": [{"tag": "580-5.15.0-1-aws-ubuntu22.04"}]},
}
NEEDED = {"os": {"id": "a", "version": "b"}, "gpu": {"family": "a"}}
REQUIREMENT = {"key": "a", "operator": "Exists"}
NEEDED_IN_LISTS = {
    "silenced": {"rule": "a", "reason": "b"},
    "matchExpressions": REQUIREMENT,
    "matchFields": REQUIREMENT,
}
PLACES = [(kind, path) for kind in KINDS for path in texts({"$ref": f"/{kind}"}, (), strict_schema(kind)["$defs"])]


def with_neighbours(value: Any) -> Any:
    """The mappings on the way to a leaf with the keys that they need."""
    if isinstance(value, list):
        return [with_neighbours(one) for one in value]
    if not isinstance(value, dict):
        return value
    full = {key: with_neighbours(inner) for key, inner in value.items()}
    full |= {
        key: {**needed, **full[key]} for key, needed in NEEDED.items() if key in full and "resource" not in full[key]
    }
    for key, needed in NEEDED_IN_LISTS.items():
        if key in full:
            full[key] = [{**needed, **one} for one in full[key]]
    return full


@pytest.mark.parametrize("leaf", ["535", "true", "-1", "x"])
@pytest.mark.parametrize(("kind", "path"), PLACES, ids=str)
def test_they_accept_without_quotes_exactly_what_drivergate_accepts(
    kind: str, path: tuple[str | int, ...], leaf: str
) -> None:
    body = with_neighbours(put(SMALL[kind], path, "LEAF"))
    text = json.dumps({"apiVersion": API_VERSION, "kind": kind, **body}).replace('"LEAF"', leaf)
    file = "inventory/a.yaml"
    mistakes = [one for one in load({file: text.encode()}).findings if one.rule.endswith(("/schema", "/quoting"))]
    assert (errors(yaml.safe_load(text)) == []) is (mistakes == []), (text, mistakes)


def test_they_say_so_of_the_texts_that_people_write_without_quotes() -> None:
    for path, value in ((("ring",), 1), (("pools", "gh200-arm", "driver", "branch"), 535)):
        assert errors(put(CLUSTER, path, value)) == []
    assert errors(put(CLUSTER, ("pools", "gh200-arm", "nodeSelector", "nvidia.com/gpu.present"), True)) == []
    assert errors(put(CLUSTER, ("name",), -1)) != []


@pytest.mark.parametrize("kind", list(KINDS))
def test_notes_and_anchors_are_anybodys(kind: str) -> None:
    bases = {"Fleet": FLEET, "NodeImage": IMAGE, "Cluster": CLUSTER, "Workloads": WORKLOADS, "ImageCatalog": CATALOG}
    base = bases[kind]
    assert errors({**base, "x-common": {"a": 1}}) == []
    assert errors({key: value for key, value in base.items() if key != "kind"} | {"kind": kind, "common": {}}) != []


def test_the_script_writes_what_is_not_up_to_date_and_removes_what_is_no_kinds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schemas, "FOLDER", tmp_path / "schemas")
    assert schemas.main(["--check"]) == 1
    assert capsys.readouterr().out.count("is not up to date") == len(KINDS)
    assert schemas.main([]) == 0
    (tmp_path / "schemas" / "pool.json").write_text("{}\n", encoding="utf-8")
    assert schemas.outdated() == ["pool.json"]
    assert schemas.main([]) == 0
    assert schemas.main(["--check"]) == 0
