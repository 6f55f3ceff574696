"""Owns where the outside begins: files, git, environment.

The only code that touches disk, processes, clock or environment. It knows no rule.
"""
