"""What is asked of a registry for a catalog's sake, and what its answers make of the lines."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from sys import intern

from msgspec import Struct
from msgspec.structs import replace

from generator.catalog.change import Change, between
from generator.catalog.need import Wish
from generator.declared.entry import DIGEST, PLATFORM, VERSION, Entry
from generator.facts import driver as drivers
from generator.facts.kernel import label_form
from generator.facts.tag import ImageTag, Unreadable, parse
from generator.observed.image import BuiltImage


class Task(Struct, frozen=True, gc=False):
    """One tag to look at, with its line; `listed` where the registry's list of tags has it."""

    tag: str
    old: Entry | None
    listed: bool = True

    @property
    def known(self) -> str:
        """The digest that needs no second look; "" where nothing, or not enough, was recorded of it."""
        old = self.old
        return (old.digest or "") if old is not None and old.platforms is not None else ""


class Survey(Struct, frozen=True, kw_only=True):
    """What a list of tags leaves to do. `skipped` driver images are of no use to the fleet, `others` no driver's."""

    tags: int
    tasks: tuple[Task, ...]
    skipped: int
    others: tuple[Unreadable, ...]


class Vanished(Struct, frozen=True):
    """The registry says that there is no such tag."""


class Same(Struct, frozen=True):
    """The tag points to where it pointed."""


Seen = Vanished | Same | BuiltImage


class Outcome(Struct, frozen=True):
    """What a look changes, if anything, and what is odd about the image."""

    change: Change | None
    notes: tuple[str, ...] = ()


def survey(tags: Iterable[str], listed: Mapping[str, Entry], wish: Wish | None) -> Survey:
    """What to look at: of the registry's tags those that a fleet can need (all without a wish), and what it lacks."""
    names = sorted(set(tags))
    tasks: list[Task] = []
    others: list[Unreadable] = []
    skipped = 0
    for tag in names:
        old = listed.get(tag)
        if (wish is not None and wish.takes(tag)) or (old is not None and old.gone):
            tasks.append(Task(tag, old))
            continue
        parsed = parse(tag)
        if isinstance(parsed, Unreadable):
            others.append(parsed)
        elif wish is None:
            tasks.append(Task(tag, old))
        else:
            skipped += 1
    there = set(names)
    lost = [Task(tag, old, listed=False) for tag, old in listed.items() if not old.gone and tag not in there]
    return Survey(tags=len(names), tasks=(*tasks, *lost), skipped=skipped, others=tuple(others))


def outcome(repository: str, task: Task, seen: Seen) -> Outcome:
    """What becomes of the line of a tag that was looked at."""
    match seen:
        case Vanished():
            gone = None if task.old is None else between(repository, task.old, replace(task.old, gone=True))
            return Outcome(gone)
        case Same():
            back = None if task.old is None else between(repository, task.old, replace(task.old, gone=False))
            return Outcome(back, () if task.listed else ("it is there, though the registry's list of tags lacks it",))
        case BuiltImage():
            change = between(repository, task.old, entry(seen, task.old))
            lacking = () if task.listed else ("it is there, though the registry's list of tags lacks it",)
            return Outcome(change, (*lacking, *seen.notes, *_odd(seen)))


def entry(image: BuiltImage, old: Entry | None) -> Entry:
    """The line of an image. The kernel modules in it, where it doesn't tell, stay what somebody wrote."""
    digest = image.digest if re.fullmatch(DIGEST, image.digest) else None
    version = image.driver_version if re.fullmatch(VERSION, image.driver_version) else None
    if version is None and old is not None and old.digest in {None, digest}:
        version = old.driver_version
    platforms = tuple(platform for platform in image.platforms if re.fullmatch(PLATFORM, platform))
    return Entry(
        tag=image.tag,
        platforms=_kept_once(platforms) if platforms else None,
        driver_version=intern(version) if version else None,
        module_type=image.module_type or (old.module_type if old is not None else None),
        digest=digest,
    )


@lru_cache(maxsize=256)
def _kept_once(platforms: tuple[str, ...]) -> tuple[str, ...]:
    """The same few tuples for 100,000 images."""
    return platforms


def _odd(image: BuiltImage) -> Iterator[str]:
    """Where the image contradicts its own name."""
    tag = parse(image.tag)
    if not isinstance(tag, ImageTag):
        return
    if tag.precompiled and image.kernel and label_form(image.kernel) != tag.kernel:
        yield f"it was built for kernel {image.kernel}, which is not the {tag.kernel} of its name"
    version = image.driver_version
    if version and drivers.is_driver(version):
        if tag.is_branch_only and drivers.branch(version) != tag.driver:
            yield f"it holds driver {version}, which is not of the branch {tag.driver} of its name"
        if not tag.is_branch_only and drivers.order_key(version) != drivers.order_key(tag.driver):
            yield f"it holds driver {version}, which is not the {tag.driver} of its name"


class Discrepancy(Struct, frozen=True):
    """A line that says what isn't so."""

    entry: Entry
    message: str
    hint: str


def discrepancies(repository: str, claimed: Entry, seen: Vanished | BuiltImage) -> tuple[Discrepancy, ...]:
    """What of a line the registry contradicts; what a line doesn't say can't be wrong."""
    sync = f"run `drivergate catalog sync {repository}`"
    if isinstance(seen, Vanished):
        if claimed.gone:
            return ()
        return (Discrepancy(claimed, f'{repository} has no "{claimed.tag}"', f"{sync}, or push the image again"),)
    if claimed.gone:
        message = f'"{claimed.tag}" is listed as gone, and {repository} has it'
        return (Discrepancy(claimed, message, sync),)
    wrong = list(_contradicted(claimed, seen))
    if claimed.digest is not None and claimed.digest != seen.digest:
        what = f"was pushed again: it is listed with {claimed.digest} and points to {seen.digest}"
        wrong = ["; it ".join([what, *wrong])]  # what else differs, differs for that
    return tuple(Discrepancy(claimed, f'"{claimed.tag}" {contradiction}', sync) for contradiction in wrong)


def _contradicted(claimed: Entry, seen: BuiltImage) -> Iterator[str]:
    lacking = [platform for platform in claimed.platforms or () if _usual(platform) not in map(_usual, seen.platforms)]
    if lacking:
        has = ", ".join(seen.platforms) or "no platform"
        yield f"is listed for {', '.join(lacking)} and has {has}"
    for what, listed, held in (
        ("driver", claimed.driver_version, seen.driver_version),
        ("kernel modules", claimed.module_type, seen.module_type),
    ):
        if listed is not None and held and listed != held:
            yield f"is listed with {what} {listed} and holds {held}"


def _usual(platform: str) -> str:
    return "linux/arm64" if platform == "linux/arm64/v8" else platform
