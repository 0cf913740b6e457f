from __future__ import annotations

import pytest

from wellworn.domain.thoughts.folding import normalise_statement

TOLD = "The heron gateway listens on port 7410."


@pytest.mark.parametrize(
    "said",
    [
        "the heron gateway listens on port 7410",
        "Entry 12: the heron gateway listens on port 7410.",
        "3. The heron gateway listens on port 7410!",
        "For the record, the heron gateway listens on port 7410.",
        "Small update for everyone: the heron gateway listens on port 7410.",
        "The heron's gateway listened on port 7410.",
    ],
)
def test_what_only_leads_in_makes_no_difference(said):
    assert normalise_statement(said) == normalise_statement(TOLD)


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
