"""Judges a reader by what it has not learned from: see `judge`."""
