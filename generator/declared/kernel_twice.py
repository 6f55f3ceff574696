"""Kernels that a pool or a node image declares both as running and as upcoming."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.documents.document import read
from generator.documents.places import Path
from generator.facts.kernel import label_form


class KernelTwice(Struct, frozen=True):
    """A kernel, or a node image's release, that is in both lists of a document; `path` leads to the upcoming one.

    `pool` is "" where it is a node image's.
    """

    file: str
    path: Path
    written: str
    document: str
    pool: str = ""


def kernels_twice(file: str, document: Any) -> Iterator[KernelTwice]:
    """Those of one document, as the exact reader reads it, in the order of its text."""
    match document:
        case {"kind": "Cluster", "name": str(name), "pools": dict(pools)}:
            for pool_name, pool in pools.items():
                if isinstance(pool, dict):
                    for index, kernel in _in_both(pool.get("kernels"), pool.get("upcomingKernels")):
                        path = ("pools", pool_name, "upcomingKernels", index)
                        yield KernelTwice(file, path, kernel, name, pool_name)
        case {"kind": "NodeImage", "name": str(name)}:
            # Two releases may have the same kernel, so it is the release that counts.
            for index, release in _in_both(document.get("running"), document.get("upcoming")):
                yield KernelTwice(file, ("upcoming", index), release, name)


def files_of(twice: Iterable[KernelTwice]) -> tuple[str, ...]:
    """The files that declare kernels twice."""
    return tuple(sorted({kernel.file for kernel in twice}))


def brought(twice: Iterable[KernelTwice], earlier: Mapping[str, bytes]) -> frozenset[KernelTwice]:
    """Those that the earlier texts of their files don't have, wherever in their list they are."""
    known = {
        (kernel.file, kernel.pool, kernel.written)
        for file, text in earlier.items()
        for kernel in kernels_twice(file, read(text, file).value)
    }
    return frozenset(kernel for kernel in twice if (kernel.file, kernel.pool, kernel.written) not in known)


def _in_both(running: Any, upcoming: Any) -> Iterator[tuple[int, str]]:
    """Each text of the second list that is in the first one, with its index; kernels as node labels have them."""
    if not isinstance(running, list) or not isinstance(upcoming, list):
        return
    known = {label_form(kernel) for kernel in running if isinstance(kernel, str)}
    for index, kernel in enumerate(upcoming):
        if isinstance(kernel, str) and label_form(kernel) in known:
            yield index, kernel
