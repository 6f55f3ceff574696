import json

import pytest

from generator.observed.node import Node, Taint, parse
from generator.observed.unreadable import Unreadable

# As `kubectl get node -o json` prints it (kubernetes api/core/v1 Node), cut to what could matter.
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "labels": {"kubernetes.io/arch": "arm64"}, "uid": "4d5e"},
    "spec": {"taints": [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}]},
    "status": {
        "capacity": {"cpu": "64"},
        "nodeInfo": {
            "architecture": "arm64",
            "kernelVersion": "5.14.0-284.54.1.el9_2.aarch64+64k",
            "osImage": "Red Hat Enterprise Linux CoreOS 415.92",
        },
    },
}
PARSED = Node(
    name="n1",
    labels={"kubernetes.io/arch": "arm64"},
    taints=(Taint("nvidia.com/gpu", "NoSchedule", "present"),),
    resources=frozenset({"cpu"}),
    architecture="arm64",
    kernel="5.14.0-284.54.1.el9_2.aarch64+64k",
    os_image="Red Hat Enterprise Linux CoreOS 415.92",
)


def reason(data: bytes) -> str:
    found = parse(data)
    assert isinstance(found, Unreadable)
    assert "kubectl get node NAME -o json" in found.hint
    return found.reason


def test_one_node() -> None:
    assert parse(json.dumps(NODE).encode()) == (PARSED,)


def test_a_list_of_kubectl_with_other_objects_in_it() -> None:
    text = json.dumps({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "p"}}, NODE, NODE]})
    assert parse(text.encode()) == (PARSED, PARSED)


def test_the_api_servers_list_leaves_the_kind_of_items_out() -> None:
    item = {key: value for key, value in NODE.items() if key not in {"kind", "apiVersion"}}
    assert parse(json.dumps({"kind": "NodeList", "items": [item]}).encode()) == (PARSED,)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_what_windows_shells_write(codec: str) -> None:
    assert parse(json.dumps(NODE).encode(codec)) == (PARSED,)


def test_a_node_that_has_said_nothing_yet() -> None:
    assert parse(b'{"kind": "Node", "metadata": {"name": "n1", "labels": null}, "status": {}}') == (
        Node(name="n1", labels={}),
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "it is empty"),
        (b"apiVersion: v1\nkind: Node\n", "it is YAML, not JSON"),
        (b"---\nmetadata: {}\n", "it is YAML, not JSON"),
        (b"NAME   STATUS   ROLES\nn1     Ready    <none>\n", "it is no JSON"),
        (b'{"kind": "Node"', "it is no JSON"),
        (b'{"kind": "Node", "metadata": {"name": "\xff"}}', "it is no JSON"),
        (b'{"kind": "Pod", "metadata": {"name": "p"}}', "it holds a Pod, no Node"),
        (b'{"items": []}', "it holds a list without a node"),
        (b'{"kind": "List", "items": []}', "it holds a List without a node"),
        (b'{"kind": "PodList", "items": [{"metadata": {"name": "p"}}]}', "it holds a PodList without a node"),
        (b"{}", "it holds an object without a kind"),
        (b'{"kind": "Node"}', "it holds a node without metadata.name"),
    ],
)
def test_what_holds_no_node(data: bytes, told: str) -> None:
    assert reason(data) == told


@pytest.mark.parametrize("data", [b"[]", b"3", b'"Node"', b'{"kind": "Node", "metadata": {"labels": []}}'])
def test_json_of_another_shape(data: bytes) -> None:
    assert reason(data) == "it is JSON, but no node"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"kind": "Node", "metadata": {"labels": {"a": 1}}}', "label a is 1, and labels are text"),
        (
            b'{"items": [{"metadata": {"name": "n1"}}, {"metadata": {"name": "n2", "labels": {"a": true}}}]}',
            "label a of node n2 is true, and labels are text",
        ),
        (b'{"kind": "Node", "metadata": {"labels": {"a": null}}}', "label a is null, and labels are text"),
        (b'{"kind": "Node", "metadata": {"labels": {"a": 1}}', "it is no JSON"),
    ],
)
def test_a_label_that_is_no_text_is_named(data: bytes, told: str) -> None:
    assert reason(data) == told


def test_no_depth_of_nesting_is_a_bug() -> None:
    assert isinstance(parse(b'{"kind": "Node", "spec": ' + b"[" * 100_000), Unreadable)
