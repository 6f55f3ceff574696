"""The whole proposal: files of the inventory, proven to load, and what runs otherwise than they render."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from generator.adopt.cluster import Proposal, propose
from generator.adopt.given import Given
from generator.adopt.member import Member
from generator.adopt.note import Note
from generator.adopt.running import cleaned
from generator.adopt.same import differences
from generator.adopt.shared import apart, shared
from generator.adopt.stream import Stream, streams
from generator.adopt.text import Path, document
from generator.declared.fleet import Install, Mode
from generator.declared.inventory import Inventory
from generator.facts.release import DriverApi, known
from generator.finding import Finding
from generator.layout import INVENTORY
from generator.revision.declaration import declare

HEAD = "drivergate.dev/v1alpha1"
FLEET = f"{INVENTORY}/fleet.yaml"
FLEET_WIDE = ("repository", "mode", "branch", "version", "kernelModuleType", "upgradePolicy")


class Proposed(Struct, frozen=True):
    """Files by path, and what is to be said. `blocking` leaves nothing to write."""

    files: Mapping[str, str]
    notes: tuple[Note, ...]
    blocking: tuple[Finding, ...] = ()


def proposed(name: str, givens: Sequence[Given], existing: Mapping[str, bytes], *, day: date) -> Proposed:
    """The inventory of these clusters beside the files that are there already."""
    there = declare(existing, day=day).inventory
    has_fleet = bool(there.fleets) or "Fleet" in {one.kind for one in there.refused}
    declared = {one.shape.name for one in there.clusters} | there.missing("Cluster")
    left = "the cluster is declared already, and its file is left as it is"
    notes = [Note(one.name, left) for one in givens if one.name in declared]
    givens = [one for one in givens if one.name not in declared]
    clusters = [propose(one, full=has_fleet) for one in givens]
    for cluster in clusters:
        notes += cluster.notes
    made, streamed = _streams(clusters, there)
    files = {f"{INVENTORY}/node-images/{one.name}.yaml": _stream_text(one) for one in made}
    fleet = {} if has_fleet else _fleet_wide(clusters)
    if not has_fleet:
        files[FLEET] = _fleet_text(name, fleet, derived=bool(clusters))
    for cluster in clusters:
        files[f"{INVENTORY}/clusters/{cluster.name}.yaml"] = _cluster_text(cluster, fleet, streamed, full=has_fleet)
        if cluster.running.base is not None:
            files[base_path(cluster)] = _base_text(cluster.running.base)
    files |= _catalogs(clusters, there)
    return _proven(files, notes, givens, clusters, existing, day)


def base_path(cluster: Proposal) -> str:
    """Where the cluster's own ClusterPolicy is put."""
    return f"bases/{cluster.name}.yaml"


def _proven(
    files: Mapping[str, str],
    notes: Iterable[Note],
    givens: Sequence[Given],
    clusters: Sequence[Proposal],
    existing: Mapping[str, bytes],
    day: date,
) -> Proposed:
    """Reads the whole inventory, as the gate will, and compares it with what runs."""
    own = {path: text.encode() for path, text in files.items() if path.startswith(f"{INVENTORY}/")}
    declaration = declare({**own, **existing}, day=day)
    notes = list(notes)
    for given, proposal in zip(givens, clusters, strict=True):
        cluster = declaration.cluster(proposal.name)
        if cluster is not None:
            notes += differences(given, proposal, cluster, notes)
    return Proposed(dict(sorted(files.items())), tuple(notes), declaration.blocking)


def _streams(clusters: Sequence[Proposal], there: Inventory) -> tuple[tuple[Stream, ...], dict[str, str]]:
    pools = [(f"{one.name}/{member.pool.name}", member.pool) for one in clusters for member in one.members]
    return streams(pools, {one.shape.name for one in there.node_images})


def _fleet_wide(clusters: Sequence[Proposal]) -> dict[str, Any]:
    """What all clusters say alike; without any, what a new one would begin with."""
    if not clusters:
        return {"operator": {"version": known()[-1]}}
    managed = [one.driver for one in clusters if any(member.pool.mode is None for member in one.members)]
    driver = {key: value for key, value in shared(managed).items() if key in FLEET_WIDE}
    versions = {one.running.release.written for one in clusters}
    made: dict[str, Any] = {"operator": {"version": versions.pop()}} if len(versions) == 1 else {}
    return {**made, **({"driver": driver} if driver else {})}


def _fleet_text(name: str, fleet: Mapping[str, Any], *, derived: bool) -> str:
    if not derived:
        fleet = {**fleet, "driver": {"repository": "nvcr.io/nvidia/driver", "mode": "precompiled", "branch": "580"}}
    tree: dict[str, Any] = {"apiVersion": HEAD, "kind": "Fleet", "name": name}
    if fleet:
        tree["defaults"] = fleet
    comments: dict[Path, Sequence[str]] = {
        (): ("What holds for every cluster that says nothing else. drivergate show --origin tells who says what.",),
        ("defaults",): ("Nearer wins: pool > cluster > profile > defaults.",),
        ("defaults", "operator"): ("The GPU operator's release decides OS tags, CRD fields and how drivers roll.",),
        ("defaults", "driver"): (
            "repository: the whole name, as in the catalog. mode: precompiled, compiled, preinstalled or unmanaged.",
        ),
    }
    return document(tree, comments, opened=[("defaults",), ("defaults", "driver", "upgradePolicy")])


