"""Exchanges what a question and a text share, so that the text no longer answers.

One name, letter, number or other word is replaced in the question or in the text, never in the
answer. Replaced alike in both, the text answers as before: so a word that is odd in its place says
nothing by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from training.pairs import Pair

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")
_LEAST_PLAIN: Final = 4
_ASKING: Final = frozenset(
    "what which who whom whose when where why how many much long often does did that this with from"
    " have has been were was will would could should about into than then they their there these"
    " those some other name kind type called person people thing things someone something use used"
    " made make after before during while also only most more person's happened happen doing done"
    " being take took get got".split()
)


class Exchanger:
    """Draws other words of the same kind from texts."""

    def __init__(self, texts: Iterable[str], rng: Random) -> None:
        self._rng = rng
        names: Counter[str] = Counter()
        plain: dict[str, Counter[str]] = {}
        for text in texts:
            previous = ""
            for match in _TOKEN.finditer(text):
                word = match.group()
                if word[0].isupper() and len(word) > 2 and previous and previous[-1] not in ".!?":
                    names[word] += 1
                elif word.isalpha() and word.islower() and len(word) >= _LEAST_PLAIN:
                    plain.setdefault(_ending(word), Counter())[word] += 1
                previous = text[match.start() - 2 : match.start()].strip() or word
        lower = {word for words in plain.values() for word in words}
        self._names = [word for word in sorted(names) if word.lower() not in lower]
        self._known_names = frozenset(self._names)
        self._plain = {
            ending: [word for word, count in sorted(words.items()) if count > 2]
            for ending, words in sorted(plain.items())
        }

    def exchange(self, pair: Pair, *, alike: bool = False) -> Pair | None:
        """Return the pair with one word exchanged; None where nothing is shared.

        Alike: in question and text, so that it answers still.
        """
        word = self._choose(pair)
        other = word and self._draw(word, f"{pair.question} {pair.text}")
        if not word or not other:
            return None
        if alike:
            text, start = _substitute_beside(pair, word, other)
            return replace(
                pair,
                kind="exchanged alike",
                question=_substitute(pair.question, word, other),
                text=text,
                start=start,
                end=start + len(pair.answer),
            )
        changed = (
            {"question": _substitute(pair.question, word, other)}
            if self._rng.random() < 0.5
            else {"text": _substitute(pair.text, word, other)}
        )
        return replace(pair, kind="exchanged", start=-1, end=-1, **changed)

    def _choose(self, pair: Pair) -> str | None:
        """Choose a shared word that is not in the answer; what names or counts, if there is any."""
        answer = {word.lower() for word in _TOKEN.findall(pair.answer)}
        text = {word.lower() for word in _TOKEN.findall(pair.text)} - answer
        shared = [word for word in _TOKEN.findall(pair.question) if word.lower() in text - _ASKING]
        exact = [word for word in shared if self._is_exact(word)]
        plain = [word for word in shared if word.islower() and len(word) >= _LEAST_PLAIN]
        if exact and (not plain or self._rng.random() < 0.7):
            return self._rng.choice(exact)
        return self._rng.choice(plain) if plain else None

    def _is_exact(self, word: str) -> bool:
        is_letter = len(word) == 1 and word.isupper() and word not in "AI"
        return is_letter or word in self._known_names or any(map(str.isdigit, word))

    def _draw(self, word: str, taken: str) -> str | None:
        present = {each.lower() for each in _TOKEN.findall(taken)}
        for _ in range(8):
            other = self._draw_any(word)
            if other.lower() not in present and other[:5].lower() != word[:5].lower():
                return other
            if any(map(str.isdigit, word)) and other not in present:
                return other
        return None

    def _draw_any(self, word: str) -> str:
        if any(map(str.isdigit, word)):
            return _redraw_digits(word, self._rng)
        if len(word) == 1:
            return self._rng.choice("BCDEFGHJKLMNPRSTUVWXZ")
        if word in self._known_names:
            return self._rng.choice(self._names)
        pool: Sequence[str] = self._plain.get(_ending(word)) or self._plain[""]
        return self._rng.choice(pool)


def _ending(word: str) -> str:
    return next((it for it in ("ing", "ed", "ly", "ion", "s", "er", "al") if word.endswith(it)), "")


def _redraw_digits(word: str, rng: Random) -> str:
    """Exchange one digit or two of a number, mostly not its first."""
    digits = [at for at, letter in enumerate(word) if letter.isdigit()]
    chosen = rng.sample(digits[1:] or digits, k=1) if len(digits) > 1 else digits
    if len(digits) > 2 and rng.random() < 0.4:
        chosen = rng.sample(digits, k=2)
    letters = [*word]
    for at in chosen:
        letters[at] = rng.choice([it for it in "123456789" if it != word[at]])
    return "".join(letters)


def _substitute(text: str, word: str, other: str) -> str:
    """Replace a word everywhere, with the case that it has there."""

    def place(match: re.Match[str]) -> str:
        found = match.group()
        if found.islower():
            return other.lower()
        return other[:1].upper() + other[1:] if found[:1].isupper() else other

    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", place, text, flags=re.IGNORECASE)


def _substitute_beside(pair: Pair, word: str, other: str) -> tuple[str, int]:
    """Replace a word before and after the answer; return the text and where the answer starts."""
    before = _substitute(pair.text[: pair.start], word, other)
    return before + pair.answer + _substitute(pair.text[pair.end :], word, other), len(before)
