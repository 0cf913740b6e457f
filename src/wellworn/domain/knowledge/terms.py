"""Hot terms: the words that are special to this knowledge base, and where each is explained.

A term is hot if it is defined somewhere, is said here far more often than elsewhere, is spread
over documents, and is asked for. What one document offers is found once for it and kept; the
order over all of them is made anew from that, and the owner's pins come first in any case.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isclose
from typing import Final

from wellworn.domain.knowledge.candidates import (
    BARE_TITLE,
    DEFINED,
    HEADING,
    MENTIONED,
    NAMED_HEADING,
    TermCandidate,
    WordCounts,
)
from wellworn.domain.knowledge.commonness import share
from wellworn.domain.knowledge.entities import MOST_WORDS, is_special, key, term

_LEAST_COUNT: Final = 2
_MOST_SPECIFIC: Final = 10.0
_ASKED: Final = 1.5
_MOST_HEADED: Final = 3
_TEMPLATE_DOCUMENTS: Final = 5
_TEMPLATE_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Offer:
    """What one document brings to the hot terms."""

    document: int
    words: WordCounts
    candidates: Sequence[TermCandidate]
    path: str = ""


@dataclass(frozen=True, slots=True)
class HotTerm:
    """A term and the best place to read of it.

    Attributes:
        document: None for a pin nothing is known of, and for what several pages are about.
        pages: the documents that are about it, where none of them explains it.
    """

    term: str
    document: int | None
    anchor: str
    summary: str
    start: int
    end: int
    score: float
    is_pinned: bool = False
    pages: Sequence[int] = ()


class _Count:
    """How often words are said in all documents, and in how many of them."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._documents: Counter[str] = Counter()
        self._totals: Counter[str] = Counter()
        for offer in offers:
            self._documents.update(offer.words.single.keys())
            self._documents.update(offer.words.pairs.keys())
            self._totals.update(offer.words.single)
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


def rank_hot_terms(
    offers: Sequence[Offer],
    *,
    resolutions: Mapping[str, int] | None = None,
    pins: Sequence[str] = (),
    most: int = 60,
) -> list[HotTerm]:
    """Return the hottest terms, pins first in their order, then by score.

    Args:
        offers: what the documents bring.
        resolutions: how often agents resolved each term.
        pins: terms the owner wants to be there.
        most: how many are wanted in all; pins are there however many they are.
    """
    asked = Counter({key(name): count for name, count in (resolutions or {}).items()})
    ranked = _rank(offers, asked)
    pinned = [
        _build_pinned(name, ranked, offers) for name in dict.fromkeys(map(term, pins)) if name
    ]
    pinned_keys = {key(hot_term.term) for hot_term in pinned}
    rest = [hot_term for identity, hot_term in ranked.items() if identity not in pinned_keys]
    rest.sort(key=lambda hot_term: (-hot_term.score, hot_term.term))
    return [*pinned, *rest[: max(0, most - len(pinned))]]


def _rank(offers: Sequence[Offer], asked: Mapping[str, int]) -> dict[str, HotTerm]:
    places: dict[str, list[tuple[TermCandidate, int]]] = defaultdict(list)
    for offer in offers:
        for candidate in offer.candidates:
            places[key(candidate.term)].append((candidate, offer.document))
    count = _Count(offers)
    titles, folders = _titles(offers), _folders(offers)
    ranked: dict[str, HotTerm] = {}
    for identity in dict.fromkeys((*places, *titles)):
        every, about = places.get(identity, []), titles.get(identity, [])
        offered = _explaining(every, is_shared=len(about) >= _MOST_HEADED)
        specific = count.specificity(identity.split())
        spread = max(count.documents(identity.split()), len({where for _, where in offered}))
        hot_term = (
            _build_best(offered, specific, spread, asked.get(identity, 0)) if offered else None
        )
        if hot_term is None or not hot_term.summary:
            in_folder = about if hot_term is None else folders.get(identity, [])
            hot_term = _build_shared(identity, in_folder, specific) or hot_term
        if hot_term and hot_term.score > 0 and not _is_of_a_template(every, len(offers)):
            ranked[identity] = hot_term
    return ranked


def _build_best(
    offered: Sequence[tuple[TermCandidate, int]], specific: float, spread: int, asked: int
) -> HotTerm:
    best, where = max(
        offered,
        key=lambda pair: (pair[0].weight, not pair[0].anchor, pair[0].count, -pair[1]),
    )
    score = _score(best, specific, spread, asked)
    return HotTerm(best.term, where, best.anchor, best.summary, best.start, best.end, score)


