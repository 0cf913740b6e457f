"""Engines: what the domain stands on, knowing nothing of its meaning and none another."""
