r"""Folds texts that look alike to one: what nobody sees parts no word, and a form is its letter.

Texts that were copied from web pages, PDFs and phones have soft hyphens and zero-width blanks
inside of words, ligatures, full-width letters, blanks and hyphens that do not break. All that
compares words, of documents and thoughts and questions alike, compares them folded. What is stored,
shown and cited stays as it was written: `FoldedText` leads back to its characters.

Folded are letters, digits and blanks, by Unicode's compatibility forms (NFKC), and the signs that
hold a word together. Other signs stay, as they are of no word: "ACME™" is said of ACME, not of
ACMETM. A raised or lowered digit never joins the number before it: 10² is `10^2` and not 102.
Joiners stay where writing needs them, as in Persian and Hindi.

Source: Unicode Standard Annex 15; `kit.neutralising` for what nobody sees.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from wellworn.kit.neutralising import INVISIBLE_IN_WORDS

_RAISED: Final = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u207a\u207b"
_LOWERED: Final = "\u2080-\u208b"
_WHOLE_NUMBERS: Final = "\u00bc-\u00be\u2150-\u215f\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
"""Fractions and numbers in circles, which end what stands before them."""
_WIDE: Final = "0-9A-Za-z\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
_PLAIN_SIGNS: Final = {
    **dict.fromkeys("\u2010\u2011\u207b\u208b\uff0d", "-"),
    **dict.fromkeys("\u2044\u2215\uff0f", "/"),
    "\u207a": "+",
    "\u208a": "+",
    "\uff0e": ".",
    "\uff1a": ":",
    "\uff20": "@",
    "\uff3f": "_",
}
_BETWEEN_WIDE: Final = "\uff0d\uff0e\uff0f\uff1a\uff20\uff3f"
"""Signs of scripts with wide characters, which hold a word together only among Latin letters."""
_RADICALS: Final = ("\u2e80", "\u2fdf")

_FORM: Final = re.compile(
    rf"(?P<unseen>{INVISIBLE_IN_WORDS})"
    rf"|(?P<raises>(?<=\d)(?=[{_RAISED}]))"
    rf"|(?P<lowers>(?<=\d)(?=[{_LOWERED}]))"
    rf"|(?P<ends>(?<=\S)(?=[{_WHOLE_NUMBERS}]))"
    rf"|(?P<held>(?<=[{_WIDE}])[{_BETWEEN_WIDE}](?=[{_WIDE}]))"
    rf"|(?P<form>[^\x00-\x7f{_BETWEEN_WIDE}])"
)
_BEFORE: Final = {"unseen": "", "raises": "^", "lowers": "_", "ends": " "}


class _Forms(dict[int, str]):
    """Characters as they are folded, found when they are first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = self[code] = _fold_character(character)
        return folded


def _fold_character(character: str) -> str:
    if character in _PLAIN_SIGNS:
        return _PLAIN_SIGNS[character]
    if unicodedata.category(character) == "Zs":
        return " "
    if not (character.isalnum() or _RADICALS[0] <= character <= _RADICALS[1]):
        return character
    form = unicodedata.normalize("NFKC", character).replace("\u2044", "/")
    # What begins with a blank is a mark beside a letter, and one of several words is a phrase.
    return character if " " in form else form


_FORMS: Final = _Forms()


def fold_forms(text: str) -> str:
    """Return a text as its words are compared, in Unicode NFC; idempotent."""
    if text.isascii():
        return text
    # Most texts have nothing to be folded, which a table tells much faster than a pattern.
    if text.translate(_FORMS) != text or _UNSEEN.search(text):
        text = _FORM.sub(_replace, text)
    return unicodedata.normalize("NFC", text)


_UNSEEN: Final = re.compile(INVISIBLE_IN_WORDS)


def _replace(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    return _BEFORE[kind] if kind in _BEFORE else _FORMS[ord(match[0])]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text, whose every span leads back to the text as it was written.

    Attributes:
        text: folded, but not composed to NFC.
        ends: where, in the folded text, each form ends that differs from what was written.
        origins: where each ends in what was written.
        sizes: of each form, and of what was written.
    """

    text: str
    ends: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> FoldedText:
        """Fold a text."""
        if text.isascii() or (text.translate(_FORMS) == text and not _UNSEEN.search(text)):
            return cls(text)
        pieces: list[str] = []
        changes: list[tuple[int, int, tuple[int, int]]] = []
        at = length = 0
        for match in _FORM.finditer(text):
            form = _replace(match)
            if form == match[0]:
                continue
            start, end = match.span()
            pieces += [text[at:start], form]
            length += start - at + len(form)
            changes.append((length, end, (len(form), end - start)))
            at = end
        pieces.append(text[at:])
        ends, origins, sizes = zip(*changes, strict=True) if changes else ((), (), ())
        return cls("".join(pieces), ends, origins, sizes)

    def find_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a span of the folded text stands in what was written."""
        first = self._find(start, is_end=False)
        return first, max(first, self._find(end, is_end=True))

    def _find(self, place: int, *, is_end: bool) -> int:
        """Return the place in what was written; inside of a form, its beginning or its end.

        What is not seen before a beginning, or behind an end, is left outside.
        """
        after = bisect.bisect_left if is_end else bisect.bisect_right
        number = after(self.ends, place)
        origin = self.origins[number - 1] + place - self.ends[number - 1] if number else place
        if number < len(self.ends):
            form, written = self.sizes[number]
            form_start = self.ends[number] - form
            written_start = self.origins[number] - written
            if place > form_start:
                return self.origins[number] if is_end else written_start
        return origin
