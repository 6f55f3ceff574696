import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.facts import kernel
from tests.testing.shared import REPO


# node-feature-discovery source/kernel/version.go; driver-toolkit PR 154 has the "+".
@pytest.mark.parametrize(
    ("uname", "label"),
    [
        ("5.14.0-427.el9.aarch64+64k", "5.14.0-427.el9.aarch64_64k"),
        ("5.14.0-427.18.1.el9_4.x86_64+rt", "5.14.0-427.18.1.el9_4.x86_64_rt"),
        ("6.1.75+", "6.1.75"),
        ("5.15.0-173-generic", "5.15.0-173-generic"),
        ("-.5.15~1._", "5.15_1"),
    ],
)
def test_label_form_is_nfds(uname, label):
    assert kernel.label_form(uname) == label


@given(st.text())
def test_label_form_is_stable(text):
    once = kernel.label_form(text)
    assert kernel.label_form(once) == once
    assert "+" not in once


@pytest.mark.parametrize(
    "entry",
    [
        entry
        for entry in map(json.loads, (REPO / "tests/data/real_tags.jsonl").read_text().splitlines())
        if "flavour" in entry or "arch_in_kernel" in entry
    ],
    ids=lambda entry: entry["tag"],
)
def test_flavour_and_architecture_of_real_tags(entry):
    assert kernel.architecture(entry["kernel"]) == entry.get("arch_in_kernel")
    assert kernel.flavour(entry["kernel"]) == entry.get("flavour", "")


@pytest.mark.parametrize(
    ("name", "architecture", "flavour"),
    [
        ("6.1.0-28-cloud-amd64", "amd64", "cloud-amd64"),
        ("6.12.46-cloud-arm64", "arm64", "cloud-arm64"),
        ("6.4.0-150700.53.6-default", None, "default"),
        ("5.15.0-generic", None, "generic"),
        ("6.8.0-1030-nvidia-64k", None, "nvidia-64k"),
        ("5.15.0-1057", None, ""),
        ("6.6.58-talos", None, "talos"),
        ("5.14.0-427.18.1.el9_4.x86_64_rt", "amd64", "rt"),
        ("", None, ""),
    ],
)
def test_flavour_and_architecture(name, architecture, flavour):
    assert (kernel.architecture(name), kernel.flavour(name)) == (architecture, flavour)


# Ascending by dpkg (Ubuntu) and rpmvercmp (RHEL), within one flavour each.
@pytest.mark.parametrize(
    "ascending",
    [
        [
            "5.15.0-97-generic",
            "5.15.0-100-generic",
            "5.15.0-173-generic",
            "6.8.0-83-generic",
            "6.8.0-106-generic",
        ],
        ["6.8.0-1009-aws", "6.8.0-1050-aws", "6.11.0-1003-aws"],
        [
            "4.18.0-513.9.1.el8_9.x86_64",
            "5.14.0-427.el9_4.x86_64",
            "5.14.0-427.9.1.el9_4.x86_64",
            "5.14.0-427.37.1.el9_4.x86_64",
            "5.14.0-570.el9_6.x86_64",
        ],
        ["6.4.0-150600.23.7-default", "6.4.0-150600.23.53-default", "6.4.0-150700.53.6-default"],
    ],
)
def test_order(ascending):
    assert all(kernel.order_key(one) < kernel.order_key(two) for one, two in pairwise(ascending))


@given(st.tuples(*[st.integers(0, 2000)] * 4), st.tuples(*[st.integers(0, 2000)] * 4))
def test_order_agrees_with_ubuntus_abi_numbers(one, other):
    first, second = ("{}.{}.{}-{}-generic".format(*numbers) for numbers in (one, other))
    assert (kernel.order_key(first) < kernel.order_key(second)) == (one < other)


names = st.text(alphabet="0123456789.-_abx", max_size=12)


@given(names, names, names)
def test_order_is_total(first, second, third):
    one, two, three = map(kernel.order_key, (first, second, third))
    assert (one == two) == (first == second)
    assert (one <= two) or (two <= one)
    assert not (one <= two <= three) or one <= three
