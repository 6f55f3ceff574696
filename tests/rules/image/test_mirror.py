"""What a mirror changes of what is checked, referred to and told."""

import pytest

from tests.testing.inventories import FLEET, HEAD, files, texts
from tests.testing.judging import findings

NVCR, MIRROR, OTHER = "nvcr.io/nvidia/driver", "registry.example.com/nvidia/driver", "second.example.com/nvidia/driver"
TAG = "580-5.15.0-1111-aws-ubuntu22.04"
POOL = "nodeSelector: {example.com/pool: a}, nodeImage: aws"
OWN = f"{POOL}, driver: {{repository: {MIRROR}}}"
IMAGES = "one/gpu-operator/drivergate-images.yaml"


def repository(kind: str, pool: str = OWN, *, of: str = NVCR, more: str = "", **changed: str) -> dict[str, str]:
    fleet = f"{FLEET}mirrors:\n  {MIRROR}: {{of: {of}, kind: {kind}}}\n{more}"
    return {**files(pool, fleet=fleet), **{f"inventory/{name}.yaml": text for name, text in changed.items()}}


def catalog(repository: str, *lines: str) -> str:
    images = "images:\n" + "".join(f"  - {line}\n" for line in lines) if lines else "images: []\n"
    return f"{HEAD}kind: ImageCatalog\nrepository: {repository}\n{images}"


def told(files: dict[str, str]) -> list[tuple[str, str]]:
    return [(one.rule, one.message) for one in findings(files)]


def rules(files: dict[str, str]) -> list[str]:
    return [rule for rule, _ in told(files)]


BUILT = f'{{tag: "{TAG}", platforms: [linux/amd64]}}'


def test_a_copy_is_asked_for_its_own_images() -> None:
    assert rules(repository("copy", copies=catalog(MIRROR, BUILT))) == []
    assert rules(repository("copy", copies=catalog(MIRROR, BUILT), catalog=catalog(NVCR))) == []
    ((rule, message),) = told(repository("copy"))
    assert rule == "image/missing"
    assert f"no catalog lists images of {MIRROR}, but it is built upstream and not copied ({NVCR}," in message


def test_an_image_that_left_a_copy_is_still_upstream() -> None:
    gone = f'{{tag: "{TAG}", platforms: [linux/amd64], gone: true}}'
    ((rule, message),) = told(repository("copy", copies=catalog(MIRROR, gone)))
    assert rule == "image/gone"
    assert f"it is gone from {MIRROR} (inventory/copies.yaml:5), but it is built upstream" in message
    ((_, message),) = told(repository("copy", copies=catalog(MIRROR, gone), catalog=catalog(NVCR, gone)))
    assert "nor is it known to be built for that upstream" in message


def test_a_copy_without_any_known_upstream() -> None:
    ((_, message),) = told(repository("copy", of="elsewhere.example/driver/driver"))
    assert message.endswith(f"{MIRROR}, and no catalog says what its upstream elsewhere.example/driver/driver has")


def test_a_proxy_has_what_its_upstream_has() -> None:
    assert rules(repository("proxy")) == []
    ((rule, message),) = told(repository("proxy", catalog=catalog(NVCR)))
    assert rule == "image/missing"
    assert f"the catalog of {NVCR}, the upstream of {MIRROR} (kind: proxy), does not list it" in message


def test_what_a_proxy_lists_of_itself_proves_nothing() -> None:
    found = repository("proxy", proxied=catalog(MIRROR, BUILT), catalog=catalog(NVCR))
    assert sorted(rules(found)) == ["catalog/of-mirror", "image/missing"]


@pytest.mark.parametrize("kind", ["copy", "proxy"])
def test_references_name_the_mirror_that_a_pool_names(kind: str) -> None:
    assert f"{MIRROR}:{TAG}" in texts(repository(kind, copies=catalog(MIRROR, BUILT)))[IMAGES]


def test_references_stay_the_upstreams_where_nodes_are_sent_to_a_mirror() -> None:
    made = repository("node", POOL)
    assert rules(made) == []
    written = texts(made)[IMAGES]
    assert f"{NVCR}:{TAG}" in written
    assert MIRROR not in written


def test_a_pool_that_names_a_node_mirror_is_told_how_nodes_are_sent_to_it() -> None:
    (finding,) = findings(repository("node"))
    assert finding.rule == "image/node-mirror"
    assert f"set driver.repository: {NVCR}" in finding.hint
    assert "on OpenShift an ImageTagMirrorSet: an ImageDigestMirrorSet sends digests only" in finding.hint


def test_a_chain_is_followed_to_where_images_are_known() -> None:
    second = f"  {OTHER}: {{of: {MIRROR}, kind: proxy}}\n"
    pool = OWN.replace(MIRROR, OTHER)
    copied = repository("copy", pool, more=second, copies=catalog(MIRROR, BUILT))
    assert rules(copied) == []
    ((rule, message),) = told(repository("copy", pool, more=second, copies=catalog(MIRROR)))
    assert rule == "image/missing"
    assert (
        f"the catalog of {MIRROR}, the upstream of {OTHER} (kind: proxy), does not list it, but it is built" in message
    )


@pytest.mark.parametrize(
    ("kind", "pool", "of", "used"),
    [
        ("proxy", OWN, NVCR, True),
        ("proxy", POOL, NVCR, False),
        ("node", POOL, NVCR, True),
        ("node", POOL, "ghcr.io/nvidia/driver", False),
        # The driver manager that operator v26.7.0 runs where nobody names one (its chart's values).
        ("node", POOL, "nvcr.io/nvidia/cloud-native/k8s-driver-manager", True),
    ],
)
def test_a_mirror_that_no_image_comes_by(kind: str, pool: str, of: str, used: bool) -> None:
    assert ("inventory/unused-mirror" in rules(repository(kind, pool, of=of))) is not used


def test_a_typing_error_in_a_mirrors_name_is_seen() -> None:
    pool = OWN.replace(MIRROR, MIRROR.replace("registry", "regstry"))
    found = [one for one in findings(repository("proxy", pool)) if one.rule == "image/missing"]
    assert [one.hint for one in found] == [f'correct the repository (did you mean "{MIRROR}"?)']
