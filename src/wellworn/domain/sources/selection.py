"""Selects the passages of a ranking that are shown, and their places; pure.

Three rules stand between a ranking and what is shown. One long document must not take the places of
all others. Front matter is shown only for what nothing else of its document says. And a passage
never has a lower score than one that stands behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

PASSAGES_A_DOCUMENT: Final = 4
"""Asked for where one document is to be shown: good documents have several good ones."""
SHOWN_OF_A_DOCUMENT: Final = 3


def count_wanted_documents(limit: int) -> int:
    """Return how many documents at least so many passages are to be of, if there are as many."""
    return max(1, limit // PASSAGES_A_DOCUMENT)


def spread(order: Sequence[int], document_of: Mapping[int, str], limit: int) -> list[int]:
    """Return the first passages of an order, of as many documents as are wanted, in that order.

    Where the first `limit` are of fewer, the last that are beyond the best three of their documents
    give way to the best of further documents.
    """
    chosen = list(order[:limit])
    seen = {document_of[seq] for seq in chosen}
    lacking = count_wanted_documents(limit) - len(seen)
    if lacking <= 0:
        return chosen
    others: dict[str, int] = {}
    for seq in order[limit:]:
        if document_of[seq] not in seen:
            others.setdefault(document_of[seq], seq)
    further = [*others.values()][:lacking]
    surplus = max(0, len(chosen) + len(further) - limit)
    spare = [*_find_surplus(chosen, document_of)]
    dropped = {*spare[::-1][:surplus]}
    return [seq for seq in chosen if seq not in dropped] + further


def _find_surplus(order: Sequence[int], document_of: Mapping[int, str]) -> Iterator[int]:
    count: Counter[str] = Counter()
    for seq in order:
        count[document_of[seq]] += 1
        if count[document_of[seq]] > SHOWN_OF_A_DOCUMENT:
            yield seq


def demote_front_matter(
    order: Sequence[int], document_of: Mapping[int, str], front_matter: Collection[int]
) -> list[int]:
    """Return an order in which the best other passage of a document stands for its front matter.

    Front matter stays where nothing else of its document is in the order.
    """
    best: dict[str, int] = {}
    for seq in order:
        if seq not in front_matter:
            best.setdefault(document_of[seq], seq)
    placed = (best.get(document_of[seq], seq) if seq in front_matter else seq for seq in order)
    return [*dict.fromkeys(placed)]


def level_scores(scores: Sequence[float]) -> list[float]:
    """Return scores so that none is below one behind it: each is the best from its place on."""
    return [*accumulate(reversed(scores), max)][::-1]
