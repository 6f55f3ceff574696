import json

import pytest

from generator.cli import schema
from generator.declared.model import SLUGS
from tests.testing.command import REPO, call

Capture = pytest.CaptureFixture[str]


def test_the_kinds_are_the_models() -> None:
    assert schema.SLUGS == SLUGS


def test_without_a_kind_all_are_listed(capfd: Capture) -> None:
    called = call(capfd, "schema")
    assert called.out.split() == list(SLUGS)
    assert called.code == 0


@pytest.mark.parametrize("name", ["NodeImage", "nodeimage", "node-image", "NODE-IMAGE"])
def test_a_kind_or_its_slug_prints_the_committed_file(capfd: Capture, name: str) -> None:
    called = call(capfd, "schema", name)
    assert called == (0, (REPO / "docs" / "schemas" / "node-image.json").read_text(encoding="utf-8"), "")


@pytest.mark.parametrize("slug", SLUGS.values())
def test_every_kind_is_printed_byte_for_byte(capfd: Capture, slug: str) -> None:
    assert call(capfd, "schema", slug).out.encode() == (REPO / "docs" / "schemas" / f"{slug}.json").read_bytes()


def test_an_unknown_kind(capfd: Capture) -> None:
    called = call(capfd, "schema", "Clutser")
    assert called == (2, "", 'drivergate: no kind is named "Clutser"\n    hint: did you mean "Cluster"?\n')


def test_as_json(capfd: Capture) -> None:
    assert json.loads(call(capfd, "schema", "--format", "json").out) == list(SLUGS)
    assert call(capfd, "schema", "Fleet", "--format", "json") == call(capfd, "schema", "Fleet")
