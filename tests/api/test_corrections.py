"""A correction of the last answer is linked to the thought that the answer showed."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.world import accepted, ids

PORT = "The staging gateway listens on port 3200."
PLANTS = "Ben waters the plants on Mondays."
QUESTION = "Which port does the staging gateway listen on?"


@pytest.fixture
def session(place):
    """The session of an agent who was shown the port."""
    place.know(PORT, "bo")
    place.know(PLANTS, "bo")
    place.clock.advance(60)
    reply = place.ask(QUESTION, "dev")
    place.clock.advance(60)
    return reply["trace"]["session_id"]


def correct(place, text, **more):
    thought_id = place.ask(text, "dev", **more)["trace"]["thought_id"]
    place.clock.advance(60)
    return thought_id


def list_replaced(place, thought_id):
    """Return the contents of what a thought replaces."""
    return [link["content_preview"] for link in place.record(thought_id)["replaces"]]


@pytest.mark.parametrize(
    "text",
    [
        "You said the gateway listens on 3200, but it moved to 3300.",
        "That's wrong, it is 3300.",
        "no, not 3200: 3300",
        "Scratch that, the port is 3300 now.",
        "Das stimmt nicht, es ist 3300.",
    ],
)
def test_a_correction_stands_above_what_the_answer_showed_and_says_so(place, session, text):
    thought_id = correct(place, text, session_id=session)
    assert list_replaced(place, thought_id) == [PORT]
    reply = place.ask(QUESTION, "kim")
    assert ids(reply)[0] == thought_id
    assert "probably replaces what Bo said" in reply["result"]["response"]


def test_thanks_leave_the_answer_where_it_was_to_be_corrected(place, session):
    thanks = place.ask("Thanks!", "dev", session_id=session)
    assert (ids(thanks), thanks["trace"]["retrieval_method"]) == ([], "courtesy")
    assert list_replaced(
        place, correct(place, "wait, that's wrong, it is 3300", session_id=session)
    )


def test_who_names_no_session_corrects_what_they_were_shown_a_moment_ago(place, session):
    assert list_replaced(place, correct(place, "That's wrong, it is 3300.")) == [PORT]


def test_long_after_the_answer_nothing_is_corrected_without_its_session(place, session):
    place.clock.advance(3600)
    assert list_replaced(place, correct(place, "That's wrong, it is 3300.")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Wrong passwords lock the account after five tries.",
        "Actually the coffee machine was repaired by Olaf yesterday.",
        "It is not true that the port of the staging gateway changed.",
        "If the gateway moved to port 3300, Ben could use it.",
    ],
)
def test_what_corrects_nothing_of_the_answer_is_linked_to_none_of_it(place, session, text):
    thought_id = correct(place, text, session_id=session, contribute="always")
    assert PORT not in list_replaced(place, thought_id)


def test_a_correction_that_is_taken_back_gives_back_what_it_corrected(place, session):
    new = correct(place, "That's wrong, it is 3300.", session_id=session)
    old = place.record(new)["replaces"][0]["thought_id"]
    accepted(place.send("DELETE", f"thoughts/{new}/replaces/{old}?agent_id=dev"))
    assert ids(place.ask(QUESTION, "kim"))[0] == old


def test_an_erased_correction_gives_back_what_it_corrected(place, session):
    new = correct(place, "That's wrong, it is 3300.", session_id=session)
    place.forget(new, "dev")
    assert PORT in place.ask(QUESTION, "kim")["result"]["response"]


def test_a_correction_outlives_the_rollback_of_somebody_else(opened):
    owner = founded(Anywhere(opened)("home"))
    guest = owner.shared("eve", role="contributor")
    owner.know(PORT, "bo")
    owner.clock.advance(60)
    session = owner.ask(QUESTION, "dev")["trace"]["session_id"]
    noise = guest.know("The tide tables are in the drawer.", "eve")
    new = correct(owner, "That's wrong, it is 3300.", session_id=session)
    since = owner.record(noise)["created_at"]
    accepted(owner.post(f"spaces/{owner.space}/rollback", {"owner": guest.member, "since": since}))
    assert list_replaced(owner, new) == [PORT]


def test_a_correction_of_what_another_member_said_stands_below_until_it_is_confirmed(opened):
    owner = founded(Anywhere(opened)("home"))
    guest = owner.shared("eve", role="contributor")
    old = owner.shared("bo", role="contributor").know(PORT, "bo")
    owner.clock.advance(60)
    session = guest.ask(QUESTION, "dev")["trace"]["session_id"]
    new = correct(guest, "That's wrong, it is 3300.", session_id=session)
    assert [link["contested"] for link in owner.record(new)["replaces"]] == [True]
    assert ids(owner.ask(QUESTION, "kim"))[0] == old
