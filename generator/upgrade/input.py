"""What a question about an upgrade begins with: the kinds of objects to list, and the operator's release."""

from generator.declared.fleet import Cluster
from generator.facts.release import Release, Unsupported, known, resolve
from generator.observed.objects import Objects
from generator.observed.operator import operator_release

NEEDED_KINDS = ("Node", "Pod")
# Without one of these a reason stays open, which is reported; a user who may not list them sees the rest.
USEFUL_KINDS = (
    "PodDisruptionBudget",
    "NVIDIADriver",
    "ClusterPolicy",
    "DaemonSet",
    "ControllerRevision",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "ReplicationController",
    "ResourceClaim",
)


def release_to_judge(
    named: str | None, cluster: Cluster | None, objects: Objects
) -> tuple[Release, bool] | Unsupported:
    """The operator release that counts, and whether it is only assumed.

    The one that the user names, else the one that runs, else the declared cluster's. The newest one is an assumption.
    """
    runs = operator_release(objects.pods.values())
    if named is None and runs:
        running = resolve(runs)
        if not isinstance(running, Unsupported):
            return running, False
    if named is None and cluster is not None:
        return cluster.operator.release, False
    release = resolve(named or known()[-1])
    return release if isinstance(release, Unsupported) else (release, named is None)
