"""WordReader: a double that needs no model file, and reads by words alone.

A text answers as far as it has the words of the question: with all from the first of them to some
words after the last. So a test can say beforehand what answers what; meaning it knows nothing of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wellworn.engines.reading import MOST_TEXTS, Reading
from wellworn.errors import InvalidInput

_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 6_000
_WORDS_AFTER: Final = 6
_LEAST_LETTERS: Final = 4


class WordReader:
    """Fills the reader port for tests: the same on every machine, without state.

    Example:
        [reading] = WordReader().read("Which port has staging?", ["Staging has port 8443."])
        assert reading.answers
    """

    name = "words-1"
    sends_texts = False

    def can_read(self, question: str) -> bool:  # noqa: ARG002 - any
        return True

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        if len(texts) > MOST_TEXTS:
            raise InvalidInput(f"at most {MOST_TEXTS} texts are read in one call")
        words = {*_WORD.findall(question[:_LONGEST].lower())}
        asked = {word for word in words if len(word) >= _LEAST_LETTERS}
        return [_read(asked, text[:_LONGEST]) for text in texts]


def _read(asked: set[str], text: str) -> Reading:
    words = [*_WORD.finditer(text)]
    shared = [at for at, word in enumerate(words) if word.group().lower() in asked]
    if not shared:
        return Reading(0.0)
    share = len({words[at].group().lower() for at in shared}) / len(asked)
    last = words[min(shared[-1] + _WORDS_AFTER, len(words) - 1)]
    return Reading(share, (words[shared[0]].start(), last.end()), 1.0)
