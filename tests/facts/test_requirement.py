import pytest

from generator.facts import requirement
from generator.facts.driverrange import Range
from generator.facts.requirement import Alternative, Refused


def ranges(*texts):
    found = requirement.parse(texts)
    assert not isinstance(found, Refused), found
    return [(one.drivers.low, one.drivers.high, one.others) for one in found]


def from_on(number):
    return ((number, 0, 0), None, ())


# container-toolkit/docker-specialized: space is OR, comma is AND. The CUDA of a branch: driver_branches.yaml.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cuda>=12.4", [from_on(550)]),
        # A driver says 12.1, never 12.1.1: what asks for more gets the next minor.
        ("cuda>=12.1.1", [from_on(535)]),
        ("cuda>=12.1.1 driver>=530", [from_on(530)]),
        ("cuda>=13.4", [from_on(615)]),
        ("cuda>12.9", [from_on(580)]),
        ("cuda<12.0", [((0, 0, 0), (525, 0, 0), ())]),
        ("cuda=12.4", [((550, 0, 0), (555, 0, 0), ())]),
        ("driver>=470,driver<471", [((470, 0, 0), (471, 0, 0), ())]),
        ("driver>535", [((535, 0, 1), None, ())]),
        ("driver<=535.54.03", [((0, 0, 0), (535, 54, 4), ())]),
        ("driver!=535.54.03", [((0, 0, 0), (535, 54, 3), ()), ((535, 54, 4), None, ())]),
        ("driver>=470,driver<471 driver>=471,driver<472", [((470, 0, 0), (472, 0, 0), ())]),
        ("driver>=550 driver>=525", [from_on(525)]),
        ("NVIDIA_REQUIRE_DRIVER=driver>=525.60.13", [((525, 60, 13), None, ())]),
        ("brand=tesla,driver>=550 driver>=525", [from_on(525)]),
    ],
)
def test_what_drivers_a_requirement_takes(text, expected):
    assert ranges(text) == expected


def test_the_requirement_of_a_cuda_image():
    """CUDA 12.4: the groups are the branches of forward compatibility, for data-center GPUs only."""
    text = "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=525,driver<526"
    assert ranges(text) == [
        ((470, 0, 0), (471, 0, 0), ("brand=tesla",)),
        ((525, 0, 0), (526, 0, 0), ("brand=tesla",)),
        from_on(550),
    ]


def test_several_variables_must_all_hold():
    assert ranges("cuda>=12.4", "driver>=580 driver>=470,driver<471") == [from_on(580)]
    assert ranges("cuda>=12.4 brand=tesla,driver>=535,driver<536", "driver>=535.104.05") == [
        ((535, 104, 5), (536, 0, 0), ("brand=tesla",)),
        from_on(550),
    ]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([""], "the requirement is empty"),
        (["cuda>=12.4 nonsense"], '"nonsense" is no requirement'),
        (["cuda>=12.4,"], '"" is no requirement'),
        (["cuda>= 12.4"], '"cuda>=" is no requirement'),
        (["cuda>=twelve"], '"cuda>=twelve" compares with no CUDA version'),
        (["driver>=12.4"], '"driver>=12.4" compares with no driver version'),
        (["cuda>=13.6"], '"cuda>=13.6" is newer than any driver known: branch 620 has CUDA 13.5'),
        (["os>=1"], '"os>=1" asks for os'),
        (["driver>=580,driver<570"], 'no driver can satisfy "driver>=580,driver<570"'),
        (["driver>=580", "driver<570"], 'no driver can satisfy "driver>=580" and "driver<570"'),
    ],
)
def test_what_is_refused(texts, reason):
    found = requirement.parse(texts)
    assert isinstance(found, Refused)
    assert found.reason == reason
    assert found.hint


def test_the_fewest_alternatives_are_kept():
    wide, narrow = Range((525, 0, 0)), Range((550, 0, 0))
    made = requirement.simplified([Alternative(narrow, ("brand=tesla",)), Alternative(wide), Alternative(narrow)])
    assert made == (Alternative(wide),)
