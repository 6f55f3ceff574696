"""Owns one question: is an image built? The look-up, what is nearest to a miss, and how to get it."""
