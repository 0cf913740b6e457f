"""Version 1 of the HTTP surface, one noun a file."""
