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
    try:
        from generator.cli.run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are loaded
        code = 130
    sys.exit(code)
