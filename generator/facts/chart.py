"""Which values the gpu-operator chart of a release has, and which a ClusterPolicy's driver comes from.

Helm passes over a value that no template reads without a word, so a key that a release lacks has to be told
here. The data are the keys of `deployments/gpu-operator/values.yaml` at the release's tag, and under `driver`
those that `templates/clusterpolicy.yaml` reads besides: `args`, both other probes, and every field of the
parts that it hands on whole, such as `repoConfig`. Beside `driver` and `clusterPolicy` only first names are
known.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from generator.facts.crd import NONE
from generator.facts.data import read_json

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


def values_path(data_release: str, field: Keys, missing: frozenset[str] = NONE) -> Keys | None:
    """The values key that a field of ClusterPolicy `spec.driver` is rendered from; None where there is none.

    `manager.imagePullSecrets` never was in the template, `useOpenKernelModules` left it with v25.3.
    """
    keys: Keys = ("driver", *field)
    for old, new in _RENAMED.items():
        if field[: len(old)] == old:
            keys = ("driver", *new, *field[len(old) :])
    return keys if has_key(data_release, keys, missing) else None


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
