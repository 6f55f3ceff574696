"""Public cases that compare two revisions: what a pull request says of them before it is merged."""

import pytest

from generator.change.comparison import impact
from generator.change.effect import Outcome
from generator.change.impact import Impact
from generator.report.impact import Told, text
from tests.cases.inventory import files, fleet, pool
from tests.cases.outcome import shows
from tests.testing.judging import revision_of

TAG = "550-5.15.0-118-generic-ubuntu22.04"


def between(then: dict[str, str | bytes], now: dict[str, str | bytes]) -> Impact:
    contexts = []
    for revision in (then, now):
        context, problems = revision_of(revision)
        assert problems == ()
        contexts.append(context)
    return impact(*contexts, total=1)


def test_d66_the_pull_request_says_that_a_rename_takes_the_driver_down() -> None:
    """argoproj/argo-cd#14277."""
    then, now = (
        files(pool(name, 'branch: "550"', selector="{gpu-pool: a}"), images=(TAG,)) for name in ("gpu-a", "gpu-alpha")
    )
    found = between(then, now)
    assert found.blocked
    said = text(Told(base="HEAD", head="work tree", impact=found))
    shows(said, "gpu-a", "gpu-alpha", "renamedFrom: gpu-a", "reload")


@pytest.mark.parametrize(("operator", "outcome"), [("v26.7.0", Outcome.RESTART), ("v26.3.3", Outcome.RELOAD)])
def test_d104_a_label_on_driver_pods_says_what_it_evicts(operator: str, outcome: Outcome) -> None:
    """NVIDIA/gpu-operator PR#2527 and k8s-operator-libs PR#145: a version in a label evicted GPU work."""
    made = [
        files(pool("a", f'branch: "550", spec: {{labels: {{helm.sh/chart: gpu-operator-{chart}}}}}'), images=(TAG,))
        for chart in ("1.0", "1.1")
    ]
    found = between(*({**one, "inventory/fleet.yaml": fleet(operator)} for one in made))
    (one,) = found.pools()
    assert one.outcome is outcome
    assert [change.path for change in one.changes] == ["labels.helm.sh/chart"]
