"""Saying the same twice, on purpose or by retry: thoughts.md 3."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.world import accepted, refused, talk
from empty_memory import over_both

pytestmark = over_both

INSIGHT = "The café in Lisbon has the naïve habit of closing precisely at noon."


def send(world, key, prompt=INSIGHT, agent="ada", **more):
    return world.client.post(
        "/api/v1/memory", json=talk(prompt, agent, **more), headers={"idempotency-key": key}
    )


@pytest.mark.parametrize(
    "same",
    [
        INSIGHT,
        unicodedata.normalize("NFD", INSIGHT),
        f"  {INSIGHT}\n",
        INSIGHT.replace(" ", "\n\t  "),
        INSIGHT.replace(" ", "\u00a0"),
    ],
)
def test_the_same_words_are_affirmed_and_not_stored_twice(world, same):
    thought = world.ask(INSIGHT, "ada")["trace"]["thought_id"]
    reply = world.ask(same, "bob")
    assert reply["trace"]["thoughts_contributed"] == 0
    assert reply["trace"]["contribution_threshold_met"] is True
    assert "affirm" in reply["trace"]["operations"]
    assert "contribute" not in reply["trace"]["operations"]
    assert reply["trace"]["thought_id"] == thought
    assert world.record(thought)["affirmed_by"] == [
        {
            "contributor_id": "bob",
            "contributor_name": "Bob",
            "timestamp": "2026-02-23T15:00:00.000000Z",
        }
    ]
    assert world.rows("SELECT count(*) FROM thoughts") == [(1,)]


@pytest.mark.parametrize("other", [INSIGHT.lower(), INSIGHT + "!", INSIGHT.replace("é", "e")])
def test_other_words_are_another_thought(world, other):
    world.ask(INSIGHT)
    assert world.ask(other)["trace"]["thoughts_contributed"] == 1


def test_an_affirmation_is_a_use_but_not_the_authors_own(world):
    world.ask(INSIGHT, "ada")
    world.ask(INSIGHT, "ada")
    assert world.rows("SELECT count(*) FROM uses") == [(0,)]
    world.ask(INSIGHT, "bob")
    assert world.rows("SELECT agent_id, kind FROM uses") == [("bob", "affirmed")]


def test_affirming_what_nothing_shows_does_not_claim_to_have_stored_it(world):
    world.ask(INSIGHT, "ada")
    reply = world.ask(INSIGHT, "bob", filter_tags=["none"])
    assert "affirm" in reply["trace"]["operations"]
    assert "Your thought is stored" not in reply["result"]["response"]


def test_a_retry_returns_the_first_answer_and_counts_once(world):
    thought = world.know("Lisbon has a café.")
    first = accepted(send(world, "key-1"))
    world.clock.advance(hours=5)
    world.know("Lisbon has a second café.")
    assert accepted(send(world, "key-1")) == first
    assert world.record(thought)["access_count"] == 1
    assert world.rows("SELECT count(*) FROM query_log") == [(1,)]
    assert world.rows("SELECT count(*) FROM affirmations") == [(0,)]


def test_retries_at_the_same_time_count_once(world):
    thought = world.know("Lisbon has a café.")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: accepted(send(world, "key-1")), range(16)))
    assert all(answer == answers[0] for answer in answers)
    assert world.record(thought)["access_count"] == 1
    assert world.rows("SELECT count(*) FROM query_log") == [(1,)]
    assert world.rows("SELECT count(*) FROM thoughts") == [(2,)]


def test_a_key_used_for_another_body_is_refused(world):
    accepted(send(world, "key-1"))
    for changed in ({"prompt": "Something else."}, {"agent": "bob"}, {"limit": 3}):
        refused(send(world, "key-1", **changed), 400, "VALIDATION_ERROR")
    assert world.rows("SELECT count(*) FROM query_log") == [(1,)]


def test_another_key_is_another_call(world):
    accepted(send(world, "key-1"))
    accepted(send(world, "key-2"))
    assert world.rows("SELECT count(*) FROM query_log") == [(2,)]


def test_a_refused_call_does_not_take_its_key(world):
    refused(send(world, "key-1", limit=0), 400, "VALIDATION_ERROR")
    accepted(send(world, "key-1"))


@pytest.mark.parametrize("key", ["", "k" * 201, "two words", "ü"])
def test_a_key_has_1_to_200_visible_characters(world, key):
    refused(send(world, key.encode("latin-1")), 400, "VALIDATION_ERROR")


def test_a_key_of_200_characters_is_taken(world):
    first = accepted(send(world, "k" * 200))
    assert accepted(send(world, "k" * 200)) == first


def test_a_kept_answer_is_gone_with_the_thought_it_quotes(world):
    thought = accepted(send(world, "key-1"))["trace"]["thought_id"]
    world.forget(thought)
    assert world.rows("SELECT count(*) FROM answers") == [(0,)]


def test_a_kept_answer_holds_no_whole_texts_and_a_retry_shows_them_all_the_same(world):
    for number in range(5):
        world.know(f"Lisbon has a café, number {number}. " + f"It is open at {number}. " * 500)
    first = accepted(send(world, "key-1", "café in Lisbon?", explain=True, limit=5))
    assert [len(source["content"]) > 8_000 for source in first["result"]["sources"]] == [True] * 5
    [(size,)] = world.rows("SELECT length(answer) FROM answers")
    assert size < 8_000
    assert accepted(send(world, "key-1", "café in Lisbon?", explain=True, limit=5)) == first
