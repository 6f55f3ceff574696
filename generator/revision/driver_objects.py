"""The driver objects of a revision, as they are committed below out/."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.crds import plain
from generator.documents.document import read
from generator.render.rendered import DRIVER_KINDS

KINDS = tuple(kind.encode() for kind in sorted(DRIVER_KINDS))
# The kind that the driver keys of chart values have beside the two Kubernetes kinds.
VALUES = "values"
VALUES_FILE = ("values", "gpu-operator.yaml")


class DriverObject(Struct, frozen=True, kw_only=True):
    """An NVIDIADriver or ClusterPolicy of the revision that is compared against, by its path below out/.

    The driver keys of chart values are one too, of a kind of their own and without a name.
    """

    path: str
    cluster: str
    kind: str
    name: str
    spec: Mapping[str, Any]


def driver_objects(files: Mapping[str, bytes]) -> tuple[DriverObject, ...]:
    """Every ClusterPolicy and NVIDIADriver among files, by path below out/, and the driver keys of chart values.

    What can't be read is no driver object.
    """
    return tuple(_objects(files))


def is_chart_values(path: str) -> bool:
    """Whether a path below out/ is the one of a cluster's chart values."""
    return tuple(path.split("/")[1:]) == VALUES_FILE


def _objects(files: Mapping[str, bytes]) -> Iterator[DriverObject]:
    for path in sorted(files):
        if is_chart_values(path):
            yield from _values(path, files[path])
            continue
        if not any(kind in files[path] for kind in KINDS):
            continue
        value = read(files[path], path).value
        if not isinstance(value, dict) or value.get("kind") not in DRIVER_KINDS:
            continue
        if not str(value.get("apiVersion")).startswith("nvidia.com/"):
            continue
        metadata, spec = value.get("metadata"), value.get("spec", {})
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if isinstance(name, str) and isinstance(spec, dict):
            cluster = path.split("/")[0]
            yield DriverObject(path=path, cluster=cluster, kind=value["kind"], name=name, spec=plain(spec))


def _values(path: str, data: bytes) -> Iterator[DriverObject]:
    value = plain(read(data, path).value)
    driver = value.get("driver") if isinstance(value, dict) else None
    if isinstance(driver, dict):
        yield DriverObject(path=path, cluster=path.split("/", maxsplit=1)[0], kind=VALUES, name="", spec=driver)
