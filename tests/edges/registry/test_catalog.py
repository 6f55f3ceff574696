"""The catalog's verbs against Debian's registry."""

from pathlib import Path

import pytest

from tests.testing.command import Exit
from tests.testing.registry import keeping
from tests.testing.registry.images import config, image, index, ubuntu_env
from tests.testing.registry.keeping import OTHERS, A, B, Capture, Kept, built, line
from tests.testing.registry.pusher import Pusher


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


@pytest.fixture
def kept(tmp_path: Path, capfd: Capture, open_registry: str) -> Kept:
    return Kept(tmp_path / "r", capfd, open_registry, path=f"catalog/{tmp_path.name.replace('_', '-')}")


def test_from_nothing_to_pushed_again_to_gone(kept: Kept, pusher: Pusher) -> None:
    path = kept.name.partition("/")[2]
    absent = kept.sync()
    assert (absent.code, "knows no repository" in absent.err) == (1, True)
    both = index({"linux/amd64": built(A), "linux/arm64": built(A, arch="arm64")}, attested=True)
    docker = image(config(env=ubuntu_env("6.8.0-1053-aws", "580.126.20")), docker=True)
    pusher.push(path, A, both)
    pusher.push(path, B, docker)
    pusher.push(path, OTHERS, built(OTHERS))
    assert kept.sync().code == 0
    assert kept.lines == [line(A, both, platforms="linux/amd64, linux/arm64"), line(B, docker)]
    assert kept.sync("--check").code == 0
    again = built(A, "580.159.04")
    pusher.push(path, A, again)
    pusher.delete(path, docker.digest)
    assert kept.call("verify").code == 1
    called = kept.sync()
    assert [one.split()[0] for one in called.out.splitlines()[:2]] == ["re-pushed", "gone"]
    assert kept.lines == [
        line(A, again, version="580.159.04"),
        line(B, docker).replace("}", ", gone: true}"),
    ]
    assert kept.call("verify") == Exit(0, f"{kept.name}: 2 as listed\n", "")
