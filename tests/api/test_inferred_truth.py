"""What is inferred from the meaning of notes: with the real encoder."""

from __future__ import annotations

import pytest

from api.world import accepted, ids

OLD = "The Marlin exporter listens on port 9100."
NEW = "The Marlin exporter listens on port 9200."


def withdraw(place, new, old):
    accepted(place.send("DELETE", f"thoughts/{new}/replaces/{old}?agent_id=dev"))


@pytest.mark.parametrize("limit", [1, 10])
def test_who_stores_what_is_linked_learns_it_and_can_take_it_back(meaning, limit):
    old = meaning.know(OLD, "bo")
    meaning.clock.advance(60)
    reply = meaning.ask(NEW, "ana", limit=limit)
    new, response = reply["trace"]["thought_id"], reply["result"]["response"]
    assert f'it probably replaces what Bo said on 2026-02-23: "{OLD}" [{old}]' in response
    assert "send it again" not in response
    assert f"`DELETE /api/v1/thoughts/{new}/replaces/`" in response
    [source] = reply["result"]["sources"]
    assert [link["thought_id"] for link in source["replaced_by"]] == [new]
    withdraw(meaning, new, old)
    asked = meaning.ask("Which port does the Marlin exporter listen on?", "dev")["result"]
    assert not any("replaced_by" in source for source in asked["sources"])


def test_what_was_perhaps_replaced_is_told_so_and_quoted_beside_what_perhaps_replaces_it(meaning):
    question = "Where is the harbour office?"
    old = meaning.know("The harbour office is in Dock Street, on the first floor.", "bo")
    meaning.clock.advance(60)
    reply = meaning.ask("The harbour office sits upstairs.", "ana")
    new, response = reply["trace"]["thought_id"], reply["result"]["response"]
    assert "it perhaps replaces what Bo said" in response
    assert "If it is right, send it again with `replaces`" in response
    asked = meaning.ask(question, "dev")["result"]
    by_id = {source["thought_id"]: source for source in asked["sources"]}
    assert 0.3 <= by_id[old]["replaced_by"][0]["confidence"] < 0.5
    assert "; perhaps replaced by what Ana said" in asked["response"]
    assert "; perhaps replaces what Bo said" in asked["response"]
    assert [link["thought_id"] for link in meaning.record(new)["replaces"]] == [old]
    withdraw(meaning, new, old)
    assert "perhaps" not in meaning.ask(question, "dev")["result"]["response"]


@pytest.mark.parametrize(
    ("note", "replaces"),
    [
        ("I tidied. The handbook of 2003 says: the exporter is on port 9300. Good times.", False),
        ("I tidied. The handbook says: the Marlin exporter is on port 9300. Take note.", True),
    ],
)
def test_the_year_of_a_handbook_tells_whether_it_still_holds(meaning, note, replaces):
    old = meaning.know(OLD, "bo")
    meaning.clock.advance(60)
    new = meaning.know(note, "bo")
    assert [link["thought_id"] for link in meaning.record(new)["replaces"]] == [old] * replaces


def test_the_first_change_in_a_new_memory_stands_above_what_it_changes(meaning):
    for note in (
        "Anna is on call for billing this week.",
        "We deploy the billing service with Argo CD from the repo infra-live.",
        "The staging database password rotates every 90 days.",
        "On-call for billing has moved to Piotr until Monday.",
    ):
        last = meaning.know(note, "bo")
        meaning.clock.advance(60)
    assert ids(meaning.ask("Who is on call for billing?", "dev"))[0] == last


def test_the_second_note_of_a_memory_tells_that_it_replaces_the_first(meaning):
    old = meaning.know("The retro is on Thursday at 3pm.", "bo")
    meaning.clock.advance(60)
    new = meaning.know("The retro takes place on Wednesdays now.", "bo")
    assert [link["thought_id"] for link in meaning.record(new)["replaces"]] == [old]


