from itertools import pairwise

import pytest

from generator.facts import driver


@pytest.mark.parametrize("text", ["580", "455.28", "580.142", "535.104.05", "580.126.20", "550.90.07"])
def test_versions_and_branches(text):
    assert driver.is_driver(text)
    assert driver.is_branch(text) == (len(text) == 3)
    assert driver.branch(text) == text[:3]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "58",
        "5800",
        "580.",
        "580.126.20-ubuntu22.04",
        "580-server",
        "v580",
        "580.1.2.3",
        "\u0665\u0668\u0660",
        "580\n",
    ],
)
def test_what_is_no_driver(text):
    assert not driver.is_driver(text)
    assert not driver.is_branch(text)
    with pytest.raises(ValueError, match="is no driver version"):
        driver.order_key(text)


# Releases in the order of NVIDIA's release notes.
def test_order():
    ascending = [
        "455.28",
        "455.32",
        "535.54.03",
        "535.104.05",
        "550.90.07",
        "580.65.06",
        "580.126.20",
        "580.142",
    ]
    assert all(driver.order_key(one) < driver.order_key(two) for one, two in pairwise(ascending))
    assert driver.order_key("535.104.05") == driver.order_key("535.104.5")
    assert driver.order_key("580") == (580, 0, 0)
