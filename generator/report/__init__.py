"""Owns how findings and values are said: text, JSON, Markdown, and the formats of CI.

Pure strings. It decides nothing.
"""
