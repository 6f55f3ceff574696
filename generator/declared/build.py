"""From typed documents to the effective fleet. What contradicts itself is told here; what is wrong, in rules/."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from generator.declared import model
from generator.declared.driverspec import Specs
from generator.declared.fleet import (
    Cluster,
    Fleet,
    Install,
    Operator,
    Pool,
    SilenceEntry,
)
from generator.declared.inventory import Inventory, Loaded
from generator.declared.layers import Level, Path, below, merged, origin
from generator.declared.pool import BOTH, PoolMaker, both
from generator.declared.shape import did_you_mean
from generator.declared.texts import Texts
from generator.facts.release import DriverApi, Unsupported, resolve
from generator.finding import Finding, Place, Severity

LAYERED = ("operator", "driver", "protect")
OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class Built(Struct, frozen=True):
    """The fleet, as far as it could be made, and why the rest of it could not."""

    fleet: Fleet
    findings: tuple[Finding, ...]


def build(inventory: Inventory, *, version: str) -> Built:
    """The effective fleet. `version` is drivergate's own, for the fleet's `requires`."""
    findings: list[Finding] = []
    if not inventory.fleets:
        findings.append(_no_fleet(inventory))
    loaded = inventory.fleets[0] if inventory.fleets else None
    findings += _requires(loaded, version, inventory.texts)
    findings += _fleet_alternatives(loaded, inventory.texts)
    images = {one.shape.name: one for one in inventory.node_images}
    specs, clusters = Specs(inventory.texts), []
    for one in inventory.clusters:
        made, problems = _cluster(one, loaded, images, inventory.texts, specs)
        findings += problems
        if made is not None:
            clusters.append(made)
    findings += specs.findings
    clusters.sort(key=lambda cluster: cluster.name)
    findings += _cluster_clashes(clusters, inventory.texts)
    fleet = Fleet(
        name=loaded.shape.name if loaded else "",
        file=loaded.file if loaded else "",
        clusters=tuple(clusters),
        crds=tuple(loaded.shape.crds) if loaded else (),
        silences=tuple(_silences(inventory, loaded)),
        texts=inventory.texts,
    )
    return Built(fleet, tuple(findings))


def problem(rule: str, place: Place, message: str, hint: str, *, cluster: str = "", pool: str = "") -> Finding:
    """A finding that leaves no valid manifest to make."""
    return Finding(
        rule=rule,
        severity=Severity.INVALID,
        place=place,
        message=message,
        hint=hint,
        cluster=cluster,
        pool=pool,
    )


def _both(place: Place, cluster: str = "") -> Finding:
    return problem("inventory/schema", place, BOTH, "remove one of the two", cluster=cluster)


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


def _no_fleet(inventory: Inventory) -> Finding:
    others = bool(inventory.clusters or inventory.node_images)
    message = "inventory/ holds no Fleet document" if others else "inventory/ holds no drivergate document"
    return problem("inventory/schema", Place("inventory"), message, "add inventory/fleet.yaml with kind: Fleet")


def _requires(loaded: Loaded[model.Fleet] | None, version: str, texts: Texts) -> Iterator[Finding]:
    if loaded is None or not loaded.shape.requires:
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    wanted = loaded.shape.requires
    try:
        if SpecifierSet(wanted).contains(version, prereleases=True):
            return
    except InvalidSpecifier:
        message = f'requires is "{wanted}", which is no version specifier'
        place = texts.value(loaded.file, ("requires",))
        yield problem("inventory/requires", place, message, 'write a specifier such as ">=0.1,<1"')
        return
    place = texts.value(loaded.file, ("requires",))
    message = f'this repository requires drivergate "{wanted}", this is {version}'
    yield problem("inventory/requires", place, message, f'install a drivergate that satisfies "{wanted}"')


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
    images: Mapping[str, Loaded[model.NodeImage]],
    texts: Texts,
    specs: Specs,
) -> tuple[Cluster | None, list[Finding]]:
    shape = one.shape
    findings: list[Finding] = []
    if shape.profile and (fleet is None or shape.profile not in fleet.shape.profiles):
        known = sorted(fleet.shape.profiles) if fleet else []
        hint = did_you_mean(shape.profile, known) or f"use one of {', '.join(known) or 'none: no profile is declared'}"
        message = f'profile "{shape.profile}" is not declared in the Fleet document'
        findings.append(
            problem("inventory/schema", texts.value(one.file, ("profile",)), message, hint, cluster=shape.name)
        )
    levels = _levels(one, fleet)
    if both(one.tree.get("driver", {})):
        findings.append(_both(texts.key(one.file, ("driver", "version")), shape.name))
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
    findings += _pool_clashes(shape.name, one.file, pools, texts)
    protect = origin(levels, ("protect",))
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
    )
    return cluster, findings


def _operator(
    one: Loaded[model.Cluster], levels: tuple[Level, ...], texts: Texts
) -> tuple[Operator | None, list[Finding]]:
    settings, name = merged(below(levels, "operator")), one.shape.name
    written = settings.get("version")
    if written is None:
        message = f'operator.version is not set for cluster "{name}"'
        hint = "set operator.version in the cluster, its profile or the fleet's defaults, for example v26.7.0"
        return None, [problem("inventory/schema", texts.value(one.file, ("name",)), message, hint, cluster=name)]
    release = resolve(written)
    if isinstance(release, Unsupported):
        found = origin(levels, ("operator", "version"))
        assert found is not None
        place = texts.value(found[0].file, found[1])
        message = f'operator.version "{written}": {release.reason}'
        return None, [problem("operator/unsupported-release", place, message, release.hint, cluster=name)]
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


def _cluster_clashes(clusters: list[Cluster], texts: Texts) -> Iterator[Finding]:
    seen: dict[str, Cluster] = {}
    for cluster in clusters:
        first = seen.setdefault(cluster.name.casefold(), cluster)
        if first is not cluster and first.name != cluster.name:
            where = texts.value(first.file, ("name",))
            yield problem(
                "inventory/name-clash",
                texts.value(cluster.file, ("name",)),
                f'cluster "{cluster.name}" and cluster "{first.name}" at {where} differ only in case',
                "rename one of them: their folders are the same on many file systems",
                cluster=cluster.name,
            )


def _pool_clashes(cluster: str, file: str, pools: list[Pool], texts: Texts) -> Iterator[Finding]:
    seen: dict[str, Pool] = {}
    for pool in pools:
        for name in {pool.name.casefold(), pool.object_name.casefold()}:
            first = seen.setdefault(name, pool)
            if first is not pool:
                yield problem(
                    "inventory/name-clash",
                    texts.key(file, pool.path),
                    f'pool "{pool.name}" and pool "{first.name}" both lead to the object or file name "{name}"',
                    "rename one of them, or its renamedFrom",
                    cluster=cluster,
                    pool=pool.name,
                )
    names = {pool.name for pool in pools}
    for pool in pools:
        if not OBJECT_NAME.fullmatch(pool.name):
            yield _not_a_name(cluster, file, pool, names, texts)


def _not_a_name(cluster: str, file: str, pool: Pool, names: set[str], texts: Texts) -> Finding:
    near = re.sub(r"[^a-z0-9.-]", "-", pool.name.lower()).strip("-.") or "pool"
    message = f'pool name "{pool.name}" is no object name (lower-case letters, digits, "-" and ".")'
    rule, hint = "inventory/schema", f'rename the pool, for example "{near}"'
    if near in names:
        rule, message = "inventory/name-clash", f'{message}, and "{near}" is the name of another pool'
        hint = "give the pool a name of its own"
    return problem(rule, texts.key(file, pool.path), message, hint, cluster=cluster, pool=pool.name)


def _silences(inventory: Inventory, fleet: Loaded[model.Fleet] | None) -> Iterator[SilenceEntry]:
    if fleet:
        for index, entry in enumerate(fleet.shape.silenced):
            yield _silence(entry, fleet.file, index, _set(entry.clusters))
    for one in inventory.clusters:
        for index, silence in enumerate(one.shape.silenced):
            yield _silence(silence, one.file, index, frozenset({one.shape.name}))


def _set(names: Any) -> frozenset[str]:
    return frozenset() if names is UNSET else frozenset(names)


def _silence(entry: model.Silence, file: str, index: int, clusters: frozenset[str]) -> SilenceEntry:
    path: Path = ("silenced", index)
    return SilenceEntry(
        rule=entry.rule,
        ignore=entry.level == "ignore",
        reason=entry.reason,
        clusters=clusters,
        pools=_set(entry.pools),
        file=file,
        path=path,
    )
