"""The PodDisruptionBudget manifests that workloads name: read, checked, and put into the workloads."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import UNSET, Struct, ValidationError, convert
from msgspec.structs import replace

from generator.declared.crds import plain
from generator.declared.fleet import Fleet
from generator.declared.requirements import of_selector
from generator.declared.shape import misfits
from generator.declared.workload import Manifest, Workload, WorkloadBudget
from generator.declared.workloadbudget import NUMBERS, UNSAID, numbers, selector_of
from generator.declared.workloadmodel import BudgetManifest
from generator.documents.document import read
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.finding import Finding, Place, invalid
from generator.layout import OUT, is_plain_path, path_problem
from generator.words import shortened

EXAMPLE = "budgets/api.yaml"
KIND, API = "PodDisruptionBudget", "policy/v1"
SEPARATOR = re.compile(rb"(?m)^---(?=[ \t\r\n]|\Z)")
REFUSED = f"correct it: Kubernetes would refuse the {KIND}"
FEW = 3


class Found(Struct, frozen=True):
    """A PodDisruptionBudget of a file: its object, and the path that it has there."""

    path: Path
    object: Mapping[str, Any]

    @property
    def metadata(self) -> Mapping[str, Any]:
        metadata = self.object.get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    @property
    def name(self) -> str:
        return str(self.metadata.get("name", ""))

    @property
    def namespace(self) -> str:
        """Empty where an overlay is to say it."""
        return str(self.metadata.get("namespace", ""))


def named(fleet: Fleet) -> tuple[str, ...]:
    """The paths of all manifests that can be looked for."""
    found = {manifest.file for workload in fleet.workloads for manifest in workload.manifests}
    return tuple(sorted(filter(is_plain_path, found)))


def with_manifests(fleet: Fleet, files: Mapping[str, bytes]) -> tuple[Fleet, tuple[Finding, ...]]:
    """The fleet with every budget that a manifest holds in its workload. `files` are those that are there."""
    if not any(workload.manifests for workload in fleet.workloads):
        return fleet, ()
    reader = _Reader(fleet.texts, files)
    workloads = tuple(reader.filled(workload) for workload in fleet.workloads)
    return replace(fleet, workloads=workloads), tuple(reader.findings)


class _Reader:
    """Reads each file once, and chooses from it for each workload."""

    def __init__(self, texts: Texts, files: Mapping[str, bytes]) -> None:
        self.texts, self.files = texts, files
        self.budgets: dict[str, tuple[Found, ...]] = {}
        self.findings: list[Finding] = []

    def filled(self, workload: Workload) -> Workload:
        """The workload with the budgets of its manifests, as far as they can be read."""
        found = (self._budget(workload, manifest) for manifest in workload.manifests)
        return replace(workload, budgets=(*workload.budgets, *(one for one in found if one is not None)))

    def _budget(self, workload: Workload, manifest: Manifest) -> WorkloadBudget | None:
        place, path = self.texts.value(workload.file, manifest.path), manifest.file
        if wrong := path_problem(path, EXAMPLE):
            self._tell(place, *wrong, workload)
        elif path.split("/", maxsplit=1)[0] == OUT:
            self._tell(place, f"{path} lies inside {OUT}/", f"move it out, for example to {EXAMPLE}", workload)
        elif path not in self.files:
            self._tell(place, f"{path} is not there", "add the file, or correct the path", workload)
        elif (chosen := self._chosen(workload, manifest, place)) is not None:
            return self._read(workload, manifest, chosen)
        return None

    def _chosen(self, workload: Workload, manifest: Manifest, place: Place) -> Found | None:
        """The one budget that is meant; None with a finding where that can't be told."""
        path = manifest.file
        if path not in self.budgets:
            self.budgets[path] = self._all(path)
        found = self.budgets[path]
        if not found:
            return None  # what the file holds instead is told once
        own = [one for one in found if one.namespace in {"", workload.namespace}]
        fitting = [one for one in own if _fits(one, manifest)]
        if len(fitting) > 1 and not manifest.name:
            fitting = [one for one in fitting if _covers(one, workload)] or fitting
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            message = f"{path} holds {len(fitting)} budgets that may be meant: {_listed(fitting)}"
            self._tell(place, message, "add name: the name of the one that covers the workload", workload)
        elif not own:
            message = f"{path} holds no budget of namespace {workload.namespace}, but {_listed(found)}"
            self._tell(place, message, "correct the namespace of one of the two", workload)
        else:
            by = f"is named {manifest.name}" if manifest.name else "has that selector"
            message = f"{path} holds no budget of namespace {workload.namespace} that {by}, but {_listed(own)}"
            self._tell(place, message, "correct the name or the selector", workload)
        return None

    def _all(self, path: str) -> tuple[Found, ...]:
        """Every budget of a file; a file without one, or one that can't be read, is a finding."""
        parts = tuple(_parts(self.files[path]))
        self.texts.add_documents(path, parts)
        documents = [read(part, path) for part in parts]
        problems = [finding for document in documents for finding in document.findings]
        self.findings += problems
        found = tuple(_budgets([plain(document.value) for document in documents]))
        if not found and not problems:
            message = f"{path} holds no {KIND} of {API}"
            self._tell(Place(path, 1, 1), message, "point existing.file at the manifest of the budget")
        return () if problems else found

    def _read(self, workload: Workload, manifest: Manifest, one: Found) -> WorkloadBudget | None:
        written = {"spec": _given(one.object["spec"])} if one.object.get("spec") is not None else {}
        try:
            shape = convert(written, BudgetManifest).spec
        except ValidationError:
            self._tell_misfits(written, manifest, one)
            return None
        given = numbers(shape)
        if len(given) > 1:
            place = self.texts.key(manifest.file, (*one.path, "spec", given[1]))
            self._tell(place, f"{' and '.join(NUMBERS)} are alternatives, and both are given", "remove one of the two")
            return None
        wrong = () if shape.selector is UNSET else tuple(of_selector(shape.selector))
        if wrong:
            path, why = wrong[0]
            place = self.texts.value(manifest.file, (*one.path, "spec", "selector", *path))
            self._tell(place, f"spec.{why}", REFUSED)
            return None
        policy = shape.unhealthy_pod_eviction_policy
        return WorkloadBudget(
            rendered=False,
            name=one.name,
            namespace=one.namespace or workload.namespace,
            min_available=None if shape.min_available is UNSET else shape.min_available,
            max_unavailable=None if shape.max_unavailable is UNSET else shape.max_unavailable,
            selector=selector_of(shape.selector),
            unhealthy_pod_eviction_policy=UNSAID if policy is UNSET else policy,
            file=manifest.file,
            path=one.path,
            said=manifest.path,
        )

    def _tell_misfits(self, written: Mapping[str, Any], manifest: Manifest, one: Found) -> None:
        from msgspec.json import schema

        places = self.texts.places(manifest.file).below(one.path)
        found = misfits(schema(BudgetManifest), written, places)
        self.findings += [each for each in found if each not in self.findings]

    def _tell(self, place: Place, message: str, hint: str, workload: Workload | None = None) -> None:
        about = f'workload "{workload.name}": ' if workload else ""
        name = workload.name if workload else ""
        found = invalid("inventory/schema", place, f"{about}{message}", hint, workload=name)
        if found not in self.findings:  # a manifest that two workloads name
            self.findings.append(found)


