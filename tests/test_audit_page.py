"""The manifests of docs/audit.md: what the roles let list is what drivergate lists, and the CronJob is one."""

import re

import yaml

from generator.audit import live as audit
from generator.cli.observing import RESOURCES
from generator.edges.kubectl import PATHS
from generator.upgrade import input as upgrade
from tests.testing.docs import ROOT

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
OBJECTS = {(one["kind"], one["metadata"]["name"]): one for block in BLOCKS for one in yaml.safe_load_all(block)}


def granted(role: str) -> set[tuple[str, str]]:
    """API group and resource of everything that the role lets list."""
    rules = OBJECTS["ClusterRole", role]["rules"]
    assert all(rule["verbs"] == ["list"] for rule in rules)
    return {(group, one) for rule in rules for group in rule["apiGroups"] for one in rule["resources"]}


def asked(kinds: tuple[str, ...]) -> set[tuple[str, str]]:
    """The same of what is asked for, by the paths that kubectl gets: /api/v1/R and /apis/GROUP/VERSION/R."""
    paths = [PATHS[RESOURCES[kind]].split("/")[2:] for kind in kinds]
    return {("" if len(path) == 2 else path[0], path[-1]) for path in paths}


def test_each_role_is_the_least_that_is_needed() -> None:
    assert granted("drivergate-audit") == asked((*audit.NEEDED_KINDS, *audit.USEFUL_KINDS))
    assert granted("drivergate-upgrade") == asked((*upgrade.NEEDED_KINDS, *upgrade.USEFUL_KINDS))


def test_the_job_runs_as_the_account_that_the_role_is_bound_to() -> None:
    binding = OBJECTS["ClusterRoleBinding", "drivergate-audit"]
    job = OBJECTS["CronJob", "drivergate-audit"]
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    account = {"kind": "ServiceAccount", "name": pod["serviceAccountName"], "namespace": job["metadata"]["namespace"]}
    assert binding["subjects"] == [account]
    assert ("ServiceAccount", account["name"]) in OBJECTS
    assert "--context ''" in pod["containers"][0]["args"][0]
