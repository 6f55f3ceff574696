"""Owns what a YAML text says, and where: the exact reader, places, scalars, and edits of what people wrote."""
