"""A manifest as a registry holds it: an index of platforms, or one image. OCI and Docker say the same thing.

OCI image-spec image-index.md and manifest.md; distribution docs/spec/manifest-v2-2.md.
"""

from msgspec import DecodeError, Struct, ValidationError, json

_INDEXES = frozenset({
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
})  # fmt: skip
_IMAGES = frozenset({
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
})  # fmt: skip
# buildx marks what isn't an image by either (docs.docker.com/build/metadata/attestations/attestation-storage).
_ATTESTATION = "vnd.docker.reference.type"
_NO_PLATFORM = "unknown"
# What a runtime adds where nothing is said (containerd platforms/database.go).
_USUAL_VARIANTS = {("arm64", "v8"), ("amd64", "v1")}


class Member(Struct, frozen=True):
    """One entry of an index; platform "" where the index doesn't tell."""

    digest: str
    platform: str


class Index(Struct, frozen=True):
    """The images of several platforms under one name; attestations are left out."""

    members: tuple[Member, ...]


class Image(Struct, frozen=True):
    """One image, by the digest of its config."""

    config: str


class Unreadable(Struct, frozen=True):
    """Why a text is no manifest that tells anything."""

    reason: str


class _Platform(Struct):
    os: str = ""
    architecture: str = ""
    variant: str = ""


class _Descriptor(Struct):
    digest: str = ""
    platform: _Platform | None = None
    annotations: dict[str, str] | None = None


class _Manifest(Struct, rename="camel"):
    media_type: str = ""
    manifests: list[_Descriptor] | None = None
    config: _Descriptor | None = None


def parse(media_type: str, body: bytes) -> Index | Image | Unreadable:
    """The manifest; what it calls itself counts where the registry calls it nothing known."""
    try:
        found = json.decode(body, type=_Manifest)
    except (DecodeError, ValidationError, UnicodeDecodeError):
        return Unreadable("its manifest is cut off or no manifest")
    known = _INDEXES | _IMAGES
    named = media_type if media_type in known else found.media_type
    if "manifest.v1" in (media_type if media_type not in known else "") and named not in known:
        return Unreadable("its manifest is of schema 1, which tells no platform and no digest that others see")
    if found.manifests is not None and (named in _INDEXES or named not in known):
        return Index(tuple(_member(one) for one in found.manifests if _is_image(one)))
    if found.config is not None and found.config.digest and named not in _INDEXES:
        return Image(found.config.digest)
    return Unreadable("its manifest names neither images nor a config")


def platform(os: str, architecture: str, variant: str = "") -> str:
    """`linux/amd64`, `linux/arm/v7`: as catalogs write it, without the variant that every such machine has."""
    if not os or not architecture:
        return ""
    name = f"{os}/{architecture}"
    return f"{name}/{variant}" if variant and (architecture, variant) not in _USUAL_VARIANTS else name


def _is_image(one: _Descriptor) -> bool:
    return (
        bool(one.digest)
        and _ATTESTATION not in (one.annotations or {})
        and (one.platform is None or one.platform.architecture != _NO_PLATFORM)
    )


def _member(one: _Descriptor) -> Member:
    told = one.platform
    return Member(one.digest, platform(told.os, told.architecture, told.variant) if told else "")
