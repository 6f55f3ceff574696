"""`drivergate catalog`: the verbs that keep the ledger of built images."""

import typer

from generator.cli.catalog_add import add
from generator.cli.catalog_export import export
from generator.cli.catalog_list import list_images
from generator.cli.catalog_prune import prune
from generator.cli.catalog_show import show
from generator.cli.catalog_sync import sync
from generator.cli.catalog_verify import verify

catalog = typer.Typer(
    name="catalog",
    help="Keep the catalog of built images true.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
catalog.command("sync")(sync)
catalog.command("verify")(verify)
catalog.command("add")(add)
catalog.command("prune")(prune)
catalog.command("list")(list_images)
catalog.command("show")(show)
catalog.command("export")(export)
