"""Reads what was found beside the question: what answers, and of rival answers the newest first.

What tells a change often shares no word with the question, so beside the best results stands what
was said since about the same as the first. Rivals answer one question, are near each other, and say
it with other words. Of those of one member, or of the open door, the newest stands first and names
the others as what it replaces. What members answer differently is contested, and the one heard
first stands above the other; what they answer alike is confirmed. Nothing is stored: the next
question is read by itself. Without a reader, what was found stays as it was.

Source: docs/adr/0022-reader.md; bounds from `python -m benchmarks reading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.reading import list_identifiers
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import (
    FoundThought,
    RetrievalMethod,
    RivalPair,
    SearchQuery,
    Thoughts,
    are_alike,
    find_others,
)
from wellworn.domain.thoughts.truth import LEAST_CONFIDENCE, LinkedThought
from wellworn.engines.embedding import Embedder, encode_question
from wellworn.engines.reading import ReaderService, Reading, get_logit
from wellworn.engines.retrieval.text import hash_words, speaks_of_self, split_words
from wellworn.kit.likelihood import ANSWERS
from wellworn.kit.passages import find_stretch

SHOWN_AT_LEAST: Final = 5
"""Results that are shown although nothing tells that they answer, and are read."""
_BEST: Final = 3
"""Of the results that are read, those that are the best."""
_SURER: Final = 0.3
"""By how much more likely than the first another of the best must answer to take its place."""
_SINCE: Final = 3
"""How many others are read that were said since."""
_LEAST: Final = 0.1
"""The probability below which the best result has no rivals: what it says may not be read at all,
as in another language, and then its place is left to the search."""
_NEAR: Final = 0.3
"""The cosine from which two thoughts are about the same."""
_ALIKE: Final = 0.7
"""The cosine from which they are about the same, whether or not they are read to answer."""
_BEHIND: Final = 4.0
_NEARER: Final = 10.0
"""By how many logits another answer may be less likely than the first: more, the nearer it is."""
_CHANGES: Final = 0.2
"""The probability from which what was said later, read after the first, is what answers since."""
_SURE: Final = 0.8
"""The probability from which an answer is so sure that it is given rather than asked back for."""
_HALF: Final = 300
"""Characters of each of two thoughts that are read as one."""
_WINDOW: Final = 480
"""Characters of a thought that are read: the reader was trained on as many, and each costs."""
_REASON: Final = "it answers the same question, and is newer"


class AnswerReader:
    """Reads thoughts beside a question."""

    def __init__(self, reader: ReaderService, thoughts: Thoughts, embedder: Embedder) -> None:
        self._reader = reader
        self._thoughts = thoughts
        self._embedder = embedder

    @property
    def is_there(self) -> bool:
        """Whether there is a reader, so that results need not be cut before it has read them."""
        return self._reader.name is not None

    def arrange(
        self,
        access: Access,
        search: SearchQuery,
        thoughts: Sequence[FoundThought],
        *,
        brings: bool = True,
        tells: bool = True,
    ) -> list[FoundThought]:
        """Return what a search found with what each answers, the newest of rivals first.

        Args:
            access: whose search it was.
            search: the search, whose text is one question; of another time than the present, the
                order stays.
            thoughts: what it found, best first.
            brings: whether what was said since is brought, though the search did not find it.
            tells: whether it is told what each answers; else only that is read which may move.
        """
        if not (self.is_there and thoughts):
            return [*thoughts]
        is_open = search.scope.is_open
        best = self._read(search.text, thoughts[: _BEST if is_open else SHOWN_AT_LEAST])
        if best is None:
            return [*thoughts]
        if not is_open:
            return [*best, *thoughts[SHOWN_AT_LEAST:]]
        first = _choose_first(best)
        vector = self._find_vector(access, first)
        since: list[FoundThought] = []
        if brings and vector is not None:
            near = replace(search, vector=vector, text="", method=RetrievalMethod.VECTOR)
            since = self._bring_since(access, near, first, thoughts)
        seen = {each.seq for each in (*best, *since)}
        others = [each for each in thoughts if each.seq not in seen]
        count = max(SHOWN_AT_LEAST - len(best) - len(since), 0)
        read = [*best, *since, *others[:count]]
        likeness: Mapping[int, float] = {}
        if vector is not None:
            seqs = sorted(each.seq for each in read if each.space is None)
            likeness = self._thoughts.searcher.measure(access, vector, seqs)
        changed = self._read_later(search.text, first, read, likeness)
        more = [
            each
            for each in read[len(best) :]
            if tells
            or (each.seq not in changed and _may_move(each, first, likeness.get(each.seq, 0.0)))
        ]
        again = self._read(search.text, more)
        if again is None:
            return [*thoughts]
        by_seq = {each.seq: each for each in again} | changed
        read = [by_seq.get(each.seq, each) for each in read]
        rivals = _list_rivals(search.text, first, read, likeness, changed.keys())
        read = let_older_first(
            self._contest(access, search.text, order_rivals(read, rivals), likeness)
        )
        return [*read, *others[count:]]

    def _find_vector(self, access: Access, first: FoundThought) -> NDArray[np.float32] | None:
        """Return the meaning of a thought; None for one of another space."""
        if first.space is not None:
            return None
        vector = self._thoughts.searcher.find_vector(access, first.seq)
        return encode_question(self._embedder, first.content).vector if vector is None else vector

    def _bring_since(
        self,
        access: Access,
        near: SearchQuery,
        first: FoundThought,
        thoughts: Sequence[FoundThought],
    ) -> list[FoundThought]:
        """Return what was said since about the same as the first, the nearest before the others.

        What shares no word with the question is near the first alone.
        """
        best = thoughts[:_BEST]
        seen = {each.seq for each in best}
        chosen = [
            hit
            for hit in self._thoughts.searcher.rank(access, near)
            if hit.standing.is_current
            and hit.summary.created_at > first.created_at
            and hit.summary.owner == first.owner
            and hit.summary.seq not in seen
        ][:_SINCE]
        by_seq = {each.seq: each for each in thoughts}
        unknown = [hit for hit in chosen if hit.summary.seq not in by_seq]
        by_seq |= {each.seq: each for each in self._thoughts.searcher.load(access, unknown)}
        brought = [by_seq[hit.summary.seq] for hit in chosen if hit.summary.seq in by_seq]
        # What is folded into one of the best is shown with it.
        return [new for new in brought if not any(are_alike(new, each) for each in best)]

    def _read(self, question: str, thoughts: Sequence[FoundThought]) -> list[FoundThought] | None:
        windows = [_find_window(each.content, question, _WINDOW) for each in thoughts]
        texts = [
            each.content[slice(*window)] for each, window in zip(thoughts, windows, strict=True)
        ]
        readings = self._reader.read(question, texts)
        if readings is None:
            return None
        return [
            replace(each, reading=_shift(reading, window[0]))
            for each, reading, window in zip(thoughts, readings, windows, strict=True)
        ]

    def _read_later(
        self,
        question: str,
        first: FoundThought,
        read: Sequence[FoundThought],
        likeness: Mapping[int, float],
    ) -> dict[int, FoundThought]:
        """Return by seq what changed what the first says, with its words that answer now.

        What tells a change ("Lise broke her wrist, Kofi learned the gulls") is read after what it
        changes, as it often answers nothing by itself.
        """
        if first.outdated_at is not None or _rate(first) < _LEAST:
            return {}
        later = [
            each
            for each in read
            if each.created_at > first.created_at
            and each.owner == first.owner
            and each.outdated_at is None
            and likeness.get(each.seq, 0.0) >= _NEAR
            and not _are_of_two_speakers(first, each)
        ]
        if not later:
            return {}
        before = first.content[slice(*_find_window(first.content, question, _HALF))]
        windows = [_find_window(each.content, before, _HALF) for each in later]
        texts = [each.content[slice(*window)] for each, window in zip(later, windows, strict=True)]
        readings = self._reader.read_later(question, before, texts)
        if readings is None:
            return {}
        return {
            each.seq: replace(each, reading=_shift(reading, window[0]))
            for each, window, reading in zip(later, windows, readings, strict=True)
            if reading.answers >= _CHANGES
        }

    def _contest(
        self,
        access: Access,
        question: str,
        read: Sequence[FoundThought],
        likeness: Mapping[int, float],
    ) -> list[FoundThought]:
        """Return the thoughts, those that members answer differently with the other beside each."""
        pairs = _pair_members(_select_of_one(question, read), likeness)
        if not pairs:
            return [*read]
        judged = self._thoughts.searcher.judge_rivals(access, pairs)
        return [replace(each, **judged[each.seq]) if each.seq in judged else each for each in read]


def _pair_members(
    thoughts: Sequence[FoundThought], likeness: Mapping[int, float]
) -> list[RivalPair]:
    """Return the thoughts of two members each that answer, and are about the same as the first.

    What two say of themselves is of each.
    """
    answering = [
        each
        for each in thoughts
        if _rate(each) >= ANSWERS and each.owner is not None and each.space is None
        if each.outdated_at is None
        if each is thoughts[0] or likeness.get(each.seq, 0.0) >= _NEAR
    ]
    return [
        RivalPair(
            one.seq,
            other.seq,
            is_alike=says_the_same(one, other),
            confidence=max(LEAST_CONFIDENCE, min(_rate(one), _rate(other))),
        )
        for one, other in combinations(answering, 2)
        if one.owner != other.owner and not _are_of_two_speakers(one, other)
    ]


def _are_of_two_speakers(one: FoundThought, other: FoundThought) -> bool:
    """Tell whether two say each something of themselves, so that both may be true."""
    speakers = {(each.contributor_id, each.owner) for each in (one, other)}
    return len(speakers) > 1 and all(speaks_of_self(each.content) for each in (one, other))


def _select_of_one(question: str, read: Sequence[FoundThought]) -> list[FoundThought]:
    """Return the thoughts that lack no name with a digit that the question and the best have."""
    names = list_identifiers(question) & {*split_words(read[0].content)}
    of_one = [each for each in read if names <= {*split_words(each.content)}]
    others = find_others(question, [each.content for each in of_one])
    return [each for at, each in enumerate(of_one) if at not in others]


def _may_move(thought: FoundThought, first: FoundThought, like: float) -> bool:
    """Tell whether what a thought answers can change the order, beside what answers best.

    Where the best answers nothing, only what is very like it is its rival, and members alone
    contradict one another.
    """
    if thought.outdated_at is not None or like < _NEAR:
        return False
    return like >= _ALIKE or _rate(first) >= _LEAST or thought.owner is not None


def _list_rivals(
    question: str,
    first: FoundThought,
    read: Sequence[FoundThought],
    likeness: Mapping[int, float],
    changed: Set[int],
) -> list[FoundThought]:
    """Return what answers best, and what answers the same question, in their order.

    What is not true any more is no rival.
    """
    if first.outdated_at is not None:
        return []
    current = [each for each in read if each.outdated_at is None and each.seq != first.seq]
    read = _select_of_one(question, [first, *current])
    most = get_logit(_rate(first))
    is_read = _rate(first) >= _LEAST

    def is_rival(thought: FoundThought) -> bool:
        like = likeness.get(thought.seq, 0.0)
        if not is_read and (like < _ALIKE or _rate(thought) < _rate(first)):
            return False
        is_near = like >= _NEAR and not _are_of_two_speakers(first, thought)
        return is_near and get_logit(_rate(thought)) - most >= _BEHIND - _NEARER * like

    return [each for each in read if each is first or each.seq in changed or is_rival(each)]


def order_rivals(
    thoughts: Sequence[FoundThought], rivals: Sequence[FoundThought]
) -> list[FoundThought]:
    """Return the thoughts, first the rivals, the newest before the others; pure.

    Nobody's answer goes before that of another member: the last to answer would have the say.
    """
    if not rivals:
        return [*thoughts]
    newest: dict[str | None, list[FoundThought]] = {}
    for each in sorted(rivals, key=lambda thought: thought.created_at):
        newest.setdefault(each.owner, []).append(each)
    # Each member's answers keep their places among those of the others.
    ordered = [newest[each.owner].pop() for each in rivals]
    first = ordered[0]
    before = [
        each
        for each in ordered[1:]
        if each.created_at < first.created_at
        and each.owner == first.owner
        and not says_the_same(first, each)
    ]
    links = tuple(each.link(_rate(each), _REASON) for each in before)
    chosen = {each.seq for each in ordered}
    return [
        replace(first, replaces=_add_links(first.replaces, links)),
        *ordered[1:],
        *(each for each in thoughts if each.seq not in chosen),
    ]


def let_older_first(thoughts: Sequence[FoundThought]) -> list[FoundThought]:
    """Return the thoughts, what one member alone contradicts above the contradiction; pure.

    Not above a correction of what its author said before, nor what contradicts others itself.
    """
    contested = {
        each.thought_id: {link.thought_id for link in each.replaces if link.contested}
        for each in thoughts
        if each.contested and all(link.contested for link in each.replaces)
    }
    older = {each.thought_id: each for each in thoughts if not contested.get(each.thought_id)}
    ordered: dict[str, FoundThought] = {}
    for each in thoughts:
        for rival in contested.get(each.thought_id, ()):
            if rival in older:
                ordered.setdefault(rival, older[rival])
        ordered.setdefault(each.thought_id, each)
    return [*ordered.values()]


def says_the_same(thought: FoundThought, other: FoundThought) -> bool:
    """Tell whether two thoughts answer with the same words."""
    mine, theirs = (frozenset(hash_words(each.span or "")) for each in (thought, other))
    return bool(mine) and bool(theirs) and (mine <= theirs or theirs <= mine)


def answers(thoughts: Sequence[FoundThought]) -> bool | None:
    """Tell whether any of the thoughts answers; None where nobody read them."""
    read = [thought for thought in thoughts if thought.reading is not None]
    return any(_rate(each) >= ANSWERS for each in read) if read else None


def is_sure(thoughts: Sequence[FoundThought]) -> bool:
    """Tell whether the first answers for sure, and nothing else does but what it replaces."""
    if not thoughts or _rate(thoughts[0]) < _SURE:
        return False
    before = {link.thought_id for link in thoughts[0].replaces}
    return all(_rate(each) < ANSWERS or each.thought_id in before for each in thoughts[1:])


def select_answers(
    thoughts: Sequence[FoundThought], relevant: Set[str], *, limit: int
) -> list[FoundThought]:
    """Return what is shown: what answers, what has to do with the prompt, and the first five.

    Where nobody read, it is what has to do with the prompt alone.
    """
    at_least = SHOWN_AT_LEAST if any(each.reading for each in thoughts) else 0
    chosen = [
        each
        for place, each in enumerate(thoughts)
        if place < at_least or each.thought_id in relevant or _rate(each) >= ANSWERS
    ]
    return chosen[:limit]


def _rate(thought: FoundThought) -> float:
    return thought.answers or 0.0


def _choose_first(best: Sequence[FoundThought]) -> FoundThought:
    """Return the first of the best that is true now, or one of the same member's, if much surer."""
    current = [each for each in best if each.outdated_at is None] or best
    first = current[0]
    own = (each for each in current if each.owner == first.owner)
    # What others say of themselves, however surely, is not of who said the first.
    surest = max((each for each in own if not _are_of_two_speakers(first, each)), key=_rate)
    return surest if _rate(surest) - _rate(first) > _SURER else first


def _add_links(
    links: Sequence[LinkedThought], more: Sequence[LinkedThought]
) -> tuple[LinkedThought, ...]:
    linked = {link.thought_id for link in links}
    return (*links, *(link for link in more if link.thought_id not in linked))


def _find_window(text: str, question: str, limit: int) -> tuple[int, int]:
    return find_stretch(text, question, limit, split=hash_words)


def _shift(reading: Reading, by: int) -> Reading:
    if reading.span is None or not by:
        return reading
    return replace(reading, span=(reading.span[0] + by, reading.span[1] + by))
