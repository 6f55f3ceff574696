"""One run: the arguments, what they ask for, and what becomes of errors. Never a traceback for bad input."""

from generator.cli.outcome import BUG, INTERRUPTED, say
from generator.edges.errors import OutsideError


def run(arguments: list[str]) -> int:
    """Runs the command line; the exit code."""
    try:
        return _called(arguments)
    except OutsideError as error:
        say(f"drivergate: {error.message}\n    hint: {error.hint}")
        return error.exit_code
    except KeyboardInterrupt:
        say("drivergate: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe()
    except SystemExit as error:  # typer's own end for a closed pipe, and for completion
        if isinstance(error.__context__, BrokenPipeError):
            return _closed_pipe()
        raise
    except Exception as error:  # noqa: BLE001 - a bug: where it happened, never what values it held
        say(_bug(error))
        return BUG


def _called(arguments: list[str]) -> int:
    """The calls of hooks and CI have nothing to parse, and the command-line library is a third of their start-up."""
    match arguments:
        case ["check"] | ["check", "--staged"]:
            from generator.cli.check import check

            return check(staged=len(arguments) == 2)
        case ["render"]:
            from generator.cli.render import render

            return render()
        case _:
            from generator.cli.app import parsed

            return parsed(arguments)


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
