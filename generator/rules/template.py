"""Rules of the family template/: told where templates are collected and rendered (render/), but for kustomizations."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Any

from generator.finding import Place, Severity
from generator.layout import OUT
from generator.render.output import KUSTOMIZATIONS
from generator.render.rendered import GPU_OPERATOR
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.rule import FleetRule, Problem, Rule
from generator.words import shortened

FEW = 5


def not_a_manifest(fleet: FleetInputs) -> Iterator[Problem]:
    """A user's kustomization that lists what isn't there; in the folder of driver objects it lists all that is."""
    for file in fleet.rendered.files:
        folder, _, name = file.path.rpartition("/")
        if file.template.ours or name not in KUSTOMIZATIONS:
            continue
        listed = _listed(file.document, folder)
        if file.template.path.rpartition("/")[0] == GPU_OPERATOR.rstrip("/"):
            wrong = _inexact(listed, [path for path in fleet.rendered.folders[folder] if path != file.path])
        else:
            wrong = _absent(listed, fleet)
        if wrong:
            yield Problem(
                place=Place(file.template.file),
                message=f"{OUT}/{file.path} {wrong}",
                hint="print the list as {{ resources | block(2) }}: the files beside it",
                cluster=file.cluster,
                fact=file.path,
                mistake=(file.template.file,),
            )


def _listed(document: Mapping[str, Any] | None, folder: str) -> list[str]:
    """The resources by their paths below out/; what is no path, such as a URL, stays as it is written."""
    resources = document.get("resources") if document else None
    listed = [str(one) for one in resources] if isinstance(resources, list) else []
    return [one if "://" in one else normpath(f"{folder}/{one}") for one in listed]


def _inexact(listed: Sequence[str], beside: Collection[str]) -> str:
    """How a list differs from the files beside it."""
    twice = [path for path, number in Counter(listed).items() if number > 1]
    said = [
        f"{_names(paths)} {'are' if len(paths) > 1 else 'is'} {how}"
        for paths, how in (
            ({*beside} - {*listed}, "not listed"),
            ({*listed} - {*beside}, "not beside it"),
            (twice, "listed twice"),
        )
        if paths
    ]
    return f"does not list exactly the files beside it: {', and '.join(said)}" if said else ""


def _absent(listed: Sequence[str], fleet: FleetInputs) -> str:
    """Files below out/ that nobody renders or keeps there; what lies elsewhere isn't known here."""
    own = [path for path in listed if path.endswith((".yaml", ".yml")) and "://" not in path]
    absent = {path for path in own if not path.startswith("../") and not _is_there(path, fleet)}
    return f"lists what is not there: {_names(absent)}" if absent else ""


def _is_there(path: str, fleet: FleetInputs) -> bool:
    return path in fleet.out or path in fleet.rendered.folders.get(path.rpartition("/")[0], ())


def _names(paths: Collection[str]) -> str:
    names = [path if "://" in path else path.rpartition("/")[2] for path in sorted(paths)]
    return shortened(names, FEW)


U = Severity.INVALID
RULES = (
    Rule("template/undefined", U, "a template prints a name that it is not given"),
    Rule("template/syntax", U, "a template can't be read or run"),
    FleetRule(
        "template/not-a-manifest",
        U,
        "a template's output is not one Kubernetes manifest",
        not_a_manifest,
        needs_all=True,
    ),
    Rule("template/duplicate-object", U, "two outputs are one file or one object"),
    Rule("template/outside-folder", U, "a template writes outside of a cluster's folder"),
)
