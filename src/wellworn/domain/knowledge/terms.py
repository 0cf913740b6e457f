"""Hot terms: the words that are special to this knowledge base, and where each is explained.

A term is hot if it is defined somewhere, is said here far more often than elsewhere, is spread
over documents, and is asked for. What one document offers is found once for it and stored; the
order over all of them is made again from that, and the owner's pins come first in any case.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from wellworn.domain.knowledge.candidates import (
    BARE_TITLE,
    EXACT,
    HEADING,
    NAMED_HEADING,
    TITLE,
    TermCandidate,
    WordCounts,
)
from wellworn.domain.knowledge.commonness import share
from wellworn.domain.knowledge.entities import is_special, key, name_key, term
from wellworn.domain.knowledge.periods import bears_date

_FEW_DOCUMENTS: Final = 8
#: Shares of the documents that say a term which write it as a name, if it is a name.
_ADDRESSED_SHARE: Final = 0.25
_EXPLAINED_SHARE: Final = 0.4
#: For a document that is called by a term and nothing else; and that says what it is.
_OWN_DOCUMENT: Final = BARE_TITLE + 2 * EXACT
_OWN_NAME: Final = TITLE + 2 * EXACT
_SEVERAL: Final = 2
_MOST_SPECIFIC: Final = 10.0
_ASKED: Final = 1.5
_MOST_HEADED: Final = 3
_TEMPLATE_DOCUMENTS: Final = 5
_TEMPLATE_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Offer:
    """A document's offer to the hot terms.

    Attributes:
        addressed: the terms of which it says where one reaches them.
    """

    document: int
    words: WordCounts
    candidates: Sequence[TermCandidate]
    addressed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class HotTerm:
    """A term and the best place to read of it.

    Attributes:
        document: None for a pin nothing is known of.
    """

    term: str
    document: int | None
    anchor: str
    summary: str
    start: int
    end: int
    score: float


_Offered = Sequence[tuple[TermCandidate, int]]


class _Count:
    """Counts of words in all documents, of the documents that have them, and of their spellings."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._documents: Counter[str] = Counter()
        self._totals: Counter[str] = Counter()
        self.naming: Counter[str] = Counter()
        for offer in offers:
            self._documents.update(offer.words.single.keys())
            self._documents.update(offer.words.pairs.keys())
            self._totals.update(offer.words.single)
            self.naming.update({key(name) for name in offer.words.named})
        self._offered = len(offers)
        self._everything = max(1, sum(self._totals.values()))

    def specificity(self, stems: Sequence[str]) -> float:
        """Return how many times more often, in powers of two, a term's words are said here."""
        lifts = [
            math.log2((self._totals[stem] + 0.5) / self._everything / share(stem)) for stem in stems
        ]
        return min(_MOST_SPECIFIC, max(0.0, sum(lifts) / len(lifts)))

    def documents(self, stems: Sequence[str]) -> int:
        """Return in how many documents a term is said, at most."""
        if len(stems) == 1:
            return self._documents[stems[0]]
        return min(self._documents[f"{first} {other}"] for first, other in pairwise(stems))

    def is_name(self, identity: str, share: float) -> bool:
        """Tell whether a share of the documents that say a term write it as a name."""
        documents = max(1, self.documents(identity.split()))
        return self.naming[identity] >= documents * share

    @property
    def are_few(self) -> bool:
        """Whether there are so few documents that their spelling tells little."""
        return self._offered <= _FEW_DOCUMENTS


def rank_hot_terms(
    offers: Sequence[Offer],
    *,
    resolutions: Mapping[str, int] | None = None,
    pins: Sequence[str] = (),
    records: Collection[int] = (),
    call: Callable[[str], str] = str,
    most: int = 60,
) -> list[HotTerm]:
    """Return the hottest terms, pins first in their order, then by score.

    Args:
        offers: what the documents bring.
        resolutions: how often agents resolved each term.
        pins: terms the owner wants to be there.
        records: documents that tell of a day, or of the past; they bring what they are called.
        call: returns the name by which a thing of several names is known.
        most: how many are wanted in all; pins are there however many they are.
    """
    asked = Counter({key(name): count for name, count in (resolutions or {}).items()})
    wanted = {*asked, *map(key, pins)}
    ranked = _rank([_leave_records(offer, records, wanted) for offer in offers], asked)
    pinned = [
        _build_pinned(name, ranked, offers) for name in dict.fromkeys(map(term, pins)) if name
    ]
    pinned_keys = {key(hot_term.term) for hot_term in pinned}
    rest = [hot_term for identity, hot_term in ranked.items() if identity not in pinned_keys]
    rest.sort(key=lambda hot_term: (-hot_term.score, hot_term.term))
    rest = _drop_repeated(rest, {name_key(call(hot_term.term)) for hot_term in pinned}, call)
    return [*pinned, *rest[: max(0, most - len(pinned))]]


