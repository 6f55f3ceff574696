"""The catalog over all files: look-ups, and what is wrong between lines."""

import time

import pytest
import yaml

from generator.declared.catalog import PLAIN_TAGS, Catalog, Entry, canonical, collect, read_catalog
from generator.facts.tag import ImageTag, parse
from generator.finding import Place, Severity
from tests.testing.shared import shared

TAG = "580-6.8.0-1050-aws-ubuntu24.04"
AMD64, ARM64 = "linux/amd64", "linux/arm64"
ONE = "sha256:" + "1" * 64
TWO = "sha256:" + "2" * 64


def file(name: str, *entries: Entry, repository: str = "nvcr.io/nvidia/driver") -> tuple[str, str]:
    head = f"apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: {repository}\nimages:\n"
    return name, head + "".join(canonical(entry) + "\n" for entry in entries)


def catalog(*files: tuple[str, str]) -> Catalog:
    read = [read_catalog(name, text) for name, text in files]
    assert not [finding for each in read for finding in each.findings]
    return collect(read)


def said(made: Catalog) -> list[tuple[str, Severity, Place]]:
    return [(finding.rule, finding.severity, finding.place) for finding in made.findings]


def test_look_up_by_repository_and_tag() -> None:
    made = catalog(
        file("b.yaml", Entry("580-ubuntu22.04"), Entry("580-ubuntu24.04")),
        file("a.yaml", Entry("570-ubuntu22.04")),
        file("m.yaml", Entry("580-ubuntu22.04", gone=True), repository="registry.example.com/nvidia/driver"),
    )
    assert made.findings == ()
    found = made.find("nvcr.io/nvidia/driver", "580-ubuntu24.04")
    assert found is not None
    assert (found.file, found.line, found.place) == ("b.yaml", 6, Place("b.yaml", 6, 1))
    assert set(made.images("nvcr.io/nvidia/driver") or ()) == {"570-ubuntu22.04", "580-ubuntu22.04", "580-ubuntu24.04"}
    mirrored = made.find("registry.example.com/nvidia/driver", "580-ubuntu22.04")
    assert mirrored is not None
    assert mirrored.gone
    assert made.find("nvcr.io/nvidia/driver", "580-ubuntu20.04") is None
    assert made.find("ghcr.io/nvidia/driver", "580-ubuntu22.04") is None
    assert made.images("ghcr.io/nvidia/driver") is None


def test_equal_lines_are_a_duplicate_and_count_once() -> None:
    entry = Entry(TAG, (AMD64,), digest=ONE)
    made = catalog(file("a.yaml", entry, entry), file("b.yaml", entry))
    assert said(made) == [
        ("catalog/duplicate", Severity.WARNING, Place("a.yaml", 6, 1)),
        ("catalog/duplicate", Severity.WARNING, Place("b.yaml", 5, 1)),
    ]
    assert all("a.yaml:5" in finding.message and TAG in finding.message for finding in made.findings)
    assert list(made.images("nvcr.io/nvidia/driver") or ()) == [TAG]
    kept = made.find("nvcr.io/nvidia/driver", TAG)
    assert kept is not None
    assert (kept.platforms, kept.digest, kept.file, kept.line) == ((AMD64,), ONE, "a.yaml", 5)


def test_two_digests_of_one_tag_are_a_conflict_that_names_both_places() -> None:
    made = catalog(
        file("a.yaml", Entry(TAG)),
        file("b.yaml", Entry(TAG, digest=ONE)),
        file("c.yaml", Entry(TAG, digest=TWO)),
    )
    assert said(made) == [
        ("catalog/duplicate", Severity.WARNING, Place("b.yaml", 5, 1)),
        ("catalog/conflict", Severity.INVALID, Place("c.yaml", 5, 1)),
    ]
    message = made.findings[1].message
    assert all(part in message for part in (TAG, ONE, TWO, "b.yaml:5"))


