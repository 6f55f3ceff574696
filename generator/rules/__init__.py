"""Owns what is wrong in what is declared, observed or rendered.

One file per family and one visible table. It prints nothing and decides no exit code.
"""
