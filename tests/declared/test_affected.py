"""Which clusters a change reaches: never one too few, and not all of them for one pool."""

import pytest

from generator.declared.affected import Affected, Changed, affected

HEAD = b"apiVersion: drivergate.dev/v1alpha1\n"
FLEET = (
    HEAD
    + b"""kind: Fleet
name: f
crds: [crds/policy.yaml]
defaults:
  driver: {repository: nvcr.io/nvidia/driver, branch: "580"}
profiles:
  canary: {driver: {branch: "595"}}
  ocp: {operator: {clusterPolicyBase: bases/ocp.yaml}}
"""
)
IMAGE = HEAD + b"kind: NodeImage\nname: jammy\nos: {id: ubuntu}\nreleases:\n  - {kernel: 5.15.0-173-generic}\n"
CATALOG = HEAD + b"kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n"
INVENTORY = {
    "inventory/fleet.yaml": FLEET,
    "inventory/images/jammy.yaml": IMAGE,
    "inventory/images/noble.yaml": IMAGE.replace(b"jammy", b"noble").replace(b"5.15.0-173", b"6.8.0-60"),
    "inventory/catalog.yaml": CATALOG,
    "inventory/a.yaml": HEAD + b"kind: Cluster\nname: a\nprofile: canary\npools:\n  train: {nodeImage: jammy}\n",
    "inventory/b.yaml": HEAD + b"kind: Cluster\nname: b\npools:\n  serve: {nodeImage: noble}\n",
    "inventory/c.yaml": HEAD + b"kind: Cluster\nname: c\nprofile: ocp\npools:\n"
    b"  train: {kernels: [5.14.0-427.el9_4.aarch64+64k]}\n",
    "inventory/d.yaml": HEAD + b"kind: Cluster\nname: d\noperator: {clusterPolicyBase: bases/d.yaml}\npools: {}\n",
    "inventory/team.yaml": HEAD + b"kind: Workloads\nteam: t\nworkloads:\n"
    b"  job: {runsOn: {pools: [train]}, disruptionBudget: {existing: {file: bases/budget.yaml}}}\n",
}


def reached(path: str, before: bytes | None, after: bytes | None, **more: frozenset[str]) -> Affected:
    now = {**INVENTORY, path: after} if after is not None else {k: v for k, v in INVENTORY.items() if k != path}
    inventory = {name: data for name, data in now.items() if name.startswith("inventory/") and data is not None}
    return affected([Changed(path, before, after)], inventory, **more)


def edited(path: str, old: bytes, new: bytes) -> list[str]:
    was = INVENTORY[path]
    assert old in was
    found = reached(path, was, was.replace(old, new))
    assert found.everything == ""
    assert set(found.clusters.values()) <= {path}
    return list(found.clusters)


@pytest.mark.parametrize(
    ("path", "old", "new", "clusters"),
    [
        ("inventory/a.yaml", b"jammy", b"noble", ["a"]),
        ("inventory/fleet.yaml", b"595", b"590", ["a"]),
        ("inventory/fleet.yaml", b"bases/ocp.yaml", b"bases/okd.yaml", ["c"]),
        ("inventory/images/jammy.yaml", b"173", b"177", ["a"]),
        ("inventory/images/noble.yaml", b"kind:", b"# a comment\nkind:", []),
        ("inventory/team.yaml", b"[train]", b"[serve]", ["a", "b", "c"]),
        ("inventory/team.yaml", b"{pools: [train]}", b"{pools: [train], clusters: [b]}", ["a", "b", "c"]),
    ],
)
def test_a_document_reaches_those_that_use_it(path: str, old: bytes, new: bytes, clusters: list[str]) -> None:
    assert edited(path, old, new) == clusters


@pytest.mark.parametrize(
    ("tag", "clusters"),
    [
        (b"580-5.15.0-173-generic-ubuntu22.04", ["a"]),
        (b"580-5.14.0-427.el9_4.aarch64_64k-rhel9", ["c"]),
        (b"580-5.15.0-17-generic-ubuntu22.04", []),
    ],
)
def test_a_precompiled_image_reaches_the_nodes_of_its_kernel(tag: bytes, clusters: list[str]) -> None:
    for line in (
        b"  - {tag: %s, platforms: [linux/amd64]}\n" % tag,
        b'  - {tag: "%s"}\n' % tag,
        b"  - tag: %s\n" % tag,
    ):
        path = "inventory/catalog.yaml"
        for before, after in ((CATALOG, CATALOG + line), (CATALOG + line, CATALOG), (None, CATALOG + line)):
            found = reached(path, before, after)
            assert (found.everything, list(found.clusters)) == ("", clusters)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("inventory/catalog.yaml", CATALOG, CATALOG + b"  - {tag: 580.126.20-ubuntu22.04}\n"),
        ("inventory/catalog.yaml", CATALOG, CATALOG.replace(b"nvcr.io", b"registry.example.com")),
        ("inventory/catalog.yaml", CATALOG, CATALOG + b"  - &a {digest: x, tag: 580-5.15.0-173-generic-ubuntu22.04}\n"),
        ("inventory/fleet.yaml", FLEET, FLEET.replace(b'"580"', b'"570"')),
        ("inventory/fleet.yaml", FLEET, None),
        ("templates/{cluster}/x.yaml.j2", None, b"x"),
        ("crds/policy.yaml", b"a", b"b"),
        (".drivergate-baseline.yaml", None, b"a"),
        (".pre-commit-config.yaml", b"drivergate: v1", b"drivergate: v2"),
        (".github/workflows/gate.yaml", None, b"pip install drivergate"),
        ("inventory/x.yaml", None, HEAD + b"kind: Cloud\n"),
        ("inventory/x.yaml", None, HEAD + b"kind: Cluster\n"),
    ],
)
def test_what_is_everybodys_reaches_all_and_says_why(path: str, before: bytes | None, after: bytes | None) -> None:
    found = reached(path, before, after)
    assert path in found.everything
    assert found.clusters == {}


@pytest.mark.parametrize(
    ("path", "clusters"),
    [
        ("bases/ocp.yaml", ["c"]),
        ("bases/d.yaml", ["d"]),
        ("bases/budget.yaml", ["a", "c"]),
        ("bases/nobody.yaml", []),
        ("README.md", []),
        ("requirements.txt", []),
        ("inventory/README.md", []),
        ("out/a/gpu-operator/nvidiadriver-train.yaml", ["a"]),
        ("out/_delivery/argocd/b.yaml", ["b"]),
        ("out/.drivergate-manifest", []),
    ],
)
def test_other_files_reach_those_that_name_them(path: str, clusters: list[str]) -> None:
    found = reached(path, b"a", b"b")
    assert (found.everything, list(found.clusters)) == ("", clusters)


def test_a_cluster_that_goes_is_told_apart() -> None:
    path = "inventory/a.yaml"
    assert reached(path, INVENTORY[path], None) == Affected(total=3, names=frozenset("bcd"), gone=("a",))
    renamed = reached(path, INVENTORY[path], INVENTORY[path].replace(b"name: a", b"name: z"))
    assert (list(renamed.clusters), renamed.gone) == (["z"], ("a",))


def test_keys_that_a_caller_does_not_care_about_are_not_looked_at() -> None:
    silenced = FLEET + b"silenced: []\n"
    assert reached("inventory/fleet.yaml", FLEET, silenced).everything
    found = reached("inventory/fleet.yaml", FLEET, silenced, silent=frozenset({"silenced"}))
    assert found == Affected(total=4, names=frozenset("abcd"))
