from tests.testing.audited import KERNEL, OTHER, audited, driver_pod, node, said
from tests.testing.planning import catalog, files, pool, tag

DIGEST, NEWER = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
BOTH = {"inventory/catalog.yaml": catalog(tag(KERNEL), tag(OTHER))}
ONE = files(pool(f"arch: [amd64], kernels: [{KERNEL}]"), **BOTH)


def test_two_releases_of_an_os_in_one_pool_are_told_with_their_nodes() -> None:
    """D08, NVIDIA/gpu-operator#328: half migrated."""
    found = audited(ONE, node("n1", kernel="5.4.0-150-generic", version="20.04"), node("n2"))
    mixed = next(one for one in found.differences if one.what == "mixed")
    assert "ubuntu20.04 with 5.4.0-150-generic: n1" in mixed.message
    assert f"ubuntu22.04 with {KERNEL}: n2" in mixed.message
    assert ("undeclared", "n1") in said(found)
    assert ("undeclared", "n2") not in said(found)


def test_two_kernels_of_one_os_are_what_a_roll_looks_like() -> None:
    rolling = files(pool(f"arch: [amd64], kernels: [{KERNEL}, {OTHER}]"), **BOTH)
    assert said(audited(rolling, node("n1"), node("n2", kernel=OTHER))) == []


def test_kernels_that_nobody_runs() -> None:
    rolling = files(pool(f"arch: [amd64], kernels: [{KERNEL}, {OTHER}]"), **BOTH)
    found = audited(rolling, node("n1"))
    assert said(found) == [("run-by-nobody", "a")]
    assert OTHER in found.differences[0].message
    assert said(audited(rolling)) == []


def test_the_size_of_a_pool() -> None:
    sized = files(pool(f"arch: [amd64], kernels: [{KERNEL}], nodes: {{min: 0, max: 1}}"), **BOTH)
    assert said(audited(sized)) == []
    assert said(audited(sized, node("n1"), node("n2"))) == [("pool-size", "a")]


def test_one_tag_and_two_builds() -> None:
    """driver-images.md 0: tags are mutable."""
    listed = catalog(tag(KERNEL, more=f", platforms: [linux/amd64], digest: {NEWER}"))
    once = files(pool(f"arch: [amd64], kernels: [{KERNEL}]"), **{"inventory/catalog.yaml": listed})
    pods = [
        driver_pod("n1", imageID=f"nvcr.io/nvidia/driver@{DIGEST}"),
        driver_pod("n2", imageID=f"nvcr.io/nvidia/driver@{NEWER}"),
    ]
    found = audited(once, node("n1"), node("n2"), *pods)
    assert said(found) == [("rebuilt", "one")]
    assert f"{DIGEST} on n1; {NEWER} (as in the catalog) on n2" in found.differences[0].message
    assert said(audited(once, node("n1"), *pods[:1])) == []


def test_nodes_that_share_the_name_of_a_daemonset_and_not_its_selector() -> None:
    """gpu-operator internal/state/nodepool.go, v26.3.3: rocky's pools are named by major, and select by VERSION_ID.

    Of two pools of one name the first that the operator sees is made: oracle/node_pools.jsonl, unserved.
    """
    compiled = 'arch: [amd64], driver: {mode: compiled, version: "580.126.20"}'
    rocky = f'nodeSelector: {{x/y: a}}, os: {{id: rocky, version: "9.4"}}, {compiled}'
    tags = catalog('tag: "580.126.20-rocky9", platforms: [linux/amd64]')
    older = files(rocky, more="operator: {version: v26.3.3}\n", **{"inventory/catalog.yaml": tags})
    labels = {"feature.node.kubernetes.io/system-os_release.ID": "rocky"}
    found = audited(older, node("n1", version="9.4", labels=labels), node("n2", version="9.6", labels=labels))
    (collision,) = [difference for difference in found.differences if difference.what == "driver-pod"]
    assert "9.4 (n1) and 9.6 (n2)" in collision.message
    assert '"rocky9"' in collision.message
    alone = audited(older, node("n1", version="9.4", labels=labels), node("n2", version="9.4", labels=labels))
    assert said(alone) == []