def test_one_tag_in_two_repositories_is_no_conflict() -> None:
    made = catalog(
        file("a.yaml", Entry(TAG, digest=ONE)),
        file("b.yaml", Entry(TAG, digest=TWO), repository="ghcr.io/x/driver"),
    )
    assert made.findings == ()


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        # a fact that one line lacks comes from the other
        ([Entry(TAG, (AMD64,)), Entry(TAG, digest=ONE)], Entry(TAG, (AMD64,), digest=ONE)),
        # of platforms those that all list
        ([Entry(TAG, (AMD64, ARM64)), Entry(TAG, (ARM64,))], Entry(TAG, (ARM64,))),
        ([Entry(TAG, (AMD64,)), Entry(TAG, (ARM64,))], Entry(TAG, ())),
        # of driver versions the lowest, by number
        (
            [Entry(TAG, driver_version=version) for version in ("580.105.08", "580.95.05", "580.105.08")],
            Entry(TAG, driver_version="580.95.05"),
        ),
        ([Entry(TAG, driver_version="580.95.05"), Entry(TAG, driver_version="custom")], Entry(TAG)),
        # a disagreement is not settled by a third line
        (
            [Entry(TAG, module_type=one) for one in ("open", "proprietary", "open")],
            Entry(TAG),
        ),
        ([Entry(TAG, module_type="open"), Entry(TAG, module_type="proprietary")], Entry(TAG)),
        # what vanished on any line is gone
        ([Entry(TAG), Entry(TAG, gone=True), Entry(TAG)], Entry(TAG, gone=True)),
    ],
)  # fmt: skip
def test_what_a_merge_left_behind_counts_as_far_as_no_line_contradicts(lines: list[Entry], kept: Entry) -> None:
    made = catalog(file("a.yaml", *lines))
    assert {finding.rule for finding in made.findings} == {"catalog/duplicate"}
    assert len(made.findings) == len(lines) - 1
    found = made.find("nvcr.io/nvidia/driver", TAG)
    assert found is not None
    assert canonical(found) == canonical(kept)
    assert found.place == Place("a.yaml", 5, 1)


def test_other_facts_are_told_from_equal_lines() -> None:
    made = catalog(file("a.yaml", Entry(TAG), Entry(TAG, gone=True), Entry(TAG)))
    assert ["other facts" in finding.message for finding in made.findings] == [True, False]


def test_an_unsorted_file_is_told_once_with_the_first_place() -> None:
    made = catalog(file("a.yaml", Entry("580-ubuntu24.04"), Entry("580-ubuntu22.04"), Entry("570-ubuntu22.04")))
    assert said(made) == [("catalog/unsorted", Severity.WARNING, Place("a.yaml", 6, 1))]
    assert '"580-ubuntu22.04"' in made.findings[0].message


def test_a_tag_that_is_no_drivers_is_told() -> None:
    made = catalog(file("a.yaml", Entry("580-ubuntu24.04"), Entry("latest")))
    assert said(made) == [("catalog/unreadable-tag", Severity.WARNING, Place("a.yaml", 6, 1))]
    assert '"latest"' in made.findings[0].message
    assert made.find("nvcr.io/nvidia/driver", "latest") is not None


def test_the_cheap_look_at_a_tag_takes_nothing_that_the_grammar_refuses() -> None:
    real = shared("facts/real_tags.yaml")
    if real is None:
        pytest.skip("../shared/facts/real_tags.yaml is absent")
    loaded = yaml.safe_load(real.read_text(encoding="utf-8"))
    tags = [entry["tag"] for group in loaded.values() if isinstance(group, list) for entry in group]
    plain = [tag for tag in tags if PLAIN_TAGS.fullmatch(tag)]
    assert len(plain) > 20
    assert all(isinstance(parse(tag), ImageTag) for tag in plain)


def test_a_hundred_thousand_images_are_read_and_collected_in_seconds() -> None:
    entries = [
        Entry(f"580-6.8.0-{number:06d}-generic-ubuntu24.04", (AMD64,), "580.126.20", "open", ONE)
        for number in range(100_000)
    ]
    name, text = file("a.yaml", *entries)
    started = time.perf_counter()
    made = catalog((name, text))
    assert time.perf_counter() - started < 5
    assert len(made.images("nvcr.io/nvidia/driver") or ()) == 100_000
    assert made.findings == ()
