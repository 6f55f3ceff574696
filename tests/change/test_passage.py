"""What nodes ask for on the way. The images that are built are written by hand in each case."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from generator.change.passage import Moment, lost, passages, stock, swaps, ways
from generator.revision.revision import Before, Revision
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from tests.testing.judging import revision_of
from tests.testing.pools import FLEET, HEAD, fleet, inventory, pool

REPOSITORY = "nvcr.io/nvidia/driver"
K1, K2, K3 = (f"5.15.0-{number}-generic" for number in (173, 177, 185))
OFF = "upgradePolicy: {autoUpgrade: false}"


def tag(driver: str, kernel: str, system: str = "ubuntu22.04") -> str:
    return f"{driver}-{kernel}-{system}"


def catalog(tags: Sequence[str], repository: str = REPOSITORY) -> str:
    rows = "".join(f'  - {{tag: "{listed}", platforms: [linux/amd64]}}\n' for listed in tags)
    return f"{HEAD}kind: ImageCatalog\nrepository: {repository}\nimages: {'' if rows else '[]'}\n{rows}"


def state(*pools: str, built: Sequence[str] = (), operator: str = "version: v26.7.0") -> Revision:
    files = inventory(*pools, operator=operator) | {"inventory/images.yaml": catalog(built)}
    revision, problems = revision_of(files)
    assert [str(problem) for problem in problems] == []
    return revision


def train(*kernels: str, driver: str = 'branch: "580"', nodes: str = "4", **more: str) -> str:
    return pool("a", f"nodes: {nodes}", f"driver: {{{driver}}}", kernels=f"[{', '.join(kernels)}]", **more)


def way(was: Revision, becomes: Revision) -> list[tuple[str, str, Moment, bool]]:
    """Pool, image, moment and whether it is severe, of every image that nodes ask for on the way and nobody built."""
    (then,), (now,) = was.fleet.clusters, becomes.fleet.clusters
    images = stock(was.catalog, becomes.catalog)
    return [
        (passage.becomes[1].name, passage.image, passage.moment, passage.severe)
        for passage in passages(then, now, images)
    ]


def messages_of(was: Revision, becomes: Revision) -> list[str]:
    """What the rule says of the change."""
    judged = replace(becomes, before=Before(was.fleet, was.catalog))
    return [problem.message for problem in problems_of(BY_ID["image/transition-missing"], judged)]


SYNCED, EARLY = Moment.AFTER_SYNC, Moment.BEFORE_SYNC
BRANCH_595 = 'branch: "595"'


def test_kernel_and_driver_at_once_pass_through_the_new_driver_on_the_old_kernel() -> None:
    built = [tag("580", K1), tag("580", K2), tag("595", K2)]
    was, becomes = state(train(K1), built=built), state(train(K2, driver=BRANCH_595), built=built)
    assert way(was, becomes) == [("a", tag("595", K1), SYNCED, True)]


def test_a_node_that_boots_early_asks_for_the_old_driver_on_the_new_kernel() -> None:
    built = [tag("580", K1), tag("595", K1), tag("595", K2)]
    was, becomes = state(train(K1), built=built), state(train(K1, K2, driver=BRANCH_595), built=built)
    assert way(was, becomes) == [("a", tag("580", K2), EARLY, False)]


def test_where_every_image_is_built_nothing_is_missed() -> None:
    built = [tag(driver, kernel) for driver in ("580", "595") for kernel in (K1, K2)]
    assert way(state(train(K1), built=built), state(train(K2, driver=BRANCH_595), built=built)) == []


def test_a_kernel_alone_moves_no_driver() -> None:
    built = [tag("580", K1), tag("580", K2)]
    assert way(state(train(K1), built=built), state(train(K1, K2), built=built)) == []
    assert way(state(train(K1, K2), built=built), state(train(K2), built=built[1:])) == []


def test_what_is_declared_to_run_is_another_rules_to_tell() -> None:
    """image/missing says that 595 isn't built for a kernel that stays declared."""
    built = [tag("580", K1)]
    assert way(state(train(K1), built=built), state(train(K1, driver=BRANCH_595), built=built)) == []


