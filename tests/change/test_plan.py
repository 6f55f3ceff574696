"""Tags of the sample come from facts/real_tags.yaml; how they are composed, from facts/gpu-operator.md 1."""

import pytest

from generator.change.plan import State, Verdict
from generator.change.wish import Unmeant, Wish, meant
from generator.report.plan import seen_by
from tests.testing.inventories import HEAD
from tests.testing.planning import (
    BUILT,
    EMPTY,
    LACKING,
    NEXT,
    NOWHERE,
    OWN,
    RUNNING,
    UPCOMING,
    catalog,
    files,
    planned,
    pool,
    read,
    tag,
)


def test_what_is_declared_as_upcoming_may_be_rolled_where_its_images_are_built() -> None:
    made = planned(files(pool(UPCOMING), **BUILT))
    assert [one.verdict for one in made.answers] == [Verdict.GO]
    (image,) = made.answers[0].images
    assert (image.before, image.after) == (f"580-{RUNNING}-ubuntu22.04", f"580-{NEXT}-ubuntu22.04")
    assert image.state is State.BUILT


def test_and_not_where_one_is_missing() -> None:
    made = planned(files(pool(UPCOMING), **LACKING))
    assert made.answers[0].verdict is Verdict.HOLD
    (image,) = made.answers[0].images
    assert image.state is State.MISSING
    assert f"580-{RUNNING}-ubuntu22.04 below" in image.nearest


def test_a_pool_without_anything_upcoming_is_told_and_not_counted() -> None:
    made = planned(files(pool(), **BUILT))
    assert made.answers == ()
    assert [(one.pool, one.why) for one in made.skipped] == [("a", "nothing is declared as upcoming")]


@pytest.mark.parametrize(
    ("wish", "after", "state"),
    [
        ({"kernels": (NEXT,)}, f"580-{NEXT}-ubuntu22.04", State.BUILT),
        ({"kernels": ("5.15.0-185-generic",)}, "580-5.15.0-185-generic-ubuntu22.04", State.MISSING),
        ({"driver": "595"}, f"595-{RUNNING}-ubuntu22.04", State.MISSING),
        ({"os": "ubuntu24.04"}, f"580-{RUNNING}-ubuntu24.04", State.MISSING),
        ({"driver": "580"}, f"580-{RUNNING}-ubuntu22.04", State.UNCHANGED),
    ],
)
def test_a_change_that_nobody_edited(wish: dict[str, object], after: str, state: State) -> None:
    made = planned(files(pool(), **BUILT), **wish)
    (image,) = made.answers[0].images
    assert (image.after, image.state) == (after, state)


def test_a_node_image_brings_its_os_and_kernels() -> None:
    """The stream `aws` of the small inventory boots 5.15.0-1111-aws on ubuntu22.04."""
    made = planned(files(pool(), **BUILT), node_image="aws")
    assert [image.after for image in made.answers[0].images] == ["580-5.15.0-1111-aws-ubuntu22.04"]


def test_an_operator_release_changes_the_tags_of_rhel() -> None:
    """facts/gpu-operator.md 9: v26.7 drops the minor of RHEL 8 and 9."""
    kernel = "5.14.0-427.37.1.el9_4.x86_64"
    rhel = 'nodeSelector: {x/y: a}, os: {id: rhel, version: "9.4"}, arch: [amd64]'
    wanted = f'{rhel}, kernels: [{kernel}], driver: {{version: "550.90.07"}}'
    listed = catalog(tag(kernel, "550.90.07", os="rhel9.4"))
    made = planned(
        files(wanted, more="operator: {version: v26.3.3}\n", **{"inventory/catalog.yaml": listed}), operator="v26.7.0"
    )
    (image,) = made.answers[0].images
    assert image.before == f"550.90.07-{kernel}-rhel9.4"
    assert image.after == f"550.90.07-{kernel}-rhel9"
    assert (image.state, made.answers[0].verdict) == (State.MISSING, Verdict.HOLD)


