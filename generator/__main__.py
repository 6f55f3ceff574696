"""`python -m generator` is `drivergate`."""

from generator.cli import main

main()
