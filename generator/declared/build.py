"""From typed documents to the effective fleet. What contradicts itself is told here; what is wrong, in rules/."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from generator.declared import delivery as deliveries
from generator.declared import model
from generator.declared.delivery import DeliveryMaker
from generator.declared.driverspec import Specs
from generator.declared.fleet import (
    OBSERVED_MAX_AGE,
    Cluster,
    CudaSettings,
    Fleet,
    Install,
    Operator,
    Pool,
    SilenceEntry,
    Source,
)
from generator.declared.inventory import Inventory, Loaded
from generator.declared.kernel_twice import KernelTwice, kernels_twice
from generator.declared.layers import Level, below, merged, origin
from generator.declared.mirror import Mirror, read_mirrors
from generator.declared.modelparts import OBJECT_NAME
from generator.declared.ownpool import BOTH, OwnPool, both
from generator.declared.plainrange import plainly_within
from generator.declared.pool import PoolMaker, node_image_problems
from generator.declared.shape import did_you_mean
from generator.declared.workload import Workload
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.cudachoice import Compatibility, LabelFamily
from generator.facts.release import DriverApi, Unsupported, resolve
from generator.finding import Finding, Place, invalid
from generator.layout import INVENTORY

LAYERED = ("operator", "driver", "cuda", "protect", "delivery", "observedMaxAge")

# The name of an object has at most 253 characters, that of a file 255: nvidiadriver-{pool}.yaml holds 18 of its own.
MAX_NAME = 237


class Built(Struct, frozen=True):
    """The fleet, as far as it could be made, and why the rest of it could not."""

    fleet: Fleet
    findings: tuple[Finding, ...]


def build(inventory: Inventory, *, version: str) -> Built:
    """The effective fleet. `version` is drivergate's own, for the fleet's `requires`."""
    loaded, texts = inventory.fleets[0] if inventory.fleets else None, inventory.texts
    images, findings = _images(inventory)
    if loaded is None and inventory.missing("Fleet"):
        # What clusters inherit can't be told; what their pools say of themselves can.
        for unread in inventory.refused:
            findings += _requires(unread.file, unread.requires, version, texts)
        findings += _alone(inventory.clusters, texts)
        return Built(_fleet(None, (), {}, (), inventory), tuple(findings))
    if loaded is None:
        findings.append(_no_fleet(inventory))
    else:
        findings += _requires(loaded.file, loaded.shape.requires, version, texts)
    findings += _fleet_alternatives(loaded, texts)
    mirrors, problems = read_mirrors(loaded.shape, loaded.file, texts) if loaded else ({}, [])
    findings += problems
    specs, delivery, clusters = Specs(texts), DeliveryMaker(texts), []
    for one in inventory.clusters:
        made, problems = _cluster(one, loaded, images, texts, specs, delivery)
        findings += problems
        if made is not None:
            clusters.append(made)
    findings += specs.findings
    clusters.sort(key=lambda cluster: cluster.name)
    clusters, clashes = _apart(clusters, texts)
    workloads: tuple[Workload, ...] = ()
    if inventory.workloads:
        from generator.declared.workloads import read_workloads

        workloads, problems = read_workloads(inventory, clusters)
        findings += problems
    return Built(_fleet(loaded, clusters, mirrors, workloads, inventory), (*findings, *clashes))


def _fleet(
    loaded: Loaded[model.Fleet] | None,
    clusters: Iterable[Cluster],
    mirrors: Mapping[str, Mirror],
    workloads: tuple[Workload, ...],
    inventory: Inventory,
) -> Fleet:
    return Fleet(
        name=loaded.shape.name if loaded else "",
        file=loaded.file if loaded else "",
        clusters=tuple(clusters),
        crds=tuple(loaded.shape.crds) if loaded else (),
        mirrors=mirrors,
        silences=tuple(_silences(inventory, loaded)),
        texts=inventory.texts,
        workloads=workloads,
        sources=sources_of(loaded.shape.sources) if loaded else (),
        kernels_twice=tuple(_kernels_twice(inventory)),
    )


def sources_of(sources: Mapping[str, model.Source]) -> tuple[Source, ...]:
    """The sources of a Fleet document by name."""
    return tuple(
        Source(name=name, url=source.url, ref=source.ref, path="/".join(filter(None, source.path.split("/"))))
        for name, source in sorted(sources.items())
    )


def _kernels_twice(inventory: Inventory) -> Iterator[KernelTwice]:
    for cluster in inventory.clusters:
        yield from kernels_twice(cluster.file, cluster.tree)
    for image in inventory.node_images:
        yield from kernels_twice(image.file, image.tree)


def _images(inventory: Inventory) -> tuple[dict[str, Loaded[model.NodeImage] | None], list[Finding]]:
    """NodeImages by name, None for those that are there and unfit, with what is wrong with them."""
    images: dict[str, Loaded[model.NodeImage] | None] = _Unread(inventory.missing("NodeImage"))
    findings: list[Finding] = []
    for one in inventory.node_images:
        problems = list(node_image_problems(one, inventory.texts))
        images[one.shape.name] = None if problems else one
        findings += problems
    return images, findings


class _Unread(dict[str, Loaded[model.NodeImage] | None]):
    """NodeImages where some files could not be read; one without a name to see may be any of them."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(dict.fromkeys(names - {""}))
        self.any = "" in names

    def __contains__(self, name: object) -> bool:
        return self.any or super().__contains__(name)


