"""A password or token that can't be printed by accident: not in a message, a traceback or a log."""

from base64 import b64encode


class Secret:
    """Text that shows itself only to whoever asks by name. No value of the house: those print their fields."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "***"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._text


def bearer(token: Secret) -> Secret:
    """The value of an Authorization header."""
    return Secret(f"Bearer {token.reveal()}")


def basic(username: str, password: Secret) -> Secret:
    """The value of an Authorization header; both as they were given, in UTF-8 (RFC 7617)."""
    pair = f"{username}:{password.reveal()}".encode()
    return Secret(f"Basic {b64encode(pair).decode('ascii')}")
