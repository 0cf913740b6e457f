"""Which passages of a ranking are shown, and in what places; pure.

Three rules stand between a ranking and what is shown. One long document must not take the places of
all others. Front matter is shown only for what nothing else of its document says. And a passage
never has a lower score than one that stands behind it.

Source: knowledge sync v1.0, section 3: documents, each with its best passages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

PASSAGES_A_DOCUMENT: Final = 4
"""Asked for where one document is to be shown: good documents have several good ones."""
SHOWN_OF_A_DOCUMENT: Final = 3


def documents_wanted(limit: int) -> int:
    """Return how many documents at least so many passages are to be of, if there are as many."""
    return max(1, limit // PASSAGES_A_DOCUMENT)


def spread(order: Sequence[int], document_of: Mapping[int, str], limit: int) -> list[int]:
    """Return the first passages of an order, of as many documents as are wanted, in that order.

    Where the first `limit` are of fewer, the last that are beyond the best three of their documents
    give way to the best of further documents.
    """
    kept = list(order[:limit])
    seen = {document_of[one] for one in kept}
    lacking = documents_wanted(limit) - len(seen)
    if lacking <= 0:
        return kept
    others: dict[str, int] = {}
    for one in order[limit:]:
        if document_of[one] not in seen:
            others.setdefault(document_of[one], one)
    further = [*others.values()][:lacking]
    surplus = max(0, len(kept) + len(further) - limit)
    spare = [*_beyond_the_best(kept, document_of)]
    dropped = {*spare[::-1][:surplus]}
    return [one for one in kept if one not in dropped] + further


def _beyond_the_best(order: Sequence[int], document_of: Mapping[int, str]) -> Iterator[int]:
    count: Counter[str] = Counter()
    for one in order:
        count[document_of[one]] += 1
        if count[document_of[one]] > SHOWN_OF_A_DOCUMENT:
            yield one


def for_readers(
    order: Sequence[int], document_of: Mapping[int, str], front_matter: Collection[int]
) -> list[int]:
    """Return an order in which the best other passage of a document stands for its front matter.

    Front matter stays where nothing else of its document is in the order.
    """
    best: dict[str, int] = {}
    for one in order:
        if one not in front_matter:
            best.setdefault(document_of[one], one)
    placed = (best.get(document_of[one], one) if one in front_matter else one for one in order)
    return [*dict.fromkeys(placed)]


def levelled(scores: Sequence[float]) -> list[float]:
    """Return scores so that none is below one behind it: each is the best from its place on."""
    return [*accumulate(reversed(scores), max)][::-1]
