"""Engines: what the domain builds on. They know nothing of its meaning, and none imports another."""
