"""Our client against a registry that we didn't write."""

from pathlib import Path

import pytest

from generator.cli.looking import look
from generator.edges.parallel import each
from generator.edges.registry.client import Absent, Missing
from generator.observed.image import BuiltImage
from tests.testing.registry import images
from tests.testing.registry.pusher import Pusher
from tests.testing.registry.sessions import session

TAG = "580-6.8.0-106-generic-ubuntu24.04"


def test_an_index_of_two_platforms_and_an_attestation(tmp_path: Path, open_registry: str, pusher: Pusher) -> None:
    older = images.image(images.config("arm64", images.ubuntu_env("6.8.0-106-generic", "580.126.09")))
    both = images.index({"linux/amd64": images.image(), "linux/arm64/v8": older}, attested=True)
    digest = pusher.push("index/driver", TAG, both)
    with session(tmp_path) as registries:
        found = look(registries.repository(f"{open_registry}/index/driver"), TAG)
    assert found == BuiltImage(
        tag=TAG,
        platforms=("linux/amd64", "linux/arm64"),
        digest=digest,
        driver_version="580.126.09",
        kernel="6.8.0-106-generic",
        notes=("the driver differs: 580.126.20 on linux/amd64, 580.126.09 on linux/arm64",),
    )


@pytest.mark.parametrize("form", images.FORMS)
def test_each_of_the_four_forms(tmp_path: Path, open_registry: str, pusher: Pusher, form: str) -> None:
    tag = form.replace("/", "-").replace("+", "-")
    digest = pusher.push("forms/driver", tag, images.in_form(form))
    with session(tmp_path) as registries:
        repository = registries.repository(f"{open_registry}/forms/driver")
        found = look(repository, tag)
        assert repository.digest(tag) == digest
    assert isinstance(found, BuiltImage)
    assert (found.digest, found.platforms, found.driver_version) == (digest, ("linux/amd64",), "580.126.20")


def test_what_is_missing_is_told_from_what_was_never_there(tmp_path: Path, open_registry: str, pusher: Pusher) -> None:
    pusher.push("missing/driver", TAG, images.image())
    with session(tmp_path) as registries:
        repository = registries.repository(f"{open_registry}/missing/driver")
        assert repository.digest("580-6.8.0-107-generic-ubuntu24.04") == Missing(Absent.TAG)
        assert look(repository, "580-6.8.0-107-generic-ubuntu24.04") == Missing(Absent.TAG)
        assert registries.repository(f"{open_registry}/missing/nothing").tags() == Missing(Absent.REPOSITORY)


def test_all_tags_are_looked_at_four_at_once(tmp_path: Path, open_registry: str, pusher: Pusher) -> None:
    pushed = {}
    for abi in range(40):
        kernel = f"6.8.0-{abi}-generic"
        tag = f"580-{kernel}-ubuntu24.04"
        config = images.config(env=images.ubuntu_env(kernel, "580.126.20"))
        pushed[tag] = pusher.push("many/driver", tag, images.image(config))
    with session(tmp_path) as registries:
        repository = registries.repository(f"{open_registry}/many/driver")
        listed = repository.tags()
        assert not isinstance(listed, Missing)
        found = dict(each(listed, lambda tag: look(repository, tag)))
    assert {tag: one.digest for tag, one in found.items() if isinstance(one, BuiltImage)} == pushed
    assert all(one.kernel in tag for tag, one in found.items() if isinstance(one, BuiltImage))
