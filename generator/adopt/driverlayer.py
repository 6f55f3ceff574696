"""Driver settings of an object in the inventory's words, and what these have no word for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from generator.adopt.note import Note
from generator.declared.driverspec import OWNED, crd_path, unknown_fields
from generator.declared.fleet import Taint
from generator.documents.places import Path
from generator.facts import crd
from generator.facts.defaulting import NO_SCHEMA, Schema, child
from generator.facts.driver import is_branch
from generator.facts.release import DriverApi, Release
from generator.facts.violation import dotted
from generator.operator.driver import toleration, upgrade_policy

_POLICY_PARTS: Final = ("waitForCompletion", "podDeletion", "drain")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class Taken(Struct, frozen=True, kw_only=True):
    """A `driver:` layer, and what stands beside it on the pool."""

    driver: Mapping[str, Any]
    taints: tuple[Taint, ...]
    notes: tuple[Note, ...]


def taken(
    about: str, api: DriverApi, release: Release, spec: Mapping[str, Any], *, auto_upgrade: bool, full: bool
) -> Taken:
    """The layer of a spec. `full`: what drivergate would say anyway is written out, against other defaults."""
    notes: list[Note] = []
    driver: dict[str, Any] = {
        **_image(about, spec, notes),
        "mode": "precompiled" if spec.get("usePrecompiled") else "compiled",
    }
    driver |= _version(about, spec, release, notes)
    if module := _module_type(about, spec, release, notes, full=full):
        driver["kernelModuleType"] = module
    if (api is DriverApi.CLUSTERPOLICY or release.object_upgrade_policy) and (
        policy := own_policy(spec.get("upgradePolicy", {}), auto_upgrade=auto_upgrade, full=full)
    ):
        driver["upgradePolicy"] = policy
    taints = tuple(_taints(about, spec.get("tolerations", ()), notes)) if api is DriverApi.NVIDIADRIVER else ()
    if others := _others(about, api, release, spec, notes):
        driver["spec"] = others
    return Taken(driver=driver, taints=taints, notes=tuple(notes))


def own_policy(policy: Mapping[str, Any], *, auto_upgrade: bool, full: bool) -> dict[str, Any]:
    """The upgradePolicy, without what an inventory that is silent about it gets."""
    silent = upgrade_policy({}, auto_upgrade=auto_upgrade)
    whole = upgrade_policy(policy, auto_upgrade=auto_upgrade) if full else policy
    made: dict[str, Any] = {}
    for key in silent:
        if key not in whole:
            continue
        if key not in _POLICY_PARTS:
            if full or whole[key] != silent[key]:
                made[key] = _number(whole[key])
        elif part := {
            name: inner
            for name, inner in whole[key].items()
            if name in silent[key] and (full or inner != silent[key][name])
        }:
            made[key] = part
    return made


def _number(value: Any) -> Any:
    """A number that was written as text, which the CRD allows for maxUnavailable."""
    return int(value) if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value) else value


def without_defaults(value: Any, schema: Schema | None) -> Any:
    """A copy without the fields that the CRD would fill in again."""
    if not isinstance(value, Mapping) or schema is None:
        return value
    made = {}
    for key, inner in value.items():
        below = child(schema, key)
        default = (below or NO_SCHEMA).get("default")
        if default is None or inner != default:
            made[key] = without_defaults(inner, below)
    return made


def _image(about: str, spec: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """The whole name of the repository; the chart's own where the object leaves it open."""
    repository, image = str(spec.get("repository", "")), str(spec.get("image", ""))
    if not repository and "/" in image:
        name = image.partition("@")[0]
        head, slash, last = name.rpartition("/")
        return {"repository": f"{head}{slash}{last.partition(':')[0]}"}
    if repository and image:
        return {"repository": f"{repository}/{image}"}
    notes.append(
        Note(about, "spec.repository and spec.image are not both set", "correct driver.repository before rendering")
    )
    return {"repository": repository or "nvcr.io/nvidia/driver"}


def _version(about: str, spec: Mapping[str, Any], release: Release, notes: list[Note]) -> dict[str, str]:
    version = str(spec.get("version", ""))
    if not version and not spec.get("repository"):
        name, _, digest = str(spec.get("image", "")).partition("@")
        version = digest or name.rpartition("/")[2].partition(":")[2]
    if not version:
        notes.append(Note(about, f"no driver version is set; {release.driver}, the release's own, is written instead"))
        version = release.driver
    return {"branch" if is_branch(version) else "version": version}


def _module_type(about: str, spec: Mapping[str, Any], release: Release, notes: list[Note], *, full: bool) -> str:
    """kernelModuleType; "" where silence says the same."""
    legacy = spec.get("useOpenKernelModules")
    found = str(spec.get("kernelModuleType") or "auto")
    if not release.kernel_module_type and legacy is not None:
        found = "open" if legacy else "proprietary"
    elif legacy:
        message = f"spec.useOpenKernelModules has no effect in operator {release.version} and is left out"
        notes.append(Note(about, message))
    return found if full or found != "auto" else ""


def _taints(about: str, tolerations: Sequence[Any], notes: list[Note]) -> Iterator[Taint]:
    """The taints that render as these tolerations."""
    for index, one in enumerate(tolerations):
        taint = None
        if isinstance(one, Mapping) and one.get("key") and one.get("effect") in EFFECTS:
            taint = Taint(str(one["key"]), str(one.get("value", "")), str(one["effect"]))
        if taint is None or toleration(taint) != {"operator": "Equal", **one}:
            why = "a pool has taints, and each gives one toleration of a key with its value and effect"
            hint = "write the taints that its nodes have"
            notes.append(Note(about, f"spec.tolerations[{index}] can't be said: {why}", hint))
        else:
            yield taint


def _others(about: str, api: DriverApi, release: Release, spec: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """driver.spec: fields of the API that the inventory has no key of its own for."""
    schema = crd.field(api, release.fields, crd_path(api), release.lacks(api))
    known = (schema or NO_SCHEMA).get("properties", {})
    made = {}
    for key, value in spec.items():
        if key in OWNED[api]:
            continue
        if key not in known:
            message = f"spec.{key} is no field of {api} in operator {release.version}, and is left out"
            notes.append(Note(about, message, "give the release that runs with --operator VERSION"))
        elif key in {"livenessProbe", "readinessProbe"} and api is DriverApi.CLUSTERPOLICY:
            notes.append(Note(about, f"spec.driver.{key} stops the operator, and is left out"))
        else:
            made[key] = _copy(value)
    for path in list(unknown_fields(api, release, made)):
        _drop(made, path)
        message = f"spec.{dotted(path)} is no field of {api} in operator {release.version}, and is left out"
        notes.append(Note(about, message, "give the release that runs with --operator VERSION"))
    kept = without_defaults(made, schema)
    return dict(sorted(kept.items()))


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _drop(value: Any, path: Path) -> None:
    """Take a field out of a tree that is ours alone."""
    for step in path[:-1]:
        value = value[step]
    del value[path[-1]]
