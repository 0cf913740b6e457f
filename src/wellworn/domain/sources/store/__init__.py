"""The only SQL of sources."""
