"""The only SQL of knowledge."""
