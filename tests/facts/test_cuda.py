import pytest
import yaml

from generator.facts import branch, cuda, data
from generator.facts import driver as drivers
from generator.facts.cuda import Kind, Need, Refused
from generator.facts.cudachoice import Compatibility
from generator.facts.driverrange import Range, of_branch
from tests.testing.shared import shared

PAIRED = Compatibility.PAIRED


def need(made):
    assert isinstance(made, Need), made
    return made


def least(made, compatibility=Compatibility.MINOR_VERSION):
    (one,) = need(made).drivers(compatibility)
    assert one.high is None
    return one.low


def test_the_table_is_the_shared_one():
    path = shared("facts/cuda_min_driver.yaml")
    if path is None:
        pytest.skip("../shared/facts/cuda_min_driver.yaml is absent")
    table = yaml.load(path.read_text(), yaml.BaseLoader)
    ours = data.read_json("cuda.json")
    assert len(table["toolkits"]) == 53
    for key in ("toolkits", "minor_version_compatibility", "branch_pairs_new_format"):
        assert ours[key] == table[key]
    for row in table["toolkits"]:
        floor = next(
            one["min_driver_linux"]
            for one in table["minor_version_compatibility"]
            if one["cuda_major"] == row["cuda"].split(".")[0]
        )
        made = cuda.parse_toolkit(row["cuda"])
        assert least(made) == drivers.order_key(floor)
        assert least(made, PAIRED) == drivers.order_key(row["toolkit_driver_linux"])


def test_the_framework_images_of_the_facts():
    path = shared("facts/cuda_min_driver.yaml")
    if path is None:
        pytest.skip("../shared/facts/cuda_min_driver.yaml is absent")
    rows = yaml.load(path.read_text(), yaml.BaseLoader)["framework_images"]
    read = [row for row in rows if "mvc_min_driver" in row]
    assert len(read) >= 5
    for row in read:
        made = cuda.parse_toolkit(row["cuda"])
        assert least(made) == drivers.order_key(row["mvc_min_driver"])
        if "paired_driver" in row:
            assert least(made, PAIRED) == drivers.order_key(row["paired_driver"])


# CUDA release notes, Table 3 (driver-images 5): a minor is its first release; from 13.3 on only branches are known.
@pytest.mark.parametrize(
    ("toolkit", "minor_version", "paired"),
    [
        ("12.4", (525, 60, 13), (550, 54, 14)),
        ("12.4.1", (525, 60, 13), (550, 54, 15)),
        ("11.8", (450, 80, 2), (520, 61, 5)),
        ("11.1.1", (450, 80, 2), (455, 32, 0)),
        ("13.0", (580, 65, 6), (580, 65, 6)),
        ("13.2.1.009", (580, 65, 6), (595, 58, 3)),
        ("13.3", (580, 65, 6), (610, 0, 0)),
        ("13.4.2", (580, 65, 6), (615, 0, 0)),
        ("13.5", (580, 65, 6), (620, 0, 0)),
    ],
)
def test_the_driver_of_a_toolkit(toolkit, minor_version, paired):
    made = cuda.parse_toolkit(toolkit)
    assert need(made).kind is Kind.TOOLKIT
    assert str(made) == f"CUDA {toolkit}"
    assert least(made) == minor_version
    assert least(made, PAIRED) == paired


@pytest.mark.parametrize(
    ("toolkit", "reason", "hint"),
    [
        ("12.7", "there is no CUDA toolkit 12.7: 12.6.3 comes before it and 12.8.0 after", 'use "12.6.3" or "12.8.0"'),
        ("12.4.9", "there is no CUDA toolkit 12.4.9: 12.4.1 comes before it", '"12.4.1" or "12.5.0"'),
        ("14.0", "no CUDA toolkit 14.0 is known, 13.5 is the newest", 'use "13.5"'),
        ("10.1", "CUDA 10.1 is older than every toolkit known", ">=418.39"),
        ("12", '"12" names no minor version of CUDA', 'write "12.0"'),
        ("99", '"99" is no version of a CUDA toolkit', '"13.5"'),
        ("twelve", '"twelve" is no version of a CUDA toolkit', '"12.4"'),
        ("", '"" is no version of a CUDA toolkit', '"12.4"'),
    ],
)
def test_a_toolkit_that_is_none_is_refused_with_the_nearest(toolkit, reason, hint):
    made = cuda.parse_toolkit(toolkit)
    assert isinstance(made, Refused)
    assert made.reason.startswith(reason)
    assert hint in made.hint


