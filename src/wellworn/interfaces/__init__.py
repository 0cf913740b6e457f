"""Interfaces: how people, programs and agents reach wellworn."""
