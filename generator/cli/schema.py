"""`drivergate schema`: the JSON Schemas of the inventory."""

from json import dumps
from typing import Annotated

import typer

from generator.cli.options import ResultFormat
from generator.cli.outcome import CLEAN, Format, out, unknown

# generator.declared.model says the same, at the price of its import; a test holds the two together.
SLUGS = {
    "Fleet": "fleet",
    "NodeImage": "node-image",
    "Cluster": "cluster",
    "Workloads": "workloads",
    "ImageCatalog": "image-catalog",
}


def schema(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="Kind of document; without one, the kinds are listed.",
            autocompletion=lambda: [*SLUGS],
        ),
    ] = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Print the JSON Schema of a kind of document; editors take it from a yaml-language-server comment."""
    if kind is None:
        names = dumps([*SLUGS], indent=2) if printed is Format.JSON else "\n".join(SLUGS)
        out(f"{names}\n")
        return CLEAN
    slug = next((slug for name, slug in SLUGS.items() if kind.lower() in {name.lower(), slug}), None)
    if slug is None:
        return unknown("kind", kind, SLUGS)
    from generator.facts.data import schema_json  # not needed for the list

    out(dumps(schema_json(slug), indent=2, ensure_ascii=False) + "\n")
    return CLEAN
