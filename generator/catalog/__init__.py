"""Owns how the catalog is kept true: what a fleet can need, which lines a look at a registry changes, where they go.

It asks no registry and writes no file. What an image's line says is declared/'s, what a registry says observed/'s.
"""
