"""Engines: what the domain builds on. They do not know its meaning, nor one another."""
