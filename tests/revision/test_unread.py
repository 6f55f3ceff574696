"""Errors in files that a run leaves unread: where they are few all of them, where they are many those of syntax."""

from datetime import date

import pytest

from generator.revision.declaration import declare
from generator.revision.unread import EXACTLY, note, with_errors
from tests.testing.inventories import CATALOG, HEAD, POOL, cluster, files
from tests.testing.judging import DAY, bytes_of

TWO, THREE, IMAGES = "inventory/two.yaml", "inventory/three.yaml", "inventory/catalog.yaml"
UNREADABLE = f"{HEAD}kind: Cluster\nname: two\npools: [\n"
MISSPELT = cluster(POOL, name="two").replace("pools:", "poolz:")
UNKNOWN_IMAGE = cluster(POOL.replace("nodeImage: aws", "nodeImage: nobody"), name="two")


def errors(more: dict[str, str], *unread: str, day: date = DAY) -> tuple[str, ...]:
    return with_errors(bytes_of({**files(), **more}), unread, day=day)


@pytest.mark.parametrize("text", [UNREADABLE, MISSPELT, UNKNOWN_IMAGE])
def test_an_unread_file_is_named_where_check_refuses_it(text: str) -> None:
    more = {TWO: text, THREE: cluster(POOL, name="three")}
    blocking = declare(bytes_of({**files(), **more}), day=DAY).blocking
    assert {finding.place.file for finding in blocking} == {TWO}
    assert errors(more, TWO, THREE) == (TWO,)


def test_files_that_were_read_are_not_named() -> None:
    assert errors({TWO: UNREADABLE}) == ()
    assert errors({TWO: UNREADABLE, THREE: cluster(POOL, name="three")}, THREE) == ()


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (CATALOG, False),
        (f"{CATALOG}# a comment\n\n", False),
        (
            f'{HEAD}kind: ImageCatalog\nrepository: r.example.com/x\nimages: [{{tag: "580-5.15.0-1-aws"}}]\n',
            False,
        ),
        (f"{CATALOG}  - {{tag: oops\n", True),
        (f"{CATALOG}  - {{tagg: 580-5.15.0-1-aws-ubuntu22.04}}\n", True),
        (f"{CATALOG}<<<<<<< HEAD\n", True),
    ],
)
def test_a_catalog_is_looked_at_whatever_its_layout(text: str, broken: bool) -> None:
    assert errors({IMAGES: text}, IMAGES) == ((IMAGES,) if broken else ())


def test_notes_beside_the_inventory_are_no_errors() -> None:
    assert errors({"inventory/notes.txt": "kind: ImageCatalog\n[\n"}, "inventory/notes.txt") == ()


def test_of_many_files_the_syntax_is_looked_at() -> None:
    """A misspelt key in one of a thousand clusters is left to check: to find it all of them would have to be read."""
    one = cluster(
        *(f"nodeSelector: {{example.com/pool: p{index}}}, nodeImage: aws" for index in range(12)), name="NAME"
    )
    many = {f"inventory/c{number}.yaml": one.replace("NAME", f"c{number}") for number in range(EXACTLY // len(one) + 1)}
    more = {**many, TWO: UNREADABLE, THREE: MISSPELT.replace("name: two", "name: three")}
    assert errors(more, *many, TWO, THREE) == (TWO,)
    assert errors(more, *[*many][:-9], TWO, THREE) == (THREE, TWO)


def test_many_lines_of_a_catalog_are_still_looked_at() -> None:
    lines = "".join(f'  - {{tag: "580-5.15.0-{number}-aws-ubuntu22.04"}}\n' for number in range(10_000))
    assert len(lines) > EXACTLY
    assert errors({IMAGES: CATALOG + lines}, IMAGES) == ()
    assert errors({IMAGES: f"{CATALOG}{lines}  - {{tag: oops\n"}, IMAGES) == (IMAGES,)


def test_the_note_is_one_line() -> None:
    assert note([TWO], "drivergate check") == f"not read: {TWO}, which has errors; run drivergate check"
    names = [f"inventory/c{number}.yaml" for number in range(1, 8)]
    assert note(names, "drivergate check --staged") == (
        "not read: inventory/c1.yaml, inventory/c2.yaml, inventory/c3.yaml, inventory/c4.yaml, inventory/c5.yaml "
        "and 2 more, which have errors; run drivergate check --staged"
    )
    assert "\n" not in note(["inventory/a\nb.yaml"], "drivergate check")
