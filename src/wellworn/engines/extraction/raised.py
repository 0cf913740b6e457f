"""Writes raised, lowered and struck words so that no value next to them becomes another one.

A raised 6 beside 10 is `10^6`, a note's mark beside a year `2031[^4]`, a struck fee `~~80~~`. Which
a raised number is shows what it hangs on: a power on a short number, a unit or a sign of
arithmetic, a note on a full word, a long number or the end of a sentence.

Source: CommonMark and GFM 0.29, section 6.5 (strikethrough); Pandoc's Markdown (notes).
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

LOOK_BACK: Final = 24
"""Characters before raised words that decide how they are written."""
_STRUCK: Final = "~~"
_MARK: Final = re.compile(r"\d{1,3}|[^\W\d_]")
_MARKS: Final = re.compile(r"(?:\d{1,3}|[^\W\d_])(?:(?: ?[,;\u2013-] ?| )(?:\d{1,3}|[^\W\d_]))+")
_SIMPLE: Final = re.compile(r"[-+\u2212\u2013]?[\w.,]*\w")
_ARITHMETIC: Final = frozenset(
    "=*+/<>~^\u00b1\u00b7\u00d7\u00f7\u2212\u2219\u2248\u2264\u2265\u22c5"
)
_SENTENCE_SIGNS: Final = frozenset(".,;:!?\"'\u00bb\u2019\u201d")
_BRACKETS: Final = frozenset("[(")
_WORD_LETTERS: Final = 4
"""Letters or digits from which something is a word or a year, and neither a unit nor a base."""


def format_raised(text: str, before: str, *, after: str = "", is_note: bool = False) -> str:
    """Return raised words as they stand behind what is before them.

    Args:
        text: the raised words.
        before: the text before them, or its end.
        after: what follows them, or its beginning.
        is_note: whether they are known to be the mark of a note.
    """
    words = " ".join(text.split())
    if not any(map(str.isalnum, words)) or words[0] in _BRACKETS:
        return text
    if is_note or _is_note(words, before, after):
        return f"[^{words}]"
    base = _find_base(before)
    if not base and before[-1:] not in {")", "]", "}", "%", "°"}:
        return words
    if base.isdecimal() and words.isalpha() and (len(words) > 1 or words > "\x7f"):
        return words
    whole = f"^{words}" if _SIMPLE.fullmatch(words) else f"^({words})"
    return _keep_apart(whole, after)


def format_lowered(text: str, before: str, *, after: str = "") -> str:
    """Return lowered words: `CO2` as everybody writes it, `V_max`, `log_2 8`."""
    words = " ".join(text.split())
    if not words or not any(map(str.isalnum, words)) or not before[-1:].isalnum():
        return text
    if words.isdecimal() and before[-1:].isalpha() and not after[:1].isdecimal():
        return words
    return _keep_apart(f"_{words}" if _SIMPLE.fullmatch(words) else f"_({words})", after)


def format_struck(text: str) -> str:
    """Return struck words between the marks of Markdown, line by line; blanks stay outside."""
    return "\n".join(map(_strike_line, text.replace(_STRUCK, "").split("\n")))


def _strike_line(line: str) -> str:
    words = line.strip()
    if not words:
        return line
    start = line.index(words)
    return f"{line[:start]}{_STRUCK}{words}{_STRUCK}{line[start + len(words) :]}"


def _is_note(words: str, before: str, after: str) -> bool:
    """Tell whether raised words are the mark of a note, by what they hang on."""
    if _MARKS.fullmatch(words):
        return True
    if not _MARK.fullmatch(words):
        return False
    stem = before[-LOOK_BACK:].rstrip()
    if stem != before[-LOOK_BACK:] or not stem:
        # Apart from what is before it, or the first of its line.
        return bool(stem[-1:].isdecimal()) or (not stem and after[:1].isspace())
    if stem[-1] in _SENTENCE_SIGNS:
        return True
    base = _find_base(stem)
    if len(base) < _WORD_LETTERS:
        return False
    beside = stem.removesuffix(base).rstrip()[-1:] + after.lstrip()[:1]
    return _ARITHMETIC.isdisjoint(beside)


def _find_base(before: str) -> str:
    """Return the letters and digits that a text ends with."""
    stem = before[-LOOK_BACK:]
    return "".join(takewhile(str.isalnum, reversed(stem)))[::-1]


def _keep_apart(words: str, after: str) -> str:
    return f"{words} " if words[-1].isdecimal() and after[:1].isdecimal() else words
