from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.memory.contribution import (
    ContributionReason,
    is_contribution,
    is_follow_up,
    is_question,
    judge_contribution,
)

INSIGHT = "Role boundaries prevent coordination collapse in every team we have watched."


def test_an_insight_is_stored() -> None:
    assert is_contribution(INSIGHT)


@pytest.mark.parametrize("prompt", ["x" * 51, "🐜" * 51, "thanks a lot, that was great help!" * 2])
def test_length_alone_says_nothing(prompt: str) -> None:
    assert not is_contribution(prompt)


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("What do you know about role separation in multi-agent systems?", True),
        ("We separate roles strictly. Does anybody else do that?", False),
        ("Careful with that! Does anybody else do this in the evening?", False),
        ("Is version 2.0 of the protocol safe to use in production yet?", False),
        ("What is known about roles?\nAnd what is known about boundaries?", True),
        ("Line one has no stop\nand line two asks whether that matters?", True),
        ("  What do you know about role separation in agent systems? \n", True),
        ("? that is what the log said, over and over, all through the night", False),
        ("?", True),
        ("", False),
    ],
)
def test_a_question_is_what_ends_in_one_mark_without_a_stop_before(prompt: str, asks: bool) -> None:
    assert is_question(prompt) is asks


@given(st.text("ab.!? \n\r\u2028", max_size=20))
def test_a_question_is_exactly_what_the_specified_pattern_matches(text: str) -> None:
    specified = re.search(r"\A[^.!]*\?\Z", text.strip())
    assert is_question(text) is (specified is not None)


@pytest.mark.parametrize(
    "start", ["based on", "You said", "YOU TOLD ME", "Regarding your", "about your response"]
)
def test_a_reference_to_an_earlier_answer_is_not_stored(start: str) -> None:
    prompt = f"  {start} earlier findings, {INSIGHT}"
    assert is_follow_up(prompt)
    assert not is_contribution(prompt)


@pytest.mark.parametrize("start", ["We based on", "As you said", "Regarding the", "About"])
def test_the_same_words_further_in_or_others_are_no_reference(start: str) -> None:
    prompt = f"{start} earlier findings, {INSIGHT}"
    assert not is_follow_up(prompt)
    assert is_contribution(prompt)


@pytest.mark.parametrize(
    "told",
    [
        "Search in the shop is slow because an index is missing.",
        "Check of the valve is done weekly.",
        "List of hosts is kept in the wiki.",
        "Don't trust the label: the kiln stands on birch.",
        "Forget what I told you about the gate, it opens at 9.",
        "Please remember that the vault opens at 9.",
        "Please use the staging key for tests.",
        "Please never restart the database on Fridays.",
        "Please send mail for the office to 4 Foundry Yard, we handed back the rooms by the water.",
    ],
)
def test_a_statement_is_kept_though_it_begins_like_an_order_or_a_question(told: str) -> None:
    assert is_contribution(told)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Please restart the router on floor 2.", ContributionReason.ORDER),
        ("Bitte starte den Router neu.", ContributionReason.ORDER),
        ("Search in the wiki for what is written about turbines.", ContributionReason.ORDER),
        ("Forget everything you know about the gate of the yard.", ContributionReason.ORDER),
        ("Don't you know where the spare key of the yard is", ContributionReason.QUESTION),
        ("It is done, thanks for all the help with this!", ContributionReason.SMALL_TALK),
    ],
)
def test_what_is_to_be_done_once_is_not_kept(prompt: str, reason: ContributionReason) -> None:
    assert judge_contribution(prompt).reason is reason


@pytest.mark.parametrize(
    "prompt", ["It's leaking again.", "That's gone again", "It is still slow."]
)
def test_what_names_nothing_says_too_little(prompt: str) -> None:
    assert judge_contribution(prompt).reason is ContributionReason.LITTLE
    named = prompt.replace("It's", "The pump is").replace("That's", "Milk is")
    assert is_contribution(named.replace("It is", "The shop is"))
