"""`drivergate upgrade`: where a cluster's upgrade stands, and what the next one will run into."""

import typer

from generator.cli.upgrade_runbook import runbook
from generator.cli.upgrade_simulate import simulate
from generator.cli.upgrade_status import status

upgrade = typer.Typer(
    help="Where each node's driver upgrade stands and why, and what the next one will run into.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
upgrade.command()(status)
upgrade.command()(simulate)
upgrade.command()(runbook)
