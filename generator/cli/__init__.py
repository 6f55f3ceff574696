"""Owns how drivergate is called: one file per verb, wiring and exit codes.

It takes no decision longer than an `if`, and nobody imports it.
"""

import sys


def main() -> None:
    """The console script."""
    import gc

    # One short run makes hardly a cycle, and searching for them takes a tenth of it; `make bench` watches the memory.
    gc.disable()
    from generator.cli.app import run

    sys.exit(run(sys.argv[1:]))
