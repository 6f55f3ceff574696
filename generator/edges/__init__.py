"""Owns where the outside begins: files, git, registries, environment.

The only code that touches disk, network, processes, clock or environment. It knows no rule.
"""
