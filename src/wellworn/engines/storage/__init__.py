"""Engines: SQL and vectors, knowing nothing of meaning."""
