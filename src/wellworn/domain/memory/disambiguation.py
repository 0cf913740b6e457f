"""Decides when to ask back: if a vague prompt fits many thoughts equally, in several areas.

A counter-question in place of a known answer is worse than an answer that could have been narrower,
so every doubt is decided for answering. Two things make a prompt ambiguous: it says little (at most
two telling words) and nothing found stands clearly above the rest; or, however much it says, ten
results match it equally well, as thoughts written to one pattern do.

The constants were calibrated with all-MiniLM-L6-v2 and BM25; docs/adr/0004-disambiguation.md has
the figures. Prominence is measured in standard deviations of the pool, so it does not depend on how
the fused score is scaled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from wellworn.domain.memory.areas import PoolResult, divide
from wellworn.domain.memory.contribution import find_kind
from wellworn.domain.memory.wording import TagArea
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.words import load_phrases, load_words

LARGEST_POOL = 50
FEWEST_RESULTS = 10
FEWEST_RELEVANT = 5
"""Fewer are listed, which is shorter than asking which of them is meant."""
_FEW = 2
"""The number of results that are few: what they say, and no more, is meant by who says it."""
MOST_SHOWN_OF_A_TAG = 5

NEAR_COSINE = 0.22
"""Least cosine of a relevant result; nine in ten unrelated texts stay below it."""
NEAR_COSINE_WITH_WORDS = 0.15
"""The same when the result also shares a word with the prompt."""

VAGUE_WORDS = 2
"""A prompt with more telling words than this is a question of its own."""


@dataclass(frozen=True, slots=True)
class Prominence:
    """The distance of the best result above the others, in standard deviations of the pool.

    Attributes:
        above_mean: best minus mean.
        ahead: best minus second.
    """

    above_mean: float
    ahead: float


CLEAR = Prominence(above_mean=2.5, ahead=1.0)
CLEAR_FOR_ONE_WORD = Prominence(above_mean=3.3, ahead=2.0)
"""One word names a topic more often than a thought, so more is asked of the best result."""


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance of results from a prompt that leaves open which is meant.

    Attributes:
        cosine: all are below it.
        ahead: the best is not so far ahead of the second.
        matching: so many share a word with the prompt.
    """

    cosine: float
    ahead: float
    matching: int


DISTANT = Distance(cosine=0.58, ahead=0.5, matching=2)
DISTANT_FOR_ONE_WORD = Distance(cosine=0.72, ahead=2.0, matching=1)
SUBJECT_COSINE = 0.35
"""At least as near is what a word of the prompt is about, though it does not say the word."""

EVEN_KEYWORD = 0.95
"""Results match evenly when the tenth has this share of the best keyword score ..."""
EVEN_COSINE = 0.10
"""... and at most this much less cosine."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The areas of the counter-question.

    Attributes:
        total_found: relevant results, 5 to 50.
        areas: tags with their counts, largest first, then by name; at least 3.
        shown: ids of the results to show beside it, best first: some of the largest tag's; or all
            where words divide them, which nobody chose to say what a thought is about.
    """

    total_found: int
    areas: tuple[TagArea, ...]
    shown: tuple[str, ...]


def ask_back(
    prompt: str, results: Sequence[PoolResult], *, tag_key: Callable[[str], str] = str.casefold
) -> Clusters | None:
    """Return what to ask, or None when the prompt is to be answered.

    Args:
        prompt: what the caller said, without its context.
        results: what retrieval found, in any order; the irrelevant are left out here.
        tag_key: gives two spellings of one tag the same key.
    """
    pool = filter_relevant(results)
    is_few = len(results) < FEWEST_RESULTS or len(pool) < FEWEST_RELEVANT
    if is_few or not is_ambiguous(prompt, pool):
        return None
    asked = set(split_words(" ".join(find_telling_words(prompt))))
    members, by_tags = divide(pool, asked, tag_key=tag_key)
    if not members or (not by_tags and names_few(prompt, asked, pool)):
        return None
    areas = [TagArea(name, len(ids)) for name, ids in members.items()]
    areas.sort(key=lambda area: (-area.count, area.tag))
    everything = [result.id for result in pool]
    shown = members[areas[0].tag][:MOST_SHOWN_OF_A_TAG] if by_tags else everything
    return Clusters(len(pool), tuple(areas), tuple(shown))


def filter_relevant(results: Sequence[PoolResult]) -> list[PoolResult]:
    """Return the relevant results, best first, at most 50.

    Where the prompt names tags, likeness in meaning alone is not enough.
    """
    pool = [result for result in results if result.is_named or result.keyword > 0]
    if not any(result.is_named for result in pool):
        pool = [result for result in results if is_relevant(result.cosine, result.keyword)]
    return sorted(pool, key=lambda result: -result.fused)[:LARGEST_POOL]


