"""Why a text can't be read as what a cluster says."""

import re

from msgspec import Struct

LOOKS_LIKE_YAML = re.compile(rb"(?:---|apiVersion:|kind:|items:|metadata:|- )", re.MULTILINE)


class Unreadable(Struct, frozen=True):
    """Why a text holds no object that was asked for."""

    reason: str
    hint: str


def looks_like_yaml(data: bytes) -> bool:
    """Whether a text begins as objects do that kubectl prints with -o yaml."""
    return LOOKS_LIKE_YAML.match(data.lstrip()) is not None


def no_json(data: bytes) -> str:
    """What a text is that isn't JSON."""
    if not data.strip():
        return "it is empty"
    if data.lstrip().startswith((b"[", b'"', b"null")):
        return "it is JSON, but no object of a cluster and no List"
    return "it is YAML, not JSON" if looks_like_yaml(data) else "it is no JSON"
