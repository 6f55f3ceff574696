"""What is nearest to an image that is not built. Tags are taken apart only where a miss looks."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.declared.catalog import Catalog, Entry
from generator.declared.shape import did_you_mean
from generator.facts import driver as drivers
from generator.facts.kernel import architecture, flavour, order_key
from generator.facts.tag import ImageTag, parse
from generator.images.lookup import DIGEST, Miss, serves
from generator.words import shortened

SHOWN = 4
ARCHES = ("amd64", "arm64")
COMPILED = "compiled"

Key = tuple[str, str, str, str]  # branch, OS, kernel flavour or COMPILED, architectures
Row = tuple[Any, str]  # what it sorts by, and the tag


class Nearest:
    """Looks up what is built around a miss; every repository is walked through once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.repositories: dict[str, Repository] = {}

    def repository(self, name: str) -> "Repository | None":
        """The images of a repository; None where no catalog lists any."""
        listed = self.catalog.images(name)
        if listed is None:
            return None
        repository = self.repositories.get(name)
        if repository is None:
            repository = self.repositories[name] = Repository(listed)
        return repository

    def name(self, unknown: str) -> str:
        """The repository of a catalog, or mirror, that is spelt nearly so, as a hint."""
        return _spelt_nearly(unknown, frozenset({*self.catalog.repositories, *self.catalog.mirrors}))

    def describe(self, miss: Miss) -> str:
        """What is nearest, in words."""
        repository = self.repository(miss.repository)
        if repository is None or miss.tag.startswith(DIGEST):
            return ""
        (below, above), beside = repository.around(miss), repository.beside(miss)
        parts = []
        if below or above:
            parts.append(f"nearest built are {below or 'none'} below and {above or 'none'} above")
        if beside:
            same = "kernel" if miss.kernel else "version"
            parts.append(f"the same {same} has {shortened(beside, SHOWN)}")
        return "; ".join(parts) or "nothing near it is built"


@cache
def _spelt_nearly(unknown: str, known: frozenset[str]) -> str:
    """Once for all pools that ask for an unknown repository: every name of a long list is compared with it."""
    return did_you_mean(unknown, sorted(known - {unknown}))


class Repository:
    """The usable images of one repository; the tags of a branch are parsed when a miss asks for that branch."""

    def __init__(self, listed: Mapping[str, Entry]) -> None:
        self.listed = listed
        self.branches: dict[str, list[str]] = {}
        self.alike: dict[str, list[str]] = {}  # by kernel, or by version where there is none
        self.names_of_kind: dict[Key, list[tuple[str, str]]] = {}  # the kernel or version, and the tag
        self.rows: dict[Key, list[Row]] = {}
        self.parsed: set[str] = set()
        self.keyed: dict[str, bool] = {}
        self.systems: dict[str, bool] = {}
        for tag, entry in listed.items():
            if not entry.gone:
                driver, _, rest = tag.partition("-")
                middle = rest.rpartition("-")[0]
                self.branches.setdefault(drivers.branch(driver), []).append(tag)
                # What isn't a number there is the first word of an OS, as in sl-micro6.0.
                self.alike.setdefault(middle if middle[:1].isdigit() else driver, []).append(tag)

    def around(self, miss: Miss) -> tuple[str, str]:
        """The next tags below and above: of the same flavour by kernel, or without a kernel by version."""
        branch, kernel = drivers.branch(miss.pool.driver.version), kernel_of(miss)
        self._parse(branch)
        rows = self._sorted((branch, os_of(miss), *_kind(kernel, sorted(miss.arches))))
        wanted = _order(kernel or miss.pool.driver.version, precompiled=bool(kernel))
        start = end = bisect_left(rows, (wanted, ""))
        while end < len(rows) and rows[end][0] == wanted:
            end += 1
        return rows[start - 1][1] if start else "", rows[end][1] if end < len(rows) else ""

    def beside(self, miss: Miss) -> list[str]:
        """Tags of the same kernel, or of the same version where there is no kernel, for the same platforms."""
        key, first_word = kernel_of(miss) or miss.pool.driver.version, os_of(miss).rpartition("-")[0]
        tags = [*self.alike.get(key, ()), *(self.alike.get(f"{key}-{first_word}", ()) if first_word else ())]
        return sorted(tag for tag in tags if tag != miss.tag and self._serves(tag, miss))

    def has_system(self, os_id: str) -> bool:
        """Whether anything is built for an OS, whatever its version."""
        if os_id not in self.systems:
            self.systems[os_id] = any(f"-{os_id}" in tag for tag in self.listed)
        return self.systems[os_id]

    def by_branch(self, os_tag: str) -> bool:
        """Whether most precompiled images of an OS are named by branch rather than by version."""
        is_short = self.keyed.get(os_tag)
        if is_short is None:
            kernels = (tags for key, tags in self.alike.items() if not drivers.is_driver(key))
            tags = (tag for group in kernels for tag in group if tag.endswith(f"-{os_tag}"))
            short = [drivers.is_branch(tag.partition("-")[0]) for tag in tags]
            is_short = self.keyed[os_tag] = sum(short) * 2 > len(short)
        return is_short

    def _serves(self, tag: str, miss: Miss) -> bool:
        entry = self.listed[tag]
        if architecture(kernel_of(miss)) or entry.platforms is None:
            return True
        return all(serves(entry, arch) for arch in miss.arches)

    def _parse(self, branch: str) -> None:
        if branch in self.parsed:
            return
        self.parsed.add(branch)
        for tag in self.branches.get(branch, ()):
            parsed = parse(tag)
            if isinstance(parsed, ImageTag):
                for kind in self._kinds(parsed):
                    text = parsed.kernel or parsed.driver
                    self.names_of_kind.setdefault((branch, parsed.os, *kind), []).append((text, tag))

    def _kinds(self, tag: ImageTag) -> Iterator[tuple[str, str]]:
        """An image of two platforms is near to what asks for one of them, and to what asks for both."""
        entry = self.listed[tag.raw]
        served = [arch for arch in ARCHES if entry.platforms is None or serves(entry, arch)]
        if architecture(tag.kernel):
            served = served[:1] or ["any"]
        for arches in (*([arch] for arch in served), *([served] if len(served) > 1 else ())):
            yield _kind(tag.kernel, arches)

    def _sorted(self, key: Key) -> list[Row]:
        """The tags of a key in order; what they sort by is worked out here, since it costs most."""
        rows = self.rows.get(key)
        if rows is None:
            precompiled = key[2] != COMPILED
            names = self.names_of_kind.get(key, ())
            rows = self.rows[key] = sorted((_order(text, precompiled=precompiled), tag) for text, tag in names)
        return rows


def kernel_of(miss: Miss) -> str:
    """The kernel in the tag that was asked for; "" for a compiled driver."""
    return miss.kernel.name if miss.kernel else ""


def os_of(miss: Miss) -> str:
    """The OS part of the tag that was asked for."""
    version, kernel = miss.pool.driver.version, kernel_of(miss)
    return miss.tag.removeprefix(f"{version}-{kernel}-" if kernel else f"{version}-")


def _kind(kernel: str, arches: list[str]) -> tuple[str, str]:
    """Flavour and architectures. A kernel that names its machine makes the latter superfluous."""
    return (flavour(kernel) if kernel else COMPILED), "" if architecture(kernel) else "+".join(arches)


def _order(text: str, *, precompiled: bool) -> Any:
    if precompiled:
        return order_key(text)
    return drivers.order_key(text) if drivers.is_driver(text) else ()
