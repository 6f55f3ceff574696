"""How images stand: published where nodes pull from, built only where such a repository is copied from, or missing."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.catalog.need import Need, needs
from generator.declared.catalog import Catalog
from generator.declared.entry import Entry
from generator.declared.fleet import Fleet
from generator.declared.mirror import MirrorKind, Mirrors, catalog_name, upstreams
from generator.facts.kernel import architecture
from generator.facts.tag import ImageTag, parse
from generator.images.lookup import built_upstream, serves


class State(StrEnum):
    """Where an image can be had."""

    PUBLISHED = "published"
    BUILT = "built"
    MISSING = "missing"
    GONE = "gone"


class Row(Struct, frozen=True, kw_only=True):
    """One image of one repository. `at` is the repository that has it, where that is another one."""

    repository: str
    tag: str
    state: State
    entry: Entry | None
    need: Need | None
    at: str = ""

    @property
    def parsed(self) -> ImageTag | None:
        """The parts of its name, where it is a driver's."""
        tag = parse(self.tag)
        return tag if isinstance(tag, ImageTag) else None

    @property
    def lacking(self) -> tuple[str, ...]:
        """Platforms that nodes need and that the line, which records some, doesn't have."""
        if self.need is None or self.entry is None or self.entry.platforms is None:
            return ()
        if self.parsed and architecture(self.parsed.kernel):
            return ()
        entry = self.entry
        return tuple(name for name in self.need.platforms if not serves(entry, name.removeprefix("linux/")))

    @property
    def usable(self) -> bool:
        """Whether the nodes that ask for it today, if any do, get it."""
        return self.need is None or self.need.upcoming or (self.state is State.PUBLISHED and not self.lacking)


def rows(fleet: Fleet, catalog: Catalog) -> Iterator[Row]:
    """Everything that is listed or needed, by repository and tag."""
    needed = needs(fleet)
    passed_on = {mirror.name for mirror in fleet.mirrors.values() if mirror.kind is not MirrorKind.COPY}
    for repository in sorted({*catalog.repositories, *needed} - passed_on):
        listed, ours = catalog.repositories.get(repository, {}), needed.get(repository, {})
        copies = _copies(fleet.mirrors, repository)
        for tag in sorted({*listed, *(tag for tag in ours if ":" not in tag)}):
            entry, need = listed.get(tag), ours.get(tag)
            state, at = _state(catalog, repository, tag, copies, pulled=repository in needed)
            yield Row(repository=repository, tag=tag, state=state, entry=entry, need=need, at=at)


def _copies(mirrors: Mirrors, repository: str) -> tuple[str, ...]:
    """The repositories that are copied from this one, directly or by way of others."""
    return tuple(
        name for name, mirror in mirrors.items() if mirror.kind is MirrorKind.COPY and _is_of(mirrors, name, repository)
    )


def _is_of(mirrors: Mirrors, name: str, repository: str) -> bool:
    return repository in {catalog_name(mirrors, upstream) for upstream in upstreams(mirrors, name)}


def _state(catalog: Catalog, repository: str, tag: str, copies: tuple[str, ...], *, pulled: bool) -> tuple[State, str]:
    """The state of a tag, and which other repository has it."""
    lists: Mapping[str, Mapping[str, Entry]] = catalog.repositories
    own = lists.get(repository, {}).get(tag)
    if own is not None and not own.gone:
        if pulled or not copies:
            return State.PUBLISHED, ""
        copied = next((name for name in copies if _has(lists, name, tag)), "")
        return (State.PUBLISHED, copied) if copied else (State.BUILT, "")
    upstream = next(built_upstream(catalog, repository, tag), None)
    if upstream is not None:
        return State.BUILT, upstream.repository
    return (State.GONE if own is not None else State.MISSING), ""


def _has(lists: Mapping[str, Mapping[str, Entry]], repository: str, tag: str) -> bool:
    entry = lists.get(repository, {}).get(tag)
    return entry is not None and not entry.gone
