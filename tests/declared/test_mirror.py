"""Repositories that stand for others."""

import pytest

from generator.declared.catalog import Catalog
from generator.declared.entry import Entry
from generator.declared.mirror import Mirror, MirrorKind, catalog_name, node_mirrors, upstreams
from tests.testing.inventories import FLEET, FLEET_FILE, files, serious
from tests.testing.judging import revision_of

NVCR, COPY, PROXY, NODE = "nvcr.io/nvidia/driver", "copy.example/d/driver", "proxy.example/d/driver", "node.example/d/d"


def mirrors(**kinds: str) -> dict[str, Mirror]:
    names = {"copy": COPY, "proxy": PROXY, "node": NODE}
    return {names[kind]: Mirror(names[kind], of, MirrorKind(kind)) for kind, of in kinds.items()}


def fleet(*lines: str) -> str:
    return FLEET + "mirrors:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("declared", "name", "whose", "chain"),
    [
        (mirrors(copy=NVCR), COPY, COPY, [NVCR]),
        (mirrors(proxy=NVCR), PROXY, NVCR, [NVCR]),
        (mirrors(node=NVCR), NODE, NVCR, [NVCR]),
        (mirrors(proxy=COPY, copy=NVCR), PROXY, COPY, [COPY, NVCR]),
        (mirrors(copy=PROXY, proxy=NVCR), COPY, COPY, [PROXY, NVCR]),
        (mirrors(copy=NVCR), NVCR, NVCR, []),
    ],
)
def test_whose_catalog_is_asked(declared: dict[str, Mirror], name: str, whose: str, chain: list[str]) -> None:
    assert catalog_name(declared, name) == whose
    assert list(upstreams(declared, name)) == chain


def test_a_catalog_answers_for_a_proxy_with_its_upstreams_images_alone() -> None:
    mine, theirs = Entry(tag="mine"), Entry(tag="theirs")
    listed = {NVCR: {"theirs": theirs}, PROXY: {"mine": mine}, COPY: {"mine": mine}}
    catalog = Catalog(listed, mirrors=mirrors(proxy=NVCR, copy=NVCR))
    assert (catalog.find(PROXY, "theirs"), catalog.find(PROXY, "mine")) == (theirs, None)
    assert (catalog.find(COPY, "theirs"), catalog.find(COPY, "mine")) == (None, mine)
    assert list(catalog.images(PROXY) or ()) == ["theirs"]
    assert Catalog({}, mirrors=mirrors(proxy=NVCR)).images(PROXY) is None


def test_only_node_mirrors_are_where_nodes_are_sent() -> None:
    assert [one.name for one in node_mirrors(mirrors(node=NVCR, proxy=NVCR), NVCR)] == [NODE]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([f"{PROXY}: {{of: {PROXY}, kind: copy}}"], f'mirror "{PROXY}" stands for itself'),
        (
            [f"{PROXY}: {{of: {COPY}, kind: proxy}}", f"{COPY}: {{of: {PROXY}, kind: copy}}"],
            f'mirror "{PROXY}" stands for itself, by way of {COPY}',
        ),
        (['"mirror": {of: nvcr.io/nvidia/driver, kind: copy}'], 'mirror "mirror" is no whole name of a repository'),
        (
            [f"{PROXY}: {{of: {NVCR}, kind: cache}}"],
            f'mirrors.{PROXY}.kind is "cache", one of copy, node, proxy is wanted',
        ),
        (
            [f'{PROXY}: {{of: "{NVCR}:580", kind: copy}}'],
            f'mirrors.{PROXY}.of is "{NVCR}:580", the whole name of its upstream, as in {NVCR} is wanted',
        ),
        ([f"{PROXY}: {{kind: copy}}"], f'"of" is missing in mirrors.{PROXY}'),
    ],
)
def test_mirrors_that_say_nothing_sensible(lines: list[str], message: str) -> None:
    (finding,) = serious(files(fleet=fleet(*lines)))
    assert (finding.message, finding.place.file, finding.rule) == (message, FLEET_FILE, "inventory/schema")
    assert finding.place.line == FLEET.count("\n") + 2


def test_a_mirror_that_leads_into_a_circle_is_left_out_and_nothing_runs_for_ever() -> None:
    circle = [f"{PROXY}: {{of: {COPY}, kind: proxy}}", f"{COPY}: {{of: {PROXY}, kind: proxy}}"]
    context, told = revision_of(files(fleet=fleet(f"{NODE}: {{of: {PROXY}, kind: node}}", *circle)))
    assert len(told) == 1
    assert context.fleet.mirrors == {}
