import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.facts import cuda
from generator.facts.cuda import Need
from generator.facts.cudachoice import By, Compatibility, LabelFamily
from generator.facts.driveraffinity import PoolSelector, driver_terms, families, labels_of, placement, pool_term
from generator.facts.driverrange import EVERY, Range
from tests.model.driver_range import holds
from tests.model.node_affinity import is_valid, matches

OLD, NEW = LabelFamily.DRIVER, LabelFamily.DRIVER_VERSION


def key(part, family=OLD):
    return family.keys[("major", "minor", "rev").index(part)]


def said(*expressions, family=OLD):
    """`major Gt 525` in short."""
    found = []
    for one in expressions:
        part, operator, *values = one.split(" ")
        found.append({"key": key(part, family), "operator": operator, "values": values or [""]})
    return {"matchExpressions": found}


# driver-images 5.5: T1, T2 and T3 of ">= 525.60.13"; ">= 580" is one term; a 0 at the end drops its expression.
@pytest.mark.parametrize(
    ("low", "terms"),
    [
        (
            (525, 60, 13),
            [
                said("major Gt 525"),
                said("major Gt 524", "major Lt 526", "minor Gt 60"),
                said("major Gt 524", "major Lt 526", "minor Gt 59", "minor Lt 61", "rev Gt 12"),
            ],
        ),
        ((580, 0, 0), [said("major Gt 579")]),
        ((550, 54, 0), [said("major Gt 550"), said("major Gt 549", "major Lt 551", "minor Gt 53")]),
        (
            (450, 0, 2),
            [
                said("major Gt 450"),
                said("major Gt 449", "major Lt 451", "minor Gt 0"),
                said("major Gt 449", "major Lt 451", "minor Lt 1", "rev Gt 1"),
            ],
        ),
    ],
)
def test_the_terms_of_a_floor(low, terms):
    assert list(driver_terms([Range(low)])) == terms


def test_the_other_family_has_other_names():
    (_, _, third) = driver_terms([Range((525, 60, 13))], NEW)
    assert third == said("major Gt 524", "major Lt 526", "minor Gt 59", "minor Lt 61", "rev Gt 12", family=NEW)
    assert NEW.keys == (
        "nvidia.com/cuda.driver-version.major",
        "nvidia.com/cuda.driver-version.minor",
        "nvidia.com/cuda.driver-version.revision",
    )
    assert OLD.keys == ("nvidia.com/cuda.driver.major", "nvidia.com/cuda.driver.minor", "nvidia.com/cuda.driver.rev")


@pytest.mark.parametrize(
    ("drivers", "terms"),
    [
        ([Range((470, 0, 0), (471, 0, 0))], [said("major Gt 469", "major Lt 471")]),
        (
            [Range((470, 0, 0), (471, 0, 0)), Range((550, 0, 0))],
            [said("major Gt 469", "major Lt 471"), said("major Gt 549")],
        ),
        # An empty revision stands for 0 and no Lt matches it.
        (
            [Range((550, 54, 0), (550, 54, 14))],
            [
                said("major Gt 549", "major Lt 551", "minor Gt 53", "minor Lt 55", "rev Lt 14"),
                said("major Gt 549", "major Lt 551", "minor Gt 53", "minor Lt 55", "rev In "),
            ],
        ),
        ([EVERY], [{"matchExpressions": [{"key": OLD.keys[0], "operator": "Exists"}]}]),
        ([], []),
    ],
)
def test_the_terms_of_ranges(drivers, terms):
    assert list(driver_terms(drivers)) == terms


# k8s-device-plugin internal/lm/nvml.go: leading zeros stay, a two-part driver has an empty revision.
def test_the_labels_of_a_driver():
    assert labels_of("535.104.05") == {
        "nvidia.com/cuda.driver.major": "535",
        "nvidia.com/cuda.driver.minor": "104",
        "nvidia.com/cuda.driver.rev": "05",
        "nvidia.com/cuda.driver-version.major": "535",
        "nvidia.com/cuda.driver-version.minor": "104",
        "nvidia.com/cuda.driver-version.revision": "05",
        "nvidia.com/cuda.driver-version.full": "535.104.05",
    }
    assert labels_of("580.142")["nvidia.com/cuda.driver.rev"] == ""
    assert labels_of("580") == {}


NUMBER = st.integers(0, 12)
PART = st.builds(lambda number, zeros: "0" * zeros + str(number), NUMBER, st.integers(0, 2))
MAJOR = st.integers(523, 528).map(str)
DRIVERS = st.lists(PART, min_size=1, max_size=2).flatmap(lambda rest: MAJOR.map(lambda major: ".".join([major, *rest])))
VERSIONS = st.tuples(st.integers(523, 528), NUMBER, NUMBER)
RANGES = st.lists(st.builds(Range, VERSIONS | st.just((0, 0, 0)), st.none() | VERSIONS), max_size=4)


def numbers(driver):
    parts = [int(part) for part in driver.split(".")]
    return (*parts, 0)[:3] if len(parts) == 2 else tuple(parts)


@given(DRIVERS, RANGES, st.sampled_from(LabelFamily))
def test_the_terms_hold_exactly_of_the_drivers_in_the_ranges(driver, ranges, family):
    terms = driver_terms(ranges, family)
    version = numbers(driver)
    assert matches(terms, labels_of(driver)) == any(holds(one, version) for one in ranges)
    assert not matches(terms, {})
    assert families(terms) <= {family}
    assert len(terms) == len({str(term) for term in terms})
    assert all(is_valid(expression) for term in terms for expression in term["matchExpressions"])
    for term in terms:
        assert all(isinstance(value, str) for one in term["matchExpressions"] for value in one.get("values", ()))


