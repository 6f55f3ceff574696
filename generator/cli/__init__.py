"""Owns how drivergate is called: one file per verb, wiring and exit codes.

It takes no decision longer than an `if`, and nobody imports it.
"""

import sys


def main() -> None:
    """The console script."""
    import gc

    # A run is short and makes hardly a cycle, and looking for them costs 3 % of a check and more of a large render.
    # `python -m tests.bench --only scale` watches the memory.
    gc.disable()
    from generator.cli.app import run

    sys.exit(run(sys.argv[1:]))
