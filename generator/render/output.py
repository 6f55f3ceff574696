"""What was rendered: files below out/ with the manifests in them."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from generator.documents.document import read
from generator.finding import Finding
from generator.render.template import DELIVERY, Template

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")
NO_MANIFESTS = frozenset({"values", "components"})


class RenderedFile(Struct, frozen=True, kw_only=True, dict=True):
    """One file below out/: its text, what it came from, and the manifest in it, where there is one.

    `own` is the driver object that a template of ours prints.
    """

    path: str
    text: str
    template: Template
    cluster: str
    pool: str = ""
    workload: str = ""
    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    own: Mapping[str, Any] | None = None

    @cached_property
    def document(self) -> Mapping[str, Any] | None:
        """The manifest where a rule looks into it: a driver object of ours, or anything of a user's template.

        That is read when a rule asks, since a reading costs more than all else that is done for a file.
        """
        if self.template.ours:
            return self.own
        value = read(self.text, "").value
        return value if isinstance(value, dict) else None


class Rendered(Struct, frozen=True, dict=True):
    """All files, sorted by path, and the findings that make some of them unfit to be written."""

    files: tuple[RenderedFile, ...]
    findings: tuple[Finding, ...]

    @cached_property
    def folders(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of the files in each folder below out/."""
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(file.path.rpartition("/")[0], []).append(file.path)
        return {folder: tuple(paths) for folder, paths in found.items()}


def holds_no_manifests(path: str) -> bool:
    """Whether a path lies in one of a cluster's folders that no tool syncs: chart values, patches of components."""
    parts = path.split("/")
    return parts[0] != DELIVERY and parts[1:2] != [] and parts[1] in NO_MANIFESTS
