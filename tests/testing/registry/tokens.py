"""A token service of our own: signs what Debian's registry proves with the certificate that it was given.

distribution docs/spec/auth/token.md and jwt.md; oauth.md for the exchange of an identity token.
"""

import base64
import json
import time
from typing import Any
from urllib.parse import parse_qs

import trustme
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509 import load_pem_x509_certificate

from tests.testing.registry.faults import Asked, Reply, as_json
from tests.testing.registry.pusher import basic_auth

ISSUER, SERVICE = "tests", "registry.test"


class TokenService:
    """The script of a server. Everybody may read `public/…`; the rest needs the password or the refresh token."""

    def __init__(self, authority: trustme.CA, login: tuple[str, str], refresh: str) -> None:
        leaf = authority.issue_cert("token.test")
        self._key = serialization.load_pem_private_key(leaf.private_key_pem.bytes(), None)
        certificate = load_pem_x509_certificate(leaf.cert_chain_pems[0].bytes())
        self._chain = [base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()]
        self._basic = basic_auth(login)["Authorization"]
        self._refresh = refresh

    def __call__(self, asked: Asked) -> Reply:
        given = parse_qs(asked.body.decode()) if asked.method == "POST" else asked.query
        _, name, _ = given["scope"][0].split(":")
        known = asked.authorization == self._basic or given.get("refresh_token") == [self._refresh]
        if (asked.authorization or asked.method == "POST") and not known:
            return Reply(401, b'{"details": "wrong"}')
        actions = ["pull"] if known or name.startswith("public/") else []
        return as_json({"access_token" if asked.method == "POST" else "token": self.signed(name, actions)})

    def signed(self, name: str, actions: list[str]) -> str:
        """A token for one repository."""
        now = int(time.time())
        head = {"typ": "JWT", "alg": "ES256", "x5c": self._chain}
        claims = {
            "iss": ISSUER, "sub": "", "aud": SERVICE, "iat": now, "nbf": now - 10, "exp": now + 300, "jti": str(now),
            "access": [{"type": "repository", "name": name, "actions": actions}],
        }  # fmt: skip
        text = f"{_part(head)}.{_part(claims)}"
        assert isinstance(self._key, ec.EllipticCurvePrivateKey)
        first, second = utils.decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_encoded(first.to_bytes(32, 'big') + second.to_bytes(32, 'big'))}"


def _part(value: Any) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
