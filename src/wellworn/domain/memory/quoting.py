"""What of a thought an answer quotes. Pure."""

from __future__ import annotations

import re
from typing import Final

from wellworn.engines.retrieval.text import hash_words

_STOPS: Final = ".!?\u3002\uff01\uff1f"
_SENTENCE: Final = re.compile(rf"[^{_STOPS}\n]*(?:[{_STOPS}]++|\n|$)\s*")


def pick_passage(text: str, question: str, limit: int) -> str:
    """Return the text, or of a longer one the sentences that share most words with the question.

    At most `limit` characters, and an ellipsis on each side that was cut.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    asked = {*hash_words(question)}
    starts = [match.start() for match in _SENTENCE.finditer(text) if match.group().strip()]
    matches = [len(asked.intersection(hash_words(text[start : start + limit]))) for start in starts]
    best = starts[matches.index(max(matches))]
    passage = text[best : best + limit]
    if best + limit < len(text):
        passage = passage[: max(passage.rfind(" "), limit // 2)].rstrip() + " \u2026"
    return f"\u2026 {passage}" if best else passage
