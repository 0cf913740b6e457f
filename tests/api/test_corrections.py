"""A correction of the last answer is linked to the thought that the answer showed."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.world import accepted, ids

READS = True
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
        "no, 3300",
        "actually 3300 now",
        "No, it was moved to 3300.",
    ],
)
def test_a_correction_stands_above_what_the_answer_showed_and_says_so(place, session, text):
    thought_id = correct(place, text, session_id=session)
    assert list_replaced(place, thought_id) == [PORT]
    reply = place.ask(QUESTION, "kim")
    assert ids(reply)[0] == thought_id
    assert "probably replaces what Bo said" in reply["result"]["response"]


@pytest.mark.parametrize(
    ("note", "question", "said"),
    [
        (
            "Oskar keeps the key of the shed.",
            "Who has the key of the shed?",
            "no, Petra has it now",
        ),
        (
            "Lena Voss approves expenses.",
            "Who approves expenses?",
            "Actually it is Henrik Dahl.",
        ),
        ("The ferry leaves at 22:15.", "When does the ferry leave?", "no, at 22:45"),
        ("The projector is in room B12.", "Where is the projector?", "nope, in the basement"),
        ("Dr. Amari signs the badges.", "Who signs the badges?", "No. Dr. Lund"),
        (
            "The choir rents its hall from Haas, they open it on Tuesdays.",
            "Who rents us the hall?",
            "no wait, Haas opens on Fridays, I mixed it up with the piano tuner",
        ),
    ],
)
def test_a_few_words_after_a_no_correct_what_was_just_shown(world, note, question, said):
    old = world.know(note, "bo")
    session = world.ask(question, "dev")["trace"]["session_id"]
    world.clock.advance(60)
    reply = world.ask(said, "dev", session_id=session)
    new = reply["trace"]["thought_id"]
    assert "Nothing was known" not in reply["result"]["response"]
    assert [link["thought_id"] for link in world.record(new)["replaces"]] == [old]
    assert ids(world.ask(question, "kim"))[0] == new


@pytest.mark.parametrize(
    "said",
    [
        "no, thanks",
        "no rush",
        "no idea",
        "No, I was just curious.",
        "Actually, Lea starts her internship on Monday.",
        "no need, Tim has it",
        "No worries, Ben gets the parcel on Fridays.",
    ],
)
def test_a_no_that_corrects_nothing_replaces_nothing(place, session, said):
    new = correct(place, said, session_id=session, contribute="always")
    assert list_replaced(place, new) == []


def test_a_correction_that_names_nothing_is_kept_with_the_question_that_it_answers(place, session):
    new = correct(place, "no, 3300", session_id=session)
    assert place.record(new)["content"] == f"no, 3300 ({QUESTION})"
    again = correct(place, "sorry, no, 3400", session_id=session)
    assert place.record(again)["content"] == f"sorry, no, 3400 ({QUESTION})"
    assert new in {link["thought_id"] for link in place.record(again)["replaces"]}
    telling = "That's wrong, the staging gateway listens on port 3500."
    assert place.record(correct(place, telling, session_id=session))["content"] == telling


def test_a_correction_of_one_detail_leaves_the_others_to_be_told(world):
    log = "The gateway logs to /var/log/gw.log, 200 MB at most, rotated by Ivan."
    old = world.know(log, "bo")
    session = world.ask("Where does the gateway log to?", "dev")["trace"]["session_id"]
    world.clock.advance(60)
    said = world.ask("that's wrong, it is /data/log/gw.log", "dev", session_id=session)
    result = world.ask("How large is the log of the gateway at most?", "kim")["result"]
    # Only the older one says how large it is.
    assert ids({"result": result}) == [old, said["trace"]["thought_id"]]
    assert f"{log} (from Bo, 2026-02-23; probably replaced in part by" in result["response"]
    assert "probably replaces in part what Bo said" in result["response"]


def test_the_same_words_correct_two_things_apart(world):
    for number, thing in enumerate(("ferry", "lecture")):
        world.know(f"The {thing} begins at {number + 8}:15.", "bo")
    corrections = set()
    for thing in ("ferry", "lecture"):
        session = world.ask(f"When does the {thing} begin?", "dev")["trace"]["session_id"]
        world.clock.advance(60)
        reply = world.ask("no, at 12:00", "dev", session_id=session)
        corrections.add(reply["trace"]["thought_id"])
        world.clock.advance(60)
    assert len(corrections) == 2


@pytest.mark.parametrize("said", ["wrong", "No, that's wrong!", "Das stimmt nicht."])
def test_who_only_objects_is_asked_what_is_so_instead(place, session, said):
    reply = place.ask(said, "dev", session_id=session)
    assert reply["result"]["response"].startswith("What is it instead?")
    assert (ids(reply), reply["trace"]["thoughts_contributed"]) == ([], 0)
    assert list_replaced(place, correct(place, "no, 3300", session_id=session)) == [PORT]


@pytest.mark.parametrize("said", ["Forget that.", "scratch that"])
def test_who_takes_back_what_was_said_is_told_how_it_is_erased(place, session, said):
    reply = place.ask(said, "dev", session_id=session)
    assert reply["result"]["response"].startswith("Nothing was erased.")
    assert (ids(reply), reply["trace"]["thoughts_contributed"]) == ([], 0)


def test_what_the_question_was_not_about_is_corrected_without_the_question(place, session):
    text = "Actually, Ben waters the plants on Tuesdays."
    thought_id = correct(place, text, session_id=session)
    assert list_replaced(place, thought_id) == [PLANTS]
    assert place.record(thought_id)["content"] == text


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
    reply = place.ask(QUESTION, "kim")["result"]
    assert {source["thought_id"] for source in reply["sources"]} >= {old, new}
    assert not any("replaced_by" in source for source in reply["sources"])
    assert PORT in reply["response"]


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
