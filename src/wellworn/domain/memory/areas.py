"""The areas that a counter-question offers: tags, or words that divide what has too few. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

from wellworn.engines.retrieval.text import STOP_WORDS, is_unspaced, split_words
from wellworn.engines.retrieval.topics import split_keywords
from wellworn.kit.words import load_words

FEWEST_AREAS: Final = 3
MOST_WORDS: Final = 8
_SHORTEST_WORD: Final = 3
_FILLER: Final = frozenset(load_words(__name__, "filler"))


@dataclass(frozen=True, slots=True)
class PoolResult:
    """A thought that retrieval found.

    Attributes:
        id: of the thought.
        cosine: -1 to 1.
        keyword: BM25 with idf; 0 when no word is shared with the prompt, or none was looked for.
        fused: what the order is made from, best highest; of any scale.
        tags: as the thought carries them.
        opening: its first characters.
        is_named: the prompt names one of its tags, or a part of one.
        bounded_by: the member whose word alone puts nothing into the server's question; None for
            what is the asker's own, an admin's, or of nobody known.
    """

    id: str
    cosine: float
    keyword: float
    fused: float
    tags: tuple[str, ...] = ()
    opening: str = ""
    is_named: bool = False
    bounded_by: str | None = None


Areas = dict[str, list[str]]
"""Ids of results by the name of their area, best first."""


class Division(NamedTuple):
    """The areas of results, and whether they are tags."""

    areas: Areas
    by_tags: bool = True


def divide(
    pool: Sequence[PoolResult], asked: Set[str], *, tag_key: Callable[[str], str]
) -> Division:
    """Divide results into areas: tags where most carry one, or else words; none for too few.

    Words that no two results share only list the results again.
    `asked` are the words of the prompt, which divide nothing, as those of the tags do not. What one
    member alone says is no area, however often it is said.
    """
    tagged = _group_by_tag(pool, tag_key)
    carriers = {member for members in tagged.values() for member in members}
    if len(tagged) >= FEWEST_AREAS and 2 * len(carriers) >= len(pool):
        return Division(tagged)
    known = {stem for result in pool for tag in result.tags for stem in split_words(tag)}
    by_word = _group_by_word(pool, asked | known)
    if len(by_word) >= FEWEST_AREAS and any(len(ids) > 1 for ids in by_word.values()):
        return Division(by_word, by_tags=False)
    return Division(tagged if len(tagged) >= FEWEST_AREAS else {})


def _group_by_tag(pool: Sequence[PoolResult], tag_key: Callable[[str], str]) -> Areas:
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    members: dict[str, dict[str, None]] = defaultdict(dict)
    for result in pool:
        for tag in result.tags:
            spellings[tag_key(tag)][tag] += 1
            members[tag_key(tag)][result.id] = None
    shared = _find_shared(pool, members)
    return {_pick_spelling(spellings[key]): [*members[key]] for key in shared}


def _find_shared(pool: Iterable[PoolResult], areas: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the areas that do not rest on the word of one bounded member alone."""
    bounds = {result.id: result.bounded_by for result in pool}
    speakers = {name: {bounds[member] for member in ids} for name, ids in areas.items()}
    return [name for name, owners in speakers.items() if None in owners or len(owners) > 1]


def _group_by_word(pool: Sequence[PoolResult], asked: Set[str]) -> Areas:
    """Choose words until each result has one, at each step the word that most results still lack.

    A word that every result has divides nothing, and of equals a name comes first.
    """
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    members: dict[str, list[str]] = defaultdict(list)
    for result in pool:
        words = dict(split_keywords(result.opening))
        for stem, written in words.items():
            if stem not in asked and _is_telling(written):
                spellings[stem][written] += 1
                members[stem].append(result.id)
    left, areas = {result.id for result in pool}, Areas()
    shared = _find_shared(pool, members)
    choices = {stem: members[stem] for stem in shared if len(members[stem]) < len(pool)}
    while choices and (left or len(areas) < FEWEST_AREAS) and len(areas) < MOST_WORDS:
        best = max(
            choices,
            key=lambda stem: (
                len(left.intersection(choices[stem])),
                len(choices[stem]),
                _pick_spelling(spellings[stem])[:1].isupper(),
                len(stem),
                stem,
            ),
        )
        if left.isdisjoint(choices[best]) and len(areas) >= FEWEST_AREAS:
            break
        areas[_pick_spelling(spellings[best])] = choices.pop(best)
        left.difference_update(*areas.values())
    return areas


def _is_telling(written: str) -> bool:
    folded = written.casefold()
    is_long = len(written) >= _SHORTEST_WORD or is_unspaced(written)
    return is_long and folded not in STOP_WORDS and folded not in _FILLER


def _pick_spelling(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
