"""Benchmarks: the figures wellworn is to reach, measured on real servers and real conversations.

They print and never fail: a figure on a busy machine says something about the machine.
"""
