"""Lists of images in the input formats of tools that copy them.

Shapes: skopeo docs/skopeo-sync.1.md ("YAML file content"); regclient cmd/regsync/config.go (ConfigSync); oc-mirror v2
docs and internal/pkg/api/v2alpha1 (additionalImages); oc image mirror --filename (SRC=DST a line); openshift/api
config/v1 types_image_tag_mirror_set.go.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec.json import encode

from generator.catalog.export import Wanted, split
from generator.words import printable

NAME = "drivergate"
_NOT_RECORDED = "-"


class Tool(StrEnum):
    """Whose input is written."""

    LIST = "list"
    SKOPEO = "skopeo"
    REGSYNC = "regsync"
    OC_MIRROR = "oc-mirror"
    MAPPING = "mapping"
    ITMS = "itms"


# Those that need to know where the images go.
TARGETED = frozenset({Tool.REGSYNC, Tool.MAPPING})


def written(tool: Tool, images: Sequence[Wanted]) -> str:
    """The images in the tool's form."""
    return _WRITERS[tool](images)


def _list(images: Sequence[Wanted]) -> str:
    """The reference, and the digest beside it."""
    return "".join(printable(f"{one.reference} {one.digest or _NOT_RECORDED}") + "\n" for one in images)


def _skopeo(images: Sequence[Wanted]) -> str:
    registries: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for one in images:
        repository, rest = split(one.source)
        registry, _, path = repository.partition("/")
        registries.setdefault(registry, {}).setdefault(path, []).append((rest[1:], one.digest))
    lines = []
    for registry, paths in sorted(registries.items()):
        lines += [f"{_quoted(registry)}:", "  images:"]
        for path, tags in sorted(paths.items()):
            lines.append(f"    {_quoted(path)}:")
            lines += [f"      - {_quoted(tag)}{_comment(digest, tag)}" for tag, digest in sorted(set(tags))]
    return _joined(lines)


def _regsync(images: Sequence[Wanted]) -> str:
    lines = ["version: 1", "sync:"]
    for one in _copied(images):
        lines.append(f"  - source: {_quoted(one.source)}{_comment(one.digest, one.source)}")
        lines += [f"    target: {_quoted(one.target)}", "    type: image"]
    return _joined(lines)


def _oc_mirror(images: Sequence[Wanted]) -> str:
    lines = [
        "kind: ImageSetConfiguration",
        "apiVersion: mirror.openshift.io/v2alpha1",
        "mirror:",
        "  additionalImages:",
    ]
    found = {one.source: one.digest for one in images}
    lines += [f"    - name: {_quoted(source)}{_comment(digest, source)}" for source, digest in sorted(found.items())]
    return _joined(lines)


def _mapping(images: Sequence[Wanted]) -> str:
    return _joined([f"{one.source}={one.target}" for one in _copied(images)])


def _copied(images: Sequence[Wanted]) -> Iterable[Wanted]:
    """Once each, and nothing onto itself."""
    return {one.target: one for one in images if one.target and one.target != one.source}.values()


def _itms(images: Sequence[Wanted]) -> str:
    """Nodes send what they are asked for by tag to a mirror; per repository, as the tags themselves can't be named."""
    mirrors = {split(one.reference)[0]: one.mirror for one in images if one.mirror and not one.pinned}
    lines = ["apiVersion: config.openshift.io/v1", "kind: ImageTagMirrorSet", "metadata:", f"  name: {NAME}"]
    lines += ["spec:", "  imageTagMirrors:"]
    for source, mirror in sorted(mirrors.items()):
        lines += [f"    - source: {_quoted(source)}", "      mirrors:", f"        - {_quoted(mirror)}"]
    return _joined(lines)


def _quoted(text: str) -> str:
    """JSON's quotes are YAML's."""
    return encode(text).decode()


def _comment(digest: str, said: str) -> str:
    return f"  # {digest}" if digest and digest not in said else ""


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def as_json(images: Iterable[Wanted]) -> list[dict[str, Any]]:
    """Everything that is known of each."""
    return [
        {
            "reference": one.reference,
            "digest": one.digest or None,
            "kind": "driver" if one.driver else "companion",
            "upcoming": one.upcoming,
            "missing": one.missing,
            "source": one.source,
            "target": one.target or None,
            "pools": list(one.users),
        }
        for one in images
    ]


_WRITERS: Mapping[Tool, Callable[[Sequence[Wanted]], str]] = {
    Tool.LIST: _list,
    Tool.SKOPEO: _skopeo,
    Tool.REGSYNC: _regsync,
    Tool.OC_MIRROR: _oc_mirror,
    Tool.MAPPING: _mapping,
    Tool.ITMS: _itms,
}
