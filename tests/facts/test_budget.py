"""What a budget allows, where a reader would guess otherwise; a control plane's answers: upgrade/test_budgets.py."""

import pytest

from generator.facts.budget import Budget, Count, Owner, Pod, Scale, Status, settled, status

APP = {"matchLabels": {"app": "a"}}


def healthy(replicas):
    return Count(pods=replicas, healthy=replicas, expected=replicas)


# kubernetes/website#7581 (public case D49), with the controller's rounding.
@pytest.mark.parametrize(
    ("budget", "replicas", "desired", "allowed"),
    [
        (Budget(min_available="50%"), 7, 4, 3),
        (Budget(max_unavailable="40%"), 3, 1, 2),
        (Budget(max_unavailable="30%"), 1, 0, 1),
        (Budget(min_available="80%"), 3, 3, 0),
    ],
)
def test_percentages_round_up(budget, replicas, desired, allowed):
    found = settled(budget, healthy(replicas))
    assert (found.desired, found.allowed) == (desired, allowed)


def test_a_budget_of_neither_field_blocks_everything():
    # Shared facts/kubernetes.md, "Budgets and eviction".
    assert settled(Budget(), healthy(5)).allowed == 0


def test_declared_and_observed_pods_are_counted_alike():
    pods = [Pod(labels={"app": "a"}, owner=0) for _ in range(3)]
    budget = Budget(max_unavailable=1, selector=APP)
    assert status(budget, pods, [Owner(kind="ReplicaSet", replicas=3)]) == settled(budget, healthy(3))


def test_a_first_sync_that_fails_leaves_nothing_to_stand_on():
    jobs, pod = [Owner(kind="Job", replicas=1, scale=Scale.NOT_IMPLEMENTED)], Pod(labels={"app": "a"}, owner=0)
    budget = Budget(max_unavailable=1, selector=APP)
    never = status(budget, [pod], jobs)
    assert never == Status(synced=False, failure="jobs.batch does not implement the scale subresource")


def test_the_resource_of_another_kind_is_its_plural_unless_told():
    owner = Owner(kind="PyTorchJob", replicas=1, scale=Scale.NOT_IMPLEMENTED)
    found = status(Budget(max_unavailable=1, selector=APP), [Pod(labels={"app": "a"}, owner=0)], [owner])
    assert found.failure == "pytorchjobs does not implement the scale subresource"
