"""Small inventories as text, for the rules about what the operator makes of them."""

from collections.abc import Iterable

from msgspec.structs import replace

from generator.facts.definition import Definition
from generator.finding import Finding
from generator.revision.driver_objects import DriverObject
from generator.rules.rule import Rule, problems_of
from generator.rules.table import BY_ID
from tests.testing.judging import revision_of

HEAD = "apiVersion: drivergate.dev/v1alpha1\n"
CLUSTER = "inventory/c.yaml"
FLEET = "inventory/fleet.yaml"


def fleet(operator: str = "version: v26.7.0", driver: str = 'branch: "580"', more: str = "") -> str:
    return (
        f"{HEAD}kind: Fleet\nname: f\n{more}defaults:\n  operator: {{{operator}}}\n"
        f"  driver: {{repository: nvcr.io/nvidia/driver, {driver}}}\n"
    )


def pool(
    name: str,
    *lines: str,
    selector: str | None = None,
    os: str = '{id: ubuntu, version: "22.04"}',
    arch: str = "[amd64]",
    kernels: str = "[5.15.0-173-generic]",
) -> str:
    """A pool; an empty selector, OS or list of kernels leaves its key out."""
    wanted = f"{{example.com/pool: {name}}}" if selector is None else selector
    said = {"nodeSelector": wanted, "os": os, "arch": arch, "kernels": kernels}
    body = [*(f"{key}: {value}" for key, value in said.items() if value), *lines]
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in body)


def cluster(*pools: str, top: str = "", name: str = "c") -> str:
    return f"{HEAD}kind: Cluster\nname: {name}\n{top}pools:\n" + "".join(pools)


WORKLOADS = "inventory/w.yaml"


def workloads(*listed: str, team: str = "t") -> str:
    return f"{HEAD}kind: Workloads\nteam: {team}\nworkloads:\n" + "".join(listed)


def workload(name: str, *lines: str, budget: str = "", **more: str) -> str:
    """A workload of pool a; an empty text leaves its key out. `budget` is an existing one's body."""
    said = {
        "runsOn": "{pools: [a]}",
        "namespace": "ns",
        "owner": "{kind: Deployment}",
        "podLabels": f"{{app: {name}}}",
        "replicas": "3",
        **more,
    }
    body = [*(f"{key}: {value}" for key, value in said.items() if value), *lines]
    body += [f"disruptionBudget: {{existing: {{{budget}}}}}"] if budget else []
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in body)


def inventory(*pools: str, top: str = "", operator: str = "version: v26.7.0", driver: str = 'branch: "580"') -> dict:
    return {FLEET: fleet(operator, driver), CLUSTER: cluster(*pools, top=top)}


def told(
    rule: str,
    files: dict[str, str],
    *,
    against: Iterable[DriverObject] | None = None,
    crds: tuple[Definition, ...] = (),
) -> list[Finding]:
    """What one rule says of an inventory that can be read without a finding."""
    revision, problems = revision_of(files, against=None if against is None else tuple(against))
    assert [str(one) for one in problems] == []
    row: Rule = BY_ID[rule]
    return [row.finding(problem) for problem in problems_of(row, replace(revision, crds=crds))]


def messages(rule: str, files: dict[str, str], **more: object) -> list[str]:
    return [one.message for one in told(rule, files, **more)]  # type: ignore[arg-type]
