"""A limit in the words of a question, of who or when, is kept, or said not to be."""

from __future__ import annotations

import pytest

from api.test_truth import call_tool, structured
from api.walls import founded
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
    assert "Nothing was said in that time. What was said near" in reply["result"]["response"]
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
    note = recall("What did Ana say two days ago?")["note"]
    assert note.startswith("“two days ago” is read as ")
    assert "in UTC. Nothing was said in that time. " in note


def test_what_happened_until_now_is_not_what_was_said_before(place, said):
    question = "What did Ana say about the lift in the last 3 days?"
    assert set(ids(place.ask(question, "dev"))) == {said[1], said[3]}


@pytest.mark.parametrize(
    "question",
    [
        "What did Ana say about the lift?",
        "What was said by Ana about the lift?",
        "Ana's notes about the lift",
        "Has ana ever mentioned the lift?",
    ],
)
def test_what_somebody_said_about_a_thing_is_theirs(place, said, question):
    for _ in range(3):
        place.know("The lift in hall five got stuck.", "bo", tags=["lift"])
    reply = place.ask(question, "dev", contribute="never")
    assert ids(reply)[0] == said[1]
    assert set(ids(reply)) <= {said[days] for days, agent, _ in SAID if agent == "ana"}
    assert [state for _, state in tell(reply)] == ["kept"]


def tell(reply):
    return [(limit["words"], limit["state"]) for limit in reply["result"].get("limits", ())]


def test_what_one_of_many_said_is_not_crowded_out(place):
    own = place.know("The lift in hall four got stuck near the gate.", "ana")
    for number in range(70):
        place.know(f"The lift in hall four got stuck, report {number}.", "bo")
    assert ids(place.ask("What did Ana say about the lift in hall four?", "dev")) == [own]


def test_a_member_is_named_by_the_name_they_joined_with(world):
    owner = founded(world)
    guest = owner.guest(name="Ana Lopez")
    noted = guest.know("The crane was greased.", "claude-1")
    owner.know("The crane was painted.", "claude-2")
    for question in ("What did Ana Lopez say?", "What did Ana Lopez say about the crane?"):
        assert ids(owner.ask(question, "dev")) == [noted]


def test_who_said_nothing_here_is_told(place, said):
    reply = place.ask("What did Zoe say about the lift?", "dev", contribute="never")
    assert reply["result"]["response"].startswith("Nobody called “Zoe” has said anything here.")
    assert tell(reply) == [("Zoe", "nobody")]
    place.know("The lift works.", "zoe")
    assert tell(place.ask("What did Zoe say about the lift?", "dev")) == [("Zoe", "kept")]


def test_a_limit_that_is_not_understood_is_told(place, said):
    reply = place.ask("What did everyone but Ana say?", "dev", contribute="never")
    assert tell(reply) == [("but Ana", "unknown")]
    assert "“but Ana” was not understood as a limit" in reply["result"]["response"]
    shown = structured(call_tool(place, "recall", query="What did Zoe say?", agent_id="dev"))
    assert shown["note"].startswith("Nobody called “Zoe” has said anything here.")


def test_nothing_close_within_the_limits_is_told(meaning):
    meaning.know("The roof of hall two was tarred by Jensen.", "bo")
    meaning.know("Bread is baked at six.", "ana")
    reply = meaning.ask("What did Ana say about the tar on the roof?", "dev")
    assert reply["result"]["response"].startswith("Nothing that they said is close to this.")
    assert tell(reply) == [("Ana", "missed")]


def test_an_hour_of_the_day_is_kept_and_its_day_told(place):
    place.clock.advance((12 - place.clock.now() / HOUR_S % 24) * HOUR_S)
    early = place.know("The gate is open.", "ana")
    place.clock.advance(4 * HOUR_S)
    late = place.know("The gate is shut.", "ana")
    place.clock.advance(4 * HOUR_S)
    reply = place.ask("What did Ana say between 3 and 5 pm?", "dev", contribute="never")
    assert ids(reply) == [late]
    assert "“between 3 and 5 pm” is read as of today, " in reply["result"]["response"]
    assert ids(place.ask("What did Ana say this morning?", "dev")) != [late]
    place.clock.advance(DAY_S)
    reply = place.ask("What did Ana say yesterday afternoon?", "dev", contribute="never")
    assert ids(reply) == [late, early]
    assert [limit["since"][11:13] for limit in reply["result"]["limits"][1:]] == ["12"]


def test_the_last_week_ends_now_and_last_week_on_its_sunday(place):
    days_since_monday = int(place.clock.now() // DAY_S + 3) % 7
    noted = place.know("The gate is open.", "ana")
    place.clock.advance(HOUR_S)
    reply = place.ask("What happened in the last week?", "dev")
    assert ids(reply) == [noted]
    assert reply["result"]["response"].startswith("What was said, newest first:")
    assert (
        "Nothing was said in that time."
        in (place.ask("What happened last week?", "dev")["result"]["response"])
    )
    place.clock.advance((7 - days_since_monday) * DAY_S)
    assert ids(place.ask("What happened last week?", "dev")) == [noted]


def test_what_only_states_something_has_no_limits(place, said):
    reply = place.ask("Ana said yesterday that the lift in hall four is repaired.", "bo")
    assert "limits" not in reply["result"]
