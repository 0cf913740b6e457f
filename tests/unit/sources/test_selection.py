from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.selection import (
    SHOWN_OF_A_DOCUMENT,
    count_wanted_documents,
    demote_front_matter,
    level_scores,
    spread,
)

DOCUMENTS = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=60)
LIMITS = st.integers(1, 24)


def of(documents: list[str] | str) -> tuple[list[int], dict[int, str]]:
    """Return an order of passages and the document of each."""
    return [*range(len(documents))], dict(enumerate(documents))


@given(DOCUMENTS, LIMITS)
def test_as_many_documents_are_shown_as_are_wanted_and_there(documents: list[str], limit: int):
    order, document_of = of(documents)
    shown = {document_of[one] for one in spread(order, document_of, limit)}
    assert len(shown) >= min(count_wanted_documents(limit), len(set(documents)))


@given(DOCUMENTS, LIMITS)
def test_as_many_passages_are_shown_as_there_are_in_their_order(documents: list[str], limit: int):
    order, document_of = of(documents)
    shown = spread(order, document_of, limit)
    assert shown == sorted(shown)
    assert len(shown) == min(limit, len(order))


@given(DOCUMENTS, LIMITS)
def test_the_best_three_of_a_document_never_give_way(documents: list[str], limit: int):
    order, document_of = of(documents)
    shown, count = spread(order, document_of, limit), Counter[str]()
    for one in order[:limit]:
        count[document_of[one]] += 1
        assert one in shown or count[document_of[one]] > SHOWN_OF_A_DOCUMENT


@given(DOCUMENTS, LIMITS)
def test_where_many_documents_are_found_the_first_passages_are_shown(
    documents: list[str], limit: int
):
    order, document_of = of(documents)
    if len(set(documents[:limit])) >= count_wanted_documents(limit):
        assert spread(order, document_of, limit) == order[:limit]


def test_one_long_document_leaves_places_to_the_best_of_others():
    order, document_of = of("a" * 30 + "bbcd")
    assert spread(order, document_of, 12) == [*range(10), 30, 32]


def test_the_best_words_of_a_document_stand_for_its_front_matter():
    order, document_of = of("abaab")
    assert demote_front_matter(order, document_of, {0}) == [2, 1, 3, 4]
    assert demote_front_matter(order, document_of, {2}) == [0, 1, 3, 4]


def test_front_matter_stays_where_nothing_else_of_its_document_is_found():
    order, document_of = of("abba")
    assert demote_front_matter(order, document_of, {0, 1, 3}) == [0, 2, 3]


@given(DOCUMENTS, st.sets(st.integers(0, 59)))
def test_no_document_is_lost_with_its_front_matter(documents: list[str], front: set[int]):
    order, document_of = of(documents)
    shown = demote_front_matter(order, document_of, front)
    assert {document_of[one] for one in shown} == set(documents)
    assert len(set(shown)) == len(shown)
    assert set(shown) >= {one for one in order if one not in front}


@given(st.lists(st.floats(-1, 1)))
def test_a_score_is_the_best_from_its_place_on(scores: list[float]):
    assert level_scores(scores) == [max(scores[at:]) for at in range(len(scores))]
