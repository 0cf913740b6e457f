"""Text as callers send it: what is acceptable, and when two texts say the same."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def is_storable(text: str) -> bool:
    """Tell whether every store can hold the text: no NUL, no lone surrogate."""
    if "\x00" in text:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in text)


def storable(text: str) -> str:
    """Return the text.

    Raises:
        ValueError: some store cannot hold it; the message says why, without the text.
    """
    if not is_storable(text):
        message = "must not contain NUL or unpaired surrogate characters"
        raise ValueError(message)
    return text


def is_on_one_line(text: str) -> bool:
    """Tell whether a text can stand in a list: storable, no control character, no line break."""
    return is_storable(text) and not _CONTROLS.search(text)


def folded(text: str) -> str:
    """Return the text after Unicode NFC and with runs of white space folded to one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fingerprint(*parts: str) -> str:
    """Return a SHA-256 hex digest of the parts, unambiguous about where one ends."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()


def preview(text: str, limit: int = 80) -> str:
    """Return the first `limit` characters, as the specification's content_preview."""
    return text[:limit]