def test_an_image_that_was_missing_before_is_no_news() -> None:
    was = state(train(K1, K2), built=[tag("580", K1)])
    becomes = state(train(K1, driver="kernelModuleType: open"), built=[tag("580", K1)])
    assert way(was, becomes) == []


def test_a_line_that_is_removed_removes_no_image_and_one_that_is_gone_does() -> None:
    built = [tag("580", K1), tag("595", K1), tag("595", K2)]
    was = state(train(K1), built=[*built, tag("580", K2)])
    becomes = state(train(K2, driver=BRANCH_595), built=[tag("595", K2)])
    assert way(was, becomes) == []
    files = inventory(train(K2, driver=BRANCH_595)) | {
        "inventory/images.yaml": f"{HEAD}kind: ImageCatalog\nrepository: {REPOSITORY}\nimages:\n"
        f'  - {{tag: "{tag("595", K1)}", platforms: [linux/amd64], gone: true}}\n'
        f'  - {{tag: "{tag("595", K2)}", platforms: [linux/amd64]}}\n'
    }
    gone, _ = revision_of(files)
    assert way(was, gone) == [("a", tag("595", K1), SYNCED, True)]
    lost = {"inventory/images.yaml": files["inventory/images.yaml"].replace(tag("595", K1), tag("580", K2))}
    # It is gone for a node that boots before the sync, too.
    assert way(was, revision_of(files | lost)[0]) == [("a", tag("580", K2), EARLY, False)]


@pytest.mark.parametrize(
    ("before", "after", "severe"),
    [
        ({"driver": f'branch: "580", {OFF}'}, {"driver": f"{BRANCH_595}, {OFF}"}, False),
        # Another number of nodes: one that is added loads the new driver.
        ({"driver": f'branch: "580", {OFF}'}, {"driver": f"{BRANCH_595}, {OFF}", "nodes": "5"}, True),
        ({"driver": f'branch: "580", {OFF}', "nodes": "{min: 1, max: 4}"},
         {"driver": f"{BRANCH_595}, {OFF}", "nodes": "{min: 1, max: 4}"}, True),
        # Another selector: the pods of nodes that it leaves are deleted.
        ({"driver": f'branch: "580", {OFF}'},
         {"driver": f"{BRANCH_595}, {OFF}", "selector": "{example.com/pool: a, zone: east}"}, True),
        ({}, {"driver": BRANCH_595}, True),
    ],
)  # fmt: skip
def test_without_automatic_upgrades_only_what_deletes_pods_hurts(
    before: dict[str, str], after: dict[str, str], severe: bool
) -> None:
    built = [tag("580", K1), tag("580", K2), tag("595", K2)]
    was, becomes = state(train(K1, **before), built=built), state(train(K2, **after), built=built)
    assert way(was, becomes) == [("a", tag("595", K1), SYNCED, severe)]


def test_automatic_upgrades_that_are_switched_on_load_the_driver_that_waited() -> None:
    built = [tag("595", K2), tag("580", K1)]
    was = state(train(K1, driver=f"{BRANCH_595}, {OFF}"), built=built)
    becomes = state(train(K2, driver=BRANCH_595), built=built)
    # Nodes kept 580 while nobody upgraded them: what base declares for them is loaded only now.
    assert way(was, becomes) == [("a", tag("595", K1), SYNCED, True)]
    # Whoever upgrades nodes has been told when that was brought.
    assert way(state(train(K1, driver=BRANCH_595), built=built), becomes) == []
    was = state(train(K1, driver=f'branch: "580", {OFF}'), built=built)
    assert way(was, becomes) == [("a", tag("595", K1), SYNCED, True), ("a", tag("580", K2), EARLY, False)]


