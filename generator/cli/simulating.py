"""Takes `upgrade simulate` from its sources to what is printed."""

from generator.cli.observing import Sources, live, objects_of
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, out, say
from generator.cli.standing import ALSO, KINDS
from generator.cli.upgrading import declared, release_of
from generator.observed.objects import Objects
from generator.report import json, text
from generator.report.simulation import simulation_json, simulation_text
from generator.report.timeline import html, svg
from generator.upgrade.invented import invented
from generator.upgrade.simulation import Simulation, Wish, simulate


def simulated(
    wanted: Sources,
    *,
    context: str | None,
    cluster: str | None,
    operator: str | None,
    root: str | None,
    driver_seconds: int,
    restart_only: bool,
    printed: str,
) -> int:
    """Replays and prints; exit 1 where it stalls, 3 where the input leaves it open."""
    incomplete = False
    if wanted.given:
        objects = objects_of(wanted)
    elif context is not None:
        objects = live(context, KINDS, ALSO)
    else:
        assert cluster is not None
        objects, incomplete = _declared(cluster, root)
    release, assumed = release_of(operator, cluster, root, objects)
    wish = Wish(driver_seconds=driver_seconds, restart_only=restart_only)
    found = simulate(objects, release, wish, assumed=assumed)
    out(_printed(found, printed))
    if incomplete:
        return UNUSABLE
    if found.stalls or found.stops:
        return FOUND
    return NOT_VERIFIED if found.missing or not found.lanes else CLEAN


def _declared(cluster: str, root: str | None) -> tuple[Objects, bool]:
    """The inventory as a cluster, and whether some of it could not be read, which is said."""
    read, found = declared(cluster, root)
    if read.blocking:
        say(text.finding_lines(read.blocking, color=False).rstrip("\n"))
    return invented(read.fleet, found), bool(read.blocking)


def _printed(found: Simulation, form: str) -> str:
    match form:
        case "json":
            return json.printed(simulation_json(found))
        case "svg":
            return svg(found)
        case "html":
            return html(found)
        case _:
            return simulation_text(found)
