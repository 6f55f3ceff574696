"""What tests ask of the chart's keys, beyond what the product does."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.facts.chart import Keys, has_key, values_path
from generator.facts.crd import NONE, schema


def missing_keys(data_release: str, values: Mapping[str, Any], missing: frozenset[str] = NONE) -> tuple[Keys, ...]:
    """The keys of an overlay that the chart of that release doesn't have, each at its first unknown name."""

    def unknown(inner: Mapping[str, Any], path: Keys) -> Iterator[Keys]:
        for key, value in inner.items():
            here = (*path, key)
            if not has_key(data_release, here, missing):
                yield here
            elif isinstance(value, Mapping):
                yield from unknown(value, here)

    return tuple(unknown(values, ()))


def unmapped_fields(data_release: str, missing: frozenset[str] = NONE) -> tuple[Keys, ...]:
    """The fields of ClusterPolicy `spec.driver` that no value of that release's chart can set."""

    def leaves(node: Mapping[str, Any], path: Keys) -> Iterator[Keys]:
        if not node.get("properties"):
            yield path
        for key, field in node.get("properties", {}).items():
            yield from leaves(field, (*path, key))

    driver = schema("ClusterPolicy", data_release, missing)["properties"]["driver"]
    return tuple(field for field in leaves(driver, ()) if values_path(data_release, field, missing) is None)
