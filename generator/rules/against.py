"""The driver objects of another revision, as they are committed below out/."""

from collections.abc import Iterator, Mapping

from generator.declared.document import read
from generator.render.rendered import DRIVER_KINDS
from generator.rules.context import DriverObject


def driver_objects(files: Mapping[str, bytes]) -> tuple[DriverObject, ...]:
    """Every ClusterPolicy and NVIDIADriver among files, by path below out/. What can't be read is no driver object."""
    return tuple(_objects(files))


def _objects(files: Mapping[str, bytes]) -> Iterator[DriverObject]:
    for path in sorted(files):
        value = read(files[path], path).value
        if not isinstance(value, dict) or value.get("kind") not in DRIVER_KINDS:
            continue
        metadata, spec = value.get("metadata"), value.get("spec")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if isinstance(name, str) and isinstance(spec, dict):
            yield DriverObject(path=path, cluster=path.split("/")[0], kind=value["kind"], name=name, spec=spec)
