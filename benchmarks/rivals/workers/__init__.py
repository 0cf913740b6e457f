"""One script for each rival, run by the Python of the environment that the rival is installed in.

They import nothing but the standard library, the rival, and `workers.protocol`.
"""
