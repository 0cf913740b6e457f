"""Detects what a unit looks like, from its text alone: its ranking depends on it.

Length and form decide, never where a text is from. The borders are wide apart in what was measured
(turns of people 15 to 30 words, sections and answers of assistants 80 and more), so being a little
wrong about one costs little.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from typing import Final, Literal

from wellworn.engines.retrieval.weights import LONG_MESSAGE_WORDS, SECTION_WORDS, Kind, Shape

Role = Literal["user", "assistant"]

_USERS: Final = frozenset({"user", "human"})
_ASSISTANTS: Final = frozenset({"assistant", "ai", "bot", "model", "system"})
_LOOKED_AT: Final = 4_000
_LEAST_LINES: Final = 3
_BEGINS: Final = ("//", "/*", "*", "#")
_ENDS: Final = ("{", "}", ";", "(", ")", ":", "]", ",", "=>", "*/")
_SIGNS: Final = frozenset("{}();=[]")
#: Of code chunks 75 % have so many lines and signs of code, of prose and its examples 0 to 9 %.
_LEAST_SHARE_OF_LINES: Final = 0.5
_LEAST_SIGNS_A_LETTER: Final = 0.05


def detect_shape(kind: Kind, text: str, speaker: str = "") -> Shape:
    """Return the shape of a unit that is stored as `kind`."""
    start = text[:_LOOKED_AT]
    words = len(start.split())
    if kind == "turn":
        if words >= LONG_MESSAGE_WORDS:
            return "long_message"
        return "message" if detect_role(speaker) else "turn"
    if _is_code(start):
        return "code"
    return "section" if words >= SECTION_WORDS else "note"


def detect_role(speaker: str) -> Role | None:
    """Return the part that a speaker has in a chat with an assistant, by its usual names."""
    name = speaker.casefold()
    if name in _USERS:
        return "user"
    return "assistant" if name in _ASSISTANTS else None


def _is_code(text: str) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < _LEAST_LINES:
        return False
    like_code = sum(line.endswith(_ENDS) or line.startswith(_BEGINS) for line in lines)
    if like_code < _LEAST_SHARE_OF_LINES * len(lines):
        return False
    signs, letters = sum(map(_SIGNS.__contains__, text)), sum(map(str.isalpha, text))
    return signs >= _LEAST_SIGNS_A_LETTER * letters
