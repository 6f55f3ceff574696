"""Driver images as small as they can be: an empty layer, and the config that NVIDIA's Dockerfiles leave behind.

What a config holds: gpu-driver-container ubuntu24.04/precompiled/Dockerfile and rhel9/precompiled/Dockerfile.
"""

import gzip
import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
FORMS = (OCI_INDEX, DOCKER_LIST, OCI_MANIFEST, DOCKER_MANIFEST)

LAYER = gzip.compress(b"\0" * 1024, mtime=0)


class Manifest(NamedTuple):
    """A manifest with all that must be pushed before it."""

    media_type: str
    body: bytes
    blobs: tuple[bytes, ...] = ()
    members: tuple["Manifest", ...] = ()

    @property
    def digest(self) -> str:
        return digest(self.body)


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def config(architecture: str = "amd64", env: Mapping[str, str] | None = None, labels: Any = None) -> bytes:
    """An image config; without `env` that of an Ubuntu 24.04 build of 580.126.20."""
    told = ubuntu_env("6.8.0-106-generic", "580.126.20") | {"TARGETARCH": architecture} if env is None else env
    return _json(
        {
            "architecture": architecture,
            "os": "linux",
            "config": {"Env": [f"{name}={value}" for name, value in told.items()], "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [digest(b"\0" * 1024)]},
        }
    )


def ubuntu_env(kernel: str, version: str) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "DRIVER_BRANCH": version.partition(".")[0],
        "DRIVER_VERSION": version,
        "KERNEL_VERSION": kernel,
        "TARGETARCH": "amd64",
    }


def image(config_blob: bytes | None = None, *, docker: bool = False) -> Manifest:
    """A manifest of one platform, in OCI's or Docker's words."""
    blob = config() if config_blob is None else config_blob
    kind = "application/vnd.docker." if docker else "application/vnd.oci."
    body = {
        "schemaVersion": 2,
        "mediaType": DOCKER_MANIFEST if docker else OCI_MANIFEST,
        "config": _descriptor(kind + ("container.image.v1+json" if docker else "image.config.v1+json"), blob),
        "layers": [_descriptor(kind + ("image.rootfs.diff.tar.gzip" if docker else "image.layer.v1.tar+gzip"), LAYER)],
    }
    return Manifest(str(body["mediaType"]), _json(body), (blob, LAYER))


def index(members: Mapping[str, Manifest], *, docker: bool = False, attested: bool = False) -> Manifest:
    """An index of platforms (`linux/arm64/v8`), with the attestation that buildx adds if `attested`."""
    entries = []
    for platform, member in members.items():
        system, architecture, *variant = platform.split("/")
        told = {"os": system, "architecture": architecture} | ({"variant": variant[0]} if variant else {})
        entries.append(_descriptor(member.media_type, member.body) | {"platform": told})
    pushed = list(members.values())
    if attested:
        proof = image(_json({"architecture": "unknown", "os": "unknown", "config": {}}))
        pushed.append(proof)
        entries.append(
            _descriptor(proof.media_type, proof.body)
            | {
                "platform": {"os": "unknown", "architecture": "unknown"},
                "annotations": {
                    "vnd.docker.reference.digest": pushed[0].digest,
                    "vnd.docker.reference.type": "attestation-manifest",
                },
            }
        )
    media_type = DOCKER_LIST if docker else OCI_INDEX
    body = {"schemaVersion": 2, "mediaType": media_type, "manifests": entries}
    return Manifest(media_type, _json(body), members=tuple(pushed))


def in_form(media_type: str, config_blob: bytes | None = None) -> Manifest:
    """The same amd64 image in each of the four forms."""
    docker = media_type in {DOCKER_LIST, DOCKER_MANIFEST}
    one = image(config_blob, docker=docker)
    return index({"linux/amd64": one}, docker=docker) if media_type in {DOCKER_LIST, OCI_INDEX} else one


def _descriptor(media_type: str, data: bytes) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest(data), "size": len(data)}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
