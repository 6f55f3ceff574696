"""What happens during a replay, one thing at a time."""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What an event is about."""

    STATE = "state"
    CORDONED = "cordoned"
    UNCORDONED = "uncordoned"
    EVICTED = "evicted"
    EVICTION_REFUSED = "eviction-refused"
    HELD = "held"  # evicted and not gone
    CANNOT_LEAVE = "cannot-leave"
    TIMED_OUT = "timed-out"
    DRIVER_POD_DELETED = "driver-pod-deleted"
    DRIVER_POD_READY = "driver-pod-ready"
    POD_STARTED = "pod-started"
    POD_READY = "pod-ready"
    ERROR = "error"


class Event(Struct, frozen=True, kw_only=True):
    """`at` is in seconds from the start; `detail` is the state, the pod or the error, `why` its reason.

    `seconds` is how long a timeout made it last.
    """

    at: int
    kind: Kind
    node: str = ""
    detail: str = ""
    why: str = ""
    seconds: int = 0


class Stopped(StrEnum):
    """Why a reconcile ends before its last step, each time again."""

    POD_DELETION_MISSING = "pod_deletion_spec_missing"
    BAD_SELECTOR = "bad_selector"
    BAD_MAX_UNAVAILABLE = "bad_max_unavailable"
    PANIC = "operator_panic"


class StoppedError(Exception):
    """The steps of a reconcile end here; caught where they are begun."""

    def __init__(self, reason: Stopped) -> None:
        """What stopped it."""
        super().__init__(reason)
        self.reason = reason
