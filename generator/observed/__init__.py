"""Owns what a cluster says: nodes, parsed from the JSON that kubectl prints.

Pure parsing. It asks no cluster.
"""
