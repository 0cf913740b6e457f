"""Shipped doubles and contract suites, for this project's tests and for those who extend it."""
