"""The way from older schemas to today's. There is no older one yet, so the steps are made up here."""

from typing import Any

import pytest

from generator.declared.migration import GROUP, MIGRATIONS, Migration, migrated
from generator.declared.model import KINDS
from generator.declared.modelparts import API_VERSION
from generator.documents.changes import Change, MoveKey, SetKey
from generator.documents.document import read
from tests.testing.shared import REPO

OLD, MIDDLE, NEW = (f"{GROUP}/{version}" for version in ("v1alpha0", "v1alpha1", "v1beta1"))


def renamed_selectors(kind: str, value: dict[str, Any]) -> list[Change]:
    pools = value.get("pools", {}) if kind == "Cluster" else {}
    return [MoveKey(("pools", name, "selector"), ("pools", name, "nodeSelector")) for name in pools]


def owners_are_teams(_: str, value: dict[str, Any]) -> list[Change]:
    """A key gets another name, one moves to the top of the document, and a new one is set."""
    pools = value.get("pools", {})
    renamed = [MoveKey(("pools", name, "owner"), ("pools", name, "team")) for name in pools if "owner" in pools[name]]
    moved = [MoveKey(("pools", name, "note"), ("note",)) for name in pools if "note" in pools[name]]
    return [*renamed, *moved, SetKey(("reviewed",), "no")] if renamed else []


STEPS = (Migration(OLD, MIDDLE, renamed_selectors), Migration(MIDDLE, NEW, owners_are_teams))
CLUSTER = f"""# kept as it is: apiVersion: {OLD}
apiVersion:   "{OLD}"   # so is this
kind: Cluster
name:  x
pools:
    a: {{selector: {{b: c}}, owner: us}}   # theirs
"""


def test_the_table_leads_to_todays_schema() -> None:
    """An inventory of any listed apiVersion can be brought up to date."""
    files = {
        f"inventory/{index}.yaml": f"apiVersion: {one.source}\nkind: Fleet\n".encode()
        for index, one in enumerate(MIGRATIONS)
    }
    assert migrated(files).findings == ()


def test_the_sample_fleet_has_nothing_to_migrate() -> None:
    files = {str(path.relative_to(REPO)): path.read_bytes() for path in (REPO / "inventory").rglob("*.yaml")}
    result = migrated(files)
    assert (result.changed, result.findings, result.current) == ({}, (), len(files))


def test_only_the_lines_that_must_change_do() -> None:
    result = migrated({"inventory/x.yaml": CLUSTER.encode()}, table=STEPS, target=NEW)
    assert (
        result.changed["inventory/x.yaml"].decode()
        == f"""# kept as it is: apiVersion: {OLD}
apiVersion:   "{NEW}"   # so is this
kind: Cluster
name:  x
pools:
    a: {{nodeSelector: {{b: c}}, team: us}}   # theirs
reviewed: "no"
"""
    )


def test_a_document_joins_the_way_where_it_stands() -> None:
    files = {
        "inventory/a.yaml": f"""apiVersion: {MIDDLE}
kind: Cluster
pools:
  a:
    owner: x
    note: z
    selector: y
""".encode(),
        "inventory/b.yaml": f"{{apiVersion: {NEW}, kind: Fleet}}\n".encode(),
    }
    result = migrated(files, table=STEPS, target=NEW)
    text = f"""apiVersion: {NEW}
kind: Cluster
pools:
  a:
    team: x
    selector: y
note: z
reviewed: "no"
"""
    assert result.changed == {"inventory/a.yaml": text.encode()}
    assert result.current == 1


def test_what_can_not_be_changed_in_place_is_said_with_what_to_write() -> None:
    shared = f"""apiVersion: {MIDDLE}
kind: Cluster
pools:
  a: &both {{owner: us}}
  b: *both
"""
    result = migrated({"inventory/x.yaml": shared.encode()}, table=STEPS, target=NEW)
    assert result.changed == {}
    (refusal,) = result.refused
    assert refusal.startswith("inventory/x.yaml: change it by hand (move pools.a.owner to pools.a.team; ")
    assert f"write apiVersion: {NEW}" in refusal.replace('"', "")


def test_a_kernel_that_is_declared_twice_is_no_longer_upcoming() -> None:
    text = f"""apiVersion: {API_VERSION}
kind: Cluster
name: x
pools:
  a:
    kernels:
      - 5.15.0-173-generic
      - 5.15.0-177-generic  # rolled
    upcomingKernels:
      - 5.15.0-177-generic
  b: {{kernels: [6.8.0-1, 6.8.0-2], upcomingKernels: [6.8.0-1, 6.8.0-3, 6.8.0-2]}}
"""
    result = migrated({"inventory/x.yaml": text.encode()})
    assert (result.findings, result.refused) == ((), ())
    becomes = read(result.changed["inventory/x.yaml"], "inventory/x.yaml").value["pools"]
    assert becomes["a"]["kernels"] == ["5.15.0-173-generic", "5.15.0-177-generic"]
    assert not becomes["a"].get("upcomingKernels")
    assert becomes["b"] == {"kernels": ["6.8.0-1", "6.8.0-2"], "upcomingKernels": ["6.8.0-3"]}
    assert b"      - 5.15.0-177-generic  # rolled\n" in result.changed["inventory/x.yaml"]
    assert migrated(result.changed).changed == {}


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha2", "v2", ""])
def test_an_apiversion_that_nobody_knows_is_refused(version: str) -> None:
    (finding,) = migrated({"inventory/x.yaml": f"kind: Fleet\napiVersion: {GROUP}/{version}\n".encode()}).findings
    assert (str(finding.place), finding.severity) == ("inventory/x.yaml:2:13", "invalid")
    assert finding.message == (
        f'apiVersion "{GROUP}/{version}" is not known to this drivergate, which knows {API_VERSION}'
    )
    assert "install the drivergate" in finding.hint


def test_steps_that_go_in_a_circle_lead_nowhere() -> None:
    circle = (Migration(OLD, MIDDLE, lambda *_: []), Migration(MIDDLE, OLD, lambda *_: []))
    result = migrated({"inventory/x.yaml": CLUSTER.encode()}, table=circle, target=NEW)
    assert (result.changed, len(result.findings)) == ({}, 1)


def test_what_is_no_document_of_drivergates_is_left_alone() -> None:
    files = {
        "inventory/README.md": b"apiVersion: drivergate.dev/v0",
        "inventory/a.yaml": b"apiVersion: v1\nkind: ConfigMap\n",
        "inventory/b.yaml": b"- a list\n",
        "inventory/c.yaml": b"apiVersion: 1.0\nkind: Fleet\n",
    }
    result = migrated(files)
    assert (result.changed, result.current, result.findings) == ({}, 0, ())


def test_a_file_that_is_no_yaml_stops_it() -> None:
    (finding,) = migrated({"inventory/x.yaml": b"apiVersion: [\n"}).findings
    assert finding.place.file == "inventory/x.yaml"


def test_there_is_one_schema_for_every_kind() -> None:
    assert {kind: shape.__annotations__["api_version"].__args__ for kind, shape in KINDS.items()} == dict.fromkeys(
        KINDS, (API_VERSION,)
    )
