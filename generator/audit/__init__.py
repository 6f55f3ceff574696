"""Owns one question: does a cluster agree with what is declared and rendered for it?

Pure comparison. It asks no cluster (edges/), and replays no upgrade (upgrade/).
"""
