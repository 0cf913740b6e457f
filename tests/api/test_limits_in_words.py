"""A limit in the words of a question, of who or when, is kept, or said not to be."""

from __future__ import annotations

import pytest

from api.test_truth import call_tool, structured
from api.world import ids

DAY_S = 86_400
HOUR_S = 3_600
SAID = (
    (200, "ana", "The gutter was cleared."),
    (90, "ana", "The fence was painted."),
    (40, "ana", "The roof was tarred."),
    (3, "ana", "The lorry brought new pallets."),
    (2, "bo", "The crane was greased."),
    (1, "ana", "The lift in hall four got stuck."),
)


@pytest.fixture
def said(place):
    """Return the ids of what Ana and Bo said, by how many days ago."""
    known: dict[int, str] = {}
    now = 201
    for days, agent, text in SAID:
        place.clock.advance((now - days) * DAY_S)
        now = days
        known[days] = place.know(text, agent)
    place.clock.advance(DAY_S)
    return known


@pytest.mark.parametrize(
    "question",
    [
        "What did Ana say in the last 3 days?",
        "What has ana said in the past three days?",
        "What was said in the last 3 days, by Ana?",
        "Ana's notes of the last 3 days",
        "Was hat Ana in den letzten 3 Tagen gesagt?",
        "What did Ana say in the last 80 hours?",
        "What did Ana tell us in the last 80h?",
    ],
)
def test_what_somebody_said_in_a_time_is_exactly_that(place, said, question):
    reply = place.ask(question, "dev", contribute="never")
    assert ids(reply) == [said[1], said[3]]
    assert reply["result"]["response"].startswith("What was said, newest first:")


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did Ana say two days ago?", [1]),
        ("What did Bo say in the last 36 hours?", [2]),
        ("Anything from Bo in the last hour?", [2]),
    ],
)
def test_a_time_in_which_somebody_said_nothing_is_called_so(place, said, question, days):
    reply = place.ask(question, "dev", contribute="never")
    assert reply["result"]["response"].startswith("Nothing was said in that time.")
    assert ids(reply) == [said[day] for day in days]


def test_hours_are_counted_from_now(place, said):
    assert ids(place.ask("What happened in the last 36 hours?", "dev")) == [said[1]]
    assert ids(place.ask("What was said in the last 50 hours?", "dev")) == [said[1], said[2]]
    place.clock.advance(20 * 60)
    now = place.know("The gate is open.", "cy")
    place.clock.advance(25 * 60)
    assert ids(place.ask("What happened half an hour ago?", "dev"))[0] == now
    assert ids(place.ask("What was said 25 minutes ago?", "dev")) == [now]


def test_limits_of_words_and_of_parameters_hold_together(place, said):
    general = "What was said in the last 3 days?"
    assert ids(place.ask(general, "dev", by="Bo")) == [said[2]]
    assert ids(place.ask("What did Ana say?", "dev", until="2000-01-01")) == []


def test_several_people_are_named(place, said):
    reply = place.ask("What did Ana and Bo say in the last 3 days?", "dev")
    assert ids(reply) == [said[1], said[2], said[3]]


def test_an_agent_is_named_by_its_id(place):
    noted = place.know("The crane was greased.", "dev-agent-1")
    place.know("The gate is open.", "dev-agent-2")
    assert ids(place.ask("What did dev-agent-1 write today?", "kim")) == [noted]


def test_a_name_of_two_words_is_one_name(place):
    noted = place.know("The crane was greased.", "al", contributor_name="Ana Lopez")
    place.know("The gate is open.", "ana")
    assert ids(place.ask("What did Ana Lopez say today?", "kim")) == [noted]


def test_more_than_is_shown_is_told(place, said):
    reply = place.ask("What did Ana say?", "dev", limit=2)
    assert ids(reply) == [said[1], said[3]]
    assert reply["result"]["response"].endswith("There is more; a higher `limit` shows it.")
    reply = place.ask("What did Bo say?", "dev", limit=1)
    assert "There is more" not in reply["result"]["response"]


def test_a_name_that_nobody_has_is_searched_for(place, said):
    manual = place.know("The manual says that the ram is oiled on Mondays.", "cy")
    reply = place.ask("What did the manual say?", "dev", contribute="never")
    assert reply["trace"]["retrieval_method"] == "hybrid"
    assert ids(reply)[0] == manual


def test_a_time_beside_a_subject_is_not_dropped_in_silence(meaning):
    meaning.know("The roof of hall two was tarred by Jensen.", "bo")
    meaning.clock.advance(40 * DAY_S)
    reply = meaning.ask("What was tarred on the roof in the last 3 days?", "dev")
    assert len(ids(reply)) == 1
    assert reply["result"]["response"].startswith("Nothing of that time is close to this.")
    meaning.know("Yesterday the roof was tarred again.", "bo")
    reply = meaning.ask("What was tarred on the roof in the last 3 days?", "dev")
    assert not reply["result"]["response"].startswith("Nothing of that time")


def test_limits_are_told_over_mcp(place, said):
    def recall(query, **more):
        return structured(call_tool(place, "recall", query=query, agent_id="dev", **more))

    shown = recall("What did Ana say in the last 3 days?", limit=1)
    assert [thought["thought_id"] for thought in shown["thoughts"]] == [said[1]]
    assert shown["note"].endswith("There is more; a higher `limit` shows it.")
    assert recall("What did Ana say two days ago?")["note"].startswith("Nothing was said in that")


def test_what_happened_until_now_is_not_what_was_said_before(place, said):
    question = "What did Ana say about the lift in the last 3 days?"
    assert set(ids(place.ask(question, "dev"))) == {said[1], said[2], said[3]}
