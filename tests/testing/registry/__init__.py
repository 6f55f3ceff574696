"""A registry that tests ask: one that misbehaves, and one that somebody else wrote."""