def is_relevant(cosine: float, keyword: float) -> bool:
    """Tell whether a result has to do with the prompt at all.

    A cosine of exactly 0 is that of a prompt without a meaning, asked by its words alone.
    """
    if cosine == 0 and keyword > 0:
        return True
    return cosine >= (NEAR_COSINE_WITH_WORDS if keyword > 0 else NEAR_COSINE)


def is_ambiguous(prompt: str, pool: Sequence[PoolResult]) -> bool:
    """Tell whether the prompt leaves open which of the pool is meant; the pool comes best first."""
    if sum(result.is_named for result in pool) >= FEWEST_RELEVANT:
        return True
    telling = find_telling_words(prompt)
    words = len(telling) + (find_kind(prompt) in telling)
    if words <= VAGUE_WORDS and has_rivals(pool, DISTANT if words > 1 else DISTANT_FOR_ONE_WORD):
        return True
    if len(pool) < FEWEST_RESULTS:
        return False
    enough = CLEAR if words > 1 else CLEAR_FOR_ONE_WORD
    return (words <= VAGUE_WORDS and not has_clear_best(pool, enough)) or is_even_match(pool)


def names_few(prompt: str, asked: Set[str], pool: Sequence[PoolResult]) -> bool:
    """Tell whether one thing is asked for by a word that a few results alone say: these are meant.

    "So which day for the propane?", "So no more Carel, right?"
    """
    folded = prompt.casefold().replace("\u2019", "'")
    if not (_ASKS_FOR_ONE.search(folded) or _TAG_QUESTION.search(folded)):
        return False
    openings = [set(split_words(result.opening)) for result in pool if result.keyword > 0]
    counts = (sum(word in opening for opening in openings) for word in asked)
    return any(0 < count <= _FEW for count in counts)


def has_rivals(pool: Sequence[PoolResult], distance: Distance) -> bool:
    """Tell whether the best result has others beside it, and none fits the prompt closely.

    What is asked for one thing is close in meaning to the thing that answers it.
    """
    best = max(result.cosine for result in pool)
    matching = sum(result.keyword > 0 for result in pool)
    is_about = matching >= distance.matching or best >= SUBJECT_COSINE
    ahead = measure_prominence(pool).ahead
    return is_about and best < distance.cosine and ahead < distance.ahead


def has_clear_best(pool: Sequence[PoolResult], enough: Prominence = CLEAR) -> bool:
    """Tell whether the best result is clearly above the rest, by either measure."""
    best = measure_prominence(pool)
    return best.above_mean >= enough.above_mean or best.ahead >= enough.ahead


def measure_prominence(pool: Sequence[PoolResult]) -> Prominence:
    """Measure the best result against the others; zero for fewer than two or all alike."""
    scores = [result.fused for result in pool]
    if not scores or min(scores) == max(scores):
        return Prominence(0.0, 0.0)
    mean = fmean(scores)
    spread = sqrt(fmean((score - mean) ** 2 for score in scores))
    return Prominence((scores[0] - mean) / spread, (scores[0] - scores[1]) / spread)


def is_even_match(pool: Sequence[PoolResult]) -> bool:
    """Tell whether at least ten results match word for word and in meaning equally well."""
    if len(pool) < FEWEST_RESULTS:
        return False
    keywords = sorted((result.keyword for result in pool), reverse=True)
    cosines = sorted((result.cosine for result in pool), reverse=True)
    tenth = FEWEST_RESULTS - 1
    return (
        keywords[tenth] >= EVEN_KEYWORD * keywords[0] > 0
        and cosines[0] - cosines[tenth] <= EVEN_COSINE
        and not has_clear_best(pool, Prominence(float("inf"), CLEAR.ahead))
    )


def find_telling_words(prompt: str) -> set[str]:
    """Return the prompt's words that say what it is about, without those any question may have.

    Only English filler is known. In other languages more words count, so memory asks back less.
    """
    asked = _TAG_QUESTION.sub("", prompt.casefold().replace("\u2019", "'"))
    words = {word.partition("'")[0] for word in _WORD.findall(asked)}
    return words - _FILLER


# Two characters make a word where no blanks are written.
_WORD = re.compile(
    r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,2}|[^\W_\u3041-\u9fff]+(?:'[^\W_]+)?"
)
_ASKS_FOR_ONE = re.compile(rf"(?<!\w)(?:{load_phrases(__name__, 'asks_for_one')})(?!\w)")
_TAG_QUESTION = re.compile(rf",\s*(?:{load_phrases(__name__, 'tag_questions')})\s*\?\s*\Z")
# Who, when, where, why, many, long and often are missing on purpose: they ask for one thing.
_FILLER = frozenset(load_words(__name__, "filler"))
