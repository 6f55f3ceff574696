"""The command line as a whole: its verbs, and what becomes of bad usage."""

from typing import Annotated

import typer

from generator.cli.audit import audit
from generator.cli.catalog import catalog
from generator.cli.check import check
from generator.cli.cuda import cuda
from generator.cli.diff import diff
from generator.cli.explain import explain
from generator.cli.init import init
from generator.cli.migrate import migrate
from generator.cli.outcome import INTERRUPTED, UNUSABLE, say
from generator.cli.plan import plan
from generator.cli.render import render
from generator.cli.rules import rules
from generator.cli.schema import schema
from generator.cli.show import show
from generator.cli.sources import sources
from generator.cli.tag import tag
from generator.cli.upgrade import upgrade

app = typer.Typer(
    name="drivergate",
    help="Keeps the NVIDIA GPU drivers of a Kubernetes fleet in git, and stops the commit when an image is missing.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(init)
app.command()(render)
app.command()(check)
app.command()(diff)
app.command()(show)
app.command()(tag)
app.command()(plan)
app.command()(audit)
app.add_typer(catalog)
app.add_typer(cuda, name="cuda")
app.command()(rules)
app.command()(explain)
app.command()(schema)
app.command()(migrate)
app.add_typer(upgrade, name="upgrade")
app.add_typer(sources)


def _version(wanted: bool) -> None:
    if wanted:
        from generator import __version__

        typer.echo(f"drivergate {__version__}")
        raise typer.Exit


@app.callback()
def drivergate(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Keeps the NVIDIA GPU drivers of a Kubernetes fleet in git, and stops the commit when an image is missing."""


def parsed(arguments: list[str]) -> int:
    """Reads the arguments and does what they say; the exit code. Typer's own words for bad usage, and exit 2."""
    try:
        code = app(arguments, prog_name="drivergate", standalone_mode=False)
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
