"""Recognises notes that say the same in the same words; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import Final

from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.truth import Alike
from wellworn.engines.retrieval.text import hash_words
from wellworn.kit.words import load_phrases

_LONGEST: Final = 400
"""Characters; longer thoughts are not compared."""
_LEAD_INS: Final = load_phrases(__name__, "lead_ins")
_LEAD_IN: Final = re.compile(
    rf"^\W*(?:(?:{_LEAD_INS})\b(?:\s*#?\d+)?\W+|[#(\[]?\d{{1,4}}[.:)\]]\s+)+", re.IGNORECASE
)


def normalise_statement(content: str) -> tuple[object, ...]:
    """Return what notes that say the same in the same words have in common.

    Case, punctuation, endings, and what only leads in ("Entry 3:", "For the record,") make no
    difference.
    """
    ends_asking = content.rstrip().endswith("?")
    return (ends_asking, *hash_words(_LEAD_IN.sub("", content)))


def fold_alike(
    pages: Iterable[Sequence[FoundThought]], notes: Set[int], limit: int
) -> list[FoundThought]:
    """Return the first results, with later ones that say the same folded into them.

    Args:
        pages: results, best first; no more of them are read than needed.
        notes: the seqs of those that are compared.
        limit: how many are returned.
    """
    groups: dict[object, list[FoundThought]] = {}
    for page in pages:
        for thought in page:
            key: object = thought.seq
            if thought.seq in notes and len(thought.content) <= _LONGEST:
                key = (normalise_statement(thought.content), thought.outdated_at is None)
            groups.setdefault(key, []).append(thought)
        if len(groups) >= limit:
            break
    return [_merge(group) for group in islice(groups.values(), limit)]


def _merge(group: Sequence[FoundThought]) -> FoundThought:
    if len(group) == 1:
        return group[0]
    names = dict.fromkeys(thought.contributor_name for thought in group[1:])
    return replace(group[0], alike=Alike(len(group) - 1, tuple(names)))