@pytest.mark.parametrize(
    ("was", "becomes", "api", "hits"),
    [
        ("v26.3.3", "v26.7.0", "NVIDIADriver", True),  # each object has a policy of its own from now on
        ("v26.3.2", "v26.3.3", "NVIDIADriver", False),
        ("v26.3.3", "v26.7.0", "ClusterPolicy", False),  # whose own one stays
    ],
)
def test_until_the_sync_objects_have_no_policy_and_the_new_release_upgrades_by_itself(
    was: str, becomes: str, api: str, hits: bool
) -> None:
    """oracle/upgrade_traces.jsonl tr-160: an NVIDIADriver without an upgradePolicy is upgraded."""
    built = [tag("595", K2), tag("580", K1)]
    before, after = (
        state(
            train(*kernels, driver=f"{BRANCH_595}, {OFF}"),
            built=built,
            operator=f"version: {release}, driverApi: {api}",
        )
        for kernels, release in (((K1, K2), was), ((K2,), becomes))
    )
    assert way(before, after) == ([("a", tag("595", K1), Moment.NEW_RELEASE_FIRST, True)] if hits else [])


def test_nodes_that_waited_load_their_driver_when_their_object_is_another_one() -> None:
    """The driver moved while nobody upgraded them; a kernel that leaves with the old object is not believed gone."""
    built = [tag("595", K2), tag("580", K1)]
    was = state(train(K1, K2, driver=f"{BRANCH_595}, {OFF}"), built=built)
    selector = "{example.com/pool: a}"
    renamed = pool("b", "nodes: 4", f"driver: {{{BRANCH_595}, {OFF}}}", selector=selector, kernels=f"[{K2}]")
    assert way(was, state(renamed, built=built)) == [("b", tag("595", K1), SYNCED, True)]
    assert way(was, state(train(K2, driver=f"{BRANCH_595}, {OFF}"), built=built)) == []


@pytest.mark.parametrize("nodes", ["0", "{min: 0, max: 0}"])
def test_a_pool_without_nodes_passes_through_nothing(nodes: str) -> None:
    was, becomes = state(train(K1, nodes=nodes)), state(train(K2, driver=BRANCH_595), built=[tag("595", K2)])
    assert way(was, becomes) == []


@pytest.mark.parametrize("mode", ["mode: preinstalled", "mode: unmanaged"])
def test_nodes_whose_driver_is_the_hosts_ask_for_nothing(mode: str) -> None:
    was = state(train(K1), built=[tag("580", K1)])
    assert way(was, state(pool("a", "nodes: 4", f"driver: {{{mode}}}", kernels=""))) == []


def test_a_renamed_pool_has_the_machines_of_before() -> None:
    built = [tag("580", K1), tag("580", K2), tag("595", K2)]
    renamed = pool("b", "nodes: 4", "driver: {branch: '595'}", selector="{example.com/pool: a}", kernels=f"[{K2}]")
    assert way(state(train(K1), built=built), state(renamed, built=built)) == [("b", tag("595", K1), SYNCED, True)]


def test_a_clusterpolicys_pods_stay_whatever_its_pools_are_called() -> None:
    policy = "version: v26.7.0, driverApi: ClusterPolicy"

    def named(name: str, driver: str, kernel: str, selector: str = "{example.com/pool: a}") -> Revision:
        only = pool(name, "nodes: 4", selector=selector, kernels=f"[{kernel}]")
        files = inventory(only, operator=policy, driver=f"{driver}, {OFF}")
        return revision_of(
            files | {"inventory/images.yaml": catalog([tag("580", K1), tag("580", K2), tag("595", K2)])}
        )[0]

    was = named("a", 'branch: "580"', K1)
    assert way(was, named("b", BRANCH_595, K2)) == [("b", tag("595", K1), SYNCED, False)]
    # As many nodes of another selector are others.
    assert way(was, named("b", BRANCH_595, K2, "{zone: east}")) == [("b", tag("595", K1), SYNCED, True)]


