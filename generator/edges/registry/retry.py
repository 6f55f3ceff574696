"""Patience with a registry: a bounded number of tries, and the waits that it asks for."""

import random
import time
from collections.abc import Callable
from threading import Lock

from msgspec import Struct
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from generator.edges.errors import CouldNotLookError
from generator.edges.registry.address import origin, shown
from generator.edges.registry.transport import Answer, ExchangeError, Request, Transport

# 500 is among them: registries in front of an object store answer so when that hiccups.
BUSY = frozenset({408, 429, 500, 502, 503, 504})


class Pace(Struct, frozen=True, kw_only=True):
    """How often and how long, in seconds."""

    tries: int = 4
    first_wait: float = 0.5
    longest_wait: float = 120


class Patient:
    """Sends requests until there is an answer that isn't "busy", or until it gives up.

    What one request is told to wait, all others to that origin wait too: they share what is limited.
    """

    def __init__(self, transport: Transport, pace: Pace, sleep: Callable[[float], None] = time.sleep) -> None:
        self._transport, self._pace, self._sleep = transport, pace, sleep
        self._quiet: dict[tuple[str, str, int | None], float] = {}
        self._lock = Lock()

    def send(self, request: Request, registry: str) -> Answer:
        """The answer of `registry`; raise CouldNotLookError where no try gets one. Busy answers are returned last."""
        for attempt in range(self._pace.tries):
            last = attempt == self._pace.tries - 1
            self._wait(request)
            try:
                answer = self._transport.send(request)
            except ExchangeError as error:
                if last or not error.transient:
                    raise CouldNotLookError(f"{registry} {error.reason}", error.hint) from None
                self._put_off(request, self._backoff(attempt))
                continue
            if last or answer.status not in BUSY:
                return answer
            self._put_off(request, self._asked_for(answer, registry) or self._backoff(attempt))
        raise AssertionError(self._pace.tries)

    def _wait(self, request: Request) -> None:
        with self._lock:
            left = self._quiet.get(origin(request.url), 0.0) - time.monotonic()
        if left > 0:
            self._sleep(left)

    def _put_off(self, request: Request, seconds: float) -> None:
        with self._lock:
            key = origin(request.url)
            self._quiet[key] = max(self._quiet.get(key, 0.0), time.monotonic() + seconds)

    def _backoff(self, attempt: int) -> float:
        """Doubled each time, with a part of chance so that many clients don't come back at once."""
        return self._pace.first_wait * 2.0**attempt * random.uniform(0.8, 1.2)  # noqa: S311 - no secret

    def _asked_for(self, answer: Answer, registry: str) -> float | None:
        """Retry-After, seconds or a date; raise CouldNotLookError where that is longer than anybody waits."""
        text = answer.headers.get("retry-after", "")
        if not text:
            return None
        try:
            seconds = float(Retry(total=0).parse_retry_after(text))
        except (InvalidHeader, ValueError, OverflowError):
            return None
        if seconds > self._pace.longest_wait:
            raise CouldNotLookError(
                f"{registry} answers {answer.status} at {shown(answer.url)} and asks for {seconds:.0f} s of patience",
                "try again after that time; nothing is known to be missing",
            )
        return seconds
