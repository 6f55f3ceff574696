"""Problems that were reported in public, one test or more for each: `test_d01_…` is the case D01.

A case says where it was reported, what goes in, and the right answer. What it leaves to choose is in
docs/decisions.md, "Public cases".
"""
