import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.facts import reference
from generator.facts.reference import Reference

DIGEST = "sha256:" + "ab12" * 16


# regclient types/ref/ref_test.go TestRef and the grammar beside it.
@pytest.mark.parametrize(
    ("text", "registry", "repository", "tag", "digest"),
    [
        ("nvcr.io/nvidia/driver:580", "nvcr.io", "nvidia/driver", "580", ""),
        ("nvcr.io/nvidia/driver", "nvcr.io", "nvidia/driver", "latest", ""),
        (f"nvcr.io/nvidia/driver@{DIGEST}", "nvcr.io", "nvidia/driver", "", DIGEST),
        (f"nvcr.io/nvidia/driver:580@{DIGEST}", "nvcr.io", "nvidia/driver", "580", DIGEST),
        ("alpine", "docker.io", "library/alpine", "latest", ""),
        ("nvidia/driver:580", "docker.io", "nvidia/driver", "580", ""),
        ("index.docker.io/nvidia/driver", "docker.io", "nvidia/driver", "latest", ""),
        ("localhost/driver:1", "localhost", "driver", "1", ""),
        ("localhost:5000/a/b:1", "localhost:5000", "a/b", "1", ""),
        ("mirror:5000/a", "mirror:5000", "a", "latest", ""),
        ("Mirror/a", "Mirror", "a", "latest", ""),
        ("mirror/a", "docker.io", "mirror/a", "latest", ""),
        ("[::1]:5000/a", "[::1]:5000", "a", "latest", ""),
        ("mirror.example.com.:443/a__b/c--d.e:v1_x", "mirror.example.com.:443", "a__b/c--d.e", "v1_x", ""),
    ],
)
def test_parts(text, registry, repository, tag, digest):
    assert reference.parse(text) == Reference(registry, repository, tag, digest)
    assert reference.parses(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "nvcr.io/NVIDIA/driver:580",
        "nvcr.io//driver:580",
        "nvcr.io/nvidia/:580",
        "nvcr.io/nvidia/driver:",
        "nvcr.io/nvidia/driver:-580",
        "nvcr.io/nvidia/driver:580:580",
        "nvcr.io/nvidia/driver:580+64k",
        "nvcr.io/nvidia/driver@sha256:cafe",
        "nvcr.io/nvidia/driver:" + "5" * 129,
        "nvcr.io/nvidia/driver:580\n",
        "nvcr.io/a___b",
        "localhost:5000",
        "malformed?/repo",
        "https://nvcr.io/nvidia/driver:580",
    ],
)
def test_what_is_no_reference(text):
    assert reference.parse(text) is None
    assert not reference.parses(text)


def test_a_layout_on_disk_is_a_reference_to_the_operator():
    assert reference.parses("ocidir://path/to:1")
    assert not reference.parses("ocidir://path?")


@given(st.text(alphabet="aA0./:@_-[]", max_size=30))
def test_never_raises(text):
    found = reference.parse(text)
    assert reference.parses(text) == (found is not None)


@pytest.mark.parametrize(
    ("text", "repository", "image"),
    [
        ("nvcr.io/nvidia/driver", "nvcr.io/nvidia", "driver"),
        ("registry:5000/driver", "registry:5000", "driver"),
        ("driver", "", "driver"),
    ],
)
def test_split_repository(text, repository, image):
    assert reference.split_repository(text) == (repository, image)
    assert (f"{repository}/{image}" if repository else image) == text


def test_tags_and_digests():
    assert reference.is_tag("a" * 128)
    assert not reference.is_tag("a" * 129)
    assert not reference.is_tag("a+b")
    assert reference.is_digest(DIGEST)
    assert not reference.is_digest("sha256:cafe")
