"""Owns how drivergate is called: one file per verb, wiring and exit codes.

It takes no decision longer than an `if`, and nobody imports it.
"""
