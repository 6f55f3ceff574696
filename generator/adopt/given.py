"""What is known of one cluster before anything is proposed."""

from msgspec import Struct

from generator.adopt.driverobject import Objects
from generator.observed.node import Node


class Given(Struct, frozen=True, kw_only=True):
    """A cluster's nodes and driver objects; its operator's release and pool label where somebody named them."""

    name: str
    nodes: tuple[Node, ...]
    objects: Objects = Objects()
    operator: str | None = None
    pool_label: str | None = None

    @property
    def first_labels(self) -> tuple[str, ...]:
        """The pool label that comes before all known ones."""
        return (self.pool_label,) if self.pool_label else ()
