"""Numbers of things in words."""


def counted(number: int, what: str) -> str:
    """`1 pool`, `2 pools`; for words that take an s."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
