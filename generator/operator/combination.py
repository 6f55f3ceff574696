"""What must be built: one image per kernel, OS and architecture of a pool, named as the operator will name it."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Kernel, Mode, Pool
from generator.facts.kernel import architecture
from generator.facts.reference import split_repository
from generator.facts.release import DriverApi, Release, resolve
from generator.operator.image import (
    Component,
    ImageSpec,
    NodeSystem,
    Refused,
    declared_system,
    driver_image,
    image_path,
)


class Combination(Struct, frozen=True, kw_only=True):
    """A pool's driver for one kernel and platform. A compiled driver has no kernel in its name."""

    pool: Pool
    kernel: Kernel | None
    arch: str
    upcoming: bool
    repository: str
    reference: str | Refused

    @property
    def platform(self) -> str:
        """The OCI platform that must be in the image."""
        return f"linux/{self.arch}"

    @property
    def tag(self) -> str:
        """The tag, or the digest where the reference has one."""
        reference = self.reference if isinstance(self.reference, str) else ""
        return reference.removeprefix(self.repository).lstrip(":@")


def combinations(cluster: Cluster, pool: Pool) -> tuple[Combination, ...]:
    """Every image that the pool's nodes can ask for, running kernels first."""
    if not pool.driver.managed or pool.os is None:
        return ()
    if pool.driver.mode is Mode.COMPILED:
        return tuple(_combination(cluster, pool, None, arch) for arch in pool.arch)
    return tuple(
        _combination(cluster, pool, kernel, arch)
        for kernel in pool.kernels
        for arch in pool.arch
        if architecture(kernel.name) in {None, arch}
    )


def _combination(cluster: Cluster, pool: Pool, kernel: Kernel | None, arch: str) -> Combination:
    return Combination(
        pool=pool,
        kernel=kernel,
        arch=arch,
        upcoming=kernel.upcoming if kernel else False,
        repository=pool.driver.repository,
        reference=reference(cluster, pool, kernel.name if kernel else ""),
    )


def combination_on(pool: Pool, kernel: str, arch: str, reference: str) -> Combination:
    """What a node of the pool with this kernel and machine asks for, as what must be built for it."""
    precompiled = pool.driver.mode is Mode.PRECOMPILED
    return Combination(
        pool=pool,
        kernel=Kernel(kernel, kernel, upcoming=False, file="", path=()) if precompiled else None,
        arch=arch,
        upcoming=False,
        repository=pool.driver.repository,
        reference=reference,
    )


def reference(cluster: Cluster, pool: Pool, kernel: str) -> str | Refused:
    """The image reference that the operator composes for a kernel of this pool ("" for a compiled driver)."""
    assert pool.os is not None
    return reference_on(cluster, pool, declared_system(pool.os.id, pool.os.version, kernel))


def reference_on(cluster: Cluster, pool: Pool, system: NodeSystem) -> str | Refused:
    """The image reference that the operator composes for this pool's driver on a node with these labels."""
    operator, driver = cluster.operator, pool.driver
    precompiled = driver.mode is Mode.PRECOMPILED
    return composed(
        operator.release, operator.driver_api, driver.repository, driver.version, system, precompiled=precompiled
    )


def composed(
    release: Release, api: DriverApi, repository: str, version: str, system: NodeSystem, *, precompiled: bool
) -> str | Refused:
    """The image reference that this release of the operator composes from a driver's settings and a node's labels."""
    return _composed_once(release.version, api, repository, version, precompiled, system)


@cache
def _composed_once(
    release: str, api: DriverApi, repository: str, version: str, precompiled: bool, system: NodeSystem
) -> str | Refused:
    """Once for all pools of one node image and driver, and for everyone who asks."""
    resolved = resolve(release)
    assert isinstance(resolved, Release)
    path, image = split_repository(repository)
    spec = ImageSpec(api=api, repository=path, image=image, version=version, precompiled=precompiled)
    return driver_image(resolved, spec, system)


def references(cluster: Cluster, pool: Pool) -> tuple[str, ...]:
    """Every image the operator will pull for the pool: drivers, the driver manager, GDS and GDRCopy where enabled."""
    pulled = {
        combination.reference for combination in combinations(cluster, pool) if isinstance(combination.reference, str)
    }
    if pulled:
        pulled |= set(_companions(cluster, pool))
    return tuple(sorted(pulled))


def _companions(cluster: Cluster, pool: Pool) -> Iterator[str]:
    release, spec = cluster.operator.release, pool.driver.spec
    manager = _named(spec, "manager")
    named = ImageSpec(
        api=DriverApi.NVIDIADRIVER,
        repository=manager["repository"],
        image=manager["image"],
        version=manager["version"],
    )
    yield from _composed(image_path(release, named, release.driver_manager))
    if cluster.operator.driver_api is not DriverApi.NVIDIADRIVER or pool.os is None:
        return
    system = declared_system(pool.os.id, pool.os.version, "")
    for component in (Component.GDS, Component.GDRCOPY):
        settings = _named(spec, component)
        if spec.get(component, {}).get("enabled") is True:
            spec_of_image = ImageSpec(
                api=DriverApi.NVIDIADRIVER,
                component=component,
                repository=settings["repository"],
                image=settings["image"],
                version=settings["version"],
            )
            yield from _composed(driver_image(release, spec_of_image, system))


def _named(spec: Mapping[str, Any], key: str) -> dict[str, str]:
    """The parts of an image that the user's spec names, "" where unset."""
    settings = spec.get(key, {})
    return {part: settings.get(part, "") for part in ("repository", "image", "version")}


def _composed(reference: str | Refused) -> Iterator[str]:
    if isinstance(reference, str):
        yield reference
