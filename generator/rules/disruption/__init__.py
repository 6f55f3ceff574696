"""The family disruption/: whether disruption budgets let a node be emptied."""
