"""A full disk: what reads goes on and says what it could not keep; what writes is refused."""

from __future__ import annotations

import pytest

from api.world import accepted, ids, refused
from wellworn.engines.storage import disk

LAMP = "The lamp of the north pier burns whale oil."


@pytest.fixture
def full(place, monkeypatch):
    """A memory with a thought, whose disk has 20 MiB left."""
    place.know(LAMP)
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 20 * 1024**2)
    return place


def test_a_question_is_answered_without_a_trail_and_the_answer_says_so(full):
    asked = full.ask("lamp whale oil?")
    assert [source["content_preview"] for source in asked["result"]["sources"]] == [LAMP]
    assert "The disk is full: this call left no trail" in asked["result"]["guidance"]
    assert "reinforce" not in asked["trace"]["operations"]


def test_a_session_from_before_goes_on(place, monkeypatch):
    thought = place.know(LAMP)
    session = place.ask("lamp whale oil?")["trace"]["session_id"]
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 20 * 1024**2)
    assert ids(place.ask("what of the lamp?", session_id=session)) == [thought]


def test_what_was_answered_without_a_trail_counts_nowhere(full, monkeypatch):
    full.ask("lamp whale oil?")
    full.ask("catch me up")
    monkeypatch.undo()
    [thought] = ids(full.ask("lamp whale oil?"))
    assert full.record(thought)["access_count"] == 1


def test_a_statement_is_refused_and_not_half_kept(full):
    body = {"prompt": "The south pier has no lamp.", "agent_id": "ada", "agent_name": "Ada"}
    refusal = full.post("memory", body | {"contribute": "always"})
    assert refused(refusal, 500, "INTERNAL_ERROR")
    assert full.read("search", q="south pier")["results"][0]["content_preview"] == LAMP


def test_a_turn_is_answered_and_says_that_it_is_not_kept(full, monkeypatch):
    answer = accepted(full.post("turns", {"query": "What burns in the lamp?", "agent_id": "ada"}))
    assert LAMP in answer["text"]
    assert answer["text"].endswith("The disk is full: this turn was not kept.")
    assert full.read("turns")["turns"] == []
    monkeypatch.undo()
    first = accepted(full.post("turns", {"query": "What burns in the lamp?", "agent_id": "ada"}))
    assert first["turn"]["number"] == 1
    assert "disk" not in first["text"]
