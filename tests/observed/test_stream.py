import json

import pytest

from generator.observed.stream import Item, items
from generator.observed.unreadable import Unreadable

PODS = [{"kind": "Pod", "metadata": {"name": f'p{number} }}]] \\" é'}} for number in range(3)]
LIST = {"apiVersion": "v1", "items": PODS, "kind": "List", "metadata": {"resourceVersion": ""}}


def read(data: bytes, size: int = 7) -> list[Item | Unreadable]:
    return list(items(data[start : start + size] for start in range(0, len(data), size)))


def reason(data: bytes) -> str:
    last = read(data)[-1]
    assert isinstance(last, Unreadable)
    return last.reason


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 64, 100_000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_items_however_the_text_is_cut_and_written(indent, size, encoding):
    data = json.dumps(LIST, indent=indent, ensure_ascii=False).encode(encoding)
    assert read(data, size) == [Item("Pod", pod) for pod in PODS]


def test_one_object():
    assert read(json.dumps(PODS[0]).encode()) == [Item("Pod", PODS[0])]


def test_several_documents_in_a_row():
    data = b"\n".join(json.dumps(document).encode() for document in (PODS[0], LIST))
    assert read(data) == [Item("Pod", pod) for pod in (PODS[0], *PODS)]


@pytest.mark.parametrize("keys", [("kind", "items"), ("items", "kind")])
def test_the_items_of_the_api_servers_own_lists_dont_repeat_their_kind(keys):
    document = {"kind": "NodeList", "items": [{"metadata": {"name": "n1"}}]}
    data = json.dumps({key: document[key] for key in keys}).encode()
    assert read(data) == [Item("Node", {"metadata": {"name": "n1"}})]


def test_an_empty_list_is_no_mistake():
    assert read(b'{"kind": "List", "items": []}') == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"  \n", "it is empty"),
        (b"kind: Pod\n", "it is YAML, not JSON"),
        (b"error: You must be logged in", "it is no JSON"),
        (b"[]", "it is JSON, but no object of a cluster and no List"),
        (b'{"kind": "List", "items": [1]}', "it is no JSON"),
        (b'{"kind": "List" "items": []}', "it is no JSON"),
        (json.dumps(LIST).encode()[:60], "it ends before its first object does"),
        (json.dumps(LIST).encode()[:90], "it ends in the middle of object 2"),
        (json.dumps(LIST).encode()[:-1], "it ends in the middle of object 4"),
        (json.dumps(PODS[0]).encode()[:-1], "it ends before its first object does"),
        (b'{"kind": "Pod", "a": "\xff"}', "it is no JSON"),
        (b'{"a":' * 200_000, "it is no JSON"),
    ],
)
def test_what_can_not_be_read(data, said):
    assert reason(data) == said
