"""Whether the operator upgrades a pool's nodes by itself."""

from generator.declared.fleet import Cluster, Install, Pool
from generator.operator.driver import carries_upgrade_policy


def automatic(cluster: Cluster, pool: Pool) -> bool:
    """Whether the operator itself upgrades the pool's nodes; what silence means depends on who fills the default."""
    by_default = not carries_upgrade_policy(cluster) or cluster.operator.install is Install.HELM
    return pool.driver.upgrade_policy.get("autoUpgrade", by_default) is True
