"""One cluster's entry: its pools from nodes, their drivers from what runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from generator.adopt.driverlayer import taken
from generator.adopt.given import Given
from generator.adopt.machine import Machine, is_gpu_node, machine
from generator.adopt.member import Absent, Member, host
from generator.adopt.note import Note, some
from generator.adopt.objectpools import ObjectPools
from generator.adopt.pools import Pool, pools_of
from generator.adopt.running import Running, running
from generator.adopt.shared import apart, shared
from generator.adopt.silence import silenced
from generator.declared.fleet import Mode
from generator.facts.branch import OpenModules, reach
from generator.facts.driver import branch
from generator.facts.release import DriverApi

ASSUMED = {"repository": "nvcr.io/nvidia/driver", "mode": "precompiled", "branch": "580"}


class Proposal(Struct, frozen=True, kw_only=True):
    """One cluster as it would be declared."""

    name: str
    running: Running
    driver: Mapping[str, Any]
    members: tuple[Member, ...]
    absent: tuple[Absent, ...]
    silenced: tuple[Mapping[str, Any], ...]
    notes: tuple[Note, ...]


def propose(given: Given, *, full: bool) -> Proposal:
    """The cluster's entry. `full` writes out what drivergate would say anyway, against a fleet's own defaults."""
    runs = running(given.name, given.objects, given.operator)
    gpus = [machine(node) for node in given.nodes if is_gpu_node(node)]
    notes = [*_of_nodes(given, gpus), *runs.notes]
    absent: list[Absent] = []
    if given.objects.drivers and runs.api is DriverApi.NVIDIADRIVER and runs.enabled:
        found = ObjectPools(given, runs, gpus, full=full)
        found.make()
        members, absent = found.members, found.absent
        notes += found.notes
    else:
        members, told = _by_label(given, runs, gpus, full=full)
        notes += told
    common = shared([one.driver for one in members if one.managed])
    members = [replace(one, driver=apart(one.driver, common)) if one.managed else one for one in members]
    return Proposal(
        name=given.name,
        running=runs,
        driver=common,
        members=tuple(sorted(members, key=lambda one: one.pool.name)),
        absent=tuple(absent),
        silenced=tuple(silenced(runs, members)),
        notes=tuple(notes),
    )


def _of_nodes(given: Given, gpus: Sequence[Machine]) -> list[Note]:
    others = len(given.nodes) - len(gpus)
    notes = []
    if not gpus:
        message = f"none of {len(given.nodes)} nodes shows a GPU"
        notes.append(Note(given.name, message, "see that node-feature-discovery runs, then run this again"))
    elif others:
        notes.append(Note(given.name, f"{others} of {len(given.nodes)} nodes show no GPU and are left out"))
    if any("kubernetes.azure.com/agentpool" in one.labels for one in gpus if one.mode is None):
        message = "AKS installs a GPU driver of its own unless a pool was made without one (--gpu-driver none)"
        notes.append(Note(given.name, message, "declare such pools as mode: preinstalled"))
    return notes


def _by_label(given: Given, runs: Running, gpus: Sequence[Machine], *, full: bool) -> tuple[list[Member], list[Note]]:
    """Pools by the nodes' labels, with the one driver that rules them all, or an assumed one."""
    found = pools_of(given.name, runs.release, gpus, given.first_labels)
    ruling, notes = _ruling(given, runs, full=full)
    members: list[Member] = []
    assumed: dict[str, list[str]] = {}
    for pool in found.pools:
        if pool.mode is not None or not runs.enabled:
            members.append(host(pool, Mode.PREINSTALLED))
        elif ruling is not None:
            members.append(Member(pool=pool, driver=ruling, taints=pool.taints))
        else:
            driver, message = _assumed(pool)
            members.append(Member(pool=pool, driver=driver, taints=pool.taints))
            assumed.setdefault(message, []).append(pool.name)
    hint = "give its objects with --from-driver, or correct driver"
    notes += [Note(given.name, f"{message} (pools {some(names)})", hint) for message, names in assumed.items()]
    return members, [*found.notes, *notes]


def _ruling(given: Given, runs: Running, *, full: bool) -> tuple[Mapping[str, Any] | None, list[Note]]:
    """The driver layer of a ClusterPolicy or of chart values; None where objects, or nothing known, rule."""
    name = given.name
    if not runs.enabled:
        message = "driver.enabled is false: the operator brings no driver, so every pool is preinstalled"
        return None, [Note(name, message)]
    if runs.policy is None:
        return None, []
    if runs.api is DriverApi.NVIDIADRIVER:
        message = "NVIDIADriver objects rule, and none is given: the driver is an assumption"
        return None, [Note(name, message, "add them to --from-driver")]
    found = taken(name, runs.api, runs.release, runs.policy, auto_upgrade=runs.auto_upgrade, full=full)
    notes = list(found.notes)
    if given.objects.drivers:
        names = some(str(one.get("metadata", {}).get("name")) for one in given.objects.drivers)
        notes.append(Note(name, f"the operator doesn't look at NVIDIADriver objects here: {names}"))
    return found.driver, notes


def _assumed(pool: Pool) -> tuple[dict[str, Any], str]:
    """A driver where nothing is told: the branch that is loaded, else a common one; and what was assumed."""
    loaded = {branch(one.driver_version) for one in pool.machines if one.driver_version}
    driver: dict[str, Any] = dict(ASSUMED)
    message = f"the driver is assumed: precompiled {driver['branch']}"
    if len(loaded) == 1:
        driver["branch"] = loaded.pop()
        message = f"the driver is assumed: precompiled {driver['branch']}, the branch that is loaded"
    if pool.family is not None and reach(pool.family).open_modules is OpenModules.REQUIRED:
        driver["kernelModuleType"] = "open"
    return driver, message
