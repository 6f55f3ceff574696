"""A registry that speaks the OCI distribution API, read only."""
