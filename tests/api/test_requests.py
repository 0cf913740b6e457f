"""What asks without the form of a question is answered, and replaces nothing; nor does a denial."""

from __future__ import annotations

import pytest

from api.world import accepted, ids

GATE = "Deliveries go to gate 7 of the Millbrook yard."
STANDUP = "The standup is at 10:15."
PROBE = "The Heron probe is red."


def list_links(world, thought_id):
    return [link["thought_id"] for link in world.record(thought_id)["replaces"]]


def tell(world, text, **more):
    world.clock.advance(60)
    return world.ask(text, "kim", **more)


def test_what_is_wanted_is_answered_and_not_kept(meaning):
    gate = meaning.know(GATE, "bo")
    reply = tell(meaning, "Remind me of the gate that deliveries go to.")
    assert ids(reply) == [gate]
    assert GATE in reply["result"]["response"]
    assert reply["trace"]["thought_id"] is None


@pytest.mark.parametrize(
    "text",
    [
        "I never said the standup is at 10:15.",
        "Nobody said that the standup is at 9:30.",
        "Ich habe nie gesagt, dass das Standup um 10:15 ist.",
    ],
)
def test_a_denial_replaces_nothing_and_stands_below_what_it_denies(meaning, text):
    standup = meaning.know(STANDUP, "bo")
    denial = tell(meaning, text)["trace"]["thought_id"]
    assert list_links(meaning, denial) == []
    assert ids(tell(meaning, "When is the standup?"))[0] == standup


def test_a_denial_of_the_last_answer_corrects_nothing(meaning):
    meaning.know(STANDUP, "bo")
    session_id = tell(meaning, "When is the standup?")["trace"]["session_id"]
    kept = tell(meaning, "I never said 10:15", session_id=session_id)["trace"]["thought_id"]
    assert kept is None or list_links(meaning, kept) == []


@pytest.mark.parametrize(
    "text",
    [f"{PROBE} Also, which gate do deliveries go to?", f"Which gate do deliveries go to? {PROBE}"],
)
def test_a_question_beside_a_statement_is_answered_and_the_statement_is_kept(meaning, text):
    gate = meaning.know(GATE, "bo")
    reply = tell(meaning, text)
    assert ids(reply) == [gate]
    response = reply["result"]["response"]
    assert GATE in response
    assert f'What you stated is stored, without the question: "{PROBE}"' in response
    assert meaning.record(reply["trace"]["thought_id"])["content"] == PROBE


def test_the_whole_prompt_stays_in_the_log_and_goes_with_its_thought(meaning):
    text = f"{PROBE} Also, which gate do deliveries go to?"
    kept = tell(meaning, text)["trace"]["thought_id"]
    log = "SELECT query_text FROM query_log"
    assert meaning.rows(log) == [(text,)]
    accepted(meaning.send("DELETE", f"thoughts/{kept}", {"agent_id": "kim"}))
    assert meaning.rows(log) == [("",)]


def test_a_retry_of_a_divided_prompt_is_answered_as_before(meaning):
    headers = {"Idempotency-Key": "once"}
    body = {"prompt": f"{PROBE} Who leads support?", "agent_id": "kim", "agent_name": "Kim"}
    first, again = (accepted(meaning.post("memory", body, headers=headers)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (f"{PROBE} Is that right?", {}),
        ("Why did the build fail? The cache of the runner was stale.", {}),
        (f"{PROBE} Who leads support?", {"contribute": "always"}),
    ],
)
def test_what_may_belong_together_or_is_to_be_kept_stays_whole(meaning, text, more):
    kept = tell(meaning, text, **more)["trace"]["thought_id"]
    assert meaning.record(kept)["content"] == text


def test_all_that_is_kept_of_a_divided_prompt_is_said_and_nothing_of_it_is_lost(meaning):
    statement = (
        "I found that the ram of press 4 sticks below five degrees and above ninety percent of "
        "humidity. It was greased in May by the night shift. The seal is new."
    )
    text = f"{statement} What other faults does press 4 have?"
    reply = tell(meaning, text)
    assert meaning.record(reply["trace"]["thought_id"])["content"] == statement
    assert f'without the question: "{statement}"' in reply["result"]["response"]


@pytest.mark.parametrize("text", ["I work in California", "Restart the router in hall two now"])
def test_who_states_what_is_not_kept_is_told_why(meaning, text):
    reply = tell(meaning, text)
    assert reply["trace"]["thought_id"] is None
    assert "Your prompt was not stored, because" in reply["result"]["response"]
    asked = tell(meaning, "Where do I work?")
    assert "not stored" not in asked["result"]["response"]


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "Restart the router.",
        "What other faults are there?",
        "  The ram sticks. \n  What else does?",
        "I work in California",
        "2026-11-29 04:11:12 ERROR code 55D1 ram stuck",
    ],
)
def test_what_is_to_be_kept_is_kept_word_for_word(meaning, text):
    standup = meaning.know(STANDUP, "bo")
    session = tell(meaning, "When is the standup?")["trace"]["session_id"]
    kept = tell(meaning, text, contribute="always", session_id=session)["trace"]["thought_id"]
    assert kept not in {None, standup}
    assert meaning.record(kept)["content"] == text


def test_a_correction_that_is_to_be_kept_is_kept_word_for_word(meaning):
    meaning.know(STANDUP, "bo")
    session = tell(meaning, "When is the standup?")["trace"]["session_id"]
    text = "no, at 22:45"
    kept = tell(meaning, text, contribute="always", session_id=session)["trace"]["thought_id"]
    assert meaning.record(kept)["content"] == text


@pytest.mark.parametrize(
    "text", ["thanks!", "ok", "What is trending?", "Restart the router.", "why?", PROBE]
)
def test_every_call_stands_in_the_query_log(meaning, text):
    session = tell(meaning, text)["trace"]["session_id"]
    assert meaning.rows("SELECT query_text, session_id FROM query_log") == [(text, session)]


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("Please restart the router", False),
        ("Please restart the router in the office of the second floor right away now.", True),
        ("I work in California.", True),
    ],
)
def test_what_the_page_says_is_kept_is_kept(meaning, text, is_kept):
    assert (tell(meaning, text)["trace"]["thought_id"] is not None) is is_kept
