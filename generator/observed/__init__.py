"""Owns what a cluster or a registry says: nodes, as kubectl prints them, and images, as manifests and configs tell.

Pure parsing. It asks no cluster and no registry.
"""
