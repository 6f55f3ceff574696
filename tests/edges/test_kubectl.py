"""The real kubectl against a server of ours; what it prints when it is refused is its own."""

import json
import os
import shutil
from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.kubectl import Kubectl, kubectl_at, listed
from tests.testing.api_server import ApiServer, status

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")


def at(config: Path, context: str = "") -> Kubectl:
    return kubectl_at(context, {**os.environ, "KUBECONFIG": str(config)})


def names(kubectl: Kubectl, resource: str, **options: str) -> list[str] | None:
    pages = listed(kubectl, resource, **options)
    return None if pages is None else [one["metadata"]["name"] for page in pages for one in json.loads(page)["items"]]


def test_every_page_is_read_and_nothing_but_read(tmp_path: Path) -> None:
    nodes = [{"metadata": {"name": f"n{number}"}} for number in range(1203)]
    with ApiServer({"/api/v1/nodes": nodes}) as server:
        assert names(at(server.kubeconfig(tmp_path / "config")), "nodes") == [f"n{number}" for number in range(1203)]
        assert [line for line in server.asked if not line.startswith("GET ")] == []
        assert len([line for line in server.asked if "/api/v1/nodes" in line]) == 3


def test_a_namespace_narrows(tmp_path: Path) -> None:
    with ApiServer({"/apis/apps/v1/namespaces/gpu-operator/daemonsets": [{"metadata": {"name": "d"}}]}) as server:
        config = at(server.kubeconfig(tmp_path / "config"))
        assert names(config, "daemonsets", namespace="gpu-operator") == ["d"]


def test_a_kind_that_no_crd_defines_is_no_error(tmp_path: Path) -> None:
    with ApiServer({}) as server:
        assert names(at(server.kubeconfig(tmp_path / "config")), "nvidiadrivers") is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(403, "Forbidden", 'nodes is forbidden: User "me" cannot list'), "forbids to list nodes"),
        (status(401, "Unauthorized", "Unauthorized"), "doesn't know the user"),
        (status(503, "ServiceUnavailable", "etcd is down"), "can't be asked for nodes"),
        ((200, b'{"items": ['), "no JSON list"),
    ],
)
def test_what_cannot_be_seen_is_never_told_as_absent(answer: tuple, said: str, tmp_path: Path) -> None:
    with ApiServer({"/api/v1/nodes": answer}) as server, pytest.raises(CouldNotLookError) as raised:
        names(at(server.kubeconfig(tmp_path / "config")), "nodes")
    assert said in raised.value.message
    assert raised.value.hint
    assert raised.value.exit_code == 3


def test_an_unreachable_cluster(tmp_path: Path) -> None:
    with ApiServer({}) as server:
        config = server.kubeconfig(tmp_path / "config")
    with pytest.raises(CouldNotLookError, match="can't be asked for nodes"):
        names(at(config), "nodes")


def test_a_context_that_does_not_exist(tmp_path: Path) -> None:
    with ApiServer({}) as server, pytest.raises(UnreadableError) as raised:
        names(at(server.kubeconfig(tmp_path / "config"), "other"), "nodes")
    assert "no context `other`" in raised.value.message
    assert raised.value.exit_code == 2


def test_contexts_are_told_apart(tmp_path: Path) -> None:
    with ApiServer({"/api/v1/nodes": []}) as server:
        assert names(at(server.kubeconfig(tmp_path / "config", "one", "two"), "two"), "nodes") == []


def test_without_a_context_nothing_is_said_of_the_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pod kubectl takes its service account only where no flag and no kubeconfig says anything else."""
    asked = tmp_path / "kubectl"
    asked.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/argv\necho "{{}}"\n', encoding="utf-8")
    asked.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    pages = listed(kubectl_at("", os.environ), "nodes")
    assert pages is not None
    assert list(pages) == [b"{}\n"]
    assert (tmp_path / "argv").read_text().split() == ["get", "--raw", "/api/v1/nodes?limit=500"]


def test_no_kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CouldNotLookError, match="is it installed"):
        listed(kubectl_at("", {}), "nodes")
