"""Owns what one state of the repository comes to: everything that is read and rendered before a rule runs."""
