"""What is said in the first person is about its speaker, and two things of a kind are two."""

from __future__ import annotations

import pytest

from api.sealed_world import LINES, Anywhere, founded
from api.world import accepted, ids

LOCKERS = ("My locker is number 12.", "My locker is number 31.", "Which number is my locker?")
PEN = (
    "I am allergic to penicillin.",
    "I am not allergic to penicillin.",
    "Am I allergic to penicillin?",
)
TEAMS = ("Our team meets on Mondays.", "Our team meets on Thursdays.", "When does our team meet?")
SHIFTS = ("We start at 7 in the morning.", "We start at 9 in the morning.", "When do we start?")
OF_TWO = [LOCKERS, PEN, TEAMS, SHIFTS]


def tell_both(place, first, second):
    mine = place.know(first, "ana")
    place.clock.advance(60)
    theirs = place.know(second, "bo")
    place.clock.advance(60)
    return mine, theirs


@pytest.mark.parametrize(("first", "second", "question"), OF_TWO)
def test_what_two_say_of_themselves_is_of_each(meaning, first, second, question):
    mine, theirs = tell_both(meaning, first, second)
    assert meaning.record(theirs)["replaces"] == meaning.record(mine)["replaced_by"] == []
    for asker, own, other in (("ana", mine, theirs), ("bo", theirs, mine)):
        reply = meaning.ask(question, asker, contribute="never")
        assert ids(reply)[:2] == [own, other]
        assert "(from you, " in reply["result"]["response"]
        assert f"(from {'Bo' if asker == 'ana' else 'Ana'}, " in reply["result"]["response"]
    other = meaning.ask(question, "kim", contribute="never")
    assert {*ids(other)} == {mine, theirs}
    assert "from you" not in other["result"]["response"]
    for name in ("Ana", "Bo"):
        assert f"(from {name}, " in other["result"]["response"]


def test_the_same_words_of_two_speakers_are_two_statements(place):
    text, question = "I am allergic to penicillin.", "Who is allergic to penicillin?"
    mine, theirs = place.know(text, "ana"), place.know(text, "bo")
    assert mine != theirs
    assert place.record(mine)["affirmed_by"] == []
    assert place.know(text, "ana") == mine
    assert place.know(text, "bo") == theirs
    assert len(place.record(theirs)["affirmed_by"]) == 1
    reply = place.ask(question, "kim")
    assert {*ids(reply)} == {mine, theirs}
    assert not any("alike" in source for source in reply["result"]["sources"])


def test_a_member_under_another_s_name_is_not_who_asks(opened):
    owner = founded(Anywhere(opened)("home"))
    ana, eve = (owner.shared(name, role="contributor") for name in ("ana", "eve"))
    ana.know("My locker is number 12.", "ana")
    eve.know("My locker is number 31.", "ana")
    response = ana.ask("Which number is my locker?", "ana")["result"]["response"]
    assert "number 12. (from you, " in response
    assert "number 31. (from Ana, " in response


def test_who_corrects_what_they_say_of_themselves_corrects_nobody_else(meaning):
    theirs = meaning.know("My locker is number 31.", "bo")
    meaning.clock.advance(60)
    session = meaning.ask("Which number is my locker?", "ana")["trace"]["session_id"]
    said = meaning.ask("No, my locker is number 12.", "ana", session_id=session)
    assert meaning.record(said["trace"]["thought_id"])["replaces"] == []
    assert meaning.record(theirs)["replaced_by"] == []


THINGS = [
    ("Gate A opens at 7.", "Gate B opens at 8.", "When does gate {} open?", "AB"),
    ("Plan A costs 20 euro.", "Plan B costs 30 euro.", "What does plan {} cost?", "AB"),
    ("Box X weighs 3 kg.", "Box Y weighs 5 kg.", "How much does box {} weigh?", "XY"),
    (
        "Tank A holds 1,250 litres.",
        "Tank B holds 1.25 litres.",
        "How much does tank {} hold?",
        "AB",
    ),
    ("Unit 7 runs on diesel.", "Unit 9 runs on gas.", "What does unit {} run on?", "79"),
    (
        "The up lift stops at 9.",
        "The down lift stops at 10.",
        "When does the {} lift stop?",
        ("up", "down"),
    ),
    ("Line In is red.", "Line Out is black.", "Which colour is line {}?", ("In", "Out")),
]


@pytest.mark.parametrize(("first", "second", "question", "names"), THINGS)
def test_two_things_of_a_kind_are_two(meaning, first, second, question, names):
    known = tell_both(meaning, first, second)
    assert all(
        (meaning.record(each)["replaces"], meaning.record(each)["replaced_by"]) == ([], [])
        for each in known
    )
    for name, told in zip(names, known, strict=True):
        assert ids(meaning.ask(question.format(name), "kim"))[0] == told


PARAPHRASES = [
    ("The retro is on Thursday at 3pm.", "Thursday at 3pm is when the retro is held."),
    ("Backups of the ledger run at 02:30.", "At 02:30 the ledger is backed up."),
    ("Petra keeps the key of the shed.", "The shed's key is kept by Petra."),
]


@pytest.mark.parametrize(("first", "again"), PARAPHRASES)
def test_who_says_the_same_in_other_words_replaces_nothing(meaning, first, again):
    known, told = tell_both(meaning, first, again)
    assert meaning.record(told)["replaces"] == meaning.record(known)["replaced_by"] == []
    assert meaning.record(known)["outdated_at"] is None


def test_an_export_keeps_what_two_say_of_themselves_in_the_same_words(world):
    text = "I am allergic to penicillin."
    told = {world.know(text, "ana"), world.know(text, "bo")}
    lines = world.client.get("/api/v1/export").content
    owner = founded(world)
    for _ in range(2):
        taken = owner.client.post("/api/v1/import", content=lines, headers=LINES)
        assert accepted(taken)["clashing"] == []
    listed = owner.read("thoughts")["thoughts"]
    assert {thought["thought_id"] for thought in listed} == told
    for thought in listed:
        assert owner.record(thought["thought_id"])["affirmed_by"] == []


@pytest.mark.parametrize(("asked", "right"), [("I", "1986"), ("II", "1991")])
def test_a_number_that_is_written_like_the_first_person_is_no_speaker(meaning, asked, right):
    tell_both(meaning, "Reactor I was closed in 1986.", "Reactor II was closed in 1991.")
    body = {"query": f"When was reactor {asked} closed?", "agent_id": "cy", "agent_name": "Cy"}
    assert right in accepted(meaning.post("turns", body))["text"].partition("[1]")[0]
