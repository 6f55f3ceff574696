"""ImageCatalog files: the canonical lines, the exact reading, and that both give the same answer."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.declared.catalog_file import CatalogFile, read_catalog, read_exactly, read_lines
from generator.declared.entry import Entry, canonical
from generator.finding import Finding, Place, Severity
from tests.testing.shared import shared

HEADER = """\
apiVersion: drivergate.dev/v1alpha1
kind: ImageCatalog
repository: nvcr.io/nvidia/driver
images:
"""
DIGEST = "sha256:" + "0123456789abcdef" * 4
TAG = "580-6.8.0-1050-aws-ubuntu24.04"


def catalog(*images: str) -> CatalogFile:
    return read_catalog("c.yaml", HEADER + "".join(f"  - {image}\n" for image in images))


def only(text: str) -> Finding:
    found = read_catalog("c.yaml", text).findings
    assert len(found) == 1, found
    return found[0]


def test_a_line_with_everything() -> None:
    line = (
        f'  - {{tag: "{TAG}", platforms: [linux/amd64, linux/arm64], driverVersion: "580.126.20", '
        f'moduleType: open, digest: "{DIGEST}", gone: true}}'
    )
    entry = Entry(TAG, ("linux/amd64", "linux/arm64"), "580.126.20", "open", DIGEST, gone=True, file="c.yaml", line=5)
    read = read_lines("c.yaml", HEADER + line + "\n")
    assert read == CatalogFile("c.yaml", "nvcr.io/nvidia/driver", (entry,))
    assert canonical(entry) == line


def test_a_line_with_a_tag_alone() -> None:
    read = read_lines("c.yaml", f'{HEADER}  - {{tag: "{TAG}"}}')
    assert read is not None
    assert read.entries == (Entry(TAG, file="c.yaml", line=5),)
    assert read.entries[0].place == Place("c.yaml", 5, 1)


def test_the_sample_of_the_design_is_canonical() -> None:
    sample = shared("design/sample/catalog.yaml")
    if sample is None:
        pytest.skip("../shared/design/sample/catalog.yaml is absent")
    read = read_lines("c.yaml", sample.read_text(encoding="utf-8"))
    assert read is not None
    assert read.repository == "nvcr.io/nvidia/driver"
    assert [(entry.tag, entry.platforms, entry.line) for entry in read.entries] == [
        ("580-6.8.0-1050-aws-ubuntu24.04", ("linux/amd64",), 7),
        ("580-6.8.0-1053-aws-ubuntu24.04", ("linux/amd64",), 8),
        ("580-6.8.0-106-generic-ubuntu24.04", ("linux/amd64",), 9),
    ]
    assert read.unsorted is None


def test_any_other_form_means_the_same() -> None:
    text = f"""\
---
kind: ImageCatalog
x-notes: [mine]
x-base: &base {{platforms: [linux/amd64], moduleType: open}}
images:
- <<: *base
  tag: {TAG}
