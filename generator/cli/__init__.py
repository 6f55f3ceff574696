"""Owns how drivergate is called: one file per verb, wiring and exit codes.

It takes no decision longer than an `if`, and nobody imports it.
"""

import sys


def main() -> None:
    """The console script."""
    from generator.cli.app import run

    sys.exit(run(sys.argv[1:]))
