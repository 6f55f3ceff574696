"""Owns what will happen: the operator's upgrade of drivers, replayed, and what a change does to a fleet.

Pure: it asks no cluster and has no clock; seconds are a number that it is given.
"""
