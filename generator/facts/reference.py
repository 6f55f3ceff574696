"""The grammar of an image reference, as the operator parses what it has composed.

regclient types/ref/ref.go `New`, as vendored by gpu-operator v25.10 to v26.7. Older ones differ only in hosts
that are IPv6 addresses.
"""

import re

from msgspec import Struct

_PART = r"[a-z0-9]+(?:(?:\.|__|_|-+)[a-z0-9]+)*"
_TAG = r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REST = re.compile(rf"({_PART}(?:/{_PART})*)(?::({_TAG}))?(?:@({_DIGEST}))?")

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HEXES = r"(?:[0-9a-fA-F]{1,4}:){0,7}[0-9a-fA-F]{1,4}"
_ADDRESS = rf"\[(?:{_HEXES}|::{_HEXES}|{_HEXES}::{_HEXES}|{_HEXES}::)\]"
_REGISTRY = rf"({_LABEL}(?:\.{_LABEL})*\.?|{_ADDRESS})(:[0-9]+)?"

_LAYOUT = rf"[/a-zA-Z0-9_\-. ~+]+(?::{_TAG})?(?:@{_DIGEST})?"
_HUB = "docker.io"
_HUB_ALIASES = frozenset({"", "registry-1.docker.io", "index.docker.io"})


class Reference(Struct, frozen=True):
    """A reference with its defaults filled in: docker.io, library/, and `latest` where nothing is named."""

    registry: str
    repository: str
    tag: str
    digest: str


def parse(text: str) -> Reference | None:
    """The parts of a registry reference; None where the operator's parser refuses it."""
    head, slash, rest = text.partition("/")
    if slash and _is_registry(head) and (match := _REST.fullmatch(rest)):
        return _filled(head, match)
    match = _REST.fullmatch(text)
    if match is None or match[1] == "localhost":
        return None
    if head == "localhost":
        return _filled(head, match, match[1].removeprefix("localhost/"))
    return _filled("", match)


def parses(text: str) -> bool:
    """What the operator asks: is it a reference at all, in a registry or in an OCI layout on disk?"""
    scheme = re.fullmatch(r"([a-z]+)://(.+)", text)
    if scheme is None:
        return parse(text) is not None
    return scheme[1] in {"ocidir", "ocifile"} and re.fullmatch(_LAYOUT, scheme[2]) is not None


def split_repository(text: str) -> tuple[str, str]:
    """`nvcr.io/nvidia/driver` as the operator's two fields want it: ("nvcr.io/nvidia", "driver")."""
    repository, _, image = text.rpartition("/")
    return repository, image


def is_tag(text: str) -> bool:
    """The grammar of a tag alone: at most 128 characters (distribution-spec, "Pulling manifests")."""
    return re.fullmatch(_TAG, text) is not None


def is_digest(text: str) -> bool:
    """The grammar of a digest alone, algorithm included."""
    return re.fullmatch(_DIGEST, text) is not None


def _filled(registry: str, match: re.Match[str], repository: str = "") -> Reference:
    host = _HUB if registry in _HUB_ALIASES else registry
    path = repository or match[1]
    if host == _HUB and "/" not in path:
        path = f"library/{path}"
    tag, digest = match[2] or "", match[3] or ""
    return Reference(host, path, tag or ("" if digest else "latest"), digest)


def _is_registry(text: str) -> bool:
    match = re.fullmatch(_REGISTRY, text)
    if match is None:
        return False
    host, port = match[1], match[2]
    return bool(port) or "." in host or "[" in host or host == "localhost" or _is_upper_host(host)


def _is_upper_host(host: str) -> bool:
    """A name without a dot counts as a host by a capital letter, on one side of which no dash stands."""
    capitals = [place for place, letter in enumerate(host) if "A" <= letter <= "Z"]
    if not capitals:
        return False
    first, last = capitals[0], capitals[-1]
    return ("-" not in host[:first] and first + 1 < len(host)) or ("-" not in host[last:] and last > 0)
