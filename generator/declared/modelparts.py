"""What the shapes of all kinds are made of."""

import re
from typing import Annotated

from msgspec import Meta, Struct

API_VERSION = "drivergate.dev/v1alpha1"

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Labels = dict[str, str]

# The name of a Kubernetes object as a whole: a DNS subdomain.
OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Patterns end in `$(?!\n)`: for Python's re, `$` alone lets a line end follow.
ObjectName = Annotated[
    str,
    Meta(
        min_length=1,
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$(?!\n)",
        max_length=253,
        description="the name of a Kubernetes object (lower-case letters, digits, '-' and '.')",
    ),
]
Namespace = Annotated[
    str,
    Meta(
        min_length=1,
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$(?!\n)",
        max_length=63,
        description="the name of a namespace (lower-case letters, digits and '-')",
    ),
]


class Shape(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What all shapes share: camelCase keys, and an unknown key is an error."""


class Range(Shape, frozen=True):
    """A size that may vary: of a pool that scales, of a workload that does."""

    min: Count
    max: Count