def test_what_was_replaced_is_quoted_once_or_marked(meaning):
    long = (
        "The standup starts at 9 in the small meeting room on the second floor, "
        "next to the kitchen, every weekday."
    )
    for old, new, question in (
        (
            "The retro is on Thursday at 3pm.",
            "The retro is on Wednesdays now.",
            "When is the retro?",
        ),
        (long, "The standup starts at 10 in the big hall now.", "When does the standup start?"),
    ):
        old_id = meaning.know(old, "bo")
        meaning.clock.advance(60)
        new_id = meaning.know(new, "bo")
        meaning.clock.advance(60)
        reply = meaning.ask(question, "dev")
        assert [new_id, old_id] == ids(reply)[:2]
        _, newest, *quoted = reply["result"]["response"].split("\n\n")
        assert newest.startswith(new)
        if old == long:
            assert 'on the second floor, next to …"' in newest
            assert "probably replaced by what Bo said on" in quoted[0]
        else:
            assert f'"{old}"' in newest
            assert old not in "".join(quoted)


def test_a_series_takes_back_what_its_first_notes_seemed_to_replace(meaning):
    """Each is told of the same thing: what was measured earlier stays true of its time."""
    scores = [
        meaning.know(f"Load test of the checkout page: {count} requests per second.", "bo")
        for count in (210, 240, 198, 260, 231, 255)
        if not meaning.clock.advance(24 * 3600)
    ]
    assert [meaning.record(score)["replaces"] for score in scores] == [[]] * len(scores)


def test_of_what_happened_the_time_that_is_named_comes_first(meaning):
    broken = [meaning.know("The mixer broke at the bakery, dough was lost.", "kim")]
    meaning.clock.advance(21 * 24 * 3600)
    broken.append(meaning.know("The oven at the bakery broke, the bread was lost.", "kim"))
    meaning.clock.advance(21 * 24 * 3600)
    broken.append(meaning.know("The fridge at the bakery broke, all cream was lost.", "kim"))
    for month, at in (("in the second half of March", 1), ("in February", 0), ("in April", 2)):
        assert ids(meaning.ask(f"What broke at the bakery {month}?", "dev"))[0] == broken[at]


def test_what_was_said_later_of_a_day_counts_to_it(meaning):
    that_day = meaning.know("The kitchen serves pea soup.", "kim")
    meaning.clock.advance(24 * 3600)
    next_day = meaning.know("Yesterday the potatoes came two hours late.", "kim")
    meaning.clock.advance(3 * 24 * 3600)
    later = meaning.know("On 23 February the north pump failed.", "kim")
    other = meaning.know("On 21 February the north pump failed as well.", "kim")
    assert ids(meaning.ask("What happened on 23 February?", "dev")) == [later, next_day, that_day]
    assert ids(meaning.ask("What happened on 21 February?", "dev")) == [other]
    for day, told in (("21", other), ("23", later)):
        assert ids(meaning.ask(f"Which pump failed on {day} February?", "dev"))[0] == told


def test_what_denies_stands_below_what_states(meaning):
    stated = meaning.know("The build needs Python 3.11.", "ana")
    denied = meaning.know("It is not true that the build needs Python 3.12.", "bo")
    meaning.know("The office is in Graz.", "kim")
    assert ids(meaning.ask("Which Python does the build need?", "dev")) == [stated, denied]


@pytest.mark.parametrize(
    "guess",
    [
        "If we moved the Marlin exporter to port 9100, the firewall would break.",
        "Ana thinks the Marlin exporter may be on port 9100.",
        "It is not true that the Marlin exporter listens on port 9100.",
    ],
)
def test_what_was_never_stated_stands_below_and_is_not_said_to_be_replaced(meaning, guess):
    never = meaning.know(guess, "bo")
    meaning.clock.advance(60)
    new = meaning.know(NEW.replace("listens", "now listens"), "bo")
    asked = meaning.ask("Which port does the Marlin exporter listen on?", "dev")
    assert ids(asked) == [new, never]
    assert not any(
        {"replaces", "replaced_by"} & source.keys() for source in asked["result"]["sources"]
    )
    assert meaning.record(never)["replaced_by"] == []


def test_what_is_told_of_another_number_is_called_the_nearest(meaning):
    known = meaning.know("The brine pump in pan house 2 runs from 5:30 to 9:00.", "bo")
    for number, opening in ((2, "Based on collective"), (3, "Nothing known is close to this. The")):
        reply = meaning.ask(f"From when on does the brine pump in pan house {number} run?", "dev")
        assert ids(reply) == [known]
        assert reply["result"]["response"].startswith(opening)
    both = "Pan houses 2 and 3 share a brine pump; that of pan house 3 runs from noon."
    meaning.know(both, "bo")
    reply = meaning.ask("From when on does the brine pump in pan house 3 run?", "dev")
    assert reply["result"]["response"].startswith("Based on collective")
