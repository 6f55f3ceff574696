"""Owns what is committed: one value per template, the template environment, the set of files.

Values in, text out, proven to load as what was printed. It writes nothing.
"""
