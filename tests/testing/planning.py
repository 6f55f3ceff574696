"""Plans of inventories given as files in memory."""

from collections.abc import Mapping

from generator.change.plan import Plan, plan
from generator.change.sequence import Named
from generator.change.whatif import Asked
from generator.change.wish import Wish, meant
from generator.change.work import Work, work
from generator.declared.build import build
from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from tests.testing.inventories import HEAD
from tests.testing.inventories import files as small
from tests.testing.judging import VERSION, bytes_of

RUNNING, NEXT = "5.15.0-173-generic", "5.15.0-177-generic"
OWN = 'nodeSelector: {x/y: a}, os: {id: ubuntu, version: "22.04"}'


def pool(more: str = "arch: [amd64], kernels: [5.15.0-173-generic]") -> str:
    return f"{OWN}, {more}"


def catalog(*lines: str) -> str:
    images = "".join(f"  - {{{line}}}\n" for line in lines)
    return (
        f"{HEAD}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:{images and chr(10)}{images or ' []'}\n"
    )


def tag(kernel: str, branch: str = "580", more: str = ", platforms: [linux/amd64]", os: str = "ubuntu22.04") -> str:
    return f'tag: "{branch}-{kernel}-{os}"{more}'


def files(*pools: str, more: str = "", **changed: str) -> dict[str, str]:
    """The small inventory, with files of its own by their paths."""
    return small(*pools, more=more) | changed


BUILT = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(NEXT))}
LACKING = {"inventory/catalog.yaml": catalog(tag(RUNNING))}
UPCOMING = "arch: [amd64], kernels: [5.15.0-173-generic], upcomingKernels: [5.15.0-177-generic]"

EMPTY = {"kernels": (), "os": "", "driver": "", "node_image": "", "operator": ""}
NOWHERE = {"clusters": frozenset(), "rings": frozenset(), "pools": frozenset()}


def read(files: Mapping[str, str]) -> tuple[Fleet, Catalog, dict[str, object]]:
    """The fleet, its catalog, and its node images by name."""
    inventory = load(bytes_of(files))
    built = build(inventory, version=VERSION)
    assert [one for one in (*inventory.findings, *built.findings) if one.severity == "invalid"] == []
    images = {one.shape.name: one.shape for one in inventory.node_images}
    return built.fleet, collect(inventory.catalogs, built.fleet.mirrors), images


def planned(files: Mapping[str, str], via: tuple[str, ...] = (), **wished: object) -> Plan:
    """What a wish, given by its fields, comes to; `via` are drivers that may be passed through."""
    fleet, catalog, images = read(files)
    asked = meant(Wish(**{**EMPTY, **NOWHERE, **wished}), fleet, images)
    assert isinstance(asked, Asked), asked
    return plan(fleet, catalog, asked, named=Named(drivers=via))


def works(files: Mapping[str, str], **wished: object) -> tuple[Work, ...]:
    """The work list of a wish."""
    _, catalog, _ = read(files)
    return work(planned(files, **wished).answers, catalog)
