"""Finds what reads like an order to the agent that retrieves it, rather than something to know.

A signal, not a wall: it names reasons to hold what a new owner or an outside source writes in
quarantine until others confirm it. Those who know the patterns can write around them, so nothing is
refused for what is said here and nothing is trusted for what is not.

An attack that is quoted by someone who writes about attacks is none: a phrase inside quotation
marks does not count where the text around it speaks of injections, payloads or tests.
`attempts.toml` lists the patterns.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from wellworn.kit.neutralising import find_hidden, has_control_token, remove_hidden
from wellworn.kit.words import load_phrases, load_table

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


_EDGE = r"(?:(?<!\w)|(?!\w))"
_NAMED = re.compile(r"\b[A-Z]{3,12}\b")
_NEAR = r"[^.!?\n]{0,60}?"
#: What lines begin with that stand for no word, and those that stand for words of other scripts.
_MARKS = ("!", "#", "<")
_ESCAPE = "\\"
_OTHER_SCRIPTS = re.compile(r"[\u0400-\u04ff\u4e00-\u9fff]")

_TABLE: Mapping[str, Mapping[str, str]] = load_table(__package__, "attempts.toml")


def _compile(lines: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for all lines, none of whose words begins or ends inside a longer word."""
    lines = list(lines)
    # Where a mark begins a phrase, no word does: most places in a text are neither's.
    words = "|".join(line for line in lines if not line.startswith(_MARKS))
    marks = "|".join(line for line in lines if line.startswith(_MARKS))
    begun = "|".join(filter(None, (words and rf"\b(?:{words})", marks)))
    gapped = begun.replace(" … ", _EDGE + _NEAR + _EDGE)
    spelled = _NAMED.sub(lambda name: f"(?:{_TABLE['vocabulary'][name[0]]})", gapped)
    return re.compile(f"(?:{spelled}){_EDGE}")


def _list_lines(phrases: str) -> list[str]:
    return [line for line in map(str.strip, phrases.splitlines()) if line]


def may_hold_attempt(text: str) -> bool:
    """Tell whether a text, prepared as for the patterns, matches any: most match none."""
    return (
        _compile_any(has_other_scripts=bool(_OTHER_SCRIPTS.search(text))).search(text) is not None
    )


# Made when first needed: that takes a quarter of a second, and many servers never need it.
@cache
def _compile_any(*, has_other_scripts: bool) -> re.Pattern[str]:
    """Return one pattern for all phrases, or for those in Latin letters alone."""
    lines = _list_lines("\n".join(_TABLE["phrases"].values()))
    return _compile(line for line in lines if has_other_scripts or not line.startswith(_ESCAPE))


@cache
def compile_attempts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each reason with its pattern."""
    return tuple(
        (reason, _compile(_list_lines(phrases))) for reason, phrases in _TABLE["phrases"].items()
    )