def _parts(data: bytes) -> Iterator[bytes]:
    """Each document of a file by itself, with empty lines before it, so that it stands where it stands in the file."""
    starts = [0, *(found.start() for found in SEPARATOR.finditer(data)), len(data)]
    for start, end in pairwise(starts):
        part = data[start:end]
        if part.strip(b"- \t\r\n"):
            yield b"\n" * data.count(b"\n", 0, start) + part


def _budgets(documents: Sequence[Any]) -> Iterator[Found]:
    """The budgets among some documents; one document is the file's own, of several each has a number."""
    for index, document in enumerate(documents):
        path: Path = (index,) if len(documents) > 1 else ()
        items = document.get("items") if isinstance(document, dict) else None
        listed = enumerate(items) if isinstance(items, list) else ()
        for at, one in ((path, document), *(((*path, "items", number), item) for number, item in listed)):
            if isinstance(one, dict) and (one.get("kind"), one.get("apiVersion")) == (KIND, API):
                yield Found(at, one)


def _given(value: Any) -> Any:
    """Without nulls, which the API takes for what isn't given."""
    if not isinstance(value, dict):
        return value
    return {key: _given(inner) for key, inner in value.items() if inner is not None}


def _fits(one: Found, manifest: Manifest) -> bool:
    spec = one.object.get("spec")
    selector = spec.get("selector") if isinstance(spec, dict) else None
    return (not manifest.name or one.name == manifest.name) and manifest.selector in (None, selector)


def _covers(one: Found, workload: Workload) -> bool:
    """Whether the budget's labels are the workload's, as far as matchLabels tell."""
    spec = one.object.get("spec")
    selector = spec.get("selector") if isinstance(spec, dict) else None
    labels = selector.get("matchLabels") if isinstance(selector, dict) else None
    return isinstance(labels, dict) and labels.items() <= workload.pod_labels.items()


def _listed(found: Sequence[Found]) -> str:
    names = sorted(f"{one.namespace}/{one.name}".removeprefix("/") for one in found)
    return shortened(names, FEW)
