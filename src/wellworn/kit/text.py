"""Checks and comparison of the texts that callers send."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from wellworn.errors import InvalidInput

CHARACTERS_A_TOKEN: Final = 4
"""About as many characters a token of a language model has, in English."""

LONGEST_NAME = 100
LONGEST_SHOWN_NAME: Final = 60
_MOST_NAME_WORDS: Final = 3
_OTHER_QUOTES: Final = str.maketrans('\u201c\u201d"', "\u2018\u2019'")
INVISIBLE = (
    r"\s\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
"""Characters that show nothing by themselves, as the inside of a class of a regular expression."""
_PUNCTUATION = (
    r"!\"*,;<>?\\^`{|}\u0080-\u00bf"  # of ASCII and Latin-1
    r"\u2016-\u2018\u201a-\u2027\u2030-\u205e\u3000-\u303f\uff01-\uff0f"
)
LONGEST_KEYPHRASE = 64
KEYPHRASE = (
    rf"^ *(?:[^{INVISIBLE}{_PUNCTUATION}]*[^{INVISIBLE}{_PUNCTUATION}.:] +){{0,4}}"
    rf"[^{INVISIBLE}{_PUNCTUATION}]+ *$"
)
"""A word or up to five, without what ends or divides a sentence; a regular expression."""
_KEYPHRASE = re.compile(KEYPHRASE)
_VISIBLE = re.compile(f"[^{INVISIBLE}]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: it is empty, blank, or of invisible characters."""
    return _VISIBLE.search(text) is None


def is_storable(text: str) -> bool:
    """Tell whether every store can hold the text: no NUL, no lone surrogate."""
    return _UNSTORABLE.search(text) is None


def storable(text: str) -> str:
    """Return the text, or raise `ValueError`, without the text, if some store cannot hold it."""
    if not is_storable(text):
        raise ValueError("must not contain NUL or unpaired surrogate characters")
    return text


def is_on_one_line(text: str) -> bool:
    """Tell whether a text can stand in a list: storable, no control character, no line break."""
    return is_storable(text) and not _CONTROLS.search(text)


def is_keyphrase(text: str) -> bool:
    """Tell whether a text is a word or a few, rather than a sentence."""
    return len(text) <= LONGEST_KEYPHRASE and _KEYPHRASE.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return a name that a caller gives to something, without blanks around it.

    Raises:
        InvalidInput: it is blank, too long, or not on one line.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not is_on_one_line(name):
        message = f"name must be 1 to {LONGEST_NAME} characters on one line"
        raise InvalidInput(message)
    return name


def normalise_text(text: str) -> str:
    """Return the text in Unicode NFC, with each run of white space as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fingerprint(*parts: str) -> str:
    """Return a SHA-256 hex digest of the parts and of where each of them ends."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()


def shorten(text: str, limit: int) -> str:
    """Return a text on one line, of more than `limit` characters the words that fit and a mark."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return f"{line[: limit - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}\u2026"


def show_name(name: str) -> str:
    """Return how somebody is called in a sentence: a few words, and whatever is more in quotes.

    Callers choose their names. Quoted, with its beginning alone, a sentence is none of ours.
    """
    folded = shorten(name, LONGEST_SHOWN_NAME)
    if is_keyphrase(name) and len(folded.split()) <= _MOST_NAME_WORDS:
        return folded
    return f"\u201c{folded.translate(_OTHER_QUOTES)}\u201d"


def preview(text: str, limit: int = 80) -> str:
    """Return the first `limit` characters, as the specification's content_preview."""
    return text[:limit]


def show_cell(value: str, row: str) -> str:
    """Return a value as a reader sees it: in a row of a table a pipe has a backslash before it."""
    return value.replace("\\|", "|") if row.startswith("|") else value
