"""The way from older schemas to today's. There is no older one yet, so the steps are made up here."""

import pytest

from generator.declared.migration import GROUP, MIGRATIONS, Migration, migrated
from generator.declared.model import KINDS
from generator.declared.modelparts import API_VERSION
from tests.testing.shared import REPO

OLD, MIDDLE, NEW = (f"{GROUP}/{version}" for version in ("v1alpha0", "v1alpha1", "v1beta1"))
STEPS = (
    Migration(
        OLD, MIDDLE, lambda kind, text: text.replace("selector:", "nodeSelector:") if kind == "Cluster" else text
    ),
    Migration(MIDDLE, NEW, lambda _, text: text.replace("owner:", "team:")),
)
CLUSTER = f"""# kept as it is: apiVersion: {OLD}
apiVersion:   "{OLD}"   # so is this
kind: Cluster
name:  x
pools:
    a: {{selector: {{b: c}}, owner: us}}   \r
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
    was, becomes = CLUSTER.split("\n"), result.changed["inventory/x.yaml"].decode().split("\n")
    assert [number for number, (old, new) in enumerate(zip(was, becomes, strict=True)) if old != new] == [1, 5]
    assert becomes[1] == f'apiVersion:   "{NEW}"   # so is this'
    assert becomes[5] == "    a: {nodeSelector: {b: c}, team: us}   \r"


def test_a_document_joins_the_way_where_it_stands() -> None:
    files = {
        "inventory/a.yaml": f"apiVersion: {MIDDLE}\nkind: Fleet\nowner: x\nselector: y\n".encode(),
        "inventory/b.yaml": f"{{apiVersion: {NEW}, kind: Fleet}}\n".encode(),
    }
    result = migrated(files, table=STEPS, target=NEW)
    assert result.changed == {"inventory/a.yaml": f"apiVersion: {NEW}\nkind: Fleet\nteam: x\nselector: y\n".encode()}
    assert result.current == 1


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha2", "v2", ""])
def test_an_apiversion_that_nobody_knows_is_refused(version: str) -> None:
    (finding,) = migrated({"inventory/x.yaml": f"kind: Fleet\napiVersion: {GROUP}/{version}\n".encode()}).findings
    assert (str(finding.place), finding.severity) == ("inventory/x.yaml:2:13", "invalid")
    assert finding.message == (
        f'apiVersion "{GROUP}/{version}" is not known to this drivergate, which knows {API_VERSION}'
    )
    assert "install the drivergate" in finding.hint


def test_steps_that_go_in_a_circle_lead_nowhere() -> None:
    circle = (Migration(OLD, MIDDLE, lambda _, text: text), Migration(MIDDLE, OLD, lambda _, text: text))
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
