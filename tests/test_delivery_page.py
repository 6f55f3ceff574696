"""docs/delivery.md: its commands print what it shows, and its examples are what the tools take."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.testing.inventories import POOL, cluster, files, texts
from tests.testing.trees import emitted

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "delivery.md").read_text(encoding="utf-8")
SCHEMAS = ROOT / "tests" / "data" / "gitops"
CONSOLE = re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
EXAMPLES = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL))


def validator(kind: str) -> Any:
    return jsonschema_rs.validator_for(json.loads((SCHEMAS / f"{kind}.json").read_text(encoding="utf-8")))


def helm_release() -> dict[str, Any]:
    (text,) = re.findall(r"^```yaml\n(apiVersion: helm\S+\n.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_commands_print_what_is_shown(command: str, shown: str) -> None:
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_files_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"\bout/_delivery/[\w./-]+", PAGE))
    assert len(named) >= 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_the_settings_of_the_page_are_those_of_the_schema() -> None:
    """Every setting of a tool has its row, and no row is of a setting that isn't there."""
    defs = json.loads((ROOT / "docs" / "schemas" / "fleet.json").read_text(encoding="utf-8"))["$defs"]
    for tool, name in (("argocd", "ArgoCd"), ("flux", "Flux")):
        wanted = set(defs[name]["properties"])
        if tool == "argocd":
            wanted = (wanted - {"chart"}) | {f"chart.{key}" for key in defs["Chart"]["properties"]}
        (table,) = re.findall(rf"^\| `delivery\.{tool}` .*\n\|---.*\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
        rows = {key for row in table.splitlines() for key in re.findall(r"`([\w.]+)`", row.split("|")[1])}
        assert rows == wanted


def test_the_helmrelease_reads_what_is_rendered() -> None:
    """Fixture 11: one of chart and chartRef; the ConfigMap by its very name, in its namespace, by the default key."""
    release = helm_release()
    assert [str(error) for error in validator("helmrelease").iter_errors(release)] == []
    assert len({"chart", "chartRef"} & set(release["spec"])) == 1
    (values,) = [file for file in emitted("sample") if file.path.endswith("/gpu-operator-values.yaml")]
    (wanted,) = release["spec"]["valuesFrom"]
    assert (wanted["kind"], wanted["name"]) == ("ConfigMap", values.document["metadata"]["name"])
    assert release["metadata"]["namespace"] == values.document["metadata"]["namespace"]
    assert wanted.get("valuesKey", "values.yaml") in values.document["data"]
    # The other Kustomization waits for the one that holds it.
    drivers = next(file for file in emitted("sample") if file.path.endswith("/gpu-drivers.yaml"))
    assert drivers.document["spec"]["dependsOn"] == [{"name": release["metadata"]["name"]}]


def test_the_schema_refuses_what_is_no_helmrelease() -> None:
    release = helm_release()
    release["spec"]["valueFiles"] = []
    assert not validator("helmrelease").is_valid(release)


def test_the_applicationset_of_the_page() -> None:
    templates = {path: text for path, text in EXAMPLES.items() if path.startswith("templates/")}
    assert len(templates) == 2
    argocd = 'delivery: {argocd: {repoURL: "https://git.example.com/gpu/fleet.git"}}\n'
    two = cluster(POOL, name="Two", more=argocd)
    other = cluster(POOL, name="three")
    made = texts({**files(POOL, more=argocd), "inventory/two.yaml": two, "inventory/three.yaml": other, **templates})
    found = [path for path in made if path.startswith("_delivery/argocd/") and "_health" not in path]
    assert found == ["_delivery/argocd/applicationset.yaml"]
    document = yaml.safe_load(made[found[0]])
    assert [str(error) for error in validator("applicationset").iter_errors(document)] == []
    assert document["spec"]["syncPolicy"] == {"preserveResourcesOnDeletion": True}
    assert document["spec"]["goTemplateOptions"] == ["missingkey=error"]
    (generator,) = document["spec"]["generators"]
    assert generator["list"]["elements"] == [{"cluster": name, "namespace": "gpu-operator"} for name in ("Two", "one")]
    template = document["spec"]["template"]
    assert template["spec"]["source"]["path"] == "out/{{ .cluster }}/gpu-operator"
    assert template["metadata"]["name"] == "gpu-drivers-{{ normalize .cluster }}"
    for element in generator["list"]["elements"]:
        assert f"{element['cluster']}/gpu-operator/kustomization.yaml" in made


def test_the_inventories_of_the_page_are_the_samples() -> None:
    fleet = yaml.safe_load((ROOT / "inventory" / "fleet.yaml").read_text(encoding="utf-8"))
    assert yaml.safe_load(EXAMPLES["inventory/fleet.yaml"])["defaults"]["delivery"] == fleet["defaults"]["delivery"]
    own = yaml.safe_load((ROOT / "inventory" / "clusters" / "onprem-muc.yaml").read_text(encoding="utf-8"))
    assert yaml.safe_load(EXAMPLES["inventory/clusters/onprem-muc.yaml"])["delivery"] == own["delivery"]
