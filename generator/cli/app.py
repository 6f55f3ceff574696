"""The command line as a whole: its verbs, and what becomes of bad usage."""

from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

from generator.cli.group import Verb, Verbs
from generator.cli.outcome import INTERRUPTED, UNUSABLE, say

# A line has at most 55 characters, so that a terminal of 80 columns shows it on one line.
VERBS = (
    Verb("init", "Start a repository, empty or from what clusters show", "init", "init"),
    Verb("render", "Write out/ from inventory/ and templates/", "render", "with_options", deferred=True),
    Verb("check", "Check inventory, images and out/: the commit gate", "check", "with_options", deferred=True),
    Verb("diff", "Report what a change does to nodes and workloads", "diff", "diff"),
    Verb("show", "Show clusters, pools and their effective values", "show", "show"),
    Verb("tag", "Print the images that a pool or a node needs", "tag", "tag"),
    Verb("plan", "Check whether the images for a change are built", "plan", "plan"),
    Verb("audit", "Compare clusters with what is declared and rendered", "audit", "audit"),
    Verb("rules", "List all rules with their severity", "rules", "rules"),
    Verb("explain", "Explain a rule: what it means and how to fix it", "explain", "explain"),
    Verb("schema", "Print the JSON Schema of a kind of document", "schema", "schema"),
    Verb("migrate", "Convert inventory/ to the newest apiVersion", "migrate", "migrate"),
    Verbs(
        name="catalog",
        short_help="Keep the catalog of built images up to date",
        help="Keep the catalog of built images up to date.",
        no_args_is_help=True,
        commands=[
            Verb("sync", "Update the catalog from its registries", "catalog_sync", "sync"),
            Verb("verify", "Check every line of the catalog against its registry", "catalog_verify", "verify"),
            Verb("add", "Add images to the catalog, or correct their lines", "catalog_add", "add"),
            Verb("prune", "Remove images that no node or recent commit needs", "catalog_prune", "prune"),
            Verb("list", "List images that are built, and those that nodes lack", "catalog_list", "list_images"),
            Verb("show", "Show everything that is known about one image", "catalog_show", "show"),
            Verb("export", "List all needed images, or write it for a copy tool", "catalog_export", "export"),
        ],
    ),
    Verbs(
        name="cuda",
        short_help="Show which pools can run a CUDA version",
        help="Which pools can carry a CUDA need. `drivergate cuda [NEED]` is short for `drivergate cuda pools [NEED]`.",
        default="pools",
        commands=[
            Verb("pools", "Show what drivers carry, or which pools can run NEED", "cuda", "pools"),
            Verb("affinity", "Print the nodeAffinity of workloads or of a need", "cuda", "affinity"),
        ],
    ),
    Verbs(
        name="upgrade",
        short_help="Follow a driver upgrade, or simulate the next one",
        help="Where each node's driver upgrade stands and why, and what the next one will run into.",
        no_args_is_help=True,
        commands=[
            Verb("status", "Show the upgrade state of each node and its reason", "upgrade_status", "status"),
            Verb("simulate", "Replay an upgrade: evictions, times and stalls", "upgrade_simulate", "simulate"),
            Verb("runbook", "Write the procedure of a planned change", "upgrade_runbook", "runbook"),
        ],
    ),
    Verbs(
        name="sources",
        short_help="Update pinned commits of inventories kept elsewhere",
        help="Move the pinned commits of inventories kept elsewhere.",
        no_args_is_help=True,
        commands=[Verb("update", "Pin each source to its ref's newest commit", "sources", "update")],
    ),
)

_app = typer.Typer(
    name="drivergate",
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from generator import __version__

        typer.echo(f"drivergate {__version__}")
        raise typer.Exit


@_app.callback()
def _drivergate(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Keeps the NVIDIA GPU drivers of a Kubernetes fleet in git, and stops the commit when an image is missing."""


def command_line() -> TyperGroup:
    """The group of all verbs, with `--version` and the options that install completion."""
    group = get_command(_app)
    assert isinstance(group, TyperGroup)
    for verb in VERBS:
        group.add_command(verb)
    return group


def parsed(arguments: list[str]) -> int:
    """Reads the arguments and does what they say; the exit code. Typer's own words for bad usage, and exit 2."""
    try:
        code = command_line()(arguments, prog_name="drivergate", standalone_mode=False)
    except typer.TyperException as error:
        return _bad_usage(error)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:  # what typer makes of KeyboardInterrupt
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _bad_usage(error: typer.TyperException) -> int:
    """A bare call prints its help."""
    show = getattr(error, "show", None)
    if show is None:
        say(f"drivergate: {error.format_message()}")
    else:
        show()
    return UNUSABLE
