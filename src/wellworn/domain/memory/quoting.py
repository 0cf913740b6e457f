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
    start, end = find_stretch(text, question, limit)
    passage = text[start:end].strip()
    if text[end:].strip():
        passage += " \u2026"
    return f"\u2026 {passage}" if text[:start].strip() else passage


def find_stretch(text: str, question: str, limit: int) -> tuple[int, int]:
    """Return from where to where the sentences stand that share most words with the question.

    At most `limit` characters; all of a text that is no longer.
    """
    if len(text.strip()) <= limit:
        return 0, len(text)
    asked = {*hash_words(question)}
    starts = [match.start() for match in _SENTENCE.finditer(text) if match.group().strip()]
    matches = [len(asked.intersection(hash_words(text[start : start + limit]))) for start in starts]
    best = starts[matches.index(max(matches))]
    end = best + limit
    if end < len(text):
        end = best + max(text[best:end].rfind(" "), limit // 2)
    return best, end
