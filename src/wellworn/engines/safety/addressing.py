"""Picks what a model reads of a text to tell orders from statements: nothing of most texts.

Only what addresses somebody can be an order to them. And what its code alone makes suspicious is
none, so a text with code is read with and without it, and must be suspicious both times.
"""

from __future__ import annotations

import re
import unicodedata

from wellworn.kit.neutralising import remove_hidden
from wellworn.kit.words import load_phrases

_ADDRESSES = re.compile(rf"\b(?:{load_phrases(__name__, 'second_person')})\b", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
# A ruled line or a frame is many word pieces of one kind, which no model was trained on.
_RULED = re.compile(r"([^\w\s])\1{3,}")
_SHORTEST = 10


def list_readings(text: str) -> tuple[str, ...]:
    """Return the forms of a text in each of which an order reads like one; () if it can be none."""
    shown = unicodedata.normalize("NFKC", remove_hidden(text))
    if not _ADDRESSES.search(shown):
        return ()
    whole = _RULED.sub(r"\1\1\1", shown)
    prose = _CODE.sub(" ", whole).strip()
    if len(prose) < _SHORTEST:
        return ()
    return (whole,) if prose == whole.strip() else (whole, prose)
