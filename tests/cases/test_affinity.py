"""Public cases of the area affinity: what a need of CUDA or of memory is in the labels of nodes."""

import yaml

from generator.facts import cuda
from generator.facts.cuda import Need
from generator.facts.driveraffinity import families
from generator.operator.carries import workload_terms
from generator.report.cuda import Placement, placements_text
from tests.cases.inventory import HEAD, files, image, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.judging import revision_of

ONE = pool("a", 'branch: "580"')
BUILT = (image("580-5.15.0-118-generic-ubuntu22.04", more=', driverVersion: "580.95.05"'),)


def workload(need: str, more: str = "") -> dict[str, str | bytes]:
    text = HEAD.format(kind="Workloads") + (
        "team: ml\nworkloads:\n  w:\n    runsOn: {pools: [a]}\n    namespace: ml\n    owner: {kind: Deployment}\n"
        f"    podLabels: {{app: w}}\n    cuda: {{{need}}}\n{more}"
    )
    return {**files(ONE, images=BUILT), "inventory/workloads.yaml": text}


def printed(given: dict[str, str | bytes]) -> str:
    context, problems = revision_of(given)
    assert problems == ()
    (one,) = context.fleet.workloads
    (cluster,) = context.fleet.clusters
    terms = workload_terms(cluster, one)
    return placements_text([Placement(workload=one.name, clusters=(cluster.name,), need=str(one.cuda), terms=terms)])


def test_d44_the_driver_labels_hold_a_driver_and_no_cuda_version() -> None:
    """NVIDIA/gpu-operator#391: with the families swapped, driver.major Gt 11 is true on every node."""
    given = workload('toolkit: "12.0"')
    assert outcome(given).result is Result.OK
    said = printed(given)
    shows(said, "nvidia.com/cuda.runtime.major", '{key: nvidia.com/cuda.driver.major, operator: Gt, values: ["525"]}')
    hides(said, r'cuda\.driver\.major, operator: Gt, values: \["1')
    shows(printed(workload('driver: ">=550"')), '{key: nvidia.com/cuda.driver.major, operator: Gt, values: ["549"]}')
    need = cuda.parse_toolkit("12.0")
    assert isinstance(need, Need)
    assert need.least() == "525.60.13"


MEMORY = (
    "    nodeSelectorTerms:\n      - matchExpressions: [{key: nvidia.com/gpu.memory, operator: Gt, values: [%s]}]\n"
)


def test_d45_numbers_stay_texts() -> None:
    """kubeflow/pipelines#9880: the API refuses integers in values."""
    given = workload('driver: ">=580"', MEMORY % '"39999"')
    assert outcome(given).result is Result.OK
    said = printed(given)
    shows(said, '{key: nvidia.com/gpu.memory, operator: Gt, values: ["39999"]}')
    required = yaml.safe_load(said)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    terms = required["nodeSelectorTerms"]
    assert {type(value) for term in terms for one in term["matchExpressions"] for value in one["values"]} == {str}
    assert len(families(terms)) == 1


def test_d45_a_number_without_quotes_loses_nothing() -> None:
    """Unquoted, 39999 is the same text, and is printed with quotes."""
    assert printed(workload('driver: ">=580"', MEMORY % "39999")) == printed(
        workload('driver: ">=580"', MEMORY % '"39999"')
    )
