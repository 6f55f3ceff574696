"""Lists of tags as other tools print them: crane, skopeo, regctl, ORAS and docker, or a plain list of one's own.

One name a line: a tag, REPOSITORY:TAG, skopeo's docker://REPOSITORY:TAG, each with or without a digest behind; or
JSON, as one document or one object a line; or the table of `docker image ls`. Sources: crane ls, also with --full-ref;
skopeo list-tags ({"Repository", "Tags"}); the distribution API's own answer, which oras and regctl hand on
({"name", "tags"}); docker image ls, also with --digests and with --format json ({"Repository", "Tag", "Digest"}).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode as decode_json

from generator.declared.entry import DIGEST, REPOSITORY, TAG

_TRANSPORT = "docker://"  # of skopeo, for a registry
_NAME = re.compile(rf"(?:(?:{_TRANSPORT})?({REPOSITORY}):)?({TAG})(?:@({DIGEST}))?")
_NO_TAG = re.compile(rf"(?:{_TRANSPORT})?{REPOSITORY}(?:@{DIGEST})?|{DIGEST}")
_BLANKS = re.compile(r"\t| {2,}")
_NOTHING = "<none>"
LONGEST = 160  # of what is quoted


class Named(Struct, frozen=True):
    """An image that a list names; "" for what it doesn't say."""

    tag: str
    repository: str = ""
    digest: str = ""
    line: int = 0


class Unread(Struct, frozen=True):
    """A line that names no image."""

    line: int
    reason: str


class TagList(Struct, frozen=True):
    """What a list names, and which of its lines can't be read."""

    named: tuple[Named, ...]
    unread: tuple[Unread, ...] = ()


def name(text: str, line: int = 0) -> Named | Unread:
    """One name, as it may stand on a line or on the command line."""
    match = _NAME.fullmatch(text)
    if match:
        return Named(match[2], match[1] or "", match[3] or "", line)
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    if _NO_TAG.fullmatch(text):
        return Unread(line, f'"{shown}" names no tag')
    return Unread(line, f'"{shown}" is neither a tag nor REPOSITORY:TAG')


def read(data: bytes) -> TagList:
    """Every image of a list; never raises."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return TagList((), (Unread(line, f"the list is not UTF-8: byte 0x{data[error.start]:02x}"),))
    stripped = text.lstrip()
    if stripped[:1] in {"{", "["}:
        names = list(_json(text))
    elif re.match(r"REPOSITORY +TAG\b|IMAGE +ID\b", stripped):
        names = list(_table(text))
    else:
        names = [name(line.strip(), number) for number, line in _lines(text)]
    return TagList(
        tuple(item for item in names if isinstance(item, Named)),
        tuple(item for item in names if isinstance(item, Unread)),
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered, without empty lines and comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _table(text: str) -> Iterator[Named | Unread]:
    """`docker image ls`: columns by their head. A DIGEST may stand between; Docker 29 has one for both names."""
    rows = iter(_lines(text))
    columns = [cell.strip() for cell in _BLANKS.split(next(rows)[1].strip())]
    for number, line in rows:
        cells = dict(zip(columns, _BLANKS.split(line.strip()), strict=False))
        if "IMAGE" in cells and "TAG" not in cells:
            whole, _, tag = cells["IMAGE"].rpartition(":")
            cells = {"REPOSITORY": whole, "TAG": tag if whole else ""}
        yield from _of_docker(cells.get("REPOSITORY", ""), cells.get("TAG", ""), cells.get("DIGEST", ""), number)


def _json(text: str) -> Iterator[Named | Unread]:
    """A whole document, or one object a line."""
    try:
        yield from _document(decode_json(text), 1)
    except DecodeError as error:
        values = []
        for number, line in _lines(text):
            try:
                values.append((number, decode_json(line)))
            except DecodeError:
                yield Unread(number, f"no JSON: {error}")
                return
        for number, value in values:
            yield from _document(value, number)


def _document(value: Any, line: int) -> Iterator[Named | Unread]:
    if isinstance(value, list):
        for item in value:
            yield from _document(item, line) if isinstance(item, dict) else _item(item, "", line)
        return
    if not isinstance(value, dict):
        yield Unread(line, "the JSON is neither an object nor a list")
        return
    keys = {key.lower(): inner for key, inner in value.items()}
    if "tag" in keys:
        repository, tag, digest = (str(keys.get(key) or "") for key in ("repository", "tag", "digest"))
        yield from _of_docker(repository, tag, digest, line)
    elif "tags" not in keys:
        yield Unread(line, "the JSON has no list of tags")
    else:
        yield from _tags(keys, line)


def _tags(keys: Mapping[str, Any], line: int) -> Iterator[Named | Unread]:
    """`name` in the API's own answer lacks the registry, so only a whole name counts."""
    tags = keys["tags"]
    whole = next((str(keys[key]) for key in ("repository", "name") if key in keys), "").removeprefix(_TRANSPORT)
    known = whole if re.fullmatch(REPOSITORY, whole) and re.search(r"[.:]|^localhost/", whole.split("/")[0]) else ""
    if tags is not None and not isinstance(tags, list):
        yield Unread(line, "the JSON's tags are no list")
        return
    for item in tags or ():
        yield from _item(item, known, line)


def _item(item: Any, repository: str, line: int) -> Iterator[Named | Unread]:
    if not isinstance(item, str):
        yield Unread(line, f"{item} is no text")
        return
    image = name(item, line)
    if isinstance(image, Named) and not image.repository:
        image = Named(image.tag, repository, image.digest, line)
    yield image


def _of_docker(repository: str, tag: str, digest: str, line: int) -> Iterator[Named | Unread]:
    """Docker leaves its own registry out, and prints <none> for what isn't there: an image without a tag."""
    if tag in {"", _NOTHING}:
        return
    whole = repository if re.fullmatch(REPOSITORY, repository) else ""
    if not whole and repository not in {"", _NOTHING}:
        return  # docker.io's library, which no driver is of
    image = name(f"{whole}:{tag}" if whole else tag, line)
    if isinstance(image, Named) and re.fullmatch(DIGEST, digest):
        image = Named(image.tag, image.repository, digest, line)
    yield image
