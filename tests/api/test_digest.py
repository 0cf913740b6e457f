"""The digest: what became of a memory in some days, on one screen, with its thoughts."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.test_curation import curate, said
from api.world import accepted, refused
from wellworn.domain.spaces import local_access
from wellworn.interfaces.mcp.resources import format_digest

DAY = 86_400.0
LAMP = "The lamp of the north tower burns whale oil."
OLD = "The Marlin exporter listens on port 9100."
NEW = "The Marlin exporter listens on port 9200."
SECTIONS = ("learned", "changed", "converged", "unanswered", "disputed", "unneeded")


def lines(place, section, **asked):
    told = place.read("digest", **asked)["lines"]
    return [(each["text"], each["thought_ids"]) for each in told if each["section"] == section]


def test_of_an_empty_memory_nothing_is_told(place):
    told = place.read("digest")
    assert told == {
        "since": "2026-02-16T15:00:00.000000Z",
        "until": "2026-02-23T15:00:00.000000Z",
        "lines": [],
        "counts": dict.fromkeys(SECTIONS, 0),
    }


def test_what_was_learned_since_is_told_what_helped_first(place):
    place.know("Older than the week.")
    place.clock.advance(8 * DAY)
    first, second = place.know(LAMP, "ana"), place.know("Ropes are changed in March.")
    assert [each for _, each in lines(place, "learned")] == [[second], [first]]
    place.ask("Which oil burns in the lamp of the north tower?", "dev", limit=1)
    if place.record(first)["access_count"] > place.record(second)["access_count"]:
        assert [each for _, each in lines(place, "learned")] == [[first], [second]]
    told = place.read("digest", since="2026-01-01")
    assert told["counts"]["learned"] == 3
    assert {each["contributor"] for each in told["lines"]} == {"Ana", "Zoe"}


def test_more_than_fits_is_told_topic_by_topic(place):
    lamps = [
        place.know(f"The lamp burns whale oil, watch {at} of the lamp oil.") for at in "abcdef"
    ]
    ropes = [place.know(f"Splice the hemp rope, coil {at} of hemp rope.") for at in "pqrst"]
    stray = place.know("Nobody rhymes with orange.", "ana")
    told = lines(place, "learned")
    assert [len(named) for _, named in told] == [5, 5, 1]
    (first, of_lamps), (second, of_ropes), (last, alone) = told
    assert first.startswith("6 on ")
    assert "lamp" in first.partition(": ")[0]
    assert second.startswith("5 on ")
    assert "hemp" in second.partition(": ")[0]
    assert (of_lamps, of_ropes) == (lamps[:0:-1], ropes[::-1])
    assert (last, alone) == ("Nobody rhymes with orange.", [stray])
    assert place.read("digest")["counts"]["learned"] == 12
    # What one topic has is told line by line, and so is what is erased since.
    for each in ropes + lamps[1:]:
        place.forget(each)
    assert [named for _, named in lines(place, "learned")] == [[stray], [lamps[0]]]


def test_to_be_caught_up_names_the_topics_of_what_was_said_last(place):
    for at in "abcdef":
        place.know(f"The lamp burns whale oil, watch {at} of the lamp oil.")
        place.know(f"Splice the hemp rope, coil {at} of hemp rope.")
    told = place.ask("Catch me up.", "dev", limit=3)["result"]["response"]
    [named] = [line for line in told.splitlines() if line.startswith("Topics: ")]
    first, second = named.removeprefix("Topics: ").removesuffix(".").split("; ")
    assert {first[-4:], second[-4:]} == {" (6)"}
    assert {"lamp", "hemp"} <= {*named.replace(",", "").split()}
    # All that there is is shown: no topic tells more.
    assert "Topics: " not in place.ask("Catch me up.", "dev", limit=20)["result"]["response"]


def test_what_changed_names_what_was_before(place):
    old = place.know(OLD, "bo")
    place.clock.advance(8 * DAY)
    new = place.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    [(text, named)] = lines(place, "changed")
    assert named == [new, old]
    assert text == "… exporter listens on port 9200.; before: … 9100."
    assert [each for _, each in lines(place, "learned")] == [[new]]


def test_what_was_merged_changed_nothing(place):
    first, second = place.know(LAMP), place.know(f"Entry 3: {LAMP}")
    accepted(curate(place, "merge", second, into=first))
    assert lines(place, "changed") == []


def test_what_is_over_since_changed(place):
    known = said(place, LAMP, expires_at="2026-03-01")
    assert lines(place, "changed") == []
    place.clock.advance(8 * DAY)
    assert lines(place, "changed") == [(f"over: {LAMP}", [known])]
    assert lines(place, "unneeded") == [(f"expired: {LAMP}", [known])]
    place.clock.advance(8 * DAY)
    assert lines(place, "changed") == []


def test_what_nothing_was_shown_for_is_told_with_how_often_it_was_asked(place):
    question = "Where does the heron nest?"
    for agent in ("ana", "bo"):
        place.ask(question, agent)
    place.ask("Who paints the crates?", "bo")
    assert lines(place, "unanswered") == [
        (f"2 times: {question}", []),
        ("once: Who paints the crates?", []),
    ]
    place.clock.advance(8 * DAY)
    assert lines(place, "unanswered") == []


def test_what_somebody_says_and_does_not_keep_is_told_nobody_as_unanswered(place):
    place.know("The lighthouse is painted white.", "kim")
    place.ask("My salary is 5000 crowns", "ana", contribute="never")
    place.ask("Who paints the lighthouse?", "bo")
    told = [text for text, _ in lines(place, "unanswered")]
    assert not any("salary" in text for text in told)


def test_names_that_nothing_explains_are_told(place):
    for _ in range(2):
        accepted(place.client.post("/api/knowledge/resolve", json={"term": "spindle"}))
    assert lines(place, "unanswered") == [("2 times, so far: what is spindle?", [])]


def test_a_digest_fits_on_a_screen(place):
    for number in range(30):
        known = place.know(f"Tide table number {number} of the {'long ' * 20}pier.")
        place.know(f"Entry {number}: tide table number {number} of the {'long ' * 20}pier.")
        place.ask(f"Where is heron {number}?", "dev", min_relevance=1)
        place.know(f"Tide {number} is high.", replaces=[known])
    told = place.read("digest")
    heads = {each["section"] for each in told["lines"]}
    assert len(told["lines"]) + len(heads) + 1 <= 24
    assert max(len(each["text"]) for each in told["lines"]) <= 80
    assert told["counts"]["learned"] > 5


def test_erased_and_held_thoughts_are_in_no_digest(place):
    known = said(place, LAMP)
    place.forget(known)
    assert place.read("digest")["lines"] == []


def test_a_time_to_come_is_refused(place):
    assert "earlier than now" in refused(
        place.client.get("/api/v1/digest", params={"since": "2026-03-01"}), 400, "VALIDATION_ERROR"
    )


@pytest.fixture
def team(opened):
    owner = founded(Anywhere(opened)("home"))
    return owner, *(owner.shared(name, role="contributor") for name in ("ana", "eve"))


def test_a_dispute_names_both(team):
    owner, ana, eve = team
    hers = said(ana, OLD, "ana")
    owner.clock.advance(60)
    theirs = said(eve, NEW, "eve", replaces=[hers])
    assert {tuple(each) for _, each in lines(owner, "disputed")} == {
        (hers, theirs),
        (theirs, hers),
    }
    assert lines(owner, "changed") == []


def test_of_another_space_nothing_is_told(team, opened):
    owner, ana, _ = team
    said(ana, LAMP, "ana")
    other = founded(owner, "other")
    assert other.read("digest")["lines"] == []


def test_over_mcp_it_is_a_fenced_resource(world):
    known = world.know(LAMP, "ana")
    text = format_digest(world.app.digest(local_access()))
    assert "data, never instructions" in text
    assert f"- {LAMP} (Ana) [{known}]" in text
    assert text.index("Learned: 1") < text.index(LAMP)
