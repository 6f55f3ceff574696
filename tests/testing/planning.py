"""Plans of inventories given as files in memory."""

from collections.abc import Mapping

from generator.change.plan import Plan, plan
from generator.change.whatif import Asked
from generator.change.wish import Wish, meant
from generator.change.work import Work, work
from generator.declared.build import build
from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from tests.testing.judging import VERSION, bytes_of

EMPTY = {"kernels": (), "os": "", "driver": "", "node_image": "", "operator": ""}
NOWHERE = {"clusters": frozenset(), "rings": frozenset(), "pools": frozenset()}


def read(files: Mapping[str, str]) -> tuple[Fleet, Catalog, dict[str, object]]:
    """The fleet, its catalog, and its node images by name."""
    inventory = load(bytes_of(files))
    built = build(inventory, version=VERSION)
    assert [one for one in (*inventory.findings, *built.findings) if one.severity == "invalid"] == []
    images = {one.shape.name: one.shape for one in inventory.node_images}
    return built.fleet, collect(inventory.catalogs, built.fleet.mirrors), images


def planned(files: Mapping[str, str], **wished: object) -> Plan:
    """What a wish, given by its fields, comes to."""
    fleet, catalog, images = read(files)
    asked = meant(Wish(**{**EMPTY, **NOWHERE, **wished}), fleet, images)
    assert isinstance(asked, Asked), asked
    return plan(fleet, catalog, asked)


def works(files: Mapping[str, str], **wished: object) -> tuple[Work, ...]:
    """The work list of a wish."""
    _, catalog, _ = read(files)
    return work(planned(files, **wished).answers, catalog)
