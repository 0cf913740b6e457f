"""Of rival answers the newest stands first, and says what was before it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from wellworn.domain.memory.answer_reading import (
    SHOWN_AT_LEAST,
    AnswerReader,
    answers,
    order_rivals,
    says_the_same,
    select_answers,
)
from wellworn.domain.thoughts import FoundThought, RetrievalMethod, SearchQuery
from wellworn.engines.reading import Reading


def thought(seq, content, *, span=None, probability=0.9, owner=None, **fields):
    """A thought that was said as late as its number is high, and that was read."""
    start = content.find(span) if span else -1
    reading = Reading(probability, (start, start + len(span)) if span else None, 1.0)
    plain = FoundThought(
        seq, f"t{seq}", content, "ana", "Ana", 0.5, 1.0, 1.0, {}, (), 0.0, 0, 0, float(seq)
    )
    return replace(plain, reading=reading, owner=owner, **fields)


OLD = thought(1, "The gate opens at seven.", span="seven")
NEW = thought(2, "From Monday the gate opens at eight.", span="eight")
OTHER = thought(3, "The gate is green.", probability=0.01)


def test_the_newest_rival_comes_first_and_names_the_others():
    first, *rest = order_rivals([OLD, OTHER, NEW], [OLD, NEW])
    assert [first.seq, *(each.seq for each in rest)] == [2, 1, 3]
    [link] = first.replaces
    assert (link.thought_id, link.stated, link.confidence) == ("t1", False, 0.9)
    assert not any(each.replaces for each in rest)


def test_without_rivals_the_order_stays():
    assert order_rivals([NEW, OLD], []) == [NEW, OLD]


def test_what_answers_in_the_same_words_replaces_nothing():
    again = thought(4, "The gate opens at seven, as ever.", span="seven")
    first, *_ = order_rivals([OLD, again], [OLD, again])
    assert first.seq == 4
    assert first.replaces == ()
    assert says_the_same(again, OLD)
    assert not says_the_same(NEW, OLD)


def test_what_another_member_says_stays_behind():
    mine = replace(OLD, owner="m1")
    theirs = replace(NEW, owner="m2")
    for rivals in ([mine, theirs], [theirs, mine]):
        first, second = order_rivals(rivals, rivals)
        assert [first.seq, second.seq] == [each.seq for each in rivals]
        assert first.replaces == ()
    own = replace(theirs, owner="m1")
    assert order_rivals([mine, own], [mine, own])[0].seq == 2


def test_five_are_shown_and_beyond_them_what_answers_or_fits():
    found = [thought(seq, "x", probability=0.01) for seq in range(1, 9)]
    found[6] = thought(7, "y", probability=0.8)
    shown = select_answers(found, {"t6"}, limit=10)
    assert [each.seq for each in shown] == [1, 2, 3, 4, 5, 6, 7]
    assert len(shown) > SHOWN_AT_LEAST
    assert [each.seq for each in select_answers(found, set(), limit=3)] == [1, 2, 3]


def test_where_nobody_read_only_what_fits_is_shown():
    found = [replace(thought(seq, "x"), reading=None) for seq in range(1, 9)]
    assert [each.seq for each in select_answers(found, {"t3"}, limit=10)] == [3]
    assert answers(found) is None


def test_it_is_known_whether_anything_answers():
    assert answers([OTHER, NEW]) is True
    assert answers([OTHER]) is False


def arrange(found, probabilities, likeness, *, tells):
    """Return the seqs in order, and what was read."""
    contents = {each.content: each.seq for each in found}
    read = []

    def answer(question, texts):
        seqs = [contents[text] for text in texts]
        read.extend(seqs)
        return [Reading(probabilities.get(seq, 0.01), None, 0.0) for seq in seqs]

    reader = SimpleNamespace(name="double", read=answer, read_later=lambda *_: None)
    searcher = SimpleNamespace(
        find_vector=lambda *_: np.ones(1, np.float32),
        rank=lambda *_: [],
        load=lambda *_: [],
        measure=lambda *_: likeness,
    )
    search = SearchQuery(np.ones(1, np.float32), "gate?", "", method=RetrievalMethod.HYBRID)
    reading = AnswerReader(reader, SimpleNamespace(searcher=searcher), None)
    return [each.seq for each in reading.arrange(None, search, found, tells=tells)], read


FIVE = [replace(thought(seq, f"note {seq}"), reading=None) for seq in (5, 1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("probabilities", "likeness", "more"),
    [
        ({}, {3: 0.6, 4: 0.6}, []),
        ({5: 0.9}, {3: 0.2, 4: 0.2}, []),
        ({}, {3: 0.2, 4: 0.8}, [4]),
        ({5: 0.9, 4: 0.8}, {3: 0.2, 4: 0.6}, [4]),
    ],
    ids=["no answer", "of something else", "alike", "a rival"],
)
def test_where_nothing_is_told_only_what_may_move_is_read(probabilities, likeness, more):
    order, read = arrange(FIVE, probabilities, likeness, tells=False)
    assert read == [5, 1, 2, *more]
    assert order == arrange(FIVE, probabilities, likeness, tells=True)[0]
    assert arrange(FIVE, probabilities, likeness, tells=True)[1] == [5, 1, 2, 3, 4]


def test_a_rival_that_nobody_is_told_of_moves_all_the_same():
    order, _ = arrange(FIVE, {5: 0.9, 4: 0.8}, {4: 0.6}, tells=False)
    assert order == [5, 4, 1, 2, 3]
