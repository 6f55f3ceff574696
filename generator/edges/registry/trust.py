"""What the environment says of the network: whose certificates count, and which proxy stands between.

OpenSSL itself reads SSL_CERT_FILE and SSL_CERT_DIR; the other two variables are what requests and curl read, and
as there they replace the system's store.
"""

import os
import ssl
from collections.abc import Mapping
from ipaddress import ip_address, ip_network

from generator.edges.errors import UnreadableError, reason
from generator.edges.registry.address import is_loopback
from generator.words import printable

_STORES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def tls(environ: Mapping[str, str]) -> ssl.SSLContext:
    """What a registry's certificate must prove; raise UnreadableError where a named store can't be read."""
    for name in _STORES:
        if path := environ.get(name, ""):
            return _of_store(name, path)
    return ssl.create_default_context()


def _of_store(name: str, path: str) -> ssl.SSLContext:
    try:
        if os.path.isdir(path):  # noqa: PTH112 - text all the way
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except ssl.SSLError:
        why = "holds no certificate"
    except OSError as error:
        why = f"can't be read: {reason(error)}"
    raise UnreadableError(f"{name}={printable(path)} {why}", f"let {name} name a PEM file, or unset it") from None


def proxy(environ: Mapping[str, str], scheme: str, host: str) -> str | None:
    """The URL of the proxy for a host, by the usual variables; None for loopback and what NO_PROXY lists."""
    if is_loopback(host) or _is_excepted(_named(environ, "no_proxy"), host.lower()):
        return None
    found = _named(environ, f"{scheme}_proxy") or _named(environ, "all_proxy")
    if not found:
        return None
    return found if "://" in found else f"http://{found}"


def _named(environ: Mapping[str, str], name: str) -> str:
    """Lower case first, as curl does. In a CGI script HTTP_PROXY is a header that anybody sends (httpoxy)."""
    if name == "http_proxy" and "REQUEST_METHOD" in environ:
        return environ.get(name, "")
    return environ.get(name) or environ.get(name.upper(), "")


def _is_excepted(listed: str, host: str) -> bool:
    return any(_covers(entry.strip().lower(), host.strip("[]")) for entry in listed.split(","))


def _covers(entry: str, host: str) -> bool:
    """`*`, a host, a domain with or without its leading dot, an address, or a range of addresses."""
    if entry == "*":
        return True
    name = entry.partition(":")[0] if entry.count(":") == 1 else entry.strip("[]")
    name = name.removeprefix("*").removeprefix(".")
    if not name:
        return False
    try:
        return ip_address(host) in ip_network(name, strict=False)
    except ValueError:
        return host == name or host.endswith(f".{name}")
