"""An upgradePolicy as the operator reads it: what is absent stays absent, numbers that are absent are 0."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Emptying(Struct, frozen=True, kw_only=True):
    """What pod deletion and drain may do: both ask kubectl's drain code."""

    force: bool = False
    delete_empty_dir: bool = False
    timeout: int = 0
    pod_selector: str = ""


class Policy(Struct, frozen=True, kw_only=True):
    """How an operator upgrades the nodes of one object. `drain` is None where it is absent, which is not disabled."""

    automatic: bool = False
    max_parallel: int = 0
    max_unavailable: int | str | None = None
    wait_selector: str = ""
    wait_timeout: int = 0
    pod_deletion: Emptying | None = None
    drain: Emptying | None = None
    drain_enabled: bool = False


# api/nvidia/v1alpha1 GetUpgradePolicy: what an NVIDIADriver without a policy, or without a part of it, gets.
DEFAULT_DELETION = Emptying(timeout=300)
DEFAULT = Policy(
    automatic=True, max_parallel=1, max_unavailable="25%", pod_deletion=DEFAULT_DELETION, drain=Emptying(timeout=300)
)


def policy_of_object(written: Mapping[str, Any] | None) -> Policy:
    """The policy of an NVIDIADriver, whose missing parts the operator fills in itself."""
    if not written:
        return DEFAULT
    found = policy_of(written)
    if found.pod_deletion is not None:
        return found
    return Policy(
        **{name: getattr(found, name) for name in Policy.__struct_fields__} | {"pod_deletion": DEFAULT_DELETION}
    )


def policy_of(written: Mapping[str, Any] | None) -> Policy:
    """The policy as it is written, of a ClusterPolicy for one; None is no policy at all: nothing is automatic."""
    written = written or {}
    wait, drain = _part(written, "waitForCompletion"), _part(written, "drain")
    return Policy(
        automatic=written.get("autoUpgrade") is True,
        max_parallel=_number(written, "maxParallelUpgrades"),
        max_unavailable=written.get("maxUnavailable"),
        wait_selector=wait.get("podSelector") or "",
        wait_timeout=_number(wait, "timeoutSeconds"),
        pod_deletion=_emptying(written.get("podDeletion")),
        drain=_emptying(written.get("drain")),
        drain_enabled=drain.get("enable") is True,
    )


def _emptying(written: Any) -> Emptying | None:
    if not isinstance(written, Mapping):
        return None
    return Emptying(
        force=written.get("force") is True,
        delete_empty_dir=written.get("deleteEmptyDir") is True,
        timeout=_number(written, "timeoutSeconds"),
        pod_selector=written.get("podSelector") or "",
    )


def _part(written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = written.get(name)
    return part if isinstance(part, Mapping) else {}


def _number(written: Mapping[str, Any], name: str) -> int:
    number = written.get(name)
    return number if isinstance(number, int) else 0
