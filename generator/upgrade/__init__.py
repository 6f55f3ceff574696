"""Owns what will happen: the plan of a change, its impact, the operator's state machine, drains and waves.

It judges nothing that is declared (rules/), composes no image reference (render/), and prints nothing (report/).
"""