def test_the_parts_of_a_split_have_what_they_declare_unless_their_driver_moves() -> None:
    built = [tag("580", K1), tag("580", K2), tag("595", K2)]
    was = state(train(K1, K2), built=built)

    def part(name: str, driver: str, kernel: str) -> str:
        selector = f"{{example.com/pool: a, zone: {name}}}"
        return pool(name, "nodes: 2", f"driver: {{{driver}}}", selector=selector, kernels=f"[{kernel}]")

    apart = state(part("east", 'branch: "580"', K1), part("west", 'branch: "580"', K2), built=built)
    assert way(was, apart) == []
    moved = state(part("east", 'branch: "580"', K1), part("west", BRANCH_595, K2), built=built)
    assert way(was, moved) == [("west", tag("595", K1), SYNCED, True)]


def test_one_policy_drives_the_nodes_of_a_pool_that_is_no_longer_declared() -> None:
    policy = "version: v26.7.0, driverApi: ClusterPolicy"
    built = [tag("580", K1), tag("580", K2), tag("595", K2)]

    def both(driver: str, *pools: str) -> Revision:
        files = inventory(*pools, operator=policy, driver=driver) | {"inventory/images.yaml": catalog(built)}
        return revision_of(files)[0]

    a = pool("a", "nodes: 4", kernels=f"[{K1}]")
    b = pool("b", "nodes: 4", kernels=f"[{K2}]")
    assert way(both('branch: "580"', a, b), both(BRANCH_595, b)) == [("b", tag("595", K1), SYNCED, True)]


def test_nodes_that_only_load_the_policys_driver_boot_no_machine_of_its_pool() -> None:
    built = [tag("580", K1), tag("580", K2), tag("595", K1), tag("595", K2)]
    a, b = pool("a", "nodes: 4", kernels=f"[{K1}]"), pool("b", "nodes: 4", kernels=f"[{K3}]")
    policy = "version: v26.7.0, driverApi: ClusterPolicy"
    catalogs = {"inventory/images.yaml": catalog([*built, tag("595", K3)])}
    was, _ = revision_of(inventory(a, operator=policy) | catalogs)
    becomes, _ = revision_of(inventory(b, operator=policy, driver=BRANCH_595) | catalogs)
    # A new node of pool b may still load the policy of before.
    assert way(was, becomes) == [("b", tag("580", K3), EARLY, False)]


def test_another_repository_has_its_own_images() -> None:
    built = [tag("580", K1), tag("580", K2)]
    here = {"inventory/images.yaml": catalog(built)}
    there = here | {"inventory/mine.yaml": catalog([tag("580", K2)], "registry.example.com/driver")}
    was, _ = revision_of(inventory(train(K1)) | here)
    mine = train(K2, driver='branch: "580", repository: registry.example.com/driver')
    becomes, _ = revision_of(inventory(mine) | there)
    assert way(was, becomes) == [("a", tag("580", K1), SYNCED, True)]


MIRROR = "registry.example.com/driver"


def mirrored(kind: str, *kernels: str) -> Revision:
    """A pool of a mirror that has an image of K2 alone; its upstream has those of K1 and K2."""
    mirrors = f"mirrors: {{{MIRROR}: {{of: {REPOSITORY}, kind: {kind}}}}}\n"
    files = {
        **inventory(train(*kernels, driver=f"branch: '580', repository: {MIRROR}")),
        FLEET: fleet(more=mirrors),
        "inventory/images.yaml": catalog([tag("580", K1), tag("580", K2)]),
        "inventory/mirror.yaml": catalog([tag("580", K2)], MIRROR),
    }
    return revision_of(files)[0]


def test_a_mirror_that_is_filled_by_hand_from_now_on_lacks_what_nodes_still_run() -> None:
    was, becomes = mirrored("proxy", K1), mirrored("copy", K2)
    assert way(was, becomes) == [("a", tag("580", K1), SYNCED, True)]
    (message,) = messages_of(was, becomes)
    assert f"which no catalog of {MIRROR} lists" in message
    # The mirror passes nothing on before the sync.
    assert way(mirrored("copy", K2), mirrored("proxy", K1, K2)) == [("a", tag("580", K1), EARLY, False)]
    assert way(mirrored("proxy", K1), mirrored("copy", K1, K2)) == []  # image/missing reports K1


