"""Where a registry's name leads to: its host, the origin of its API, and whether plain HTTP may be spoken there."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from generator.edges.errors import UnreadableError
from generator.words import printable

HUB = "docker.io"
# Docker Hub answers under another name than its images carry.
_HUB_NAMES = frozenset({HUB, "index.docker.io", "registry-1.docker.io"})
_HUB_API = "registry-1.docker.io"
_NAME = re.compile(
    r"((?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::[0-9]{1,5})?)"
    r"/((?:[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*/)*[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)"
)
_PORTS = {"http": 80, "https": 443}


class Address(Struct, frozen=True):
    """A repository: the registry as people name it (`nvcr.io`), and the path within it (`nvidia/driver`)."""

    registry: str
    path: str

    @property
    def host(self) -> str:
        """Where the API is asked, with its port where one is named."""
        return _HUB_API if self.registry == HUB else self.registry

    def __str__(self) -> str:
        return f"{self.registry}/{self.path}"


def parse(name: str) -> Address:
    """The repository of a catalog, `nvcr.io/nvidia/driver`; raise UnreadableError for anything else.

    What no dot, port or `localhost` tells from a folder is no registry (distribution/reference, splitDockerDomain).
    """
    match = _NAME.fullmatch(name)
    if match is None:
        # What stands before an @ may be a password.
        shown = "a name with an @" if "@" in name else f'"{printable(name)}"'
        raise UnreadableError(f"{shown} is no repository of a registry", "write it like nvcr.io/nvidia/driver")
    if not re.search(r"[.:]|^localhost$", match[1]):
        raise UnreadableError(f'"{name}" names no registry', "write the whole name, like nvcr.io/nvidia/driver")
    return Address(canonical(match[1]), match[2])


def canonical(registry: str) -> str:
    """One spelling of a registry's name: lower case, Docker Hub by the name that images carry."""
    name = registry.lower()
    return HUB if name in _HUB_NAMES else name


def is_loopback(host: str) -> bool:
    """Does a host name, without a port, stand for this machine by its very text? No name is resolved."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port, the port filled in."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), port(parts)


def port(parts: SplitResult) -> int | None:
    """The port of a URL, or of its scheme; None where the text isn't one."""
    try:
        return parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def shown(url: str) -> str:
    """A URL fit to print: its origin alone. Path and query may be signed, and user information is nobody's."""
    scheme, host, number = origin(url)
    where = "" if number == _PORTS.get(scheme) else f":{number}"
    return printable(f"{scheme}://{f'[{host}]' if ':' in host else host}{where}")
