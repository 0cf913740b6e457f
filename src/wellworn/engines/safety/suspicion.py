"""What reads like an order to the agent that will retrieve it, rather than something to know.

A signal, not a wall: it names reasons to keep what a new owner or an outside source writes in
quarantine until others confirm it. Whoever knows the patterns can write around them, so nothing is
refused for what is said here and nothing is trusted for what is not.

An attack that is quoted by someone who writes about attacks is none: a phrase inside quotation
marks does not count where the text around it speaks of injections, payloads or tests.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
import unicodedata

from wellworn.engines.safety.attempts import compile_attempts, may_hold_attempt
from wellworn.kit.neutralising import find_hidden, has_control_token, remove_hidden
from wellworn.kit.words import load_phrases

_SPEAKS_OF_ATTACKS = re.compile(rf"\b(?:{load_phrases(__name__, 'about_attacks')}|red[- ]team)")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|(?<!\w)'[^\"\n']{4,200}'(?!\w)|`[^`\n]{1,200}`"
    r"|\u201c[^\u201d\n]{1,200}\u201d"
)
# Single blanks, which most are, stay as they are.
_BLANKS = re.compile(r"[^\S\n]{2,1000}|[^\S\n ]")
# What turns the direction of writing, and what begins a command to a terminal.
_STEERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x1B, 0x9B)))
_BREAKABLE = re.compile(
    r"(?<![\s\u00ad\u200b\u2060])[\u00ad\u200b\u2060](?![\s\u00ad\u200b\u2060])"
)
_TAGS = range(0xE0000, 0xE1000)
_MANY_INVISIBLE = 4


def find_suspicions(text: str) -> tuple[str, ...]:
    """Return why the text looks like an attempt to command its reader; () when it does not."""
    shown = visible = remove_hidden(text)
    plain = _BLANKS.sub(" ", unicodedata.normalize("NFKC", visible).lower())
    if _SPEAKS_OF_ATTACKS.search(plain):
        visible, plain = _QUOTED.sub("", visible), _QUOTED.sub("", plain)
    reasons: list[str] = []
    if may_hold_attempt(plain):
        reasons = [reason for reason, phrases in compile_attempts() if phrases.search(plain)]
    if has_control_token(visible):
        reasons.append("imitates-a-role")
    if shown is not text and _is_hiding(text):
        reasons.append("hides-characters")
    return tuple(dict.fromkeys(reasons))


def _is_hiding(text: str) -> bool:
    """Tell hidden content from the soft hyphens that pages have and the marks that copying leaves.

    Alone between signs, what only says where a word may break hides nothing, however often.
    """
    hidden = find_hidden(_BREAKABLE.sub("", text))
    if any(character in _STEERING or ord(character) in _TAGS for character in hidden):
        return True
    return len(hidden) >= _MANY_INVISIBLE
