"""Each kind of change that leads nodes through a state without an image, in git, by every way that it is judged.

Which images are built is chosen so that both ends have theirs; what nodes ask for in between is worked out by hand.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.testing.fleet import CATALOG, EAST, FLEET, Fleet, catalog, cluster, drivergate
from tests.testing.gitrepo import isolate

K1, K2 = "5.15.0-173-generic", "5.15.0-185-generic"
RHEL = "5.14.0-427.31.1.el9_4.x86_64"
FLEET_FILE, IMAGES, COPIED = "inventory/fleet.yaml", "inventory/catalog/a.yaml", "inventory/catalog/b.yaml"
STREAM = "inventory/node-images/stream.yaml"
WAY, SWAPPED = "image/transition-missing", "image/kernel-swapped"
BOTH = [SWAPPED, WAY]
MINE = "registry.example.com/driver"
ENDS = catalog(f"580-{K1}-ubuntu22.04", f"595-{K2}-ubuntu22.04")
POLICY = "operator: {driverApi: ClusterPolicy}\npools:"

Files = dict[str, str | bytes]


class Change(NamedTuple):
    """What was merged, what the change makes of it, the rules that find something, and pools whose object goes."""

    was: Files
    becomes: Files
    rules: list[str]
    goes: tuple[str, ...] = ()


def pool(name: str, kernels: str, driver: str, labels: str = "", more: str = "") -> str:
    labels = labels or f"example.com/pool: {name}"
    return (
        f"  {name}:\n    nodeSelector: {{{labels}}}\n    nodes: 4\n    gpu: {{family: hopper}}\n"
        f'    os: {{id: ubuntu, version: "22.04"}}\n    arch: [amd64]\n    kernels: [{kernels}]\n'
        f'    driver: {{branch: "{driver}"}}\n{more}'
    )


def pools(*written: str, head: str = "pools:") -> str:
    top = f"apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: east\n{head}\n"
    return top + "".join(written)


def with_image(release: str) -> str:
    """The cluster whose kernels a node image names, and the driver of a release."""
    text = cluster().replace(f"    kernels: [{K1}]\n", "").replace("    arch: [amd64]\n", "    nodeImage: stream\n")
    text = text.replace('    os: {id: ubuntu, version: "22.04"}\n', "")
    return text + f'    driver: {{branch: "{release}"}}\n'


def stream(running: str) -> str:
    return (
        "apiVersion: drivergate.dev/v1alpha1\nkind: NodeImage\nname: stream\n"
        'os: {id: ubuntu, version: "22.04"}\narch: [amd64]\n'
        f'kernels: {{"1": {K1}, "2": {K2}}}\nrunning: ["{running}"]\n'
    )


PROFILES = FLEET + 'profiles:\n  old: {driver: {branch: "580"}}\n  new: {driver: {branch: "595"}}\n'
COPY = FLEET.replace("nvcr.io/nvidia/driver", MINE) + (f"mirrors:\n  {MINE}: {{of: nvcr.io/nvidia/driver, kind: %s}}\n")
RHEL_POOL = cluster(kernel=RHEL).replace('{id: ubuntu, version: "22.04"}', '{id: rhel, version: "9.4"}')

CHANGES = {
    "driver and kernel": Change(
        {IMAGES: ENDS, EAST: cluster()},
        {EAST: cluster(kernel=K2) + '    driver: {branch: "595"}\n'},
        BOTH,
    ),
    "driver and node image": Change(
        {IMAGES: ENDS, STREAM: stream("1"), EAST: with_image("580")},
        {STREAM: stream("2"), EAST: with_image("595")},
        BOTH,
    ),
    "profile and kernel": Change(
        {IMAGES: ENDS, FLEET_FILE: PROFILES, EAST: cluster().replace("pools:", "profile: old\npools:")},
        {EAST: cluster(kernel=K2).replace("pools:", "profile: new\npools:")},
        BOTH,
    ),
    "system": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu24.04"), EAST: cluster()},
        {EAST: cluster(kernel=K2).replace("22.04", "24.04")},
        [SWAPPED],  # nodes that stay ask for 580-K1 as before, and those that boot the new system for 580-K2
    ),
    "repository and kernel": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04"), COPIED: CATALOG.replace("nvcr.io/nvidia/driver", MINE)
         + f'  - {{tag: "580-{K2}-ubuntu22.04", platforms: [linux/amd64]}}\n', EAST: cluster()},
        {EAST: cluster(kernel=K2) + f"    driver: {{repository: {MINE}}}\n"},
        BOTH,
    ),
    "kind of mirror and kernel": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04"), FLEET_FILE: COPY % "proxy",
         EAST: cluster()},
        {FLEET_FILE: COPY % "copy", COPIED: CATALOG.replace("nvcr.io/nvidia/driver", MINE)
         + f'  - {{tag: "580-{K2}-ubuntu22.04", platforms: [linux/amd64]}}\n', EAST: cluster(kernel=K2)},
        BOTH,
    ),
    "release and driver": Change(
        {IMAGES: catalog(f"580-{RHEL}-rhel9.4", f"595-{RHEL}-rhel9"), FLEET_FILE: FLEET.replace("v26.7.0", "v26.3.3"),
         EAST: RHEL_POOL},
        {FLEET_FILE: FLEET, EAST: RHEL_POOL + '    driver: {branch: "595"}\n'},
        [WAY],
    ),
    "mode": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", "580.126.20-ubuntu22.04"), EAST: cluster()},
        {EAST: cluster() + '    driver: {mode: compiled, version: "580.126.20"}\n'},
        ["operator/immutable-change"],
    ),
    "split and driver": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04", f"595-{K2}-ubuntu22.04"),
         EAST: pools(pool("train", f"{K1}, {K2}", "580"))},
        {EAST: pools(pool("train", K1, "580", "example.com/pool: train, example.com/zone: a"),
                     pool("late", K2, "595", "example.com/pool: train, example.com/zone: b"))},
        [WAY],
    ),
    "merge and driver": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04", f"595-{K2}-ubuntu22.04"),
         EAST: pools(pool("train", K1, "580", "example.com/pool: train, example.com/zone: a"),
                     pool("late", K2, "580", "example.com/pool: train, example.com/zone: b"))},
        {EAST: pools(pool("train", K2, "595", "example.com/pool: train"))},
        BOTH,
        ("late",),
    ),
    "rename and driver": Change(
        {IMAGES: ENDS, EAST: pools(pool("train", K1, "580", "example.com/pool: train"))},
        {EAST: pools(pool("learn", K2, "595", "example.com/pool: train", "    renamedFrom: train\n"))},
        BOTH,
    ),
    "removal under a ClusterPolicy and driver": Change(
        {IMAGES: catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04", f"595-{K2}-ubuntu22.04"),
         EAST: pools(pool("train", K1, "580"), pool("serve", K2, "580"), head=POLICY)},
        {EAST: pools(pool("serve", K2, "595"), head=POLICY)},
        [WAY],
    ),
    "catalog and driver and kernel": Change(
        {IMAGES: catalog(*(f"{branch}-{kernel}-ubuntu22.04" for branch in ("580", "595") for kernel in (K1, K2))),
         EAST: cluster()},
        {IMAGES: catalog(f"595-{K2}-ubuntu22.04"), EAST: cluster(kernel=K2) + '    driver: {branch: "595"}\n'},
        [SWAPPED],  # a line that is removed removes no image
    ),
}  # fmt: skip


def found(root: Path, *arguments: str) -> list[str]:
    ended = drivergate(root, "check", "--format", "json", *arguments)
    return sorted({finding["rule"] for finding in ended.json["findings"] if not finding["rule"].startswith("out/")})


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_however_it_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    isolate(monkeypatch)
    change = CHANGES[name]
    fleet = Fleet(tmp_path / "fleet", {FLEET_FILE: FLEET, **change.was})
    fleet.render()
    assert found(fleet.path) == []
    fleet.commit()
    fleet.write(change.becomes)
    fleet.render(*(argument for pool_name in change.goes for argument in ("--allow-remove", pool_name)))
    fleet.git("add", "-A")
    assert found(fleet.path, "--staged") == change.rules
    fleet.git("commit", "-q", "-m", "all of it")
    assert found(fleet.path, "--rev", "HEAD") == change.rules
    fleet.git("commit", "-q", "--amend", "-m", "the same, amended")
    assert found(fleet.path, "--rev", "HEAD") == found(fleet.path, "--against", "HEAD~1") == change.rules


def test_two_commits_that_are_squashed_are_one_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel in one commit and the driver in the other: merged one by one both pass, and squashed they don't."""
    isolate(monkeypatch)
    three = catalog(f"580-{K1}-ubuntu22.04", f"580-{K2}-ubuntu22.04", f"595-{K2}-ubuntu22.04")
    fleet = Fleet(tmp_path / "fleet", {FLEET_FILE: FLEET, IMAGES: three, EAST: cluster()})
    fleet.render()
    fleet.commit()
    for text in (cluster(kernel=K2), cluster(kernel=K2) + '    driver: {branch: "595"}\n'):
        fleet.write({EAST: text})
        fleet.render()
        fleet.commit()
    assert found(fleet.path, "--rev", "HEAD") == []
    fleet.git("reset", "-q", "--soft", "HEAD~2")
    assert found(fleet.path, "--staged") == BOTH
    fleet.git("commit", "-q", "-m", "squashed")
    assert found(fleet.path, "--rev", "HEAD") == BOTH
