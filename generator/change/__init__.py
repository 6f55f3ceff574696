"""Owns what a change does to a fleet and how it can be made: plan, comparison, danger, runbook."""
