"""The keys of a chart's values as a whole: what an overlay has that the chart lacks, and what no value can set."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.facts.chart import OPEN, Keys, keys_of, values_path
from generator.facts.crd import NONE, schema
from generator.facts.defaulting import Schema


def missing_keys(data_release: str, values: Mapping[str, Any], missing: frozenset[str] = NONE) -> tuple[Keys, ...]:
    """The keys of an overlay that the chart of that release doesn't have, each at its first unknown name."""
    return tuple(_unknown(values, keys_of(data_release, missing), ()))


def unmapped_fields(data_release: str, missing: frozenset[str] = NONE) -> tuple[Keys, ...]:
    """The fields of ClusterPolicy `spec.driver` that no value of that release's chart can set."""
    driver = schema("ClusterPolicy", data_release, missing)["properties"]["driver"]
    return tuple(field for field in _leaves(driver, ()) if values_path(data_release, field, missing) is None)


def key_names(data_release: str, keys: Keys = (), missing: frozenset[str] = NONE) -> Keys:
    """The names right below a key, sorted; none where it is a scalar, a list or an open map."""
    tree: Any = keys_of(data_release, missing)
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tuple(sorted(tree)) if isinstance(tree, dict) else ()


def _unknown(values: Mapping[str, Any], tree: Any, path: Keys) -> Iterator[Keys]:
    for key, value in values.items():
        here = (*path, key)
        if tree != OPEN and not (isinstance(tree, dict) and key in tree):
            yield here
        elif isinstance(value, Mapping) and tree != OPEN:
            yield from _unknown(value, tree[key], here)


def _leaves(node: Schema, path: Keys) -> Iterator[Keys]:
    if not node.get("properties"):
        yield path
    for key, field in node.get("properties", {}).items():
        yield from _leaves(field, (*path, key))
