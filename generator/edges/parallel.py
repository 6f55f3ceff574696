"""A few things at once, with answers as they arrive, however many there are."""

from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from generator.edges.errors import ImageUnreadableError

A = TypeVar("A")
B = TypeVar("B")

# So many images in a row can't all be broken: it is the registry.
_IN_A_ROW = 8


def each(
    items: Iterable[A], work: Callable[[A], B], *, threads: int = 4
) -> Iterator[tuple[A, B | ImageUnreadableError]]:
    """Each item with what `work` makes of it, in the order in which they are done.

    An image that can't be read is told in its place. Any other exception of `work` ends it: what was under way is
    still handed out, then the exception is raised. Items are taken only as fast as answers are, so nothing piles up.
    Ctrl-C doesn't wait for the threads.
    """
    stopped = Event()
    todo: SimpleQueue[tuple[A] | None] = SimpleQueue()
    done: SimpleQueue[tuple[A, B | Exception] | None] = SimpleQueue()
    for _ in range(threads):
        # A daemon, so that nobody who interrupts waits for a registry.
        Thread(target=_toil, args=(todo, done, work, stopped), daemon=True).start()
    try:
        yield from _answers(items, todo, done, most=2 * threads, stopped=stopped)
    finally:
        stopped.set()
        for _ in range(threads):
            todo.put(None)


def _toil(
    todo: "SimpleQueue[tuple[A] | None]",
    done: "SimpleQueue[tuple[A, B | Exception] | None]",
    work: Callable[[A], B],
    stopped: Event,
) -> None:
    while (task := todo.get()) is not None:
        if stopped.is_set():
            done.put(None)
            continue
        try:
            done.put((task[0], work(task[0])))
        except Exception as error:  # noqa: BLE001 - raised again by whoever reads the answers
            done.put((task[0], error))


def _answers(
    items: Iterable[A],
    todo: "SimpleQueue[tuple[A] | None]",
    done: "SimpleQueue[tuple[A, B | Exception] | None]",
    *,
    most: int,
    stopped: Event,
) -> Iterator[tuple[A, B | ImageUnreadableError]]:
    waiting = iter(items)
    running = broken = 0
    failure: Exception | None = None
    while True:
        while failure is None and running < most and (task := next(((item,) for item in waiting), None)):
            todo.put(task)
            running += 1
        if not running:
            break
        answer = done.get()
        running -= 1
        if answer is None:
            continue
        item, found = answer
        broken = broken + 1 if isinstance(found, ImageUnreadableError) else 0
        if not isinstance(found, Exception) or (isinstance(found, ImageUnreadableError) and broken < _IN_A_ROW):
            yield item, found
        else:
            failure = failure or found
            stopped.set()
    if failure is not None:
        raise failure
