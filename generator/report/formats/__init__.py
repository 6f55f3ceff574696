"""Findings in the formats that other tools read."""
