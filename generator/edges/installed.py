"""Where this drivergate was installed from (PEP 610), so that others can be told to install the same."""

from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import urlsplit, urlunsplit

from msgspec import DecodeError, Struct, json


class _Vcs(Struct):
    vcs: str
    commit_id: str
    requested_revision: str = ""


class _DirectUrl(Struct):
    url: str
    vcs_info: _Vcs | None = None


class Installed(Struct, frozen=True):
    """A requirement for pip, and for git the URL and revision; "" where it came from this machine alone."""

    requirement: str = ""
    url: str = ""
    revision: str = ""


def installed(name: str = "drivergate") -> Installed:
    """From an index, or from a git repository at a commit. Credentials never leave the URL that holds them."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return Installed()
    recorded = found.read_text("direct_url.json")
    if recorded is None:
        return Installed(requirement=f"{name}=={found.version}")
    try:
        direct = json.decode(recorded, type=_DirectUrl)
    except DecodeError:
        return Installed()
    if direct.vcs_info is None or direct.vcs_info.vcs != "git" or direct.url.startswith("file:"):
        return Installed()
    url = _without_credentials(direct.url)
    commit = direct.vcs_info.commit_id
    revision = direct.vcs_info.requested_revision or commit
    return Installed(f"{name} @ git+{url}@{commit}", url, revision)


def _without_credentials(url: str) -> str:
    """Ssh keeps its user, which is no secret: git@host."""
    parts = urlsplit(url)
    if parts.scheme == "ssh":
        return urlunsplit(parts._replace(netloc=f"{parts.username or 'git'}@{parts.hostname}"))
    host = parts.hostname or ""
    return urlunsplit(parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host))