def test_a_revert_brings_the_mirror_of_before_back() -> None:
    def back(was: Revision, becomes: Revision) -> list[tuple[str, bool]]:
        images = stock(was.catalog, becomes.catalog)
        (only,) = ways(*was.fleet.clusters, *becomes.fleet.clusters, images)
        return [(station.image, station.built) for station in only.back()]

    assert back(mirrored("proxy", K1), mirrored("copy", K2)) == [(tag("580", K1), True), (tag("580", K2), True)]
    assert back(mirrored("copy", K2), mirrored("proxy", K1)) == [(tag("580", K2), True), (tag("580", K1), False)]


RHEL = '{id: rhel, version: "9.4"}'
RED_HAT, NEXT_RED_HAT = "5.14.0-427.13.1.el9_4.x86_64", "5.14.0-427.20.1.el9_4.x86_64"


def test_a_release_that_names_the_system_otherwise_asks_in_both_orders() -> None:
    """rhel9.4 before v26.7, rhel9 from then on (gpu-operator internal/state/nodepool.go getOSTag)."""
    files = [tag("580", RED_HAT, "rhel9.4"), tag("595", RED_HAT, "rhel9")]
    was = state(train(RED_HAT, os=RHEL), built=files, operator="version: v26.3.3")
    becomes = state(train(RED_HAT, os=RHEL, driver=BRANCH_595), built=files)
    assert way(was, becomes) == [
        ("a", tag("580", RED_HAT, "rhel9"), Moment.NEW_RELEASE_FIRST, True),
        ("a", tag("595", RED_HAT, "rhel9.4"), Moment.OLD_RELEASE_STILL, True),
    ]


def test_of_two_states_that_ask_for_one_image_the_worse_counts() -> None:
    """A node may boot the new kernel before the sync, or after it while the old release still looks after it."""
    files = [tag("580", RED_HAT, system) for system in ("rhel9.4", "rhel9")] + [tag("580", NEXT_RED_HAT, "rhel9")]
    was = state(train(RED_HAT, os=RHEL), built=files, operator="version: v26.3.3")
    becomes = state(train(RED_HAT, NEXT_RED_HAT, os=RHEL), built=files)
    assert way(was, becomes) == [("a", tag("580", NEXT_RED_HAT, "rhel9.4"), Moment.OLD_RELEASE_STILL, True)]


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
def test_a_new_pool_is_looked_after_by_the_old_release_until_the_chart_moves(api: str) -> None:
    first, second = train(RED_HAT, os=RHEL), pool("b", os=RHEL, kernels=f"[{NEXT_RED_HAT}]")
    built = [tag("580", RED_HAT, system) for system in ("rhel9.4", "rhel9")] + [tag("580", NEXT_RED_HAT, "rhel9")]
    was = state(first, built=built, operator=f"version: v26.3.3, driverApi: {api}")
    becomes = state(first, second, built=built, operator=f"version: v26.7.0, driverApi: {api}")
    assert ("b", tag("580", NEXT_RED_HAT, "rhel9.4"), Moment.OLD_RELEASE_STILL, True) in way(was, becomes)


def test_the_first_nodes_of_a_pool_are_looked_after_by_the_old_release_until_the_chart_moves() -> None:
    built = [tag("580", RED_HAT, "rhel9.4"), tag("595", RED_HAT, "rhel9")]
    was = state(train(RED_HAT, os=RHEL, nodes="0"), built=built, operator="version: v26.3.3")
    becomes = state(train(RED_HAT, os=RHEL, driver=BRANCH_595), built=built)
    assert way(was, becomes) == [("a", tag("595", RED_HAT, "rhel9.4"), Moment.OLD_RELEASE_STILL, True)]


def test_no_node_boots_what_a_pool_without_nodes_declares() -> None:
    built = [tag(driver, K1) for driver in ("580", "595")] + [tag("595", K2)]
    becomes = state(train(K2, driver=BRANCH_595, nodes="0"), built=built)
    assert way(state(train(K1), built=built), becomes) == []
    becomes = state(train(K2, driver=BRANCH_595, nodes="0"), built=[tag("580", K1), tag("595", K2)])
    assert way(state(train(K1), built=built[:1]), becomes) == [("a", tag("595", K1), SYNCED, True)]


