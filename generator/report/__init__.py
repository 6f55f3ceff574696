"""Owns how findings and values are said: text and JSON.

Pure strings. It decides nothing.
"""
