"""Objects that no API server wrote: each is named with what is wrong, and none is a crash."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.audited import KERNEL, driver_pod, node
from tests.testing.command import call
from tests.testing.planning import catalog, files, pool, tag

Capture = pytest.CaptureFixture[str]
DRIVER = {
    "kind": "NVIDIADriver",
    "metadata": {"name": "a"},
    "spec": {"version": "580", "nodeSelector": {"x/y": "a"}, "upgradePolicy": {"drain": {}, "waitForCompletion": {}}},
}
HALF = "\ud800"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    laid = files(pool(f"arch: [amd64], kernels: [{KERNEL}]"), **{"inventory/catalog.yaml": catalog(tag(KERNEL))})
    for path, text in laid.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def put(value: dict[str, Any], path: str, odd: object) -> dict[str, Any]:
    """The object with another value at a path of dots."""
    copy: dict[str, Any] = json.loads(json.dumps(value))
    *above, last = path.split(".")
    inner = copy
    for key in above:
        inner = inner[key]
    inner[last] = odd
    return copy


@pytest.mark.parametrize(
    ("item", "path", "odd", "why"),
    [
        (DRIVER, "spec.nodeSelector", True, "NVIDIADriver a is not as an API server writes it: spec.nodeSelector"),
        (DRIVER, "spec.version", -1, "spec.version must be a string, not -1"),
        (DRIVER, "spec.upgradePolicy.maxUnavailable", [], "spec.upgradePolicy.maxUnavailable must be"),
        (DRIVER, "spec.upgradePolicy.waitForCompletion.podSelector", 0.5, "podSelector must be a string, not 0.5"),
        (DRIVER, "spec.upgradePolicy.drain.podSelector", [1], "spec.upgradePolicy.drain.podSelector must be a string"),
        (DRIVER, "spec.upgradePolicy", HALF, "NVIDIADriver a holds half a character"),
        (DRIVER, "metadata", HALF, "a NVIDIADriver holds half a character"),
        (node("n1"), "metadata", HALF, "a Node holds half a character"),
        (node("n1"), "metadata.labels", "100m", "it is JSON, but no node"),
        (driver_pod("n1"), "metadata.labels", "100m", "Pod gpu-operator/driver-n1 is not as an API server writes it"),
    ],
)
@pytest.mark.parametrize("verb", [("audit",), ("upgrade", "status"), ("upgrade", "simulate")])
def test_an_object_of_a_wrong_shape_is_named(
    root: Path, capfd: Capture, verb: tuple[str, ...], item: dict[str, Any], path: str, odd: object, why: str
) -> None:
    seen = root / "dump"
    seen.mkdir()
    others = [one for one in (node("n2"), DRIVER) if one["kind"] != item["kind"]]
    listed = {"kind": "List", "apiVersion": "v1", "items": [put(item, path, odd), *others]}
    (seen / "all.json").write_text(json.dumps(listed), encoding="utf-8")
    called = call(capfd, *verb, "--cluster", "one", "--dump", str(seen), root=root)
    assert (called.code, called.out) == (2, "")
    assert why in called.err


def test_what_is_no_file_of_a_dump_is_named_and_the_rest_is_read(root: Path, capfd: Capture) -> None:
    seen = root / "dump"
    seen.mkdir()
    (seen / "nodes.json").write_text(json.dumps(node("n1")), encoding="utf-8")
    (seen / "endless.json").symlink_to("/dev/zero")
    called = call(capfd, "audit", "--cluster", "one", "--dump", str(seen), root=root)
    assert called.code == 0
    assert called.err == f"note: not read: {seen}/endless.json: it leads out of the folder\n"


def test_a_whole_character_that_json_spells_in_halves_is_one(root: Path, capfd: Capture) -> None:
    seen = root / "dump"
    seen.mkdir()
    text = json.dumps(put(node("n1"), "metadata.labels.note", "\U0001f600"))
    assert "\\ud83d" in text
    (seen / "nodes.json").write_text(text, encoding="utf-8")
    assert call(capfd, "audit", "--cluster", "one", "--dump", str(seen), root=root).code == 0


def test_every_file_may_be_yaml(root: Path, capfd: Capture) -> None:
    """What kubectl prints with -o yaml is read as what it prints with -o json: a List, an object, several documents."""
    given = {"--nodes": [node("n1"), node("n2")], "--pods": [driver_pod("n1"), driver_pod("n2")], "--drivers": [DRIVER]}
    answers = []
    for written in (json.dumps, yaml.safe_dump):
        arguments: list[str] = []
        for option, items in given.items():
            path = root / f"{option[2:]}.txt"
            path.write_text(written({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
            arguments += [option, str(path)]
        answers.append([call(capfd, *verb, *arguments, root=root) for verb in (("audit",), ("upgrade", "status"))])
    assert answers[0] == answers[1]
    assert "2 GPU nodes" in answers[0][0].out
