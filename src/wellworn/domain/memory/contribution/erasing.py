"""Tells orders to the memory to forget something, which only an id can name. Pure."""

from __future__ import annotations

import re
from typing import Final

from wellworn.kit.words import fold, load_phrases

_STARTS_REQUESTS: Final = rf"(?:(?:{load_phrases(__name__, 'requests')})(?!\w)[, ]*)*"
_WISHES: Final = rf"(?:{load_phrases(__name__, 'wishes')})(?!\w)"
_LAST: Final = load_phrases(__name__, "to_erase_last")
_ERASES: Final = re.compile(
    rf"{_STARTS_REQUESTS}(?:{load_phrases(__name__, 'erasing')})(?!\w)"
    rf"|{_WISHES},?(?: (?:please|just|bitte|lo|la|por favor))?"
    rf" (?:{load_phrases(__name__, 'to_erase')})(?!\w)"
    rf"|{_WISHES}[^.:]{{0,80}}(?<! zu) (?:{_LAST})\W*$"
    rf"|i(?:'d like| want| need)\b[^.:]{{0,80}} (?:{load_phrases(__name__, 'erased')})\W*$"
    rf"|[^\u522b]*(?:{load_phrases(__name__, 'erasing_unspaced')})"
)


def asks_to_erase(prompt: str) -> bool:
    """Tell whether the prompt asks for something to be forgotten, which only an id can name."""
    return _ERASES.match(fold(prompt)) is not None