@pytest.mark.parametrize(("arch", "verdict"), [("amd64", Verdict.GO), ("arm64", Verdict.UNKNOWN)])
def test_platforms_that_are_not_recorded_leave_arm64_undecided(arch: str, verdict: Verdict) -> None:
    """design/product.md, ImageCatalog: enough for amd64, not for arm64."""
    listed = catalog(tag(NEXT, more=""), tag(RUNNING, more=""))
    wanted = pool(UPCOMING.replace("amd64", arch))
    assert planned(files(wanted, **{"inventory/catalog.yaml": listed})).answers[0].verdict is verdict


def test_a_vanished_image_is_missing() -> None:
    listed = catalog(tag(RUNNING), tag(NEXT, more=", platforms: [linux/amd64], gone: true"))
    made = planned(files(pool(UPCOMING), **{"inventory/catalog.yaml": listed}))
    assert made.answers[0].images[0].why == "it has vanished from its registry"
    assert made.answers[0].verdict is Verdict.HOLD


def test_a_branch_that_does_not_drive_the_gpus_holds_a_pool_whose_images_are_built() -> None:
    """facts/driver-images.md 4: 580 is the last branch for Volta."""
    listed = catalog(tag(RUNNING), tag(RUNNING, "595"))
    made = planned(files(pool() + ", gpu: {family: volta}", **{"inventory/catalog.yaml": listed}), driver="595")
    assert made.answers[0].verdict is Verdict.HOLD
    assert made.answers[0].objections == ("branch 595 does not drive volta GPUs",)


def test_a_held_pool_is_held() -> None:
    made = planned(files(pool(f"{UPCOMING}, hold: {{reason: a long run}}"), **BUILT))
    assert made.answers[0].verdict is Verdict.HOLD
    assert made.answers[0].objections == ("the pool is held: a long run",)


@pytest.mark.parametrize(
    ("more", "wish", "why"),
    [
        ("driver: {mode: preinstalled}", {"kernels": (NEXT,)}, "preinstalled"),
        ("driver: {mode: unmanaged}", {"kernels": (NEXT,)}, "unmanaged"),
        ('arch: [amd64], driver: {mode: compiled, version: "580.126.20"}', {"kernels": (NEXT,)}, "names no kernel"),
        ('arch: [amd64], driver: {mode: compiled, version: "580.126.20"}', {"driver": "595"}, "exact one of 595"),
    ],
)
def test_pools_that_a_change_is_not_for(more: str, wish: dict[str, object], why: str) -> None:
    made = planned(files(pool(more), **BUILT), **wish)
    assert made.answers == ()
    assert why in made.skipped[0].why


RHEL = 'nodeSelector: {x/y: b}, os: {id: rhel, version: "9.4"}, arch: [arm64], kernels: [5.14.0-427.el9_4.aarch64]'


@pytest.mark.parametrize(
    ("other", "kernel"),
    [("arch: [amd64], kernels: [5.15.0-1111-aws]", "5.15.0-1112-aws"), ("", "5.14.0-1.el9.aarch64")],
)
def test_a_kernel_is_for_pools_that_boot_its_like(other: str, kernel: str) -> None:
    made = planned(files(pool(), pool(other) if other else RHEL, **BUILT), kernels=(kernel,))
    assert [one.pool.name for one in made.answers] == ["b"]
    assert made.skipped[0].why == f"it boots kernels like {RUNNING}"


def test_what_is_upcoming_is_no_part_of_another_change() -> None:
    """The same image before and after for each kernel: only what the change itself asks for is told."""
    made = planned(files(pool(UPCOMING), **BUILT), operator="v26.7.0")
    assert [image.state for image in made.answers[0].images] == [State.UNCHANGED] * 2
    assert made.answers[0].verdict is Verdict.UNCHANGED
    changed = planned(files(pool(UPCOMING), **BUILT), driver="595").answers[0]
    assert [image.before for image in changed.images] == [f"580-{one}-ubuntu22.04" for one in (RUNNING, NEXT)]
    rolled = planned(files(pool(UPCOMING), **BUILT), kernels=(NEXT,)).answers[0]
    assert (rolled.verdict, rolled.images[0].before) == (Verdict.GO, f"580-{RUNNING}-ubuntu22.04")


