"""Owns what the repository says: documents with places, inventory, catalog, inheritance.

Text in, frozen values and findings out. It opens no file and judges no combination.
"""
