"""The family image/: every image that a node will ask for must be built."""