def test_only_the_chosen_pools_are_asked_about() -> None:
    repository = files(pool(UPCOMING), pool(UPCOMING.replace("amd64", "amd64")), more='ring: "1"\n', **BUILT)
    assert [one.pool.name for one in planned(repository, pools=frozenset({"one/b"})).answers] == ["b"]
    assert [one.pool.name for one in planned(repository, rings=frozenset({"1"})).answers] == ["a", "b"]
    assert [one.pool.name for one in planned(repository, clusters=frozenset({"one"})).answers] == ["a", "b"]


@pytest.mark.parametrize(
    ("wish", "message", "hint"),
    [
        ({"pools": frozenset({"c"})}, 'no pool is named "c"', "use one of a, b, one/a, one/b"),
        ({"clusters": frozenset({"on"})}, 'no cluster is named "on"', "one"),
        ({"rings": frozenset({"9"})}, 'no ring is named "9"', "none is declared"),
        ({"os": "ubuntu"}, '"ubuntu" is no ID with a VERSION_ID', "ubuntu24.04"),
        ({"driver": "58"}, '"58" is no driver', "580"),
        ({"operator": "26"}, '"26" is no operator release', "v26.7.0"),
        ({"operator": "v1.2.3"}, "operator v1.2.3 is older", "upgrade the operator"),
        ({"node_image": "awz"}, 'no node image is named "awz"', "aws"),
        ({"node_image": "aws=2026.05"}, 'node image "aws" has no release "2026.05"', "2026.04"),
        ({"node_image": "aws", "os": "ubuntu24.04"}, "a node image brings its own OS", "--os"),
        ({"kernels": (NEXT, "5.15.0-177-genric")}, 'no pool boots kernels like "5.15.0-177-genric"', "uname -r"),
        ({"pools": frozenset({"a"}), "clusters": frozenset({"two"})}, "no pool is of all that was chosen", "--pool"),
    ],
)
def test_a_wish_that_names_nothing(wish: dict[str, object], message: str, hint: str) -> None:
    two = f"{HEAD}kind: Cluster\nname: two\npools: {{}}\n"
    host = OWN.replace("y: a", "y: b") + ", driver: {mode: preinstalled}"
    fleet, _, images = read(files(pool(), host, **BUILT, **{"inventory/two.yaml": two}))
    found = meant(Wish(**{**EMPTY, **NOWHERE, **wish}), fleet, images)
    assert isinstance(found, Unmeant)
    assert message in found.message
    assert hint in found.hint


def at(operator: str) -> str:
    return f"operator: {{version: {operator}}}\n"


@pytest.mark.parametrize(
    ("was", "becomes", "verdict", "note"),
    [
        ("v26.3.3", "v26.7.0", Verdict.GO, "every driver is loaded again: operator v26.3.3 -> v26.7.0"),
        ("v26.3.2", "v26.3.3", Verdict.UNCHANGED, "operator v26.3.2 -> v26.3.3: no driver pod is replaced"),
        ("v26.7.0", "v26.9.0", Verdict.GO, "cannot tell whether drivers are loaded again: operator v26.7.0 -> v26.9.0"),
    ],
)
def test_what_a_release_of_the_operator_does_to_drivers(was: str, becomes: str, verdict: Verdict, note: str) -> None:
    """Templates: git diff of manifests/state-driver between the tags, as for `diff`."""
    (answer,) = planned(files(pool(), more=at(was), **BUILT), operator=becomes).answers
    assert answer.verdict is verdict
    assert answer.notes[0].startswith(note)


def test_a_release_that_loads_drivers_again_is_not_for_a_pool_that_is_held() -> None:
    held = pool() + ", hold: {reason: a training run}"
    (answer,) = planned(files(held, more=at("v26.3.3"), **BUILT), operator="v26.7.0").answers
    assert (answer.verdict, answer.objections) == (Verdict.HOLD, ("the pool is held: a training run",))
    (quiet,) = planned(files(held, more=at("v26.3.2"), **BUILT), operator="v26.3.3").answers
    assert quiet.verdict is Verdict.UNCHANGED


EARLIER = f"{HEAD}kind: Cluster\nname: zero\nring: '0'\npools:\n  z: {{{pool()}}}\n"
ALL_DRIVERS = {
    "inventory/catalog.yaml": catalog(*(tag(kernel, branch) for kernel in (RUNNING, NEXT) for branch in ("580", "595")))
}


