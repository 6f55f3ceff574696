"""What the shapes of all kinds are made of, and what they become."""

import re
from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from generator.documents.scalar import Ambiguous, named_day

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


class Day(date):
    """A day of the calendar, written 2026-12-31 with or without quotes."""


# "0000" has the form of a year, and no calendar has it.
DAY_SCHEMA = {
    "type": "string",
    "format": "date",
    "pattern": r"^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)",
    "description": "a day such as 2026-12-31",
}


def decoded(kind: type, value: Any) -> Any:
    """A value as a type of ours, for msgspec. ValueError for one that names none, which msgspec reports."""
    assert kind is Day, kind
    text = value.text if isinstance(value, Ambiguous) else value
    named = named_day(text) if isinstance(text, str) else None
    if named is None:
        raise ValueError("it names no day")
    return Day(named.year, named.month, named.day)


def schema_of(kind: type) -> dict[str, str]:
    """The JSON Schema of a type of ours, for msgspec."""
    assert kind is Day, kind
    return DAY_SCHEMA


class Shape(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What all shapes share: camelCase keys, and an unknown key is an error."""


class Range(Shape, frozen=True):
    """A size that may vary: of a pool that scales, of a workload that does."""

    min: Count
    max: Count


class Size(Struct, frozen=True):
    """How many nodes a pool may have, or pods a workload."""

    min: int
    max: int
