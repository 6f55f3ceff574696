"""The end of a drain, where drain.jsonl says nothing of it."""

from generator.facts.deletable import Flags, Standing
from generator.facts.drain import DrainedPod, Mode, Trouble, drained
from generator.facts.eviction import Answer

OWNED = Standing(owner="ReplicaSet")


def test_two_budgets_on_a_pod_end_the_drain_at_once():
    # kubectl pkg/drain/drain.go evictPods retries on 429 alone; two budgets are answered with 500.
    found = drained([DrainedPod(standing=OWNED, answer=Answer(code=500))], Flags(), Mode())
    assert (found.exit, found.troubles, found.left) == (1, (Trouble.EVICTION,), 1)


def test_what_can_go_goes_before_the_drain_times_out():
    pods = [DrainedPod(standing=OWNED, answer=Answer(code=code)) for code in (201, 429)]
    found = drained(pods, Flags(), Mode())
    assert (found.exit, found.left) == (1, 1)
    assert set(found.troubles) == {Trouble.RETRIED, Trouble.TIMEOUT}
