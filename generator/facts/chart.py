"""Which values the gpu-operator chart of a release has, and which a ClusterPolicy's driver comes from.

Helm passes over a value that no template reads without a word, so a key that a release lacks has to be told
here. The data are the keys of `deployments/gpu-operator/values.yaml` at the release's tag, and under `driver`
those that `templates/clusterpolicy.yaml` reads besides: `args`, both other probes, and every field of the
parts that it hands on whole, such as `repoConfig`. Beside `driver` and `clusterPolicy` only first names are
known.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from generator.facts.crd import NONE, schema
from generator.facts.data import read_json
from generator.facts.defaulting import Schema

Keys = tuple[str, ...]
Tree = Mapping[str, Any]

OPEN: Final = "*"
# ClusterPolicy spec.driver field -> key under `driver`, where the two differ: templates/clusterpolicy.yaml.
_RENAMED: Final[Mapping[Keys, Keys]] = {
    ("upgradePolicy", "podDeletion"): ("upgradePolicy", "gpuPodDeletion"),
    ("useNvidiaDriverCRD",): ("nvidiaDriverCRD", "enabled"),
}


def has_key(data_release: str, keys: Keys, missing: frozenset[str] = NONE) -> bool:
    return not _beyond(keys, keys_of(data_release, missing))


def missing_keys(data_release: str, values: Mapping[str, Any], missing: frozenset[str] = NONE) -> tuple[Keys, ...]:
    """The keys of an overlay that the chart of that release doesn't have, each at its first unknown name."""
    return tuple(_unknown(values, keys_of(data_release, missing), ()))


def values_path(data_release: str, field: Keys, missing: frozenset[str] = NONE) -> Keys | None:
    """The values key that a field of ClusterPolicy `spec.driver` is rendered from; None where there is none.

    `manager.imagePullSecrets` never was in the template, `useOpenKernelModules` left it with v25.3.
    """
    keys: Keys = ("driver", *field)
    for old, new in _RENAMED.items():
        if field[: len(old)] == old:
            keys = ("driver", *new, *field[len(old) :])
    return keys if has_key(data_release, keys, missing) else None


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


@cache
def keys_of(data_release: str, missing: frozenset[str] = NONE) -> Tree:
    """Every key as a tree: a mapping is closed, "*" an open map, "" a scalar or a list. Shared: read only.

    `missing` are fields of the ClusterPolicy that an earlier patch release lacks (`driver.hostNetwork`).
    """
    tree: dict[str, Any] = read_json(f"chart/{data_release}.json")
    driver = {key: below for key, below in tree["driver"].items() if f"driver.{key}" not in missing}
    return {**tree, "driver": driver}


def _beyond(keys: Keys, tree: Any) -> Keys:
    """What is left of a path where the tree ends; empty for a path within it or below an open map."""
    for depth, key in enumerate(keys):
        if tree == OPEN:
            return ()
        if not isinstance(tree, dict) or key not in tree:
            return keys[depth:]
        tree = tree[key]
    return ()


def _unknown(values: Mapping[str, Any], tree: Any, path: Keys) -> Iterator[Keys]:
    for key, value in values.items():
        here = (*path, key)
        if _beyond((key,), tree):
            yield here
        elif isinstance(value, Mapping) and tree != OPEN:
            yield from _unknown(value, tree[key], here)


def _leaves(node: Schema, path: Keys) -> Iterator[Keys]:
    if not node.get("properties"):
        yield path
    for key, field in node.get("properties", {}).items():
        yield from _leaves(field, (*path, key))