def test_a_driver_that_an_earlier_ring_has_not_had_is_noted_as_the_gate_does() -> None:
    repository = files(pool(), more="ring: '1'\n", **ALL_DRIVERS, **{"inventory/zero.yaml": EARLIER})
    (answer,) = planned(repository, driver="595", clusters=frozenset({"one"})).answers
    assert answer.verdict is Verdict.GO
    gpus = "GPUs of no declared family on ubuntu22.04"
    assert answer.notes == (f'ring "1" has driver 595 for {gpus}, and the earlier ring "0" has 580 at most',)
    both = planned(repository, driver="595").answers
    assert [noted.notes for noted in both] == [(), ()]


def test_a_driver_is_passed_through_only_where_earlier_rings_have_had_it() -> None:
    """From 580 to 570 with another kernel, 595 would be a bridge, which ring 0 has not had."""
    bridge = {
        "inventory/catalog.yaml": catalog(
            tag(RUNNING), tag(RUNNING, "595"), tag(NEXT, "595"), tag(NEXT, "570"), tag(RUNNING, "580")
        )
    }
    moves = []
    for version in ("580", "595"):
        earlier = EARLIER.replace("kernels:", f'driver: {{branch: "{version}"}}, kernels:')
        policy = "operator: {driverApi: ClusterPolicy}\nring: '1'\n"
        repository = files(pool(), more=policy, **bridge, **{"inventory/zero.yaml": earlier})
        answers = planned(repository, driver="570", kernels=(NEXT,), clusters=frozenset({"one"}), via=("595",)).answers
        moves.append([str(step.move) for step in answers[0].steps])
    assert moves == [[], ["driver", "join", "leave", "driver"]]


def test_a_new_system_is_a_pool_beside_the_old_one() -> None:
    jammy = catalog(tag(RUNNING), tag("6.8.0-45-generic", os="ubuntu24.04"))
    repository = files(pool(), **{"inventory/catalog.yaml": jammy})
    (answer,) = planned(repository, os="ubuntu24.04", kernels=("6.8.0-45-generic",)).answers
    assert [(str(step.move), step.values) for step in answer.steps] == [
        ("beside", ("ubuntu24.04", "6.8.0-45-generic", "580")),
        ("remove", ("a",)),
    ]
    assert seen_by(answer, 1) == "drivergate audit --cluster one --pool a --gone ubuntu22.04"
    assert seen_by(answer, 2) == ""


def test_a_pause_ends_each_step_with_what_the_cluster_must_say() -> None:
    policy = "operator: {driverApi: ClusterPolicy, install: helm}\n"
    fixed = pool() + ", nodes: 4"
    ends = catalog(tag(RUNNING), tag(NEXT, "595"))
    repository = files(fixed, more=policy, **{"inventory/catalog.yaml": ends})
    (answer,) = planned(repository, driver="595", kernels=(NEXT,)).answers
    wait = "kubectl --context one wait --timeout=10m --for=jsonpath="
    assert [(str(step.move), seen_by(answer, number)) for number, step in enumerate(answer.steps, start=1)] == [
        ("pause", f"{wait}'{{.spec.driver.upgradePolicy.autoUpgrade}}'=false clusterpolicy/cluster-policy"),
        ("driver", f"{wait}'{{.spec.driver.version}}'=595 clusterpolicy/cluster-policy"),
        ("join", f"drivergate audit --cluster one --pool a --gone {RUNNING}"),
        ("leave", ""),
        ("resume", f"{wait}'{{.spec.driver.upgradePolicy.autoUpgrade}}'=true clusterpolicy/cluster-policy"),
    ]


def test_after_a_driver_no_node_has_the_old_one_loaded() -> None:
    late = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(RUNNING, "595"), tag(NEXT, "595"))}
    (answer,) = planned(files(pool(), **late), driver="595", kernels=(NEXT,)).answers
    assert [str(step.move) for step in answer.steps] == ["driver", "join", "leave"]
    assert seen_by(answer, 1) == "drivergate audit --cluster one --pool a --gone 580"
