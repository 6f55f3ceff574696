"""The family upgrade/: what the declared upgrade policies do to a rollout."""
