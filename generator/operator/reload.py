"""What a change of driver settings does to the nodes that run them: nothing, a restart in place, or a reload.

gpu-operator upgrades a node whose pod is not of the newest template. From v26.7 on it only restarts the pod where
DRIVER_CONFIG_DIGEST is the same in both; before, every difference evicts the GPU work and loads the driver again.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Pool
from generator.facts import label
from generator.facts.release import DriverApi, Release
from generator.operator.driverpod import DriverPod, Machine, Unmade, driver_pod
from generator.operator.image import declared_system
from generator.operator.settings import Settings

ABSENT = "absent"
IMAGE_FIELDS = frozenset({"repository", "image", "version", "usePrecompiled", "enabled"})


class Effect(StrEnum):
    """What happens on a node, least first."""

    NONE = "none"
    RESTART_ONLY = "restart_only"
    FULL_RELOAD = "full_reload"


class Change(Struct, frozen=True):
    """One field that differs, both values as JSON."""

    path: str
    was: str
    becomes: str


class Verdict(Struct, frozen=True):
    """The effect, and the fields that bring it, sorted by path."""

    effect: Effect
    changes: tuple[Change, ...] = ()


def machine_of(pool: Pool, *selectors: Mapping[str, str]) -> Machine:
    """A node of the pool that these selectors match too. Which kernel it runs makes no difference to a verdict."""
    labels = {key: value for selector in (pool.node_selector, *selectors) for key, value in selector.items()}
    kernel = pool.kernels[0].name if pool.kernels else ""
    if pool.os is not None:
        labels |= {label.OS_ID: pool.os.id, label.OS_VERSION: pool.os.version}
        labels |= {label.OS_MAJOR: declared_system(pool.os.id, pool.os.version).os_major or ""}
    return Machine(labels={**labels, label.KERNEL: kernel})


def verdict(
    api: DriverApi, release: Release, old: Settings, new: Settings, machine: Machine, *, before: Machine | None = None
) -> Verdict | Unmade:
    """The effect on such a machine. `before` is the machine where it differs too, as when the host root moves."""
    was = driver_pod(api, release, old, before or machine)
    becomes = driver_pod(api, release, new, machine)
    if isinstance(was, Unmade):
        return was
    if isinstance(becomes, Unmade):
        return becomes
    effective = compared(was, becomes, in_place=release.restart_only)
    return Verdict(effective.effect, written(old, new, effective.changes))


def written(old: Settings, new: Settings, effective: tuple[Change, ...]) -> tuple[Change, ...]:
    """The fields as they are written that have a part in effective ones; those themselves where nothing is written."""
    fields = [change for change in changes(old, new) if any(_bears(change.path, why.path) for why in effective)]
    return tuple(part for change in fields or effective for part in _by_name(change))


def _by_name(change: Change) -> tuple[Change, ...]:
    """What differs in a list of variables or the like, each by its name; the whole where only their order does."""
    was, becomes = (_named_items(text) for text in (change.was, change.becomes))
    if was is None or becomes is None:
        return (change,)
    parts = tuple(
        Change(f"{change.path}[{name}]", was.get(name, ABSENT), becomes.get(name, ABSENT))
        for name in sorted(was.keys() | becomes.keys())
        if was.get(name) != becomes.get(name)
    )
    return parts or (change,)


def _named_items(text: str) -> dict[str, str] | None:
    """The items of a list by their names: the value of those that have nothing else. None for what is no such list."""
    from msgspec import json

    items = [] if text == ABSENT else json.decode(text)
    if not isinstance(items, list) or not all(isinstance(item, dict) and item.get("name") for item in items):
        return None
    found = {
        str(item["name"]): json.encode(item["value"] if item.keys() == {"name", "value"} else item).decode()
        for item in items
    }
    return found if len(found) == len(items) else None


def compared(was: DriverPod, becomes: DriverPod, *, in_place: bool) -> Verdict:
    """Two pods, by what the operator looks at; `in_place` says whether the release restarts in place."""
    loaded, around = changes(was.loaded, becomes.loaded), changes(was.around, becomes.around)
    if loaded or (around and not in_place):
        by_path = {change.path: change for change in (*around, *loaded)}
        return Verdict(Effect.FULL_RELOAD, loaded if in_place else tuple(by_path[path] for path in sorted(by_path)))
    return Verdict(Effect.RESTART_ONLY, around) if around else Verdict(Effect.NONE)


def changes(old: Settings, new: Settings) -> tuple[Change, ...]:
    """Every field that differs; what is empty is as good as absent."""
    was, becomes = dict(_flat(old, "")), dict(_flat(new, ""))
    return tuple(
        Change(path, was.get(path, ABSENT), becomes.get(path, ABSENT))
        for path in sorted(was.keys() | becomes.keys())
        if was.get(path) != becomes.get(path)
    )


def _bears(written: str, effective: str) -> bool:
    """Whether a written field has a part in an effective one; several together make an image reference."""
    above, _, name = written.rpartition(".")
    image = f"{above}.image".lstrip(".")
    paths = {written, image} if name in IMAGE_FIELDS else {written}
    return any(f"{path}.".startswith(f"{effective}.") or f"{effective}.".startswith(f"{path}.") for path in paths)


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif value not in ("", [], None):
        from msgspec import json

        yield path, json.encode(value).decode()
