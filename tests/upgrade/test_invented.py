"""The inventory as if a cluster had been looked at."""

from generator.upgrade.invented import invented
from tests.testing.inventories import HEAD
from tests.testing.planning import catalog, files, pool, read, tag

KERNEL = "5.15.0-173-generic"
ON = "runsOn: {clusters: [one], pools: [a]}, namespace: ml, owner: {kind: Deployment}, replicas: 2"
TWO = "{existing: {maxUnavailable: 1}}, {existing: {minAvailable: 1}}"


def test_budgets_whose_names_are_not_declared_are_told_apart() -> None:
    """Each has the name of its workload, so that none takes another's place and a message can name it."""
    workloads = f"""{HEAD}kind: Workloads
team: ml
workloads:
  api: {{{ON}, podLabels: {{app: api}}, disruptionBudget: {{existing: {{minAvailable: 2}}}}}}
  db:
    {{{ON}, podLabels: {{app: db}}, disruptionBudget: [{TWO}]}}
  web: {{{ON}, podLabels: {{app: web}}, disruptionBudget: {{existing: {{name: theirs, minAvailable: 1}}}}}}
"""
    declared = files(
        pool(f"arch: [amd64], kernels: [{KERNEL}], nodes: 2"), **{"inventory/catalog.yaml": catalog(tag(KERNEL))}
    )
    fleet, _, _ = read({**declared, "inventory/ml.yaml": workloads})
    found = invented(fleet, fleet.clusters[0])
    assert sorted(found.budgets) == ["ml/api", "ml/db", "ml/db-2", "ml/theirs"]
    assert len(found.pods) == 2 * 2 + 3 * 2
