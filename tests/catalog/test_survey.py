"""What a registry's answers make of the lines of a catalog."""

import pytest

from generator.catalog.change import Kind
from generator.catalog.filing import Shelf
from generator.catalog.need import Wish
from generator.catalog.survey import Same, Task, Vanished, discrepancies, entry, outcome, survey
from generator.declared.entry import Entry
from generator.observed.image import BuiltImage

DRIVER = "nvcr.io/nvidia/driver"
TAG, NEXT = "580-6.8.0-1050-aws-ubuntu24.04", "580-6.8.0-1053-aws-ubuntu24.04"
ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64
IMAGE = BuiltImage(
    tag=TAG, platforms=("linux/amd64",), digest=ONE, driver_version="580.126.20", kernel="6.8.0-1050-aws"
)
LINE = Entry(TAG, ("linux/amd64",), "580.126.20", None, ONE)
WISH = Wish({Shelf("580", "ubuntu24.04", True): {"amd64"}}, {})


def test_a_survey_of_a_registry() -> None:
    tags = [NEXT, TAG, TAG, "latest", "535-6.8.0-1050-aws-ubuntu24.04", "590-6.8.0-1-aws-ubuntu24.04"]
    listed = {
        TAG: LINE,
        "580-6.8.0-1049-aws-ubuntu24.04": Entry("580-6.8.0-1049-aws-ubuntu24.04"),
        "580-6.8.0-1048-aws-ubuntu24.04": Entry("580-6.8.0-1048-aws-ubuntu24.04", gone=True),
        "535-6.8.0-1050-aws-ubuntu24.04": Entry("535-6.8.0-1050-aws-ubuntu24.04", gone=True),
    }
    found = survey(tags, listed, WISH)
    assert [(task.tag, task.listed) for task in found.tasks] == [
        ("535-6.8.0-1050-aws-ubuntu24.04", True),  # of no use, but it is back
        (TAG, True),
        (NEXT, True),
        ("580-6.8.0-1049-aws-ubuntu24.04", False),  # vanished, perhaps
    ]
    assert (found.tags, found.skipped, [one.raw for one in found.others]) == (5, 1, ["latest"])
    assert [task.tag for task in survey(tags, {}, None).tasks] == sorted({*tags} - {"latest"})


@pytest.mark.parametrize(
    ("old", "known"),
    [
        (LINE, ONE),
        (None, ""),
        (Entry(TAG, ("linux/amd64",)), ""),
        (Entry(TAG, digest=ONE), ""),  # the platforms are still to be learned
    ],
)
def test_which_lines_need_no_second_look(old: Entry | None, known: str) -> None:
    assert Task(TAG, old).known == known


def test_the_line_of_an_image() -> None:
    assert entry(IMAGE, None) == LINE
    kept = Entry(TAG, None, "580.1.2", "open", ONE)
    untold = BuiltImage(tag=TAG, digest=ONE)
    assert entry(untold, kept) == kept
    moved = BuiltImage(tag=TAG, digest=TWO)
    assert entry(moved, kept) == Entry(TAG, None, None, "open", TWO)
    odd = BuiltImage(tag=TAG, digest="sha512:" + "a" * 128, platforms=("Windows/amd64", "linux/amd64"))
    assert entry(odd, None) == Entry(TAG, ("linux/amd64",))


@pytest.mark.parametrize(
    ("old", "seen", "kind"),
    [
        (None, IMAGE, Kind.NEW),
        (LINE, IMAGE, None),
        (LINE, Same(), None),
        (Entry(TAG), IMAGE, Kind.LEARNED),
        (Entry(TAG, digest=TWO), IMAGE, Kind.REPUSHED),
        (Entry(TAG, digest=TWO, gone=True), IMAGE, Kind.REPUSHED),
        (Entry(TAG, gone=True), IMAGE, Kind.BACK),
        (Entry(TAG, ("linux/amd64",), digest=ONE, gone=True), Same(), Kind.BACK),
        (LINE, Vanished(), Kind.GONE),
        (Entry(TAG, gone=True), Vanished(), None),
        (None, Vanished(), None),
    ],
)
def test_what_becomes_of_a_line(old: Entry | None, seen: Same | Vanished | BuiltImage, kind: Kind | None) -> None:
    change = outcome(DRIVER, Task(TAG, old), seen).change
    assert (change and change.kind) == kind
    if kind is Kind.GONE:
        assert change is not None
        assert change.new == Entry(TAG, LINE.platforms, LINE.driver_version, None, ONE, gone=True)


@pytest.mark.parametrize(
    ("image", "note"),
    [
        (IMAGE, None),
        (BuiltImage(tag=TAG, kernel="6.8.0-1051-aws"), "it was built for kernel 6.8.0-1051-aws"),
        (BuiltImage(tag=TAG, driver_version="570.1.2"), "which is not of the branch 580 of its name"),
        (
            BuiltImage(tag="535.104.05-ubuntu22.04", driver_version="535.104.12"),
            "it holds driver 535.104.12, which is not the 535.104.05 of its name",
        ),
        (BuiltImage(tag="535.104.05-ubuntu22.04", driver_version="535.104.05"), None),
        # The tag can't hold "+" (driver-images.md 1.7).
        (
            BuiltImage(
                tag="550.54.14-5.14.0-284.54.1.el9_2.aarch64_64k-rhcos4.15",
                kernel="5.14.0-284.54.1.el9_2.aarch64+64k",
            ),
            None,
        ),
    ],
)
def test_an_image_that_contradicts_its_name(image: BuiltImage, note: str | None) -> None:
    notes = outcome(DRIVER, Task(image.tag, None), image).notes
    assert note in notes[0] if note else notes == ()


@pytest.mark.parametrize(
    ("claimed", "count"),
    [
        (LINE, 0),
        (Entry(TAG), 0),
        (Entry(TAG, ("linux/arm64",)), 1),
        (Entry(TAG, ("linux/arm64",), "580.1.2"), 2),
        (Entry(TAG, digest=TWO), 1),
        (Entry(TAG, module_type="open"), 0),  # the image doesn't tell
        (Entry(TAG, gone=True), 1),
        (Entry(TAG, ("linux/arm64",), "580.1.2", None, TWO), 1),
    ],
)
def test_claims(claimed: Entry, count: int) -> None:
    assert len(discrepancies(DRIVER, claimed, IMAGE)) == count
    assert len(discrepancies(DRIVER, claimed, Vanished())) == (not claimed.gone)


def test_every_arm64_is_of_variant_v8() -> None:
    image = BuiltImage(tag=TAG, platforms=("linux/arm64",))
    assert discrepancies(DRIVER, Entry(TAG, ("linux/arm64/v8",)), image) == ()
