"""Small domain-free tools, one noun a file."""
