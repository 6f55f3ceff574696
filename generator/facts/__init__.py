"""Owns what is true of drivers, kernels, CUDA and the operator.

Data as JSON beside one small reader; pure arithmetic on it. It knows no inventory.
"""
