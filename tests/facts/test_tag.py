import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generator.facts import tag
from generator.facts.tag import ImageTag, Unfit, Unreadable
from tests.testing.shared import REPO, shared

REAL = [json.loads(line) for line in (REPO / "tests/data/real_tags.jsonl").read_text().splitlines()]
# Tags of older branches are of the dialect of 2018, which no operator asks for.
FIRST_MODERN = 418


def misjudged(entry):
    found = tag.parse(entry["tag"])
    read = isinstance(found, ImageTag)
    if not entry["precompiled"]:
        return read and (found.precompiled or entry["precompiled"] is None)
    return not read or (
        (found.branch, found.kernel, found.os, found.prefix, found.precompiled and int(found.branch) < FIRST_MODERN)
        != (
            entry["branch"],
            entry["kernel"],
            entry["os"],
            entry.get("prefix", ""),
            entry.get("legacy", False),
        )
        or found.driver != entry.get("driver_version", found.driver)
    )


@pytest.mark.parametrize("entry", REAL, ids=lambda entry: entry["tag"])
def test_real_tags_of_our_excerpt(entry):
    assert not misjudged(entry)


def test_all_real_tags():
    path = shared("facts/real_tags.yaml")
    if path is None:
        pytest.skip("../shared/facts/real_tags.yaml is absent")
    yaml = pytest.importorskip("yaml")
    entries = [each for group in yaml.safe_load(path.read_text()).values() if isinstance(group, list) for each in group]
    assert len(entries) >= 200
    assert [entry["tag"] for entry in entries if misjudged(entry)] == []


@pytest.mark.parametrize(
    ("kind", "os"),
    [
        (entry["kind"], entry["os"])
        for entry in REAL
        if entry.get("kind") in {"conventional", "vgpu", "ci-conventional"} and entry["os"]
    ],
)
def test_compiled_tags_keep_their_os(kind, os):
    entries = [entry for entry in REAL if entry.get("kind") == kind and entry["os"] == os]
    for entry in entries:
        found = tag.parse(entry["tag"])
        assert isinstance(found, ImageTag)
        assert (found.branch, found.os, found.precompiled) == (entry["branch"], os, False)


# Forms of VERSION_ID from the operator's own TestGetOSTag, and IDs that gpu-driver-container issues name.
@pytest.mark.parametrize(
    ("text", "kernel", "os"),
    [
        ("580-6.4.0-150600.23.53-default-sles15-SP6", "6.4.0-150600.23.53-default", "sles15-SP6"),
        ("580-6.4.0-24-default-sl-micro6.0", "6.4.0-24-default", "sl-micro6.0"),
        ("580.126.20-talosv1.6.1", "", "talosv1.6.1"),
        ("580-6.6.58-talos-talosv1.8.3", "6.6.58-talos", "talosv1.8.3"),
        ("560.35.03-gardenlinux1592.11", "", "gardenlinux1592.11"),
        ("535-6.1.75-cos121", "6.1.75", "cos121"),
        ("580-6.9.1-arch1-1-archlinuxrolling", "6.9.1-arch1-1", "archlinuxrolling"),
        ("550.90.07-6.1.0-28-cloud-amd64-debian12", "6.1.0-28-cloud-amd64", "debian12"),
        ("580-6.1.115-126.197.amzn2023.x86_64-amzn2023", "6.1.115-126.197.amzn2023.x86_64", "amzn2023"),
        ("580-6.8.0-106-generic-elbe24.05", "6.8.0-106-generic", "elbe24.05"),
        ("17028ae9-580.95.05-rhel9", "", "rhel9"),
        ("12345678-580-6.8.0-106-generic-ubuntu24.04", "6.8.0-106-generic", "ubuntu24.04"),
    ],
)
def test_reads_from_both_ends(text, kernel, os):
    found = tag.parse(text)
    assert isinstance(found, ImageTag)
    assert (found.kernel, found.os, found.raw) == (kernel, os, text)


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("535-server-5.15.0-105-generic-ubuntu22.04", Unfit.MISSPELT, "-server"),
        ("580-open-6.8.0-106-generic-ubuntu24.04", Unfit.MISSPELT, "-open"),
        ("580-6.8.0-106-generic-ubuntu24.04-arm64", Unfit.MISSPELT, "-arm64"),
        ("580-5.14.0-427.el9_4.x86_64-rhcos4.13-amd64", Unfit.MISSPELT, "-amd64"),
        ("580-6.8.0-106-generic-ubuntu24.04-aws", Unfit.MISSPELT, "operating system"),
        ("580.126.20-ubuntu22.04-ubuntu22.04", Unfit.MISSPELT, "operating system"),
        ("580-6.8.0-106-generic", Unfit.MISSPELT, "operating system"),
        ("580-6.8.0-106-generic-ubuntu24.04-source", Unfit.OTHER, "source"),
        ("base-noble-6.8-generic-580", Unfit.OTHER, "probe"),
        ("5.7-0.1.2.0-0-5.15.0-91-generic-ubuntu22.04-amd64", Unfit.OTHER, "driver version"),
        ("535-5.15.0-XXXX-aws-ubuntu22.04", Unfit.PLACEHOLDER, "placeholder"),
        ("570.172.08-", Unfit.NO_OS, "dash"),
        ("580.105.08", Unfit.NO_OS, "operating system"),
        ("580-5.14.0-427.el9.aarch64+64k-rhel9", Unfit.ILLEGAL, '"+"'),
        ("580-" + "6" * 130 + "-ubuntu24.04", Unfit.ILLEGAL, "146 characters"),
        ("", Unfit.ILLEGAL, "no image tag"),
        ("580-6.8.0-106-generic-ubuntu24.04\n", Unfit.ILLEGAL, "no image tag"),
        ("\u0665\u0668\u0660-6.8.0-1-generic-ubuntu24.04", Unfit.ILLEGAL, "no image tag"),
    ],
)
def test_says_what_is_wrong(text, kind, word):
    found = tag.parse(text)
    assert isinstance(found, Unreadable)
    assert found.kind is kind
    assert word in found.reason
    assert found.hint


