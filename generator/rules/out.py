"""Rules of the family out/: what lies below out/ against what was rendered."""

from collections.abc import Iterator

from generator.declared.crds import plain
from generator.declared.selection import selects
from generator.finding import Place, Severity
from generator.layout import MANIFEST, OUT
from generator.render.ownership import strays, taken_away
from generator.render.template import cluster_of
from generator.revision.revision import Revision
from generator.rules.rule import FleetRule, Problem

RENDER = "run: drivergate render"
STAGE = "run: drivergate render, then: git add out"
# Above this size of its compact JSON an object can't be applied the classic way: kubectl keeps a copy in an annotation.
MAX_OBJECT = 262144
SERVER_SIDE = "ServerSideApply=true"
DOCUMENT = b"apiVersion: drivergate.dev/"


def drift(revision: Revision) -> Iterator[Problem]:
    """Every file that render would write or remove."""
    todo = revision.todo
    clusters = {file.path: file.cluster for file in revision.rendered.files}
    hint = STAGE if revision.staged else RENDER
    for path in sorted(todo.written):
        if path in todo.foreign:
            continue
        what = "differs from what the inventory renders" if path in revision.out else "is missing"
        yield _problem(f"{OUT}/{path}", what, hint, clusters.get(path, ""))
    asked = {taken.path: taken.name for taken in taken_away(revision.rendered, revision.out, todo.removed)}
    left = [path for path in todo.removed if path in revision.out]
    for path in left:
        name = asked.get(path) or asked.get(cluster_of(path))
        how = hint.replace(RENDER, f"{RENDER} --allow-remove {name}") if name else hint
        yield _problem(f"{OUT}/{path}", "is rendered from nothing any more", how, cluster_of(path))
    if todo.relists and not todo.written and not left:
        what = "does not list what is rendered" if revision.owned.readable else "has lines that are no entry of a file"
        what = what if MANIFEST in revision.out else "is missing"
        yield _problem(f"{OUT}/{MANIFEST}", what, hint, "")


def removal(revision: Revision) -> Iterator[Problem]:
    """What render may not do unasked: overwrite what is not its own, remove what drives nodes."""
    todo = revision.todo
    for path in todo.foreign:
        what = "would be overwritten, and drivergate does not own it"
        hint = f"move it away, or add its line to {OUT}/{MANIFEST} to hand it over"
        yield _problem(f"{OUT}/{path}", what, hint, cluster_of(path))
    if revision.allow_remove is None:
        return
    for taken in taken_away(revision.rendered, revision.out, todo.removed):
        if not revision.allow_remove & taken.names:
            where = f"{OUT}/{taken.path}"
            hint = f"keep it, or run: drivergate render --allow-remove {taken.name}"
            message = f"{taken.what} would be removed from git, and its drivers with it"
            yield Problem(place=Place(where), message=message, hint=hint, cluster=taken.cluster, fact=taken.name)


def stray(revision: Revision) -> Iterator[Problem]:
    """Files below out/ that are nobody's."""
    bases = {cluster.operator.policy_base.removeprefix(f"{OUT}/") for cluster in revision.fleet.clusters}
    for path in strays(revision.out, revision.rendered, revision.owned):
        of_another = not selects(revision.selection, cluster_of(path))
        if not of_another and path not in bases and DOCUMENT not in revision.out[path]:  # see contains_input
            what = "is not rendered by drivergate; it is left alone"
            yield _problem(f"{OUT}/{path}", what, f"move it out of {OUT}/, or render it from a template", "")


def contains_input(revision: Revision) -> Iterator[Problem]:
    """Our own input below out/: a folder of manifests would stop being one."""
    hint = f"move it out of {OUT}/"
    for path in strays(revision.out, revision.rendered, revision.owned):
        if DOCUMENT in revision.out[path]:
            what = f"is a drivergate document inside the output folder {OUT}/"
            yield _problem(f"{OUT}/{path}", what, hint, "")
    for cluster in revision.fleet.clusters:
        named = cluster.operator.policy_base
        if named.startswith(f"{OUT}/"):
            place = revision.fleet.said(cluster, "operator", "clusterPolicyBase")
            message = f"clusterPolicyBase {named} lies inside the output folder {OUT}/"
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name)


def not_staged(revision: Revision) -> Iterator[Problem]:
    """Input that is not part of the commit: a warning while working, an error where the commit itself is judged."""
    severity = None if revision.staged else Severity.WARNING
    for path, ignored in revision.untracked.items():
        how = "is ignored by git" if ignored else "is not tracked by git"
        message = f"the file {how}, so it is no part of a commit"
        hint = f"run: git add {'-f ' if ignored else ''}{path}"
        yield Problem(place=Place(path), message=message, hint=hint, fact=path, severity=severity)


def too_large(revision: Revision) -> Iterator[Problem]:
    """Objects of users' templates that a client-side apply refuses."""
    for file in revision.rendered.files:
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
    FleetRule("out/stray", Severity.WARNING, "a file below out/ is nobody's", stray),
    FleetRule(
        "out/not-staged",
        Severity.ERROR,
        "a file that the result depends on is no part of the commit",
        not_staged,
    ),
    FleetRule(
        "out/removal", Severity.INVALID, "render would remove or overwrite what it may not", removal, needs_all=True
    ),
    FleetRule(
        "out/contains-input",
        Severity.INVALID,
        "the output folder holds drivergate's own input",
        contains_input,
    ),
    FleetRule("out/too-large", Severity.ERROR, "an object is too large for a client-side apply", too_large),
)
