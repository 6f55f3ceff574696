"""Owns one question: what would the inventory of this cluster be? Nodes, driver objects and values become files.

It doesn't judge what it proposes (rules/), doesn't look at a live cluster, and writes nothing (edges/).
"""
