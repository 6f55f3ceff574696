"""What drivergate emits for two fleets: the sample in this repository, and the one that covers everything."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from generator.declared.fleet import Cluster
from generator.finding import Finding, Severity
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing import everything
from tests.testing.judging import revision_of

REPO = Path(__file__).resolve().parents[2]
NAMES = ("sample", "everything")
INPUTS = ("inventory", "bases", "templates")


class Emitted(Struct, frozen=True):
    """One file below out/, with the value that a YAML 1.1 reader sees in it."""

    path: str
    text: str
    cluster: Cluster | None
    document: Any

    @property
    def is_values(self) -> bool:
        return not self.delivers and self.path.split("/")[1] == "values"

    @property
    def is_patch(self) -> bool:
        """Whether it is a part of an object, which a kustomize component lays over somebody else's."""
        return not self.delivers and self.path.split("/")[1] == "components" and not self.is_kustomization

    @property
    def delivers(self) -> bool:
        """Whether it is for whoever runs Argo CD or Flux, and no manifest of a cluster's GPUs."""
        return self.path.startswith("_delivery/")

    @property
    def is_kustomization(self) -> bool:
        """Whether it is kustomize's own file; Flux has a kind of the same name."""
        return not self.is_values and str(self.document.get("apiVersion")).startswith("kustomize.config.k8s.io/")

    @property
    def kind(self) -> str:
        return "" if self.is_values or self.is_patch else str(self.document["kind"])


@cache
def emitted(name: str) -> tuple[Emitted, ...]:
    """Every file of one of the fleets."""
    context, told = revision_of(repository(name))
    assert told == ()
    assert context.rendered.findings == ()
    clusters = {cluster.name: cluster for cluster in context.fleet.clusters}
    load = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return tuple(
        Emitted(file.path, file.text, clusters.get(file.cluster), yaml.load(file.text, load))
        for file in context.rendered.files
    )


def blocking(name: str) -> list[Finding]:
    """The findings by which a fleet could not be written."""
    context, told = revision_of(repository(name))
    return [one for one in judge(context, RULES, told=told).findings if one.severity is Severity.INVALID]


def repository(name: str) -> dict[str, str | bytes]:
    """The inputs of one of the fleets."""
    if name == "everything":
        return everything.files()
    found = sorted(path for folder in INPUTS for path in (REPO / folder).rglob("*") if path.is_file())
    return {path.relative_to(REPO).as_posix(): path.read_bytes() for path in found}


def few(name: str) -> tuple[Emitted, ...]:
    """Those of the oldest and the newest release, for what takes long."""
    releases = everything.releases()
    wanted = {releases[0].version, releases[-1].version}
    files = emitted(name)
    if name == "sample":
        return files
    return tuple(file for file in files if not file.cluster or file.cluster.operator.release.version in wanted)
