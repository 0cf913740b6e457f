"""Replacing under odd clocks, at once, by spammers; and what was replaced comes back as it was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from api import walls
from api.sealed_world import LINES, Anywhere, Place, founded
from api.world import World, accepted, ids, refused

OLD = "The Marlin exporter listens on port 9100."
NEW = "The Marlin exporter listens on port 9200."
BESIDE = "On cube the Marlin exporter is restarted at noon."
QUESTION = "Which port does the Marlin exporter listen on?"
WRITERS = 8
WORN = {"rank_score", "usefulness"}
"""What asking itself changes, because each answer leaves a trail."""


def replace(place: World, content: str, *old: str, agent: str = "ana") -> str:
    return place.ask(content, agent, replaces=list(old))["trace"]["thought_id"]


def roll_back(owner: Place, guest: Place) -> None:
    body = {"owner": guest.member, "since": "2026-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))


# ------------------------------------------------------------------------------------ clocks


@pytest.mark.parametrize("restated_by", ["word", "link"])
def test_what_is_said_to_and_fro_is_as_it_was_said_last(place, restated_by):
    old, new = place.know(OLD, "ana"), None
    for _ in range(3):
        place.clock.advance(60)
        new = replace(place, NEW, old)
        assert ids(place.ask(QUESTION, "dev")) == [new]
        place.clock.advance(60)
        replace(place, OLD, *([new] if restated_by == "link" else []))
        assert ids(place.ask(QUESTION, "dev"))[0] == old
    assert old != new


def test_what_comes_from_the_future_is_listed_first_and_can_be_replaced(place):
    note = {
        "record": "thought",
        "content": OLD,
        "contributor_id": "bo",
        "contributor_name": "Bo",
        "created_at": "2031-05-01T09:00:00Z",
    }
    accepted(place.client.post("/api/v1/import", content=walls.lines([note]), headers=LINES))
    place.app.embedding.finish()
    [future] = ids(place.ask(QUESTION, "dev"))
    new = replace(place, NEW, future)
    listed = [thought["thought_id"] for thought in place.read("thoughts")["thoughts"]]
    assert listed == [future, new]
    assert ids(place.ask(QUESTION, "dev")) == [new]
    assert set(ids(place.ask(QUESTION, "dev", history=True))) == {new, future}


def test_a_clock_that_runs_back_turns_no_replacement_around(place):
    old = place.know(OLD, "bo")
    place.clock.advance(hours=-48)
    new = replace(place, NEW, old)
    assert ids(place.ask(QUESTION, "dev")) == [new]
    newest = replace(place, NEW.replace("9200", "9300"), new)
    assert ids(place.ask(QUESTION, "dev")) == [newest]
    assert set(ids(place.ask(QUESTION, "dev", history=True))) == {newest, new, old}
    assert [link["thought_id"] for link in place.record(new)["replaced_by"]] == [newest]


def test_a_clock_that_runs_back_again_and_again_lets_nothing_replaced_come_back(place):
    chain = [place.know(OLD, "bo")]
    for port in ("9200", "9300", "9400"):
        place.clock.advance(hours=-48)
        chain.append(replace(place, NEW.replace("9200", port), chain[-1]))
        assert ids(place.ask(QUESTION, "dev")) == [chain[-1]]
    assert [bool(place.record(thought)["outdated_at"]) for thought in chain] == [1, 1, 1, 0]
    assert set(ids(place.ask(QUESTION, "dev", history=True))) == {*chain}
    place.clock.advance(hours=-48)
    replace(place, OLD, chain[-1])
    assert ids(place.ask(QUESTION, "dev")) == [chain[0]]


# -------------------------------------------------------------------------------------- at once


def test_agents_who_replace_one_thought_at_once_make_one_history(place):
    old = place.know(OLD, "bo")
    place.clock.advance(60)

    def call(number):
        return replace(place, NEW.replace("9200", f"92{number:02}"), old, agent=f"agent-{number}")

    with ThreadPoolExecutor(WRITERS) as pool:
        new = list(pool.map(call, range(WRITERS)))
    assert len(set(new)) == WRITERS
    assert {link["thought_id"] for link in place.record(old)["replaced_by"]} == set(new)
    for thought in new:
        stated = [link for link in place.record(thought)["replaces"] if link["stated"]]
        assert [link["thought_id"] for link in stated] == [old]
    shown = ids(place.ask(QUESTION, "dev", limit=50))
    assert shown
    assert old not in shown


def test_agents_who_say_the_same_replacement_at_once_say_one_thought(place):
    old = place.know(OLD, "bo")
    place.clock.advance(60)
    with ThreadPoolExecutor(WRITERS) as pool:
        new = set(pool.map(lambda _: replace(place, NEW, old), range(WRITERS)))
    assert len(new) == 1
    assert ids(place.ask(QUESTION, "dev")) == [*new]
    assert len(place.record(old)["replaced_by"]) == 1


# ------------------------------------------------------------------------------------ given back


@pytest.mark.parametrize("signal", ["outdated", "wrong"])
def test_a_rollback_undoes_what_a_spammer_judged(opened, signal):
    owner = founded(Anywhere(opened)("home"))
    known = owner.know(OLD, "bo")
    owner.know(BESIDE, "bo")
    stable(owner)  # who comes for the first time is welcomed
    before = stable(owner)
    spammers = [owner.shared(name, role="contributor") for name in ("eve", "mallory")]
    for spammer in spammers:
        session = spammer.ask(QUESTION, "eve")["trace"]["session_id"]
        spammer.feedback(session, known, signal)
    assert stable(owner) != before
    for spammer in spammers:
        roll_back(owner, spammer)
    assert stable(owner) == before
    assert owner.record(known)["outdated_at"] is None


def stable(place: World) -> object:
    """Return what is answered, without what differs from call to call or leaves a trail."""
    reply = place.ask(QUESTION, "dev", explain=True, contribute="never")
    return without(reply["result"], WORN)


def without(value, names):
    if isinstance(value, dict):
        return {name: without(one, names) for name, one in value.items() if name not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def erase(owner: Place, guest: Place, new: str) -> None:
    guest.forget(new, "ana")


def judge_wrong(owner: Place, guest: Place, new: str) -> None:
    session = owner.ask(QUESTION, "dev")["trace"]["session_id"]
    owner.feedback(session, new, "wrong")


def undo_rollback(owner: Place, guest: Place, new: str) -> None:
    roll_back(owner, guest)


NUMBERS = st.integers(1024, 65_535)
TEXTS = st.sampled_from(
    [
        "The Marlin exporter listens on port {}.",
        "The port of the Marlin exporter is now {}.",
        "Marlin: exporter port {}, since the move.",
    ]
)


@pytest.mark.parametrize("undo", [erase, judge_wrong, undo_rollback])
@settings(max_examples=3, deadline=None, phases=[Phase.generate])
@given(template=TEXTS, number=NUMBERS)
def test_what_was_replaced_is_answered_as_before(undo, template, number):
    with walls.served() as world:
        owner = founded(world)
        old = owner.know(OLD, "bo")
        owner.know(BESIDE, "bo")
        guest = owner.shared("ana", role="admin")
        stable(owner)  # who comes for the first time is welcomed
        before = stable(owner)
        new = replace(guest, template.format(number), old)
        assert old not in [source["thought_id"] for source in stable(owner)["sources"]]
        undo(owner, guest, new)
        # What was judged wrong is still a candidate, and parts of scores are relative to those.
        hidden = {"rank_score", "why"} if undo is judge_wrong else set()
        assert without(stable(owner), hidden) == without(before, hidden)


# ------------------------------------------------------------------------- refined, consolidated


def test_a_refinement_of_an_erased_thought_is_refused(place):
    old = place.know(OLD, "bo")
    place.forget(old, "bo")
    body = walls.thought(NEW, thought_type="refinement", source_ids=[old])
    message = refused(place.post("think", body), 404, "THOUGHT_NOT_FOUND")
    assert message == "source_ids names no thought of this space, or one that is erased"
    talked = {"prompt": NEW, "agent_id": "ana", "agent_name": "Ana", "source_ids": [old]}
    refused(place.post("memory", talked), 404, "THOUGHT_NOT_FOUND")


def test_a_consolidation_is_marked_where_it_and_its_sources_are_shown(place):
    sources = [place.know(OLD, "bo"), place.know(BESIDE, "bo")]
    told = "The Marlin exporter: port 9100, restarted at noon."
    new = place.ask(told, "ana", source_ids=sources)["trace"]["thought_id"]
    record = place.record(new)
    assert (record["thought_type"], set(record["source_ids"])) == ("consolidation", set(sources))
    for source in sources:
        [built] = place.read(f"thoughts/{source}/provenance")["built_into"]
        assert (built["thought_id"], built["thought_type"]) == (new, "consolidation")