def _cluster_text(cluster: Proposal, fleet: Mapping[str, Any], streamed: Mapping[str, str], *, full: bool) -> str:
    tree: dict[str, Any] = {"apiVersion": HEAD, "kind": "Cluster", "name": cluster.name}
    if operator := _operator(cluster, fleet.get("operator", {}), full=full):
        tree["operator"] = operator
    if driver := apart(cluster.driver, fleet.get("driver", {})):
        tree["driver"] = driver
    tree["pools"] = {
        one.pool.name: _pool(cluster, one, streamed.get(f"{cluster.name}/{one.pool.name}", ""))
        for one in cluster.members
    }
    if cluster.silenced:
        tree["silenced"] = list(cluster.silenced)
    comments: dict[Path, Sequence[str]] = {
        (): ("Proposed from what the cluster shows: read each line before you commit it.",),
    }
    if cluster.absent:
        comments[("pools",)] = _absent(cluster)
    opened: list[Path] = [("pools",), ("silenced",)]
    opened += [("pools", one.pool.name) for one in cluster.members]
    opened += [("pools", one.pool.name, "kernels") for one in cluster.members if len(one.pool.kernels) > 1]
    return document(tree, comments, opened=opened)


def _absent(cluster: Proposal) -> list[str]:
    """The entries of objects without a node, as comments."""
    lines = ["No node matches these NVIDIADriver objects now, so they are not rendered. Add os, arch and kernels (or a"]
    lines.append("nodeImage), and move them below pools:")
    for one in cluster.absent:
        text = document({one.name: dict(one.entry)}, {}, opened=[(one.name,)])
        lines += [f"  {line}" for line in text.splitlines()]
    return lines


def _operator(cluster: Proposal, fleet: Mapping[str, Any], *, full: bool) -> dict[str, Any]:
    runs = cluster.running
    made: dict[str, Any] = {}
    if full or fleet.get("version") != runs.release.written:
        made["version"] = runs.release.written
    if full or runs.namespace not in {"", "gpu-operator"}:
        made["namespace"] = runs.namespace or "gpu-operator"
    if full or runs.install is not Install.HELM:
        made["install"] = str(runs.install)
    if full or runs.policy_name not in {"", "cluster-policy"}:
        made["clusterPolicyName"] = runs.policy_name or "cluster-policy"
    if runs.base is not None:
        made["clusterPolicyBase"] = base_path(cluster)
    if full or runs.api is not DriverApi.NVIDIADRIVER:
        made["driverApi"] = str(runs.api)
    return made


def _pool(cluster: Proposal, member: Member, stream: str) -> dict[str, Any]:
    pool = member.pool
    made: dict[str, Any] = {"default": True} if pool.default else {}
    if pool.selector:
        made["nodeSelector"] = dict(pool.selector)
    if member.taints:
        made["taints"] = [str(taint) for taint in member.taints]
    made["nodes"] = len(pool.machines)
    if pool.family:
        made["gpu"] = {"family": str(pool.family)}
    made |= {"nodeImage": stream} if stream else _machine(cluster, member)
    if pool.floating:
        made["kernelSource"] = "floating"
    if member.driver:
        made["driver"] = dict(member.driver)
    if member.object_name:
        made["renamedFrom"] = member.object_name
    return made


def _machine(cluster: Proposal, member: Member) -> dict[str, Any]:
    """OS and architectures; kernels where an image is named by them."""
    pool = member.pool
    made: dict[str, Any] = {}
    if pool.os:
        made["os"] = {"id": pool.os.id, "version": pool.os.version}
    if pool.arch:
        made["arch"] = list(pool.arch)
    if pool.mode is None and member.driver.get("mode", cluster.driver.get("mode")) == Mode.PRECOMPILED:
        made["kernels"] = list(pool.kernels)
    return made


def _stream_text(stream: Stream) -> str:
    tree = {
        "apiVersion": HEAD,
        "kind": "NodeImage",
        "name": stream.name,
        "os": {"id": stream.os.id, "version": stream.os.version},
        "arch": list(stream.arch),
        "kernels": dict(stream.kernels),
        "running": list(stream.kernels),
    }
    comments: dict[Path, Sequence[str]] = {
        (): ("One stream of machine images, append-only. Releases are those that node labels name.",),
        ("running",): ("What a node may boot today; what the next roll brings goes to upcoming.",),
    }
    return document(tree, comments, opened=[("kernels",)])


def _base_text(whole: Mapping[str, Any]) -> str:
    lines = ("The cluster's own ClusterPolicy. drivergate puts spec.driver in, and keeps the rest as it is.",)
    return document(cleaned(whole), {(): lines}, flow=False)


def _catalogs(clusters: Sequence[Proposal], there: Inventory) -> dict[str, str]:
    """An empty catalog for each repository that no file stands for yet."""
    repositories = {
        str(repository)
        for one in clusters
        for member in one.members
        if member.pool.mode is None
        for repository in [member.driver.get("repository") or one.driver.get("repository")]
        if repository
    }
    if not clusters:
        repositories = {"nvcr.io/nvidia/driver"}
    known_already = {one.repository for one in there.catalogs}
    return {
        f"{INVENTORY}/catalog/{repository.replace(':', '_')}.yaml": _catalog_text(repository)
        for repository in sorted(repositories - known_already)
    }


def _catalog_text(repository: str) -> str:
    lines = (
        "The images that are built, sorted, one a line:",
        '  - {tag: "580-5.15.0-173-generic-ubuntu22.04", platforms: [linux/amd64]}',
    )
    tree = {"apiVersion": HEAD, "kind": "ImageCatalog", "repository": repository, "images": []}
    return document(tree, {(): lines})
