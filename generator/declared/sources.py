"""Inventories that live in other repositories: what is wrong with them, and the commits that they are read at."""

import re
from collections.abc import Iterator, Mapping

from msgspec import MsgspecError, Struct, json

from generator.declared.fleet import Source
from generator.documents.texts import Texts
from generator.finding import Finding, Place, invalid
from generator.layout import SOURCES_LOCK, is_plain_path

# Files of a source are read as if they lay below this, with the source's name: no folder of one's own begins so.
RULE = "inventory/source"
UPDATE = "run: drivergate sources update"
# Compiled where they are asked for.
NAME = r"[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?"
REF = r"(?!.*(\.\.|//|@\{|\.lock(/|$)))[A-Za-z0-9_][A-Za-z0-9_./+@#%=-]*(?<![./])"
COMMIT = r"[0-9a-f]{40}|[0-9a-f]{64}"
HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
# No transport that runs a command (ext::), and no secret: credentials come from git's own helpers.
URL = (
    rf"https://{HOST}/[^\s?#]+|http://(localhost|127\.0\.0\.1)(:[0-9]{{1,5}})?/[^\s?#]+"
    rf"|ssh://([A-Za-z0-9_][A-Za-z0-9_.-]*@)?{HOST}/[^\s?#]+"
    r"|[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!/?/)[^\s:?#-][^\s?#]*|file:///[^\s?#]+"
)


class Pinned(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the lock file holds of a source. Where it was asked for is repeated, so that a change of that is seen."""

    url: str
    ref: str
    path: str
    commit: str


class Lock(Struct, frozen=True, forbid_unknown_fields=True):
    """The lock file."""

    sources: dict[str, Pinned]


def read_lock(data: bytes) -> Lock | str:
    """The lock file's content, or why it is none."""
    try:
        lock = json.decode(data, type=Lock)
    except MsgspecError as error:
        return str(error)
    for name, one in lock.sources.items():
        if not re.fullmatch(NAME, name) or not re.fullmatch(COMMIT, one.commit) or _refused(one.url, one.ref, one.path):
            return f"what it holds of {name[:64]!r} can't be a source"
    return lock


def lock_text(pinned: Mapping[str, Pinned]) -> str:
    """The file, sorted."""
    value = {"sources": {name: pinned[name] for name in sorted(pinned)}}
    return json.format(json.encode(value), indent=2).decode() + "\n"


def problems(sources: tuple[Source, ...], file: str, texts: Texts, lock: bytes | None) -> Iterator[Finding]:
    """Sources that can't be, and every difference between Fleet and lock file."""
    yield from faults(sources, file, texts)
    found = read_lock(lock) if lock is not None else Lock({})
    if isinstance(found, str):
        yield invalid(RULE, Place(SOURCES_LOCK, 1, 1), f"the lock file of sources can't be read: {found}", UPDATE)
        return
    yield from _differences(sources, file, texts, found.sources)


def faults(sources: tuple[Source, ...], file: str, texts: Texts) -> Iterator[Finding]:
    """Names, URLs, refs and paths that can't be."""
    for one in sources:
        refused = _refused(one.url, one.ref, one.path)
        if not re.fullmatch(NAME, one.name):
            key = texts.key(file, ("sources", one.name))
            yield invalid(
                RULE, key, f'a source can\'t be named "{one.name}"', "write lower-case letters, digits, . _ -"
            )
        elif refused:
            field, message, hint = refused
            yield invalid(RULE, texts.value(file, ("sources", one.name, field)), message, hint)


def _differences(
    sources: tuple[Source, ...], file: str, texts: Texts, locked: Mapping[str, Pinned]
) -> Iterator[Finding]:
    for one in sources:
        pinned, place = locked.get(one.name), texts.key(file, ("sources", one.name))
        if pinned is None:
            yield invalid(RULE, place, f"the source {one.name} is pinned to no commit in {SOURCES_LOCK}", UPDATE)
            continue
        for field in ("url", "ref", "path"):
            here, there = getattr(one, field), getattr(pinned, field)
            if here != there:
                message = (
                    f'the source {one.name} has {field} "{here}", and {SOURCES_LOCK} pins one with {field} "{there}"'
                )
                yield invalid(RULE, texts.value(file, ("sources", one.name, field)), message, UPDATE)
                break
    for name in sorted(locked.keys() - {one.name for one in sources}):
        message = f"{SOURCES_LOCK} pins the source {name}, and the Fleet document has none of that name"
        yield invalid(RULE, Place(SOURCES_LOCK, 1, 1), message, f"{UPDATE}, or declare it again")


def _refused(url: str, ref: str, path: str) -> tuple[str, str, str] | None:
    """The field that can't be, what is wrong with it, and what to do; None where all can."""
    if not re.fullmatch(URL, url) or not url.isprintable():
        if re.match(r"[a-z+]+://[^/@]*:[^/@]*@|https?://[^/@]*@", url):
            return "url", "the url of a source holds credentials", "leave them to git: a credential helper, or ssh keys"
        return "url", "the url of a source is none that git may be given", "write https://…, ssh://… or user@host:path"
    if not re.fullmatch(REF, ref):
        return "ref", f'"{ref[:100]}" is no branch, tag or commit', "write it like main or v1.2"
    if path and not is_plain_path(path):
        return (
            "path",
            f'"{path[:100]}" is no path inside its repository',
            "write it like inventory, without . and ..",
        )
    return None