def test_a_pool_that_goes_is_looked_after_by_the_new_release_until_the_sync() -> None:
    first, second = train(RED_HAT, os=RHEL), pool("b", os=RHEL, kernels=f"[{NEXT_RED_HAT}]")
    built = [tag("580", RED_HAT, system) for system in ("rhel9.4", "rhel9")] + [tag("580", NEXT_RED_HAT, "rhel9.4")]
    was = state(first, second, built=built, operator="version: v26.3.3")
    becomes = state(first, built=built)
    assert way(was, becomes) == [("b", tag("580", NEXT_RED_HAT, "rhel9"), Moment.NEW_RELEASE_FIRST, True)]
    (message,) = messages_of(was, becomes)
    assert message == (
        'pool "c/b": nodes on 5.14.0-427.20.1.el9_4.x86_64 that operator v26.7.0 looks after before the sync ask for '
        "580-5.14.0-427.20.1.el9_4.x86_64-rhel9 for linux/amd64, which no catalog of nvcr.io/nvidia/driver lists: "
        "they lose their driver when it is loaded"
    )


def test_a_system_that_is_rolled_in_place_keeps_the_driver_of_the_old_one() -> None:
    jammy, noble = tag("580", K1), tag("580", "6.8.0-31-generic", "ubuntu24.04")
    new = train("6.8.0-31-generic", os='{id: ubuntu, version: "24.04"}')
    was = state(train(K1), built=[jammy, noble])
    assert way(was, state(new, built=[jammy, noble])) == []
    (swap,) = swaps(*was.fleet.clusters, *state(new).fleet.clusters)
    assert [(machine.os_version, machine.kernel) for machine in swap.machines] == [("22.04", K1)]


def test_machines_that_are_all_exchanged_are_a_swap() -> None:
    def swapped(before: str, after: str) -> bool:
        return bool([*swaps(*state(before).fleet.clusters, *state(after).fleet.clusters)])

    assert swapped(train(K1), train(K2))
    assert not swapped(train(K1), train(K1, K2))
    assert not swapped(train(K1, K2), train(K2))
    assert not swapped(train(K1, nodes="0"), train(K2))
    part = "{example.com/pool: a, zone: east}"
    elsewhere = pool("b", "nodes: 4", selector="{example.com/pool: a, zone: west}", kernels=f"[{K2}]")
    assert not swapped(train(K1), train(K1, selector=part) + elsewhere)
    assert swapped(train(K1), train(K1, selector=part, nodes="0") + elsewhere)
    compiled = 'mode: compiled, version: "580.126.20"'
    assert not swapped(train(K1), train(K1, selector=part, driver=compiled) + elsewhere)
    assert swapped(train(K1), train(K1, selector=part, driver=compiled, nodes="0") + elsewhere)
    # A part that compiles its driver for another system has nothing in common with what ran.
    noble = '{id: ubuntu, version: "24.04"}'
    assert swapped(train(K1), train("6.8.0-31-generic", selector=part, driver=compiled, os=noble) + elsewhere)
    assert not swapped(train(K1, driver=compiled), train(K2, driver=compiled))


def test_a_pool_that_goes_is_lost_unless_something_claims_its_nodes() -> None:
    def gone(*after: str, nodes: str = "4") -> list[str]:
        was, becomes = state(train(K1, nodes=nodes), pool("b")), state(*after)
        return [found.was[1].name for found in lost(*was.fleet.clusters, *becomes.fleet.clusters)]

    assert gone(pool("b")) == ["a"]
    assert gone(pool("b"), nodes="0") == []
    assert gone(pool("b"), pool("rest", "default: true", selector="")) == []
    assert gone(pool("b"), pool("a", "driver: {mode: unmanaged}", os="", arch="", kernels="")) == []