drivers = st.from_regex(r"[1-9][0-9]{2}(\.[0-9]{1,3}(\.[0-9]{1,3})?)?", fullmatch=True)
flavours = st.sampled_from(["generic", "azure-fde", "nvidia-64k", "aws-fips", "default", "lowlatency"])
ubuntu = st.builds("{}.{}.0-{}-{}".format, st.integers(4, 7), st.integers(0, 20), st.integers(1, 2000), flavours)
rpm = st.builds(
    "{}.{}.0-{}.{}.1.el{}.{}".format,
    st.integers(4, 7),
    st.integers(0, 20),
    st.integers(1, 600),
    st.integers(1, 90),
    st.sampled_from(["8_9", "9_4", "9", "10_0"]),
    st.sampled_from(["x86_64", "aarch64", "aarch64_64k", "x86_64_rt"]),
)
systems = st.sampled_from(
    [
        "ubuntu22.04",
        "ubuntu26.04",
        "rhel9",
        "rhel8.10",
        "rhcos4.18",
        "scos4.17",
        "sles15.7",
        "sles15-SP6",
        "sl-micro6.0",
        "talosv1.12.6",
        "rocky9",
        "ol9",
        "opensuse-leap15.6",
        "debian12",
        "amzn2023",
    ]
)


@given(driver=drivers, kernel=st.one_of(ubuntu, rpm, st.just("")), os=systems)
def test_what_is_composed_is_read_back(driver, kernel, os):
    text = tag.compose(driver, kernel, os)
    found = tag.parse(text)
    assert isinstance(found, ImageTag)
    assert (found.driver, found.kernel, found.os) == (driver, kernel, os)
    assert found.raw == text


@given(st.text() | st.from_regex(r"[0-9a-f]{3,8}-[0-9.a-z_+-]{0,40}-?[a-z]{0,8}[0-9.]{0,6}"))
@example("580--ubuntu22.04")
@example("-" * 128)
def test_parse_never_raises_and_keeps_the_text(text):
    found = tag.parse(text)
    assert found.raw == text
    if isinstance(found, ImageTag):
        parts = [found.prefix, found.driver, found.kernel, found.os, found.suffix]
        assert "-".join(part for part in parts if part) == text


def test_branch_and_version_of_the_driver():
    by_branch, by_version = (
        tag.parse("580-6.8.0-106-generic-ubuntu24.04"),
        tag.parse("535.104.05-ubuntu22.04"),
    )
    assert isinstance(by_branch, ImageTag)
    assert isinstance(by_version, ImageTag)
    assert (by_branch.branch, by_branch.is_branch_only) == ("580", True)
    assert (by_version.driver, by_version.branch, by_version.is_branch_only) == ("535.104.05", "535", False)
