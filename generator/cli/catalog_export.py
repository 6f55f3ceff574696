"""`drivergate catalog export`: every image that the fleet needs, for tools that copy them."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from generator.catalog.export import Wanted, clashing, release_notes, wanted
from generator.cli.completion import complete_mirrors
from generator.cli.options import Clusters, ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, out, say, unknown
from generator.cli.repository import read_declaration, report_unread
from generator.declared.entry import REPOSITORY
from generator.report import mirroring
from generator.report.formats import json
from generator.report.mirroring import TARGETED, Tool
from generator.report.mirroring import Tool as Tools


class As(StrEnum):
    """The same names as report's, whose module is loaded only when it is used."""

    LIST = "list"
    SKOPEO = "skopeo"
    REGSYNC = "regsync"
    OC_MIRROR = "oc-mirror"
    MAPPING = "mapping"
    ITMS = "itms"


def export(
    written: Annotated[As, typer.Option("--as", help="Write the list for this copy tool.")] = As.LIST,
    *,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="REGISTRY[/PATH]",
            help="Target registry or path; default: the mirrors.",
            autocompletion=complete_mirrors,
        ),
    ] = "",
    clusters: Clusters = None,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """List every image reference that nodes ask for, running and upcoming, or write it for a tool that copies."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    _prefix(to)
    found = read_declaration(chosen, catalogs=True)
    if report_unread(found, as_json=printed is Format.JSON):
        return UNUSABLE
    names = _known(clusters or [], [one.name for one in found.fleet.clusters])
    if names is None:
        return UNUSABLE
    catalog = found.catalog()
    images = wanted(found.fleet, catalog, clusters=names, to=to)
    tool = mirroring.Tool(written.value)
    for note in (*release_notes(found.fleet, clusters=names), *_notes(tool, images)):
        say(f"note: {note}")
    if printed is Format.JSON:
        out(json.printed({"images": mirroring.as_json(images)}))
        return CLEAN
    usable = images if tool is mirroring.Tool.LIST else [one for one in images if not one.missing]
    if (tool in mirroring.TARGETED and not any(one.target for one in usable)) or (
        tool is mirroring.Tool.ITMS and not any(one.mirror for one in usable)
    ):
        say("drivergate: the fleet declares no mirror that images could be copied to\n    hint: say where with --to")
        return UNUSABLE
    clash = clashing(usable, repositories=tool is mirroring.Tool.ITMS)
    if clash and tool in {*mirroring.TARGETED, mirroring.Tool.ITMS}:
        say(f"drivergate: {clash[0]} and {clash[1]} would both be copied to {clash[2]}")
        say("    hint: declare a mirror for one of them, or export cluster by cluster")
        return UNUSABLE
    out(mirroring.written(tool, usable))
    return FOUND if any(one.missing and not one.upcoming for one in images) else CLEAN


def _notes(tool: Tool, images: Sequence[Wanted]) -> Iterator[str]:
    """What the format leaves out, and why."""
    missing = [one for one in images if one.missing]
    for one in missing:
        left = "" if tool is Tools.LIST else " and is left out"
        when = " (upcoming)" if one.upcoming else ""
        yield f"{one.reference}{when} is in no catalog of what is built{left}"
    if tool in TARGETED and any(one.target for one in images):
        plain = [one for one in images if not one.target and not one.missing]
        if plain:
            yield f"{len(plain)} references have no mirror, are pulled as they are and left out; --to copies all"
    if tool is Tools.ITMS and any(one.pinned for one in images):
        yield "references by digest are sent to mirrors by an ImageDigestMirrorSet only"


def _known(names: list[str], known: list[str]) -> frozenset[str] | None:
    for name in names:
        if name not in known:
            unknown("cluster", name, known)
            return None
    return frozenset(names)


def _prefix(to: str) -> None:
    """A registry, or a path in one."""
    if to and not re.fullmatch(REPOSITORY, f"{to.rstrip('/')}/x"):
        raise typer.BadParameter(f'"{to}" is no registry; write it like registry.example.com/gpu')
