"""Judges an inventory given as files in memory, through the same pure steps as the command line."""

from collections.abc import Mapping

from generator.declared import budgetfile, policy
from generator.declared.build import build
from generator.declared.catalog import collect as collect_catalog
from generator.declared.inventory import load
from generator.declared.sources import LOCK
from generator.declared.sources import problems as source_problems
from generator.facts import data
from generator.finding import Finding
from generator.render.output import Rendered
from generator.render.ownership import MANIFEST, manifest, ownership
from generator.render.ownership import digest as file_digest
from generator.render.rendered import render
from generator.render.template import collect as collect_templates
from generator.revision.driver_objects import DriverObject
from generator.revision.revision import Revision
from generator.rules.judge import judge
from generator.rules.table import RULES

VERSION = "0.1.0"


def bytes_of(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}


def revision_of(
    files: Mapping[str, str | bytes], *, against: tuple[DriverObject, ...] | None = None
) -> tuple[Revision, tuple[Finding, ...]]:
    """The revision of a repository given as path -> text, and what reading it told.

    Without files below out/ the output counts as freshly rendered, so that only the inventory is judged.
    """
    content = bytes_of(files)
    inventory = load({path: text for path, text in content.items() if path.startswith("inventory/")})
    built = build(inventory, version=VERSION)
    manifests = {path: content[path] for path in budgetfile.named(built.fleet) if path in content}
    fleet, of_budgets = budgetfile.with_manifests(built.fleet, manifests)
    own = policy.bases(fleet, {path: content[path] for path in policy.named(fleet) if path in content})
    lock = source_problems(built.fleet.sources, built.fleet.file, inventory.texts, content.get(LOCK))
    told = (*inventory.findings, *built.findings, *of_budgets, *own.findings, *lock)
    users = {path: text for path, text in content.items() if path.startswith("templates/")}
    catalog = collect_catalog(inventory.catalogs, fleet.mirrors)
    rendered = render(fleet, collect_templates(data.templates(), users), own.values, catalog=catalog)
    out = {path[4:]: text for path, text in content.items() if path.startswith("out/")}
    if not out:
        out = fresh(rendered)
    revision = Revision(
        fleet=fleet,
        catalog=catalog,
        rendered=rendered,
        bases=own.values,
        out=out,
        owned=ownership(out[MANIFEST].decode() if MANIFEST in out else None),
        against=against,
    )
    return revision, told


def fresh(rendered: Rendered) -> dict[str, bytes]:
    """out/ as render leaves it."""
    out = {file.path: file.text.encode() for file in rendered.files}
    out[MANIFEST] = manifest({file.path: file_digest(file.text) for file in rendered.files}).encode()
    return out


def findings(
    files: Mapping[str, str | bytes], *, against: tuple[DriverObject, ...] | None = None
) -> tuple[Finding, ...]:
    """Every finding of a repository given as path -> text."""
    revision, told = revision_of(files, against=against)
    return judge(revision, RULES, told=told).findings
