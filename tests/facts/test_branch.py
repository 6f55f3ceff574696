import pytest
import yaml

from generator.facts import branch
from generator.facts.branch import Family, ModuleType
from tests.testing.shared import shared


# docs.nvidia.com/datacenter/tesla/drivers/620 and /615: end of life as published; table of 2026-11-29.
@pytest.mark.parametrize(
    ("names", "ended"),
    [
        (["470", "535", "535.104.05", "610", "590", "455"], True),
        (["580", "580.126.20", "595", "620", "615", "999"], False),
    ],
)
def test_ended_as_of_the_tables_date(names, ended):
    assert branch.as_of() == "2026-11-29"
    assert {name: branch.ended(name) for name in names} == dict.fromkeys(names, ended)


def test_the_table_is_the_shared_one():
    path = shared("facts/driver_branches.yaml")
    if path is None:
        pytest.skip("../shared/facts/driver_branches.yaml is absent")
    table = yaml.safe_load(path.read_text())
    assert len(table["branches"]) >= 27
    for row in table["branches"]:
        found = branch.life(str(row["branch"]))
        assert found is not None
        assert found.type == row["type"]
        assert found.first_release == (row["first_release"] or "")
        assert found.source
        stated = str(row["eol"])
        assert found.eol == {"None": "unknown", "n/a": "ended"}.get(stated, stated.partition(" ")[0])
    for row in table["architectures"]:
        reach = branch.reach(Family(row["arch"].lower().replace(" ", "-")))
        assert (reach.first_branch, reach.last_branch) == (
            str(row.get("first_branch", "")),
            str(row.get("last_branch", "")),
        )


# NVIDIA's deprecation notice: 580 is the last branch of Maxwell, Pascal and Volta; Blackwell begins with 570.
@pytest.mark.parametrize(
    ("name", "family", "served"),
    [
        ("470.82.01", Family.KEPLER, True),
        ("510", Family.KEPLER, False),
        ("580", Family.MAXWELL, True),
        ("580.126.20", Family.VOLTA, True),
        ("590", Family.PASCAL, False),
        ("570", Family.BLACKWELL, True),
        ("565", Family.BLACKWELL, False),
        ("620", Family.TURING, True),
        ("525", Family.GRACE_HOPPER, False),
    ],
)
def test_which_branch_drives_which_family(name, family, served):
    assert branch.serves(name, family) == served


OPEN, PROPRIETARY = ModuleType.OPEN, ModuleType.PROPRIETARY


@pytest.mark.parametrize(
    ("family", "name", "types"),
    [
        (Family.BLACKWELL, "580", (OPEN,)),
        (Family.GRACE_HOPPER, "550", (OPEN,)),
        (Family.VOLTA, "580", (PROPRIETARY,)),
        (Family.AMPERE, "580", (OPEN, PROPRIETARY)),
        (Family.AMPERE, "470", (PROPRIETARY,)),
        (Family.VOLTA, "595", ()),
    ],
)
def test_kernel_modules_of_a_family(family, name, types):
    assert branch.module_types(family, name) == types


# gpu-driver-container ubuntu24.04/precompiled/nvidia-driver: below 560 proprietary; ubuntu26.04 always open.
def test_what_auto_falls_back_to():
    assert branch.auto_module_type("550.90.07") is PROPRIETARY
    assert branch.auto_module_type("560") is OPEN
    assert branch.auto_module_type("580", "ubuntu24.04") is OPEN
    assert branch.auto_module_type("535", "ubuntu26.04") is OPEN