@pytest.mark.parametrize(
    ("text", "low"),
    [
        (">=525.60.13", (525, 60, 13)),
        ("525.60.13", (525, 60, 13)),
        (">= 580", (580, 0, 0)),
        ("580", (580, 0, 0)),
        ("580.142", (580, 142, 0)),
    ],
)
def test_a_driver_floor(text, low):
    made = cuda.parse_driver(text)
    assert need(made).kind is Kind.DRIVER
    assert str(made) == f'"{text}"'
    assert least(made) == least(made, PAIRED) == low


@pytest.mark.parametrize("text", ["<580", ">580", "12.4", "5800", "", ">=", ">=580,<590", "v580"])
def test_what_is_no_driver_floor(text):
    made = cuda.parse_driver(text)
    assert isinstance(made, Refused)
    assert made.reason == f'"{text}" is no driver floor'


# Pool 580 without a version: its first data-center release is 580.65.06 (driver_branches.yaml).
@pytest.mark.parametrize(
    ("made", "may_be", "answer"),
    [
        (cuda.parse_toolkit("13.1"), of_branch(580, (580, 65, 6)), True),
        (cuda.parse_driver(">=580.82.07"), of_branch(580, (580, 65, 6)), None),
        (cuda.parse_driver(">=580.82.07"), Range((580, 82, 7), (580, 82, 8)), True),
        (cuda.parse_driver(">=590"), of_branch(580), False),
        # CUDA 13.0's image: R580, or a data-center GPU with R535 or R550 (driver-images 5.6).
        (cuda.parse_require("cuda>=13.0 brand=tesla,driver>=535,driver<536"), of_branch(535), None),
        (cuda.parse_require("cuda>=13.0 brand=tesla,driver>=535,driver<536"), of_branch(550), False),
        (cuda.parse_require("cuda>=13.0 brand=tesla,driver>=535,driver<536"), of_branch(580), True),
        (cuda.parse_require("brand=tesla,driver>=535"), of_branch(580), None),
    ],
)
def test_whether_a_driver_does(made, may_be, answer):
    assert need(made).satisfied(may_be) is answer


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("13.1", Kind.TOOLKIT),
        (">=580.82.07", Kind.DRIVER),
        ("580", Kind.DRIVER),
        ("cuda>=12.4", Kind.REQUIRE),
        ("NVIDIA_REQUIRE_CUDA=cuda>=12.4", Kind.REQUIRE),
    ],
)
def test_a_need_is_told_by_its_form(text, kind):
    assert need(cuda.parse_need(text)).kind is kind


# CUDA release notes, Table 3.
@pytest.mark.parametrize(
    ("driver", "toolkit"),
    [
        ("580.95.05", "13.0.2"),
        ("580.82.06", "13.0.0"),
        ("580.65.05", "12.9.1"),
        ("535.104.05", "12.2.2"),
        ("610.57.04", "13.3"),
        ("999", "13.5"),
        ("440.33", ""),
    ],
)
def test_the_newest_toolkit_that_a_driver_pairs_with(driver, toolkit):
    assert cuda.newest_toolkit(drivers.order_key(driver)) == toolkit


# driver_branches.yaml, paired_cuda.
def test_the_cuda_version_of_a_branch():
    assert [branch.cuda(one) for one in ("470", "565", "580.126.20", "620", "999")] == [
        "11.4",
        "12.7",
        "13.0",
        "13.5",
        "",
    ]
    assert branch.newest_cuda().branch == "620"