def _build_shared(identity: str, about: Sequence[Offer], specific: float) -> HotTerm | None:
    """Return a term that several pages are about, if their folder is called so."""
    name = next((folder for folder in map(_folder, about) if key(folder) == identity), "")
    pages = [offer.document for offer in about if key(_folder(offer)) == identity]
    if len(pages) < _MOST_HEADED or not any(map(is_special, name.split())):
        return None
    score = BARE_TITLE * (specific / _MOST_SPECIFIC) * math.log2(2 + len(pages))
    return HotTerm(term(name), None, "", "", 0, 0, score, pages=tuple(pages))


def _folders(offers: Sequence[Offer]) -> dict[str, list[Offer]]:
    offers_by_folder: dict[str, list[Offer]] = defaultdict(list)
    for offer in offers:
        offers_by_folder[key(_folder(offer))].append(offer)
    return offers_by_folder


def _folder(offer: Offer) -> str:
    """Return what the folder of a document is called."""
    return offer.path.rpartition("/")[0].rpartition("/")[2]


def _titles(offers: Sequence[Offer]) -> dict[str, list[Offer]]:
    """Return the documents whose titles begin with a term and go on, by the term's key."""
    offers_by_title: dict[str, list[Offer]] = defaultdict(list)
    for offer in offers:
        titles = {key(candidate.titled) for candidate in offer.candidates if candidate.titled}
        begun = {
            " ".join(title.split()[:number]) for title in titles for number in range(1, MOST_WORDS)
        }
        for title in begun - titles:
            offers_by_title[title].append(offer)
    return offers_by_title


def _explaining(
    offered: Sequence[tuple[TermCandidate, int]], *, is_shared: bool
) -> Sequence[tuple[TermCandidate, int]]:
    """Leave out the documents about a term where several are, and none more than the others.

    Seven alerts in one folder are each about their component; none of them explains it.
    """
    if is_shared:
        offered = [pair for pair in offered if not _is_cut(pair[0])]
    titled = [
        candidate
        for candidate, _ in offered
        if candidate.weight >= BARE_TITLE and not isclose(candidate.weight, DEFINED)
    ]
    most = max((candidate.weight for candidate in titled), default=0.0)
    if sum(isclose(candidate.weight, most) for candidate in titled) < _MOST_HEADED:
        return offered
    return [pair for pair in offered if pair[0] not in titled]


def _is_cut(candidate: TermCandidate) -> bool:
    """Tell whether a term is only a part of the document's title."""
    return bool(candidate.titled) and key(candidate.titled) != key(candidate.term)


def _is_of_a_template(offered: Sequence[tuple[TermCandidate, int]], documents: int) -> bool:
    """Tell whether a term is a heading that many documents have, each with words of its own.

    Which of them explains it cannot be told; and where many documents follow one template,
    `Impact` names nothing, though some document be called so.
    """
    weights = [candidate.weight for candidate, _ in offered] or [0.0]
    headed = sum(MENTIONED < weight <= NAMED_HEADING for weight in weights)
    if max(weights) <= NAMED_HEADING:
        return headed >= _MOST_HEADED
    return headed >= least_of_a_template(documents)


def least_of_a_template(documents: int) -> float:
    """Return how many of some documents have a heading when it says nothing of any of them."""
    return max(_TEMPLATE_DOCUMENTS, documents * _TEMPLATE_SHARE)


def _score(best: TermCandidate, specific: float, spread: int, asked: int) -> float:
    """Return how hot a term is: explained, special, spread, and asked for; 0 for what is not."""
    is_only_mentioned = best.weight <= MENTIONED
    if not asked and best.weight < MENTIONED:
        return 0.0
    if not asked and is_only_mentioned and max(best.count, spread) < _LEAST_COUNT:
        return 0.0
    is_plain = best.weight <= HEADING and not any(map(is_special, best.term.split()))
    is_one_word = " " not in best.term
    is_rare = best.count <= _LEAST_COUNT and spread < _LEAST_COUNT
    if not asked and is_plain and (is_one_word or is_rare):
        return 0.0
    explained = best.weight * (specific / _MOST_SPECIFIC) * math.log2(2 + spread)
    return explained + _ASKED * math.log2(1 + asked)


def _build_pinned(name: str, ranked: Mapping[str, HotTerm], offers: Sequence[Offer]) -> HotTerm:
    known = ranked.get(key(name))
    if known is not None:
        return replace(known, term=name, is_pinned=True)
    stems = key(name).split()
    counts = [(offer.words.count(stems), -offer.document, offer) for offer in offers]
    count, _, most = max(counts, default=(0, 0, None), key=lambda item: item[:2])
    if most is None or not count:
        return HotTerm(name, None, "", "", 0, 0, 0.0, is_pinned=True)
    return HotTerm(name, most.document, "", "", 0, 0, 0.0, is_pinned=True)
