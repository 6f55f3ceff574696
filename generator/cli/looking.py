"""Looks into a registry's images: the bytes come from the edge, what they mean is read by the core."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from generator.catalog.survey import Same, Seen, Task, Vanished
from generator.edges.errors import ImageUnreadableError
from generator.edges.parallel import each
from generator.edges.registry.client import Missing, Repository
from generator.observed.image import BuiltImage, built
from generator.observed.manifest import Unreadable

T = TypeVar("T")


class Unseen(Struct, frozen=True):
    """Why an image could not be looked at."""

    reason: str


def look(repository: Repository, tag: str) -> BuiltImage | Missing:
    """What is under a tag; raise ImageUnreadableError where it is there but can't be read."""
    document = repository.manifest(tag)
    if isinstance(document, Missing):
        return document

    def read(kind: str, digest: str) -> bytes | None:
        found = repository.manifest(digest) if kind == "manifests" else repository.blob(digest)
        if isinstance(found, Missing):
            return None
        return found if isinstance(found, bytes) else found.body

    image = built(tag, document.media_type, document.digest, document.body, read)
    if isinstance(image, Unreadable):
        raise ImageUnreadableError(
            f"{repository}:{tag} can't be read: {image.reason}", "push it again, or leave it out of the catalog"
        )
    return image


def looks(repository: Repository, tasks: Iterable[Task]) -> Iterator[tuple[Task, Seen | Unseen]]:
    """What each tag is now, a few at once. Those with a known digest are asked for nothing else while that stays.

    CouldNotLookError where the registry gives no answer any more.
    """
    return _each(tasks, lambda task: _look(repository, task))


def reads(repository: Repository, tasks: Iterable[Task]) -> Iterator[tuple[Task, Vanished | BuiltImage | Unseen]]:
    """The same, with everything read anew."""
    return _each(tasks, lambda task: _read(repository, task.tag))


def _each(tasks: Iterable[Task], work: Callable[[Task], T]) -> Iterator[tuple[Task, T | Unseen]]:
    for task, found in each(tasks, work):
        yield task, Unseen(found.message) if isinstance(found, ImageUnreadableError) else found


def _look(repository: Repository, task: Task) -> Seen:
    if task.known or not task.listed:
        digest = repository.digest(task.tag)
        if isinstance(digest, Missing):
            return Vanished()
        if digest == task.known:
            return Same()
    return _read(repository, task.tag)


def _read(repository: Repository, tag: str) -> Vanished | BuiltImage:
    found = look(repository, tag)
    return Vanished() if isinstance(found, Missing) else found