def _alone(clusters: Iterable[Loaded[model.Cluster]], texts: Texts) -> Iterator[Finding]:
    for one in clusters:
        reader = OwnPool(one, texts)
        for name in one.shape.pools:
            yield from reader.parts(name).findings


def _both(place: Place, cluster: str = "") -> Finding:
    return invalid("inventory/schema", place, BOTH, "remove one of the two", cluster=cluster)


def _fleet_alternatives(loaded: Loaded[model.Fleet] | None, texts: Texts) -> Iterator[Finding]:
    """The fleet's own levels: told once, not for each cluster that inherits them."""
    if loaded is None:
        return
    profiles = loaded.tree.get("profiles", {})
    levels: list[tuple[Path, Mapping[str, Any]]] = [(("defaults",), loaded.tree.get("defaults", {}))]
    levels += [(("profiles", name), profiles[name]) for name in profiles]
    for path, level in levels:
        if both(level.get("driver", {})):
            yield _both(texts.key(loaded.file, (*path, "driver", "version")))
        yield from _two_deliveries(loaded.file, path, level, texts)


def _two_deliveries(
    file: str, path: Path, level: Mapping[str, Any], texts: Texts, cluster: str = ""
) -> Iterator[Finding]:
    for inside, message in deliveries.both(level.get("delivery", {})):
        place = texts.key(file, (*path, "delivery", *inside))
        yield invalid("inventory/schema", place, message, "remove one of the two", cluster=cluster)


def _no_fleet(inventory: Inventory) -> Finding:
    others = bool(inventory.clusters or inventory.node_images)
    message = "inventory/ holds no Fleet document" if others else "inventory/ holds no drivergate document"
    return invalid("inventory/schema", Place(INVENTORY), message, "add inventory/fleet.yaml with kind: Fleet")


def _requires(file: str, wanted: str, version: str, texts: Texts) -> Iterator[Finding]:
    if not wanted or plainly_within(version, wanted):
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        if SpecifierSet(wanted).contains(version, prereleases=True):
            return
    except InvalidSpecifier:
        message = f'requires is "{wanted}", which is no version specifier'
        place = texts.value(file, ("requires",))
        yield invalid("inventory/requires", place, message, 'write a specifier such as ">=0.1,<1"')
        return
    place = texts.value(file, ("requires",))
    message = f'this repository requires drivergate "{wanted}", this is {version}'
    yield invalid("inventory/requires", place, message, f'install a drivergate that satisfies "{wanted}"')


def _levels(one: Loaded[model.Cluster], fleet: Loaded[model.Fleet] | None) -> tuple[Level, ...]:
    """Cluster, profile, defaults: nearest first, each with the layered keys only."""
    levels: list[Level] = [Level("cluster", one.file, (), _layered(one.tree))]
    if fleet is None:
        return tuple(levels)
    profile = fleet.tree.get("profiles", {}).get(one.shape.profile)
    if profile is not None:
        levels.append(Level("profile", fleet.file, ("profiles", one.shape.profile), _layered(profile)))
    defaults = fleet.tree.get("defaults")
    if defaults is not None:
        levels.append(Level("defaults", fleet.file, ("defaults",), _layered(defaults)))
    return tuple(levels)


