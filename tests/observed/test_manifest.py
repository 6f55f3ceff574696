"""Manifests: OCI image-spec image-index.md and manifest.md, distribution docs/spec/manifest-v2-2.md."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.observed.manifest import Image, Index, Member, Unreadable, parse, platform
from tests.testing.registry import images

DIGEST = f"sha256:{'a' * 64}"
SCHEMA_1 = "application/vnd.docker.distribution.manifest.v1+prettyjws"


@pytest.mark.parametrize("docker", [False, True])
def test_an_image(docker: bool) -> None:
    one = images.image(docker=docker)
    assert parse(one.media_type, one.body) == Image(images.digest(one.blobs[0]))


@pytest.mark.parametrize("docker", [False, True])
def test_an_index_without_its_attestation(docker: bool) -> None:
    """docs.docker.com/build/metadata/attestations/attestation-storage: platform unknown/unknown, and an annotation."""
    amd, arm = images.image(docker=docker), images.image(images.config("arm64"), docker=docker)
    both = images.index({"linux/amd64": amd, "linux/arm64/v8": arm}, docker=docker, attested=True)
    assert parse(both.media_type, both.body) == Index(
        (Member(amd.digest, "linux/amd64"), Member(arm.digest, "linux/arm64"))
    )


@pytest.mark.parametrize(
    "extra",
    [
        {"platform": {"os": "unknown", "architecture": "unknown"}},
        {"annotations": {"vnd.docker.reference.type": "attestation-manifest"}},
        {"platform": {"os": "linux", "architecture": "amd64"}, "annotations": {"vnd.docker.reference.type": "x"}},
    ],
)
def test_each_mark_of_an_attestation(extra: dict[str, object]) -> None:
    body = json.dumps({"manifests": [{"digest": DIGEST, **extra}]}).encode()
    assert parse("application/vnd.oci.image.index.v1+json", body) == Index(())


def test_an_entry_without_a_platform_is_kept() -> None:
    body = json.dumps({"manifests": [{"digest": DIGEST}, {"digest": ""}]}).encode()
    assert parse("application/vnd.oci.image.index.v1+json", body) == Index((Member(DIGEST, ""),))


@pytest.mark.parametrize("media_type", ["", "application/json", "text/plain", "application/octet-stream"])
def test_what_a_manifest_calls_itself_counts_where_the_registry_is_silent(media_type: str) -> None:
    one = images.image()
    assert parse(media_type, one.body) == Image(images.digest(one.blobs[0]))
    assert isinstance(parse(media_type, images.index({"linux/amd64": one}).body), Index)
    nameless = json.dumps({"config": {"digest": DIGEST}}).encode()
    assert parse(media_type, nameless) == Image(DIGEST)


@pytest.mark.parametrize(
    ("media_type", "body", "why"),
    [
        (SCHEMA_1, b'{"schemaVersion": 1, "fsLayers": []}', "schema 1"),
        (images.OCI_MANIFEST, b"", "cut off"),
        (images.OCI_MANIFEST, b'{"config": {"digest": "sha', "cut off"),
        (images.OCI_MANIFEST, b"[]", "no manifest"),
        (images.OCI_MANIFEST, b'{"config": "a"}', "no manifest"),
        (images.OCI_MANIFEST, b"{}", "neither"),
        (images.OCI_MANIFEST, b'{"manifests": []}', "neither"),
        (images.OCI_INDEX, b'{"config": {"digest": "a"}}', "neither"),
        (images.OCI_MANIFEST, b"\xff", "cut off"),
    ],
)
def test_what_tells_nothing(media_type: str, body: bytes, why: str) -> None:
    found = parse(media_type, body)
    assert isinstance(found, Unreadable)
    assert why in found.reason


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("linux", "amd64"), "linux/amd64"),
        (("linux", "arm64", "v8"), "linux/arm64"),
        (("linux", "amd64", "v1"), "linux/amd64"),
        (("linux", "arm", "v7"), "linux/arm/v7"),
        (("linux", "amd64", "v3"), "linux/amd64/v3"),
        (("linux", ""), ""),
        (("", "amd64"), ""),
    ],
)
def test_platforms_as_catalogs_write_them(parts: tuple[str, ...], expected: str) -> None:
    assert platform(*parts) == expected


@given(st.binary(max_size=200), st.sampled_from(["", *images.FORMS, SCHEMA_1]))
def test_any_bytes_are_answered(body: bytes, media_type: str) -> None:
    assert isinstance(parse(media_type, body), Image | Index | Unreadable)
