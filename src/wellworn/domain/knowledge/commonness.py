"""Tells how common a word is elsewhere: what is special here is told from plain English.

The words are in order of how often they occur in general and technical English, one form of each,
without function words. Beside them stand the words of the trade: they name a kind of thing
(a server, an endpoint), never the one that is meant.

Source: Zipf 1949, Human Behavior and the Principle of Least Effort; Mandelbrot's form of the law.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from wellworn.engines.retrieval.text import STOP_WORDS, load_stemmer
from wellworn.kit.words import load_words

# The law's two numbers, fitted to the counts behind the list; and what a word has that is not on
# it.
_SHARE: Final = 0.14
_SHIFT: Final = 24
_ELSEWHERE: Final = 5e-6
_TRADE_SHARE: Final = 1e-4
#: Long words with these ends say what is done or how things are; hardly any is a name.
_ABSTRACT_ENDS: Final = (
    *("ing", "ings", "tion", "tions", "ment", "ments", "ness", "ity", "ities", "ance", "ology"),
)
_SHORTEST_ABSTRACT: Final = 9
_MOST_STEMS_KEPT: Final = 65_536


@lru_cache(maxsize=_MOST_STEMS_KEPT)
def stem(word: str) -> str:
    """Return the stem of a folded word."""
    return load_stemmer()(word)


def share(stemmed: str) -> float:
    """Return how much of other people's texts is this word, 0 < share < 1."""
    return _shares().get(stemmed, _ELSEWHERE)


@lru_cache(maxsize=_MOST_STEMS_KEPT)
def is_common(word: str) -> bool:
    """Tell whether a folded word is plain English or of the trade, and so no name by itself."""
    if word in STOP_WORDS or stem(word) in _shares():
        return True
    return len(word) >= _SHORTEST_ABSTRACT and word.endswith(_ABSTRACT_ENDS)


def is_trade(word: str) -> bool:
    """Tell whether a folded word says of which kind something is: `operations`, `server`."""
    return stem(word) in _trade()


@cache
def _trade() -> frozenset[str]:
    stemmed = load_stemmer()
    return frozenset(stemmed(word) for word in load_words(__name__, "trade"))


@cache
def _shares() -> dict[str, float]:
    stemmed = load_stemmer()
    trade = dict.fromkeys(_trade(), _TRADE_SHARE)
    words = enumerate(load_words(__name__, "english") + load_words(__name__, "possessives"))
    return trade | {stemmed(word): _SHARE / (rank + _SHIFT) for rank, word in words}