def _layered(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tree[key] for key in LAYERED if key in tree}


def _cluster(
    one: Loaded[model.Cluster],
    fleet: Loaded[model.Fleet] | None,
    images: Mapping[str, Loaded[model.NodeImage] | None],
    texts: Texts,
    specs: Specs,
    delivery: DeliveryMaker,
) -> tuple[Cluster | None, list[Finding]]:
    shape = one.shape
    findings: list[Finding] = []
    if shape.profile and fleet is not None and shape.profile not in fleet.shape.profiles:
        findings.append(_no_profile(one, sorted(fleet.shape.profiles), texts))
    levels = _levels(one, fleet)
    if both(one.tree.get("driver", {})):
        findings.append(_both(texts.key(one.file, ("driver", "version")), shape.name))
    findings += _two_deliveries(one.file, (), one.tree, texts, shape.name)
    operator, problems = _operator(one, levels, texts)
    findings += problems
    if operator is None:
        return None, findings
    maker = PoolMaker(one, levels, operator, images, texts, specs)
    pools = []
    for name in shape.pools:
        made, problems = maker.make(name)
        findings += problems
        if made is not None:
            pools.append(made)
    pools, problems = _pools_apart(shape.name, one.file, pools, texts)
    findings += problems
    protect = origin(levels, ("protect",))
    max_age = origin(levels, ("observedMaxAge",))
    delivered, problems = delivery.make(shape.name, levels, operator.release)
    findings += problems
    cluster = Cluster(
        name=shape.name,
        file=one.file,
        operator=operator,
        pools=tuple(pools),
        levels=levels,
        ring=shape.ring,
        kube_context=shape.kube_context or shape.name,
        profile=shape.profile,
        protect=bool(protect[0].value["protect"]) if protect else True,
        delivery=delivered,
        cuda=_cuda(levels),
        observed_max_age=int(max_age[0].value["observedMaxAge"].removesuffix("d")) if max_age else OBSERVED_MAX_AGE,
    )
    return cluster, findings


def _no_profile(one: Loaded[model.Cluster], known: list[str], texts: Texts) -> Finding:
    written, place = one.shape.profile, texts.value(one.file, ("profile",))
    hint = did_you_mean(written, known) or (f"use one of {', '.join(known)}" if known else "remove it, or declare it")
    message = f'profile "{written}" is not declared in the Fleet document'
    return invalid("inventory/schema", place, message, hint, cluster=one.shape.name)


def _operator(
    one: Loaded[model.Cluster], levels: tuple[Level, ...], texts: Texts
) -> tuple[Operator | None, list[Finding]]:
    settings, name = merged(below(levels, "operator")), one.shape.name
    written = settings.get("version")
    if written is None:
        message = f'operator.version is not set for cluster "{name}"'
        hint = "set operator.version in the cluster, its profile or the fleet's defaults, for example v26.7.0"
        return None, [invalid("inventory/schema", texts.value(one.file, ("name",)), message, hint, cluster=name)]
    release = resolve(written)
    if isinstance(release, Unsupported):
        found = origin(levels, ("operator", "version"))
        assert found is not None
        place = texts.value(found[0].file, found[1])
        message = f'operator.version "{written}": {release.reason}'
        return None, [invalid("operator/unsupported-release", place, message, release.hint, cluster=name)]
    return (
        Operator(
            release=release,
            namespace=settings.get("namespace", "gpu-operator"),
            install=Install(settings.get("install", "helm")),
            policy_name=settings.get("clusterPolicyName", "cluster-policy"),
            policy_base=settings.get("clusterPolicyBase", ""),
            driver_api=DriverApi(settings.get("driverApi", "NVIDIADriver")),
        ),
        [],
    )


def _apart(clusters: list[Cluster], texts: Texts) -> tuple[list[Cluster], list[Finding]]:
    """The clusters without those whose name is another's but for case, and a finding for each of these."""
    seen: dict[str, Cluster] = {}
    findings = []
    for cluster in clusters:
        first = seen.setdefault(cluster.name.casefold(), cluster)
        if first is not cluster:
            where = texts.value(first.file, ("name",))
            place = texts.value(cluster.file, ("name",))
            message = f'cluster "{cluster.name}" and cluster "{first.name}" at {where} differ only in case'
            hint = "rename one of them: their folders are the same on many file systems"
            findings.append(invalid("inventory/name-clash", place, message, hint, cluster=cluster.name))
    return list(seen.values()), findings