NEEDS = st.one_of(
    st.sampled_from([one.cuda for one in cuda.toolkits()]).map(cuda.parse_toolkit),
    st.builds("{}.{}.{:02}".format, st.integers(450, 620), st.integers(0, 150), NUMBER).map(cuda.parse_driver),
    st.sampled_from(
        ["cuda>=12.4", "cuda>=12.1.1 driver>=530", "driver>=470,driver<471 cuda>12.9", "driver!=535.104.05"]
    ).map(cuda.parse_require),
)
TESLA = st.one_of(
    st.sampled_from(["450.80.02", "525.60.13", "535.104.05", "580.142", "580.65.06", "455.28", "575.57.08"]),
    st.builds("{}.{}.{:02}".format, st.integers(440, 630), st.integers(0, 150), NUMBER),
    st.builds("{}.{}".format, st.integers(440, 630), st.integers(0, 150)),
)


@given(TESLA, NEEDS, st.sampled_from(Compatibility), st.sampled_from(LabelFamily))
def test_the_affinity_of_a_need_holds_exactly_where_the_driver_satisfies_it(driver, made, compatibility, family):
    assert isinstance(made, Need)
    version = numbers(driver)
    satisfied = made.satisfied(Range(version, (version[0], version[1], version[2] + 1)), compatibility)
    assert satisfied is not None
    terms = placement(made.drivers(compatibility), (), family=family)
    assert matches(terms, labels_of(driver)) is satisfied


POOL_A, POOL_B = {"example.com/pool": "a"}, {"example.com/pool": "b", "example.com/zone": "1"}


def test_a_pool_that_scales_from_zero_is_a_term_beside_the_labels():
    pools = [PoolSelector(POOL_A), PoolSelector(POOL_B, from_zero=True), PoolSelector({}, from_zero=True)]
    terms = placement([Range((580, 0, 0))], pools)
    assert list(terms) == [
        said("major Gt 579"),
        {
            "matchExpressions": [
                {"key": "example.com/pool", "operator": "In", "values": ["b"]},
                {"key": "example.com/zone", "operator": "In", "values": ["1"]},
            ]
        },
    ]
    assert matches(terms, POOL_B)
    assert not matches(terms, POOL_A)
    assert matches(terms, {**POOL_A, **labels_of("580.65.06")})


def test_by_pool_no_label_of_a_driver_is_asked_for():
    pools = [PoolSelector(POOL_A), PoolSelector(POOL_B, from_zero=True), PoolSelector(POOL_A)]
    assert placement([Range((580, 0, 0))], pools, by=By.POOL) == (pool_term(POOL_A), pool_term(POOL_B))
    assert placement([Range((580, 0, 0))], [], by=By.POOL) == ()


ZONE = {"key": "zone", "operator": "In", "values": ["1", "2"]}
DISK = {"key": "disk", "operator": "Exists"}


def test_own_terms_are_each_combined_with_each_of_ours():
    own = [{"matchExpressions": [ZONE]}, {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]
    ours = driver_terms([Range((525, 60, 0))])
    assert len(ours) == 2
    terms = placement([Range((525, 60, 0))], (), own=own)
    assert [term["matchExpressions"] for term in terms] == [
        [ZONE, *ours[0]["matchExpressions"]],
        [ZONE, *ours[1]["matchExpressions"]],
        [*ours[0]["matchExpressions"]],
        [*ours[1]["matchExpressions"]],
    ]
    assert [bool(term.get("matchFields")) for term in terms] == [False, False, True, True]


def test_an_own_term_that_matches_nothing_never_comes_to_match():
    terms = placement([Range((580, 0, 0))], (), own=[{}, {"matchExpressions": [DISK]}])
    assert not matches(terms, labels_of("580.65.06"))
    assert matches(terms, {"disk": "", **labels_of("580.65.06")})


def test_both_families_never_meet_in_one_term():
    own = [said("major Gt 534", family=NEW), {"matchExpressions": [ZONE]}]
    terms = placement([Range((580, 0, 0))], (), own=own)
    assert [families([term]) for term in terms] == [{NEW}, {OLD}]


def test_what_is_said_twice_is_said_once():
    own = [said("major Gt 579"), said("major Gt 579")]
    assert placement([Range((580, 0, 0))], (), own=own) == (said("major Gt 579"),)


EXPRESSIONS = st.sampled_from([ZONE, DISK, said("major Gt 524")["matchExpressions"][0]])
OWN = st.lists(st.lists(EXPRESSIONS, max_size=2).map(lambda some: {"matchExpressions": some}), min_size=1, max_size=3)
LABELS = st.fixed_dictionaries({}, optional={"zone": st.sampled_from("123"), "disk": st.just("")})


@given(OWN, RANGES, DRIVERS, LABELS, st.booleans())
def test_a_node_is_chosen_where_both_would_choose_it(own, ranges, driver, labels, in_pool):
    pools = [PoolSelector(POOL_A, from_zero=True)]
    node = {**labels_of(driver), **labels, **(POOL_A if in_pool else {})}
    ours = in_pool or any(holds(one, numbers(driver)) for one in ranges)
    assert matches(placement(ranges, pools, own=own), node) == (matches(own, node) and ours)
