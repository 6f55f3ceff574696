"""What is to be built or copied first: every missing image once, however many pools wait for it."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from generator.change.plan import Answer, Image, State
from generator.declared.catalog import Catalog
from generator.declared.mirror import catalog_name
from generator.facts import packaged
from generator.facts.packaged import Builder
from generator.facts.recipe import Recipe, recipe
from generator.images.lookup import DIGEST, Lack, Miss, copied_from
from generator.images.nearest import Nearest, os_of

EXISTS = "NVIDIA/gpu-driver-container PR 1010: an existing amd64-only tag is never upgraded"


class Action(StrEnum):
    """How an image is come by."""

    COPY = "copy"  # its upstream has it
    WAIT = "wait"  # NVIDIA's CI builds such images
    BUILD = "build"
    PUSH = "push"  # it was built and has vanished
    NONE = "none"  # nobody packages what it would be made of


class Work(Struct, frozen=True, kw_only=True):
    """One image to come by: for which platforms, how, and who waits for it. `source` says who says so.

    `nodes` are the most that the waiting pools may have; `kernel` is as `uname -r` prints it.
    """

    repository: str
    tag: str
    platforms: tuple[str, ...]
    kernel: str
    os: str
    driver: str
    action: Action
    reason: str
    source: str
    copy_from: str
    recipe: Recipe | None
    pools: tuple[str, ...]
    nodes: int
    files: tuple[str, ...] = ()


def work(answers: Iterable[Answer], catalog: Catalog) -> tuple[Work, ...]:
    """The missing images, those that most nodes wait for first."""
    found: dict[tuple[str, str], list[tuple[Answer, Image]]] = {}
    for answer in answers:
        for image in answer.images:
            if image.state is State.MISSING and image.miss is not None:
                key = (catalog_name(catalog.mirrors, image.miss.repository), image.miss.tag)
                found.setdefault(key, []).append((answer, image))
    nearest = Nearest(catalog)
    made = [_work(repository, waiting, nearest) for (repository, _), waiting in found.items()]
    return tuple(sorted(made, key=lambda one: (one.action is Action.NONE, -one.nodes, one.repository, one.tag)))


def _work(repository: str, waiting: list[tuple[Answer, Image]], nearest: Nearest) -> Work:
    misses = [image.miss for _, image in waiting if image.miss is not None]
    first = misses[0]
    arches = sorted({arch for miss in misses for arch in miss.arches})
    action, reason, source, copy_from = _way(first, arches, nearest)
    kept = _kept(first)
    if kept and action is not Action.COPY:
        reason = f"{reason}; with {', '.join(kept)}, which the tag has, or a push takes that away"
    pools = {f"{answer.cluster.name}/{answer.pool.name}": answer.pool for answer, _ in waiting}
    written = first.kernel.written if first.kernel else ""
    driver = first.pool.driver.version
    builds = action in {Action.BUILD, Action.WAIT, Action.PUSH} and bool(written)
    return Work(
        repository=repository,
        tag=first.tag,
        platforms=tuple(sorted({*(f"linux/{arch}" for arch in arches), *kept})),
        kernel=written,
        os=os_of(first),
        driver=driver,
        action=action,
        reason=reason,
        source=source,
        copy_from=copy_from,
        recipe=recipe(os_of(first), written, driver, arches[0]) if builds else None,
        pools=tuple(sorted(pools)),
        nodes=sum(pool.size.max for pool in pools.values() if pool.size),
        files=tuple(sorted({miss.kernel.file for miss in misses if miss.kernel})),
    )


def _kept(miss: Miss) -> tuple[str, ...]:
    """What a tag is built for already: pushing it for another platform alone would take these away."""
    if miss.lack is not Lack.PLATFORM or miss.entry is None:
        return ()
    return miss.entry.platforms or ()


def _way(miss: Miss, arches: list[str], nearest: Nearest) -> tuple[Action, str, str, str]:
    """How to come by it, why, who says so, and where it can be copied from."""
    copied = copied_from(nearest.catalog, miss)
    if copied is not None:
        at = f"{copied.entry.file}:{copied.entry.line}"
        return Action.COPY, f"{copied.repository} has it", at, f"{copied.repository}:{miss.tag}"
    if miss.lack is Lack.GONE and miss.entry is not None:
        return Action.PUSH, "it was built and has vanished", f"{miss.entry.file}:{miss.entry.line}", ""
    if miss.kernel is None or miss.tag.startswith(DIGEST):
        return Action.WAIT, "images that are compiled on the node are published by version", "", ""
    told = [packaged.verdict(os_of(miss), miss.kernel.name, miss.pool.driver.version, arch) for arch in arches]
    worst = max(told, key=lambda one: list(Builder).index(one.builder))
    passed = _passed(miss, nearest) if worst.builder is Builder.PUBLISHED else ""
    if passed:
        reason = f"NVIDIA's CI builds the newest kernel of a flavour only, and is at {passed}"
        return Action.BUILD, reason, worst.source, ""
    if worst.builder is Builder.PUBLISHED and miss.lack is Lack.PLATFORM:
        return Action.BUILD, "NVIDIA's CI skips a tag that exists, whatever it is built for", EXISTS, ""
    action = {Builder.PUBLISHED: Action.WAIT, Builder.OWN: Action.BUILD, Builder.NOBODY: Action.NONE}[worst.builder]
    return action, worst.reason, worst.source, ""


def _passed(miss: Miss, nearest: Nearest) -> str:
    """The image of a newer kernel that is built already: a skipped one never gets its own (driver-images 2.4)."""
    repository = nearest.repository(miss.repository)
    return repository.around(miss)[1] if repository else ""


def to_build(works: Iterable[Work]) -> Iterator[Work]:
    """Those that a build matrix holds: what somebody can build, whether or not NVIDIA will publish it."""
    for one in works:
        if one.action in {Action.BUILD, Action.WAIT, Action.PUSH} and one.recipe is not None:
            yield one
