"""Addresses of things below the server's own."""

from __future__ import annotations


def path_of(*parts: str) -> str:
    """Return a path of the API; each part stays one part, whatever it contains."""
    return "/".join(("/api/v1", *map(escape_segment, parts)))


def below_knowledge(*parts: str | int) -> str:
    """Return a path of knowledge, whose routes are those of its specification."""
    return "/".join(("/api/knowledge", *(escape_segment(str(part)) for part in parts)))


def escape_segment(text: str) -> str:
    """Return a text as one part of a path."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_") else _escape(letter)
        for letter in text
    )


def _escape(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())
