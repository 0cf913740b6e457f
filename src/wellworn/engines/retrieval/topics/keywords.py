"""The words that tell one group of texts from all others, to name it by.

A word tells as much as it is rare in the space, times the share of the texts that have it: what is
in every text of the space says nothing, and neither does what only one text of the group says.

Source: c-TF-IDF (Grootendorst, BERTopic, 2022).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from wellworn.engines.retrieval.text.terms import hash_words
from wellworn.engines.retrieval.text.vocabulary import split_compounds, split_words

Rarity = Callable[[Iterable[int]], Mapping[int, float]]

MOST_TELLING: Final = 3
_LOOKED_AT: Final = 300
"""Characters of each text; what it is about is said at its beginning."""
_LONGEST: Final = 30


@dataclass(slots=True)
class _Word:
    texts: int = 0
    spellings: Counter[str] = field(default_factory=Counter[str])

    @property
    def spelling(self) -> str:
        """Return how it is written most often; of equals the first by the alphabet."""
        return min(self.spellings, key=lambda spelling: (-self.spellings[spelling], spelling))


def extract_keywords(texts: Sequence[str], rarity: Rarity) -> tuple[str, ...]:
    """Return at most three words, as they are written, the most telling first.

    `rarity` returns the idf of terms in the space. Empty for texts without words.
    """
    by_stem = _count_words(texts)
    least = 2 if any(word.texts > 1 for word in by_stem.values()) else 1
    numbered = {stem: hash_words(word.spelling)[0] for stem, word in by_stem.items()}
    rare = rarity(numbered.values())
    scores = {
        stem: word.texts * rare[numbered[stem]]
        for stem, word in by_stem.items()
        if word.texts >= least
    }
    chosen: list[str] = []
    for stem in sorted(scores, key=lambda stem: (-scores[stem], stem)):
        if not any(stem in other or other in stem for other in chosen):
            chosen.append(stem)
        if len(chosen) == MOST_TELLING:
            break
    return tuple(by_stem[stem].spelling for stem in chosen)


def split_keywords(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words that may name something, as they are counted and as they are written."""
    for written in split_compounds(text[:_LOOKED_AT]):
        if stem := _stem_word(written):
            yield stem, written


def _count_words(texts: Sequence[str]) -> dict[str, _Word]:
    by_stem: dict[str, _Word] = {}
    for text in texts:
        here: set[str] = set()
        for stem, written in split_keywords(text):
            by_stem.setdefault(stem, _Word()).spellings[written] += 1
            here.add(stem)
        for stem in here:
            by_stem[stem].texts += 1
    return by_stem


@lru_cache(maxsize=65_536)
def _stem_word(written: str) -> str:
    """Return what a word is counted as; nothing for what is no name of anything."""
    is_path = "/" in written or "\\" in written
    if is_path or not 1 < len(written) <= _LONGEST or not any(map(str.isalpha, written)):
        return ""
    return next(iter(split_words(written)), "")