- {{driverVersion: 580, tag: '580-ubuntu22.04', gone: false}}
apiVersion: drivergate.dev/v1alpha1
repository: "nvcr.io/nvidia/driver"
"""
    assert read_lines("c.yaml", text) is None
    read = read_catalog("c.yaml", text)
    assert read.findings == ()
    assert read.repository == "nvcr.io/nvidia/driver"
    assert read.entries == (
        Entry(TAG, ("linux/amd64",), module_type="open", file="c.yaml", line=6),
        Entry("580-ubuntu22.04", driver_version="580", file="c.yaml", line=8),
    )


def test_line_ends_and_the_byte_order_mark_do_not_matter() -> None:
    text = f'# c\n{HEADER}  - {{tag: "{TAG}"}}  # built by hand\n\n  # end\n'
    plain = read_lines("c.yaml", text)
    assert plain is not None
    for data in (text.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + text.encode(), text.rstrip("\n")):
        assert read_catalog("c.yaml", data) == plain
    assert read_lines("c.yaml", text.replace("\n", "\r\n")) == plain


AS_TEXT = "write tag as text"


@pytest.mark.parametrize(
    ("image", "rule", "at", "message", "hint"),
    [
        ("{TAG, platfroms: []}", "catalog/schema", "platfroms", '"platfroms"', 'did you mean "platforms"?'),
        ("{TAG, note: x}", "catalog/schema", "note", 'unknown key "note"', "use tag, "),
        ("{platforms: [linux/amd64]}", "catalog/schema", "{", "tag is missing", "add tag"),
        ("{TAG, driverVersion: 550.90}", "inventory/quoting", "550", "550.90 is read as", "add quotes"),
        ("{tag: on}", "inventory/quoting", "on", "on is read as true or false", "add quotes"),
        ("{tag: 0535}", "inventory/quoting", "0535", "0535 is read as a number", "add quotes"),
        ("{tag: }", "catalog/schema", "}", "tag is empty", AS_TEXT),
        ("{tag: ~}", "catalog/schema", "~", "tag is empty", AS_TEXT),
        ("{tag: true}", "catalog/schema", "true", "tag is no text", AS_TEXT),
        ("{tag: [a]}", "catalog/schema", "[", "tag is no text", AS_TEXT),
        ('{tag: ""}', "catalog/schema", '"', '""', "letters"),
        ('{tag: "580:x"}', "catalog/schema", '"', '"580:x"', "letters"),
        ('{tag: "580-6.8.0+x-ubuntu24.04"}', "catalog/schema", '"', '"580-6.8.0+x-ubuntu24.04"', '"_"'),
        ("{tag: " + "x" * 129 + "}", "catalog/schema", "x", "129", "128"),
        ("{TAG, platforms: []}", "catalog/schema", "[", "platforms", "remove the key"),
        ("{TAG, platforms: linux/amd64}", "catalog/schema", "linux", "platforms", "[linux/amd64]"),
        ("{TAG, platforms: [amd64]}", "catalog/schema", "amd64", '"amd64"', "linux/amd64"),
        ("{TAG, platforms: [linux/amd64, ARM]}", "catalog/schema", "ARM", '"ARM"', "linux/amd64"),
        ("{TAG, moduleType: auto}", "catalog/schema", "auto", '"auto"', "open or proprietary"),
        ('{TAG, digest: "sha256:12"}', "catalog/schema", '"sha', '"sha256:12"', "64"),
        ("{TAG, digest: " + DIGEST.upper() + "}", "catalog/schema", "SHA", "SHA256", "64"),
        ('{TAG, driverVersion: ""}', "catalog/schema", '""', "driverVersion", "580.126.20"),
        ("{TAG, gone: yes}", "catalog/schema", "yes", "gone", "true"),
        ('{TAG, gone: "true"}', "catalog/schema", '"true', "gone", "true"),
        ("{TAG, tag: x}", "inventory/duplicate", "tag: x", '"tag"', "remove"),
        ("hello", "catalog/schema", "hello", "no mapping", "{tag:"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_image(image: str, rule: str, at: str, message: str, hint: str) -> None:
    image = image.replace("TAG", f'tag: "{TAG}"')
    read = catalog('{tag: "570-ubuntu22.04"}', image)
    assert read.entries[0].tag == "570-ubuntu22.04"
    assert len(read.findings) == 1, read.findings
    finding = read.findings[0]
    assert (finding.rule, finding.severity) == (rule, Severity.INVALID)
    assert finding.place == Place("c.yaml", 6, len("  - ") + image.index(at) + 1)
    assert message in finding.message
    assert hint in finding.hint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("v1alpha1", "v1", '"drivergate.dev/v1"'),
        ("ImageCatalog", "Catalog", '"Catalog"'),
        ("nvcr.io/nvidia/driver", "nvcr.io/nvidia/driver:580", "driver:580"),
        ("nvcr.io/nvidia/driver", "https://nvcr.io/nvidia/driver", "https"),
        ("nvcr.io/nvidia/driver", "driver", '"driver"'),
        ("repository: nvcr.io/nvidia/driver\n", "", "repository is missing"),
        ("images:", "image:", '"image"'),
    ],
)
def test_what_is_wrong_with_the_head(old: str, new: str, message: str) -> None:
    read = read_catalog("c.yaml", (HEADER + f'  - {{tag: "{TAG}"}}\n').replace(old, new))
    assert read.findings
    assert message in read.findings[0].message
    assert {finding.rule for finding in read.findings} == {"catalog/schema"}


def test_an_empty_list_is_written_out() -> None:
    assert read_catalog("c.yaml", HEADER.replace("images:", "images: []")).findings == ()
    assert only(HEADER).hint == "write one image a line, or [] for none"


@pytest.mark.parametrize("text", ["", "# c\n", "text", "[a]"])
def test_a_file_without_a_mapping(text: str) -> None:
    assert "no ImageCatalog" in only(text).message


def test_broken_text_is_the_catalogs_own_rule() -> None:
    for data in (HEADER + '  - {tag: "a\n', HEADER + "  - {tag: !x a}\n", b"\xff", HEADER + "---\na: 1\n"):
        found = read_catalog("c.yaml", data).findings
        assert "catalog/schema" in {finding.rule for finding in found}


def test_what_the_reader_told_is_not_told_again() -> None:
    assert only(f'{HEADER}  - {{tag: "{TAG}", on: x}}\n').rule == "inventory/quoting"
    assert only(f'{HEADER}  - {{tag: "a\\0b"}}\n').rule == "catalog/schema"


def test_a_hidden_line_in_a_comment_is_refused_by_both_ways() -> None:
    text = f'{HEADER}  - {{tag: "{TAG}"}} # c\u2028  - {{tag: "570-ubuntu22.04"}}\n'
    assert read_lines("c.yaml", text) is None
    assert "U+2028" in only(text).message


PLATFORMS = st.lists(
    st.sampled_from(["linux/amd64", "linux/arm64", "linux/arm/v7", "windows/amd64"]), min_size=1, max_size=3
)
ENTRIES = st.builds(
    Entry,
    tag=st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,20}", fullmatch=True),
    platforms=st.none() | PLATFORMS.map(tuple),
    driver_version=st.none() | st.from_regex(r"[0-9]{3}\.[0-9]{1,3}(\.[0-9]{2})?", fullmatch=True),
    module_type=st.sampled_from([None, "open", "proprietary"]),
    digest=st.none() | st.from_regex(r"sha256:[0-9a-f]{64}", fullmatch=True),
    gone=st.booleans(),
)
NOTES = st.sampled_from(["", "\n", "# a note\n", "   # caf\u00e9 \u2713\n", "\r\n", "#\n", "  \n"])


@st.composite
def files(draw: st.DrawFn) -> str:
    """A canonical file with comments, blank lines and both line ends."""
    head = "".join(
        draw(NOTES) + line + draw(st.sampled_from(["\n", " \n", "  # c\n", "\r\n"])) for line in HEADER.splitlines()
    )
    entries = draw(st.lists(ENTRIES, min_size=1, max_size=5))
    tail = st.sampled_from(["\n", "\r\n", " # c\n", "  \n"])
    return head + "".join(draw(NOTES) + canonical(entry) + draw(tail) for entry in entries)


@given(files())
def test_both_ways_agree_on_canonical_files(text: str) -> None:
    lines = read_lines("c.yaml", text)
    assert lines is not None
    assert lines.findings == ()
    assert lines == read_exactly("c.yaml", text)


@given(files(), st.randoms(use_true_random=False))
def test_both_ways_agree_on_files_that_were_tampered_with(text: str, chance: random.Random) -> None:
    """The line reading takes no file that the exact one reads in another way or refuses."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        cut = chance.choice([0, 0, 1, 2, 8])
        put = chance.choice(
            [
                "",
                "",
                *" #\"'{}[],:-\t\n\r\\&*!|>%@",
                ": ",
                " #",
                "\u2028",
                "\x85",
                "\ufeff",
                "x",
                "gone: true",
                ", ",
            ]
        )
        text = text[:at] + put + text[at + cut :]
    lines = read_lines("c.yaml", text)
    assert lines is None or lines == read_exactly("c.yaml", text)


@given(st.lists(ENTRIES, min_size=1))
def test_a_canonical_line_reads_back_as_its_entry(entries: list[Entry]) -> None:
    text = HEADER + "\n".join(map(canonical, entries))
    read = read_lines("", text)
    assert read is not None
    assert [canonical(entry) for entry in read.entries] == [canonical(entry) for entry in entries]
    assert [(entry.tag, entry.platforms, entry.gone) for entry in read.entries] == [
        (entry.tag, entry.platforms, entry.gone) for entry in entries
    ]


def test_order_is_bytewise() -> None:
    bytewise = catalog('{tag: "580-10-ubuntu22.04"}', '{tag: "580-9-ubuntu22.04"}', '{tag: "580.1-ubuntu22.04"}')
    assert bytewise.unsorted is None
    mixed = catalog('{tag: "B"}', '{tag: "a"}', '{tag: "Z"}', '{tag: "A"}')
    assert mixed.unsorted is not None
    assert (mixed.unsorted.tag, mixed.unsorted.line) == ("Z", 7)
