"""What an audit saw, as `drivergate audit --format json` prints it: the evidence that no node runs a machine."""

import re
from datetime import UTC, date, datetime

from msgspec import DecodeError, Struct, ValidationError, field, json

from generator.facts.kernel import label_form
from generator.observed.unreadable import Unreadable

HINT = "write it with: drivergate audit --format json > audit.json"
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class SeenNode(Struct, frozen=True):
    """A GPU node: its kernel by NFD's label and by its kubelet, and the release of its node image, "" where unknown.

    `pool` is "" where no pool claims it, or several do.
    """

    node: str
    pool: str = ""
    kernel: str = ""
    uname: str = ""
    release: str = ""

    @property
    def kernels(self) -> frozenset[str]:
        """The kernels that the operator may find on it, in label form: after a boot label and kubelet may differ."""
        return frozenset(label_form(kernel) for kernel in (self.kernel, self.uname) if kernel)


class SeenCluster(Struct, frozen=True):
    """The GPU nodes of one cluster."""

    cluster: str
    nodes: tuple[SeenNode, ...]


class SeenFleet(Struct, frozen=True):
    """The clusters that one audit looked at; `time` is when, in UTC, and `file` where it was read."""

    clusters: tuple[SeenCluster, ...]
    time: str
    file: str = field(default="", name="drivergate:file")

    @property
    def day(self) -> date:
        """The day on which it was taken, in UTC."""
        return datetime.fromisoformat(self.time).astimezone(UTC).date()


class _Printed(Struct):
    clusters: tuple[SeenCluster, ...]
    time: str | None


def read_audit(data: bytes, file: str) -> SeenFleet | Unreadable:
    """The audit in a file. One that was made from files without the time of their nodes is no evidence."""
    try:
        printed = json.decode(data, type=_Printed)
    except (ValidationError, DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Unreadable(f"it is no audit: {error}", HINT)
    if printed.time is None:
        return Unreadable("it says no time: nobody can tell how old it is", f"look at the cluster itself, or {HINT}")
    if not _TIME.fullmatch(printed.time) or not _is_time(printed.time):
        return Unreadable(f'its time "{printed.time}" is none', HINT)
    return SeenFleet(printed.clusters, printed.time, file)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
