"""Commands to copy, addressed to the cluster that was looked at: whoever copies one may be at another."""

from collections.abc import Iterable

from msgspec.structs import replace

from generator.upgrade.simulation import Simulation
from generator.upgrade.status import Status
from generator.words import shell_quoted

KUBECTL = "kubectl "


def of_status(found: Status, context: str) -> Status:
    """The same with every command for this context of the kubeconfig; "" leaves them as they are."""
    if not context:
        return found
    nodes = (replace(one, command=_to(one.command, context), why=_told(one.why, context)) for one in found.nodes)
    return replace(found, nodes=tuple(nodes))


def of_simulation(found: Simulation, context: str) -> Simulation:
    """The same for a replay."""
    if not context:
        return found
    stalls = (replace(one, command=_to(one.command, context), why=_told(one.why, context)) for one in found.stalls)
    return replace(found, stalls=tuple(stalls))


def _told(lines: Iterable[str], context: str) -> tuple[str, ...]:
    """A reason may end in a command: `uncordon it by hand with kubectl uncordon NODE`."""
    return tuple(
        f"{before}with {_to(command, context)}" if command.startswith(KUBECTL) else line
        for line in lines
        for before, _, command in (line.partition("with "),)
    )


def _to(command: str, context: str) -> str:
    if not command.startswith(KUBECTL):
        return command
    return f"{KUBECTL}--context {shell_quoted(context)} {command.removeprefix(KUBECTL)}"