def _pools_apart(cluster: str, file: str, pools: list[Pool], texts: Texts) -> tuple[list[Pool], list[Finding]]:
    """The pools that lead to files and objects of their own, and a finding for each of the others."""
    seen: dict[str, Pool] = {}
    names = {pool.name for pool in pools}
    kept, findings = [], []
    for pool in pools:
        unfit = _not_a_name(cluster, file, pool, names, texts)
        own = {pool.name.casefold(), pool.object_name.casefold()}
        taken = sorted(name for name in own if name in seen)
        if unfit is not None:
            findings.append(unfit)
        elif taken:
            findings.append(_taken(cluster, file, pool, seen[taken[0]], texts))
        else:
            seen |= dict.fromkeys(own, pool)
            kept.append(pool)
    return kept, findings


def _taken(cluster: str, file: str, pool: Pool, first: Pool, texts: Texts) -> Finding:
    where = texts.key(file, first.path)
    message = f'pool "{pool.name}" and pool "{first.name}" at {where} lead to one name of an object or file'
    place = texts.value(file, (*pool.path, "renamedFrom")) if pool.renamed_from else texts.key(file, pool.path)
    hint = "rename one of them, or its renamedFrom"
    return invalid("inventory/name-clash", place, message, hint, cluster=cluster, pool=pool.name)


def _not_a_name(cluster: str, file: str, pool: Pool, names: set[str], texts: Texts) -> Finding | None:
    """Why the name of a pool, or of its object, can't be one of a Kubernetes object and of a file."""
    if not _is_name(pool.name):
        what, name, place = "pool name", pool.name, texts.key(file, pool.path)
    elif not _is_name(pool.object_name):
        what, name, place = "renamedFrom", pool.renamed_from, texts.value(file, (*pool.path, "renamedFrom"))
    else:
        return None
    near = re.sub(r"[^a-z0-9.-]", "-", name.lower())[:63].strip("-.") or "pool"
    rule, hint = "inventory/schema", f'write the name of an object, for example "{near}"'
    message = f'{what} "{name}" is no object name (lower-case letters, digits, "-" and ".", at most {MAX_NAME})'
    if what == "pool name" and near in names:
        rule, message = "inventory/name-clash", f'{message}, and "{near}" is the name of another pool'
        hint = "give the pool a name of its own"
    return invalid(rule, place, message, hint, cluster=cluster, pool=pool.name)


def _is_name(name: str) -> bool:
    return len(name) <= MAX_NAME and OBJECT_NAME.fullmatch(name) is not None


def _silences(inventory: Inventory, fleet: Loaded[model.Fleet] | None) -> Iterator[SilenceEntry]:
    if fleet:
        for index, entry in enumerate(fleet.shape.silenced):
            yield _silence(entry, fleet.file, index, _names(entry.clusters))
    for one in inventory.clusters:
        for index, silence in enumerate(one.shape.silenced):
            yield _silence(silence, one.file, index, (one.shape.name,))


def _names(names: Any) -> tuple[str, ...]:
    return () if names is UNSET else tuple(names)


def _silence(entry: model.Silence, file: str, index: int, clusters: tuple[str, ...]) -> SilenceEntry:
    path: Path = ("silenced", index)
    return SilenceEntry(
        rule=entry.rule,
        ignore=entry.level == "ignore",
        reason=entry.reason,
        until=None if entry.until is UNSET else entry.until,
        clusters=clusters,
        pools=_names(entry.pools),
        workloads=_names(entry.workloads),
        file=file,
        path=path,
    )


def _cuda(levels: tuple[Level, ...]) -> CudaSettings:
    """What the levels of a cluster say, nearest first."""
    settings, default = merged(below(levels, "cuda")), CudaSettings()
    return CudaSettings(
        compatibility=Compatibility(settings.get("compatibility", default.compatibility)),
        labels=LabelFamily(settings.get("labels", default.labels)),
    )
