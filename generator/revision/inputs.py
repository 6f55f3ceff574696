"""Which files of the repository are input: what lies in our folders, and what the inventory names elsewhere."""

from generator.declared.fleet import Fleet
from generator.declared.inventory import ENDINGS
from generator.layout import INPUTS, TEMPLATES, is_plain_path
from generator.render.template import ENDING


def named_files(fleet: Fleet) -> frozenset[str]:
    """The paths of bases, CRDs and manifests of budgets that the inventory names, as they are written there."""
    bases = (cluster.operator.policy_base for cluster in fleet.clusters)
    manifests = (manifest.file for workload in fleet.workloads for manifest in workload.manifests)
    return frozenset({*bases, *fleet.crds, *manifests})


def places(named: frozenset[str]) -> tuple[str, ...]:
    """The folders and named files among which all input lies, sorted."""
    return tuple(sorted({*INPUTS, *filter(is_plain_path, named)}))


def is_read(path: str) -> bool:
    """Whether a file below one of our folders would be read, and does not just lie there as notes do."""
    folder = path.partition("/")[0]
    return path.endswith(ENDING if folder == TEMPLATES else ENDINGS)
