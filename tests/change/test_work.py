"""Who builds what: facts/driver-images.md 2.3 and 2.4."""

from generator.change.work import Action, to_build
from tests.testing.inventories import FLEET, HEAD, cluster
from tests.testing.planning import NEXT, RUNNING, UPCOMING, catalog, files, pool, tag, works

LACKING = {"inventory/catalog.yaml": catalog(tag(RUNNING))}
COPY = "registry.example.com/nvidia/driver"


def test_one_image_that_two_pools_wait_for_is_one_piece_of_work() -> None:
    (one,) = works(files(pool(f"{UPCOMING}, nodes: 3"), pool(f"{UPCOMING}, nodes: {{min: 0, max: 4}}"), **LACKING))
    assert (one.tag, one.repository) == (f"580-{NEXT}-ubuntu22.04", "nvcr.io/nvidia/driver")
    assert one.pools == ("one/a", "one/b")
    assert one.nodes == 7
    assert one.platforms == ("linux/amd64",)
    assert one.action is Action.WAIT
    assert one.recipe is not None
    assert one.recipe.arguments == {"KERNEL_VERSION": NEXT, "DRIVER_BRANCH": "580"}


def test_platforms_of_one_tag_are_gathered() -> None:
    both = UPCOMING.replace("[amd64]", "[amd64, arm64]")
    (one,) = works(files(pool(both), **LACKING))
    assert one.platforms == ("linux/amd64", "linux/arm64")
    assert one.action is Action.BUILD  # 22.04 has no arm64 builds


def test_a_push_for_one_platform_keeps_the_others() -> None:
    """facts/driver-images.md 2.5: the CI never upgrades an amd64-only tag, and a tag holds one index."""
    arm = """nodeSelector: {x/y: a}, os: {id: ubuntu, version: "24.04"}, arch: [arm64], kernels: [6.8.0-1050-aws],
        upcomingKernels: [6.8.0-1060-aws]"""
    one, two = (tag(f"6.8.0-{number}-aws", os="ubuntu24.04") for number in (1050, 1060))
    (found,) = works(files(arm, **{"inventory/catalog.yaml": catalog(one, two)}))
    assert found.platforms == ("linux/amd64", "linux/arm64")
    assert found.action is Action.BUILD
    assert "skips a tag that exists" in found.reason
    assert "with linux/amd64, which the tag has" in found.reason
    (new,) = works(files(arm, **{"inventory/catalog.yaml": catalog(one)}))
    assert (new.platforms, new.action) == (("linux/arm64",), Action.WAIT)


def test_a_kernel_that_the_ci_has_passed_is_never_published() -> None:
    listed = catalog(tag(RUNNING), tag("5.15.0-185-generic"))
    (one,) = works(files(pool(UPCOMING), **{"inventory/catalog.yaml": listed}))
    assert one.action is Action.BUILD
    assert "580-5.15.0-185-generic-ubuntu22.04" in one.reason


def test_what_nobody_packages_comes_last_and_has_no_recipe() -> None:
    gke = "arch: [amd64], kernels: [5.15.0-1061-gke], upcomingKernels: [5.15.0-1062-gke], nodes: 100"
    found = works(files(pool(gke), pool(f"{UPCOMING}, nodes: 1"), **LACKING))
    assert [one.action for one in found] == [Action.WAIT, Action.NONE]
    assert found[1].recipe is None
    assert "gke" in found[1].reason
    assert [one.tag for one in to_build(found)] == [f"580-{NEXT}-ubuntu22.04"]


def test_a_vanished_image_is_pushed_again() -> None:
    listed = catalog(tag(RUNNING), tag(NEXT, more=", platforms: [linux/amd64], gone: true"))
    (one,) = works(files(pool(UPCOMING), **{"inventory/catalog.yaml": listed}))
    assert one.action is Action.PUSH
    assert one.source == "inventory/catalog.yaml:6"


def mirrored(kind: str) -> dict[str, str]:
    fleet = FLEET.replace("nvcr.io/nvidia/driver", COPY)
    return {
        "inventory/fleet.yaml": f"{fleet}mirrors:\n  {COPY}: {{of: nvcr.io/nvidia/driver, kind: {kind}}}\n",
        "inventory/one.yaml": cluster(pool(UPCOMING)),
    }


def test_a_copy_is_filled_from_its_upstream() -> None:
    own = f'{HEAD}kind: ImageCatalog\nrepository: {COPY}\nimages:\n  - {{tag: "580-{RUNNING}-ubuntu22.04"}}\n'
    listed = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(NEXT)), "inventory/copy.yaml": own}
    (one,) = works(files(**mirrored("copy"), **listed))
    assert one.action is Action.COPY
    assert one.copy_from == f"nvcr.io/nvidia/driver:580-{NEXT}-ubuntu22.04"
    assert one.repository == COPY


def test_work_for_a_proxy_is_its_upstreams() -> None:
    (one,) = works(files(**mirrored("proxy"), **LACKING))
    assert one.repository == "nvcr.io/nvidia/driver"
