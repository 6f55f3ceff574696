"""Which file an image's line goes into."""

from collections.abc import Iterable

from generator.catalog.edit import MOST_LINES
from generator.catalog.filing import Revised, revised
from generator.declared.catalog_file import read_catalog
from generator.declared.entry import Entry

DRIVER = "nvcr.io/nvidia/driver"
FOLDER = f"inventory/catalog/{DRIVER}"
AWS, NEWER = "580-6.8.0-1050-aws-ubuntu24.04", "580-6.8.0-1060-aws-ubuntu24.04"
COMPILED = "580.126.20-ubuntu24.04"


def catalog(*tags: str, repository: str = DRIVER) -> str:
    lines = "".join(f'\n  - {{tag: "{tag}"}}' for tag in tags) or " []"
    return f"apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: {repository}\nimages:{lines}\n"


def revise(
    files: dict[str, str],
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    repository: str = DRIVER,
    *,
    tidy: bool = False,
) -> Revised:
    texts = {path: text.encode() for path, text in files.items()}
    catalogs = [read_catalog(path, data) for path, data in texts.items()]
    changes: dict[str, Entry | None] = {tag: Entry(tag) for tag in add}
    return revised(catalogs, texts, {repository: changes | dict.fromkeys(remove)}, tidy=tidy)


def where(files: dict[str, str], tag: str, repository: str = DRIVER) -> str:
    (path,) = revise(files, [tag], repository=repository).written
    return path


def test_a_repository_without_a_catalog_gets_a_file_for_each_branch_and_os() -> None:
    made = revise({}, [AWS, NEWER, COMPILED, "595-6.8.0-1050-aws-ubuntu24.04", "580.159.04-rhel9"])
    assert [*made.written] == [f"{FOLDER}/{name}.yaml" for name in ("580-rhel9", "580-ubuntu24.04", "595-ubuntu24.04")]
    assert made.written[f"{FOLDER}/580-ubuntu24.04.yaml"].decode() == catalog(AWS, NEWER, COMPILED)


def test_a_colon_does_not_stand_in_a_file_name() -> None:
    assert where({}, AWS, "localhost:5000/driver") == "inventory/catalog/localhost_5000/driver/580-ubuntu24.04.yaml"


def test_the_file_that_holds_the_branch_and_os() -> None:
    files = {"inventory/a.yaml": catalog(AWS), "inventory/b.yaml": catalog("595-6.8.0-1050-aws-ubuntu24.04")}
    assert where(files, NEWER) == "inventory/a.yaml"
    assert where(files, COMPILED) == "inventory/a.yaml"
    kept_apart = {**files, "inventory/c.yaml": catalog("580.95.05-ubuntu24.04")}
    assert where(kept_apart, COMPILED) == "inventory/c.yaml"
    assert where(kept_apart, NEWER) == "inventory/a.yaml"
    assert where(files, "580-5.15.0-173-generic-ubuntu22.04") == f"{FOLDER}/580-ubuntu22.04.yaml"


def test_a_repository_that_is_kept_in_one_file_stays_there() -> None:
    for one in (catalog(), catalog(AWS, "595-5.15.0-1111-aws-ubuntu22.04")):
        assert where({"inventory/catalog.yaml": one}, "610.57.04-ubuntu24.04") == "inventory/catalog.yaml"
    assert where({"inventory/catalog.yaml": catalog(AWS)}, "610.57.04-ubuntu24.04") == "inventory/catalog.yaml"
    split = {"inventory/580-ubuntu24.04.yaml": catalog(AWS)}
    assert where(split, "610.57.04-ubuntu24.04") == f"{FOLDER}/610-ubuntu24.04.yaml"


def test_a_file_of_another_repository_is_not_taken() -> None:
    files = {f"{FOLDER}/580-ubuntu24.04.yaml": catalog(AWS, repository="example.com/driver")}
    assert where(files, AWS) == f"{FOLDER}/580-ubuntu24.04-2.yaml"


def test_an_image_that_is_listed_in_two_files_is_kept_in_the_first() -> None:
    files = {"inventory/a.yaml": catalog(AWS, NEWER), "inventory/b.yaml": catalog(AWS, NEWER)}
    texts = {path: text.encode() for path, text in files.items()}
    catalogs = [read_catalog(path, data) for path, data in texts.items()]
    made = revised(catalogs, texts, {DRIVER: {AWS: Entry(AWS, gone=True)}})
    assert [*made.written] == ["inventory/a.yaml", "inventory/b.yaml"]  # a kill between the two loses nothing
    assert b"gone: true" in made.written["inventory/a.yaml"]
    assert made.written["inventory/b.yaml"].decode() == catalog(NEWER)


def test_files_that_list_nothing_any_more() -> None:
    plain, noted = catalog(AWS), f"# kept for the auditors\n{catalog(AWS)}"
    schema = f"# yaml-language-server: $schema=x.json\n{catalog(AWS)}"
    files = {"inventory/a.yaml": plain, "inventory/b.yaml": noted, "inventory/c.yaml": schema}
    made = revise(files, remove=[AWS], tidy=True)
    assert made.removed == ("inventory/a.yaml", "inventory/c.yaml")
    assert made.written["inventory/b.yaml"].decode() == f"# kept for the auditors\n{catalog()}"
    assert revise(files, remove=[AWS]).removed == ()
    assert revise(files, remove=[NEWER]) == Revised()


def test_a_file_that_can_not_be_edited_is_told() -> None:
    long = f"apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: {DRIVER}\nimages: [{{tag: {AWS}}}]\n"
    made = revise({"inventory/a.yaml": long + "# a note\n" * MOST_LINES}, [NEWER])
    assert [one.file for one in made.refused] == ["inventory/a.yaml"]
    assert made.written == {}
