"""Rules of the family out/: what lies below out/ against what was rendered."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.declared.crds import plain
from generator.declared.selection import selects
from generator.finding import Place, Severity
from generator.layout import MANIFEST, OUT
from generator.render.ownership import allowing, strays, taken_away
from generator.render.template import cluster_of
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.rule import FleetRule, JoiningRule, Problem
from generator.rules.setting import Setting, setting

RENDER = "run: drivergate render"
STAGE = "run: drivergate render, then: git add out"
# Above this size of its compact JSON an object can't be applied the classic way: kubectl keeps a copy in an annotation.
MAX_OBJECT = 262144
SERVER_SIDE = "ServerSideApply=true"
DOCUMENT = b"apiVersion: drivergate.dev/"


class NamedBase(Struct, frozen=True):
    """The base that a cluster names, "" where it has none, and where it does so."""

    cluster: str
    path: str
    setting: Setting


def named_base(inputs: ClusterInputs) -> NamedBase:
    """What a cluster hands up of its base, which may lie where only output belongs."""
    cluster = inputs.cluster
    return NamedBase(cluster.name, cluster.operator.policy_base, setting(cluster, "operator", "clusterPolicyBase"))


def drift(fleet: FleetInputs) -> Iterator[Problem]:
    """Every file that render would write or remove."""
    todo = fleet.todo
    clusters = {file.path: file.cluster for file in fleet.rendered.files}
    hint = STAGE if fleet.staged else RENDER
    for path in sorted(todo.written):
        if path in todo.foreign:
            continue
        what = "differs from what the inventory renders" if path in fleet.out else "is missing"
        yield _problem(f"{OUT}/{path}", what, hint, clusters.get(path, ""))
    asked = {taken.path: taken.name for taken in taken_away(fleet.rendered, fleet.out, todo.removed)}
    left = [path for path in todo.removed if path in fleet.out]
    for path in left:
        name = asked.get(path) or asked.get(cluster_of(path))
        how = hint.replace(RENDER, f"{RENDER} --allow-remove {name}") if name else hint
        yield _problem(f"{OUT}/{path}", "is rendered from nothing any more", how, cluster_of(path))
    if todo.relists and not todo.written and not left:
        what = "does not list what is rendered" if fleet.owned.readable else "has lines that are no entry of a file"
        what = what if MANIFEST in fleet.out else "is missing"
        yield _problem(f"{OUT}/{MANIFEST}", what, hint, "")


def removal(fleet: FleetInputs) -> Iterator[Problem]:
    """What render may not do unasked: overwrite what is not its own, remove what drives nodes."""
    todo = fleet.todo
    for path in todo.foreign:
        what = "would be overwritten, and drivergate does not own it"
        hint = f"move it away, or add its line to {OUT}/{MANIFEST} to hand it over"
        yield _problem(f"{OUT}/{path}", what, hint, cluster_of(path))
    if fleet.allow_remove is None:
        return
    removals = list(taken_away(fleet.rendered, fleet.out, todo.removed))
    names = allowing(removals)
    for taken in removals:
        if not fleet.allow_remove & names[taken.path]:
            where = f"{OUT}/{taken.path}"
            hint = f"keep it, or run: drivergate render --allow-remove {taken.name}"
            message = f"{taken.what} would be removed from git, and its drivers with it"
            yield Problem(place=Place(where), message=message, hint=hint, cluster=taken.cluster, fact=taken.name)


def stray(fleet: FleetInputs, named: Sequence[NamedBase]) -> Iterator[Problem]:
    """Files below out/ that are nobody's."""
    bases = {base.path.removeprefix(f"{OUT}/") for base in named}
    for path in strays(fleet.out, fleet.rendered, fleet.owned):
        of_another = not selects(fleet.selection, cluster_of(path))
        if not of_another and path not in bases and DOCUMENT not in fleet.out[path]:  # see contains_input
            what = "is not rendered by drivergate; it is left alone"
            yield _problem(f"{OUT}/{path}", what, f"move it out of {OUT}/, or render it from a template", "")


def contains_input(fleet: FleetInputs, named: Sequence[NamedBase]) -> Iterator[Problem]:
    """Our own input below out/: a folder of manifests would stop being one."""
    hint = f"move it out of {OUT}/"
    for path in strays(fleet.out, fleet.rendered, fleet.owned):
        if DOCUMENT in fleet.out[path]:
            what = f"is a drivergate document inside the output folder {OUT}/"
            yield _problem(f"{OUT}/{path}", what, hint, "")
    for base in named:
        if base.path.startswith(f"{OUT}/"):
            place = base.setting.said(fleet).place
            message = f"clusterPolicyBase {base.path} lies inside the output folder {OUT}/"
            yield Problem(place=place, message=message, hint=hint, cluster=base.cluster)


def not_staged(fleet: FleetInputs) -> Iterator[Problem]:
    """Input that is not part of the commit: a warning while working, an error where the commit itself is judged."""
    severity = None if fleet.staged else Severity.WARNING
    for path, ignored in fleet.untracked.items():
        how = "is ignored by git" if ignored else "is not tracked by git"
        message = f"the file {how}, so it is no part of a commit"
        hint = f"run: git add {'-f ' if ignored else ''}{path}"
        yield Problem(place=Place(path), message=message, hint=hint, fact=path, severity=severity)


def too_large(fleet: FleetInputs) -> Iterator[Problem]:
    """Objects of users' templates that a client-side apply refuses."""
    for file in fleet.rendered.files:
        if not file.name or _is_small(file.text) or file.document is None:
            continue
        from msgspec import json

        size = len(json.encode(plain(file.document)))
        options = str((file.document.get("metadata") or {}).get("annotations") or {})
        if size > MAX_OBJECT and SERVER_SIDE not in options:
            what = f"holds an object of {size} bytes of JSON, and a client-side apply takes at most {MAX_OBJECT}"
            hint = f'annotate it with argocd.argoproj.io/sync-options: "{SERVER_SIDE}"'
            yield _problem(f"{OUT}/{file.path}", what, hint, file.cluster)


def _is_small(text: str) -> bool:
    """Whether its JSON is small for sure: a letter has four bytes, `k:` and its line end are `"k":null,` there, and
    only aliases make more of it.
    """
    return 4 * len(text) < MAX_OBJECT and "*" not in text


def _problem(path: str, what: str, hint: str, cluster: str) -> Problem:
    return Problem(place=Place(path), message=f"the file {what}", hint=hint, cluster=cluster, fact=path)


RULES = (
    FleetRule("out/drift", Severity.ERROR, "out/ is not what the inventory renders", drift, needs_all=True),
    JoiningRule("out/stray", Severity.WARNING, "a file below out/ is nobody's", named_base, stray),
    FleetRule(
        "out/not-staged",
        Severity.ERROR,
        "a file that the result depends on is no part of the commit",
        not_staged,
    ),
    FleetRule(
        "out/removal", Severity.INVALID, "render would remove or overwrite what it may not", removal, needs_all=True
    ),
    JoiningRule(
        "out/contains-input",
        Severity.INVALID,
        "the output folder holds drivergate's own input",
        named_base,
        contains_input,
    ),
    FleetRule("out/too-large", Severity.ERROR, "an object is too large for a client-side apply", too_large),
)
