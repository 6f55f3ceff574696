"""The driver objects of two revisions, side by side. What is rendered alike in both is never parsed."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from generator.declared.crds import plain
from generator.facts.release import DriverApi
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.driver_objects import VALUES, DriverObject, driver_objects, is_chart_values
from generator.revision.revision import Revision

Key = tuple[str, str]  # kind and name; chart values have a kind of their own, and no name


class Pair(Struct, frozen=True, dict=True):
    """One object in both revisions, None where it isn't there; it is parsed for whoever looks into it."""

    before: RenderedFile | None
    after: RenderedFile | None

    @cached_property
    def same(self) -> bool:
        """Whether it is rendered alike, so that few need look."""
        return self.before is not None and self.after is not None and self.before.text == self.after.text

    @cached_property
    def was(self) -> DriverObject | None:
        """The object before."""
        return _object(self.before)

    @cached_property
    def becomes(self) -> DriverObject | None:
        """The object now."""
        return _object(self.after)


class Objects(Struct, frozen=True):
    """Of one cluster: every driver object of either revision."""

    pairs: Mapping[Key, Pair]

    def of_driver(self, name: str) -> Pair | None:
        """An NVIDIADriver by its name."""
        return self.pairs.get((str(DriverApi.NVIDIADRIVER), name))

    def gone(self) -> Iterator[DriverObject]:
        """The NVIDIADrivers that are no longer rendered."""
        for (kind, _), pair in self.pairs.items():
            if kind == DriverApi.NVIDIADRIVER and pair.after is None and pair.was is not None:
                yield pair.was

    def drivers(self) -> Iterator[Pair]:
        """Every NVIDIADriver that is not rendered alike."""
        for (kind, _), pair in self.pairs.items():
            if kind == DriverApi.NVIDIADRIVER and not pair.same:
                yield pair


def objects(base: Revision, head: Revision) -> dict[str, Objects]:
    """By cluster."""
    was, becomes = _files(base), _files(head)
    found: dict[str, dict[Key, Pair]] = {}
    for key in sorted({*was, *becomes}):
        cluster, kind, name = key
        found.setdefault(cluster, {})[kind, name] = Pair(was.get(key), becomes.get(key))
    return {cluster: Objects(pairs) for cluster, pairs in found.items()}


def _files(revision: Revision) -> dict[tuple[str, str, str], RenderedFile]:
    found = {}
    for file in revision.rendered.files:
        if file.kind in DRIVER_KINDS:
            found[file.cluster, file.kind, file.name] = file
        elif is_chart_values(file.path):
            found[file.cluster, VALUES, ""] = file
    return found


def _object(file: RenderedFile | None) -> DriverObject | None:
    """What a template of ours printed needn't be parsed back."""
    if file is None:
        return None
    spec = file.own.get("spec") if file.own is not None else None
    if isinstance(spec, Mapping):
        return DriverObject(path=file.path, cluster=file.cluster, kind=file.kind, name=file.name, spec=plain(spec))
    found = driver_objects({file.path: file.text.encode()})
    return found[0] if found else None
