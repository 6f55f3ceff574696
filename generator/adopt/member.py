"""The pools of a proposal with what is said of their drivers."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from generator.adopt.pools import Pool
from generator.declared.fleet import Mode, Taint


class Member(Struct, frozen=True, kw_only=True):
    """A pool and its own driver layer; `object_name` where its object is named otherwise."""

    pool: Pool
    driver: Mapping[str, Any]
    taints: tuple[Taint, ...]
    object_name: str = ""

    @property
    def managed(self) -> bool:
        """Whether the operator brings the driver."""
        return self.pool.mode is None


class Absent(Struct, frozen=True):
    """An NVIDIADriver that no node matches now: OS and kernels of its nodes can't be told."""

    name: str
    entry: Mapping[str, Any]


def host(pool: Pool, mode: Mode) -> Member:
    """A pool without the operator's driver: in its own mode, else in this one."""
    chosen = pool.mode or mode
    versions = {one.driver_version for one in pool.machines if one.driver_version}
    driver = {"mode": str(chosen)}
    if chosen is Mode.PREINSTALLED and len(versions) == 1:
        driver["version"] = versions.pop()
    return Member(pool=replace(pool, mode=chosen), driver=driver, taints=pool.taints)
