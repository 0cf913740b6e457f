"""Nonces: the one thing here that comes from chance."""

from __future__ import annotations

import secrets


def new_nonce() -> str:
    """Return 32 hexadecimal digits that nobody can guess, for one call of `fence_quotes`."""
    return secrets.token_hex(16)
