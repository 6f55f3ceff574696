"""The upgrade states of a node, and the keys under which the operator keeps them.

NVIDIA/k8s-operator-libs pkg/upgrade/consts.go; the driver's name in these keys is gpu.
"""

from enum import StrEnum


class State(StrEnum):
    """Every value of the state label that the operator's library knows; no label is UNKNOWN."""

    UNKNOWN = ""
    UPGRADE_REQUIRED = "upgrade-required"
    CORDON_REQUIRED = "cordon-required"
    WAIT_FOR_JOBS = "wait-for-jobs-required"
    POD_DELETION = "pod-deletion-required"
    DRAIN = "drain-required"
    NODE_MAINTENANCE = "node-maintenance-required"
    POST_MAINTENANCE = "post-maintenance-required"
    POD_RESTART = "pod-restart-required"
    VALIDATION = "validation-required"
    UNCORDON = "uncordon-required"
    DONE = "upgrade-done"
    FAILED = "upgrade-failed"


STATE = "nvidia.com/gpu-driver-upgrade-state"
SKIP = "nvidia.com/gpu-driver-upgrade.skip"
SKIP_DRAIN = "nvidia.com/gpu-driver-upgrade-drain.skip"
REQUESTED = "nvidia.com/gpu-driver-upgrade-requested"
SAFE_LOAD = "nvidia.com/gpu-driver-upgrade.driver-wait-for-safe-load"
WAS_CORDONED = "nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable"
WAITS_SINCE = "nvidia.com/gpu-driver-upgrade-wait-for-pod-completion-start-time"
VALIDATES_SINCE = "nvidia.com/gpu-driver-upgrade-validation-start-time"

VALIDATION_SECONDS = 600  # validation_manager.go validationTimeoutSeconds, which no setting changes
MOST_RESTARTS = 10  # common_manager.go isDriverPodFailing: a container that restarted more often has failed
REQUEUE_SECONDS = 120  # controllers/upgrade_controller.go plannedRequeueInterval
