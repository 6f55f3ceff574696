"""Owns what will happen: the plan of a change, its impact, the operator's state machine, drains and waves.

It judges nothing that is declared (rules/), composes no image reference (render/), and prints nothing (report/).
Pure: it asks no cluster and has no clock; seconds are a number that it is given.
"""
