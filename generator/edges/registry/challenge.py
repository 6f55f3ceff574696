"""What a registry answers to somebody without a token: the WWW-Authenticate header, and the token URL that follows."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec import Struct

_SCHEME = re.compile(r"[\s,]*([A-Za-z][A-Za-z0-9_-]*)(?=[\s,]|$)(?!\s*=)")
_PARAMETER = re.compile(r'[\s,]*([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))')


class Challenge(Struct, frozen=True):
    """One way to authenticate: `bearer` or `basic`, and where."""

    scheme: str
    realm: str = ""
    service: str = ""


def challenges(headers: Iterable[str]) -> Iterator[Challenge]:
    """All that a server offers, in its order; a header may hold several (RFC 9110, 11.6.1)."""
    for header in headers:
        place, scheme, parameters = 0, "", dict[str, str]()
        while place < len(header):
            if match := _PARAMETER.match(header, place):
                quoted, plain = match[2], match[3]
                value = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
                parameters.setdefault(match[1].lower(), value)
            elif match := _SCHEME.match(header, place):
                yield from _challenge(scheme, parameters)
                scheme, parameters = match[1].lower(), {}
            else:
                break
            place = match.end()
        yield from _challenge(scheme, parameters)


def _challenge(scheme: str, parameters: dict[str, str]) -> Iterator[Challenge]:
    if scheme:
        yield Challenge(scheme, parameters.get("realm", ""), parameters.get("service", ""))


def token_url(challenge: Challenge, path: str) -> str:
    """Where a token for reading one repository is fetched; the realm's own query is kept, the scope is always ours."""
    parts = urlsplit(challenge.realm)
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "scope"]
    if challenge.service and all(name != "service" for name, _ in query):
        query.append(("service", challenge.service))
    query.append(("scope", scope(path)))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query, safe=":/"), ""))


def scope(path: str) -> str:
    """What is asked for: to read one repository, nothing else."""
    return f"repository:{path}:pull"