def _drop_repeated(
    ordered: Sequence[HotTerm], names: set[str], call: Callable[[str], str]
) -> list[HotTerm]:
    """Leave out a term that says of a thing what one before it says, by this or another name."""
    names = set(names)
    places: set[tuple[int | None, int]] = set()
    distinct: list[HotTerm] = []
    for hot_term in ordered:
        name, place = call(hot_term.term), (hot_term.document, hot_term.start)
        if name_key(name) not in names and (hot_term.document is None or place not in places):
            distinct.append(replace(hot_term, term=term(name)))
        names.add(name_key(name))
        places.add(place)
    return distinct


def _leave_records(offer: Offer, records: Collection[int], wanted: Collection[str]) -> Offer:
    """Return an offer, that of a record with what it is called by, or what is wanted, alone."""
    if offer.document not in records:
        return offer
    own = [
        each
        for each in offer.candidates
        if (each.titled and not bears_date(each.term)) or key(each.term) in wanted
    ]
    return replace(offer, candidates=own)


def _rank(offers: Sequence[Offer], asked: Mapping[str, int]) -> dict[str, HotTerm]:
    places: dict[str, list[tuple[TermCandidate, int]]] = defaultdict(list)
    for offer in offers:
        for candidate in offer.candidates:
            places[key(candidate.term)].append((candidate, offer.document))
    count = _Count(offers)
    addressed = frozenset(identity for offer in offers for identity in map(key, offer.addressed))
    ranked: dict[str, HotTerm] = {}
    for identity, offered in places.items():
        specific = count.specificity(identity.split())
        is_addressed = identity in addressed
        is_hot = asked.get(identity, 0) or _is_thing(
            identity, offered, count, is_addressed=is_addressed
        )
        naming = count.naming[identity]
        spread = count.documents(identity.split()) if count.are_few else naming
        times = max(spread, len({where for _, where in offered}))
        hot_term = _build_best(offered, specific, times, asked.get(identity, 0)) if is_hot else None
        if hot_term and hot_term.score > 0 and not _is_of_a_template(offered, len(offers)):
            ranked[identity] = hot_term
    return ranked


def _is_thing(identity: str, offered: _Offered, count: _Count, *, is_addressed: bool) -> bool:
    """Tell whether a term is a thing of the owner's, and no word of everybody's.

    A document is called so, or one reaches it somewhere, or a document defines it, or several
    explain it; and where it is said, it is written as a name. In few documents less will do.
    """
    best = max((candidate for candidate, _ in offered), key=lambda candidate: candidate.weight)
    is_name = any(map(is_special, best.term.split()))
    needed = 1 if is_name else _SEVERAL
    if best.weight >= _OWN_DOCUMENT and count.naming[identity] >= needed:
        return True
    if not is_name:
        return False
    if count.are_few:
        return True
    explaining = {where for candidate, where in offered if candidate.weight >= HEADING}
    is_explained = best.weight >= BARE_TITLE or len(explaining) >= _SEVERAL
    is_sure = is_addressed or best.weight >= _OWN_NAME
    share = _ADDRESSED_SHARE if is_addressed else _EXPLAINED_SHARE
    return is_sure or ((is_addressed or is_explained) and count.is_name(identity, share))


def _build_best(offered: _Offered, specific: float, times: int, asked: int) -> HotTerm:
    best, where = max(
        offered,
        key=lambda pair: (pair[0].weight, not pair[0].anchor, pair[0].count, -pair[1]),
    )
    explained = best.weight * (specific / _MOST_SPECIFIC) * math.log2(2 + times)
    score = explained + _ASKED * math.log2(1 + asked)
    return HotTerm(best.term, where, best.anchor, best.summary, best.start, best.end, score)


def _is_of_a_template(offered: _Offered, documents: int) -> bool:
    """Tell whether a term is a heading that many documents have, each with words of its own.

    Which of them explains it cannot be told; and where many documents follow one template,
    `Impact` names nothing, though some document be called so.
    """
    headed = sum(candidate.weight <= NAMED_HEADING for candidate, _ in offered)
    is_called = headed < len(offered)
    return headed >= (least_of_a_template(documents) if is_called else _MOST_HEADED)


def least_of_a_template(documents: int) -> float:
    """Return how many of some documents have a heading when it says nothing of any of them."""
    return max(_TEMPLATE_DOCUMENTS, documents * _TEMPLATE_SHARE)


def _build_pinned(name: str, ranked: Mapping[str, HotTerm], offers: Sequence[Offer]) -> HotTerm:
    known = ranked.get(key(name))
    if known is not None:
        return replace(known, term=name)
    stems = key(name).split()
    counts = [(offer.words.count(stems), -offer.document, offer) for offer in offers]
    count, _, most = max(counts, default=(0, 0, None), key=lambda item: item[:2])
    if most is None or not count:
        return HotTerm(name, None, "", "", 0, 0, 0.0)
    return HotTerm(name, most.document, "", "", 0, 0, 0.0)
