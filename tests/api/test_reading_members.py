"""What members and agents say of themselves, and of things of a kind, where answers are read."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.test_replacing_at_odds import NEW, OLD, QUESTION
from api.test_speakers import OF_TWO, PARAPHRASES, THINGS, tell_both
from api.world import ids

READS = True


@pytest.mark.parametrize(("first", "second", "question"), OF_TWO)
def test_what_two_say_of_themselves_is_of_each_where_answers_are_read(
    meaning, first, second, question
):
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


@pytest.mark.parametrize(("first", "second", "question"), OF_TWO)
def test_members_who_speak_of_themselves_contradict_nobody(meaning, first, second, question):
    owner = founded(meaning)
    ana, bo = (owner.shared(name, role="contributor") for name in ("ana", "bo"))
    mine = ana.know(first, "ana")
    owner.clock.advance(60)
    theirs = bo.know(second, "bo")
    owner.clock.advance(60)
    for member, name, own in ((ana, "ana", mine), (bo, "bo", theirs)):
        reply = member.ask(question, name, contribute="never")
        assert ids(reply)[0] == own
        assert not any("contested" in source for source in reply["result"]["sources"])


@pytest.mark.parametrize(("first", "second", "question", "names"), THINGS)
def test_two_things_of_a_kind_that_two_members_name_are_two(
    meaning, first, second, question, names
):
    owner = founded(meaning)
    ana, bo = (owner.shared(name, role="contributor") for name in ("ana", "bo"))
    known = [ana.know(first, "ana")]
    owner.clock.advance(60)
    known.append(bo.know(second, "bo"))
    owner.clock.advance(60)
    for name, told in zip(names, known, strict=True):
        [best, *_] = ana.ask(question.format(name), "kim", contribute="never")["result"]["sources"]
        assert (best["thought_id"], "contested" in best) == (told, False)


ASKED = ("When is the retro?", "When is the ledger backed up?", "Who keeps the key of the shed?")


@pytest.mark.parametrize(
    ("first", "again", "question"),
    [(*pair, question) for pair, question in zip(PARAPHRASES, ASKED, strict=True)],
)
def test_a_member_who_says_the_same_in_other_words_contradicts_nobody(
    meaning, first, again, question
):
    owner = founded(meaning)
    ana, bo = (owner.shared(name, role="contributor") for name in ("ana", "bo"))
    known = ana.know(first, "ana")
    owner.clock.advance(60)
    told = bo.know(again, "bo")
    sources = owner.ask(question, "kim", contribute="never")["result"]["sources"]
    assert {source["thought_id"] for source in sources} == {known, told}
    assert not any("contested" in source for source in sources)


@pytest.mark.parametrize("is_honest_imported", [False, True])
def test_a_lie_that_is_imported_as_older_than_the_truth_stands_below_it(opened, is_honest_imported):
    owner = founded(Anywhere(opened)("home"))
    bo, eve, kim = (owner.shared(name, role="contributor") for name in ("bo", "eve", "kim"))
    note = {"record": "thought", "contributor_id": "x", "contributor_name": "X"}
    told = {**note, "content": OLD, "created_at": "2015-01-01T00:00:00Z"}
    if is_honest_imported:
        bo.import_records(told)
    else:
        bo.know(OLD, "bo")
    bo.clock.advance(60)
    eve.import_records({**note, "content": NEW, "created_at": "2001-01-01T00:00:00Z"})
    honest, lie = kim.ask(QUESTION, "kim")["result"]["sources"]
    assert (honest["content_preview"], lie["content_preview"]) == (OLD, NEW)
    assert lie["replaces"][0]["contested"] is True
    assert "outdated_at" not in honest
