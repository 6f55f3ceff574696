"""The pages of a tag list: where the next one is, and when there is none.

The next page is what the Link header says (distribution-spec, "Listing Tags"). A registry that gives none is asked
once more for what follows the last tag: some cut their lists without a word.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from msgspec import DecodeError, Struct, ValidationError, json

from generator.edges.registry.address import port

PAGE = 1000
_LINK = re.compile(r'<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)')
_REL = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))', re.IGNORECASE)
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


class _Tags(Struct):
    tags: list[str] | None = None


class PageError(Exception):
    """A page that can't be followed or read; the text says why."""


def first(base: str, path: str) -> str:
    """The URL of a list's first page."""
    return f"{base}/v2/{path}/tags/list?n={PAGE}"


def after(base: str, path: str, tag: str) -> str:
    """The URL of what follows a tag."""
    return f"{first(base, path)}&last={quote(tag)}"


def following(url: str, header: str) -> str | None:
    """The next page of `url` by its Link header, on the same host; None where there is none."""
    for target, parameters in _links(header):
        if "next" in parameters:
            return _on_same_host(url, target)
    return None


def tags(body: bytes) -> list[str]:
    """The tags of one page; raise PageError for anything but a tag list."""
    try:
        found = json.decode(body, type=_Tags).tags or []
    except (DecodeError, ValidationError, UnicodeDecodeError):
        raise PageError("a tag list that is cut off or none at all") from None
    if not all(_TAG.fullmatch(tag) for tag in found):
        raise PageError("a tag list with a text that is no tag")
    return found


def _links(header: str) -> Iterator[tuple[str, set[str]]]:
    """Targets and relations (RFC 8288, 3); a relation may be a list of words."""
    for target, parameters in _LINK.findall(header):
        match = _REL.search(parameters)
        yield target, set((match[1] or match[2] or "").lower().split()) if match else set()


def _on_same_host(url: str, target: str) -> str:
    """Registries behind a proxy name themselves with another scheme or without the port; path and query count."""
    here = urlsplit(url)
    try:
        there = urlsplit(urljoin(url, target))
        named = there.port
    except ValueError:
        raise PageError("a next page that is no URL") from None
    if there.hostname != here.hostname or "@" in there.netloc or named not in {None, port(here)}:
        raise PageError("a next page on another host")
    return urlunsplit((here.scheme, here.netloc, there.path, there.query, ""))
