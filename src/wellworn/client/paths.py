"""Addresses of things below the server's own."""

from __future__ import annotations


def path_of(*parts: str) -> str:
    """Return a path of the API; each part stays one part, whatever it contains."""
    return "/".join(("/api/v1", *map(_segment, parts)))


def _segment(text: str) -> str:
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_") else _escaped(letter)
        for letter in text
    )


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())
