from __future__ import annotations

import pytest

from wellworn.domain.thoughts import FoundThought
from wellworn.domain.thoughts.folding import fold_alike, normalise_statement

TOLD = "The heron gateway listens on port 7410."
SAID = (
    "the heron gateway listens on port 7410",
    "Entry 12: the heron gateway listens on port 7410.",
    "3. The heron gateway listens on port 7410!",
    "For the record, the heron gateway listens on port 7410.",
    "Small update for everyone: the heron gateway listens on port 7410.",
    "The heron's gateway listened on port 7410.",
)


@pytest.mark.parametrize("said", SAID)
def test_what_only_leads_in_makes_no_difference(said):
    assert normalise_statement(said) == normalise_statement(TOLD)


def test_case_makes_no_difference_within_a_name_either():
    told, said = "PocketBase runs on port 8090.", "pocketbase runs on port 8090"
    assert normalise_statement(told) == normalise_statement(said)


@pytest.mark.parametrize(
    "said",
    [
        "The heron gateway listens on port 7411.",
        "The heron gateway listens on port 7410?",
        "The heron gateway does not listen on port 7410.",
        "The staging heron gateway listens on port 7410.",
        "In Berlin, the heron gateway listens on port 7410.",
        "Port 7410 is what the heron gateway listens on.",
    ],
)
def test_what_says_anything_else_is_another_statement(said):
    assert normalise_statement(said) != normalise_statement(TOLD)


def test_things_of_a_series_are_told_apart():
    assert normalise_statement("Lamp 2 burns oil.") != normalise_statement("Lamp 3 burns oil.")
    assert normalise_statement("Case 3: passed.") != normalise_statement("Case 4: passed.")


def found(seq, content, *, outdated_at=None):
    return FoundThought(
        seq=seq,
        thought_id=f"thought {seq}",
        content=content,
        contributor_id=f"agent-{seq}",
        contributor_name=f"Agent {seq}",
        score=0.5,
        keyword=0.0,
        rank_score=1.0,
        parts={},
        tags=(),
        pheromone_weight=1.0,
        access_count=0,
        unique_users=0,
        created_at=0.0,
        outdated_at=outdated_at,
    )


def fold(*thoughts, limit=10):
    page = [found(seq, thought) for seq, thought in enumerate(thoughts)]
    folded = fold_alike([page], set(range(len(thoughts))), limit)
    return [(thought.seq, thought.alike.count if thought.alike else 0) for thought in folded]


def test_all_that_say_the_same_are_folded_into_the_first():
    assert fold("Otters sleep afloat.", *SAID, TOLD) == [(0, 0), (1, len(SAID))]


def test_statements_whose_words_begin_alike_stay_apart():
    assert fold(TOLD, "The hare garden lies on path 77.", TOLD.upper()) == [(0, 1), (1, 0)]


def test_no_more_are_returned_than_wanted():
    assert fold(TOLD, "Otters sleep afloat.", "Bees dance.", limit=2) == [(0, 0), (1, 0)]


def test_what_is_outdated_is_not_folded_into_what_is_true():
    page = [found(0, TOLD), found(1, TOLD, outdated_at=5.0), found(2, TOLD)]
    assert [thought.seq for thought in fold_alike([page], {0, 1, 2}, 10)] == [0, 1]
