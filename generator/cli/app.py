"""The command line as a whole: its verbs, and what becomes of errors. Never a traceback for bad input."""

from typing import Annotated

import typer

from generator.cli.check import check
from generator.cli.explain import explain
from generator.cli.init import init
from generator.cli.render import render
from generator.cli.rules import rules
from generator.cli.schema import schema
from generator.cli.show import show
from generator.cli.tag import tag

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
app.command()(show)
app.command()(tag)
app.command()(rules)
app.command()(explain)
app.command()(schema)


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


def run(arguments: list[str]) -> int:
    """Runs the command line; the exit code."""
    from generator.cli.outcome import BUG, INTERRUPTED, say
    from generator.edges.errors import OutsideError

    try:
        code = app(arguments, prog_name="drivergate", standalone_mode=False)
    except typer.TyperException as error:
        return _bad_usage(error)
    except OutsideError as error:
        say(f"drivergate: {error.message}\n    hint: {error.hint}")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        say("drivergate: interrupted")
        return INTERRUPTED
    except SystemExit as error:  # typer's own end for a closed pipe, and for completion
        if isinstance(error.__context__, BrokenPipeError):
            return _closed_pipe()
        raise
    except Exception as error:  # noqa: BLE001 - a bug: where it happened, never what values it held
        say(_bug(error))
        return BUG
    if code == INTERRUPTED:  # what typer makes of KeyboardInterrupt
        say("drivergate: interrupted")
    return code if isinstance(code, int) else 0


def _bad_usage(error: typer.TyperException) -> int:
    """Typer's own words for bad usage; a bare call prints its help. Exit 2 either way."""
    from generator.cli.outcome import UNUSABLE, say

    show = getattr(error, "show", None)
    if show is None:
        say(f"drivergate: {error.format_message()}")
    else:
        show()
    return UNUSABLE


def _closed_pipe() -> int:
    """The reader has gone, as `head` does; nothing may be flushed into the pipe any more."""
    import os
    import sys

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _bug(error: Exception) -> str:
    import traceback

    frames = [
        f"    {frame.filename.rpartition('generator/')[2]}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-8:]
    ]
    head = f"drivergate: this is a bug in drivergate ({type(error).__name__}); please report it with these lines"
    return "\n".join([head, *frames])
