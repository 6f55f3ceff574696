"""One thing in which a cluster and git don't agree."""

from enum import StrEnum

from msgspec import Struct

from generator.declared.fleet import Cluster
from generator.finding import Severity


class What(StrEnum):
    """The kinds of difference; the words are part of the JSON output."""

    UNCLAIMED = "unclaimed"
    CLAIMED_TWICE = "claimed-twice"
    UNLABELLED = "unlabelled"
    NO_GPU = "no-gpu"
    UNDECLARED = "undeclared"
    NOT_BUILT = "not-built"
    NO_REFERENCE = "no-reference"
    SYNCED_IMAGE = "synced-image"
    HOST_DRIVER = "host-driver"
    DRIVER_POD = "driver-pod"
    OTHER_IMAGE = "other-image"
    REBUILT = "rebuilt"
    LOADED = "loaded-driver"
    RUN_BY_NOBODY = "run-by-nobody"
    POOL_SIZE = "pool-size"
    MIXED = "mixed"
    OBJECT = "object"
    POLICY = "policy"
    OPERATOR = "operator"
    RELOAD = "reload"
    BUDGET = "budget"


# A node that lacks a built image, is claimed by no or two pools, or runs what is not declared (product.md, `audit`).
ERRORS = frozenset(
    {
        What.UNCLAIMED,
        What.CLAIMED_TWICE,
        What.UNLABELLED,
        What.UNDECLARED,
        What.NOT_BUILT,
        What.NO_REFERENCE,
        What.SYNCED_IMAGE,
    }
)


class Difference(Struct, frozen=True, kw_only=True):
    """What disagrees with what, and the next step; the names that are empty don't apply."""

    what: What
    message: str
    hint: str
    cluster: str
    pool: str = ""
    node: str = ""

    @property
    def severity(self) -> Severity:
        """An error ends in exit 1."""
        return Severity.ERROR if self.what in ERRORS else Severity.WARNING


def difference(cluster: Cluster, what: What, message: str, hint: str, *, pool: str = "", node: str = "") -> Difference:
    """A difference in a cluster, in one of its pools or on one of its nodes."""
    return Difference(what=what, message=message, hint=hint, cluster=cluster.name, pool=pool, node=node)
