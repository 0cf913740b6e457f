"""Who came to the same by themselves, told exactly: against what each was really shown."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import product

import pytest

from api.sealed_world import Anywhere, founded
from api.world import accepted, ids
from wellworn.domain.thoughts.convergence import count_independent

LAMP = "The lamp of the north tower burns whale oil."
ASKED = "Which oil does the lamp of the north tower burn?"
NONE = {"independent": 0, "echo": 0, "unknown": 0}


def counts(place, **asked):
    return place.read("convergence", **asked)["counts"]


def say(place, text, agent):
    place.clock.advance(1)
    return place.know(text, agent)


@pytest.fixture
def two(opened):
    """Two members of a space."""
    ana = founded(Anywhere(opened)(), sealed=False)
    return ana, ana.shared("bo")


def test_whoever_was_shown_nothing_found_it_independently(place):
    first = say(place, LAMP, "ana")
    second = say(place, f"Entry 3: {LAMP}", "bo")
    if hasattr(place, "member"):
        # Two agents of one member are one.
        assert counts(place) == NONE
        return
    [told] = place.read("convergence")["converged"]
    assert (told["thought_id"], told["others"]) == (first, [second])
    assert (told["independent"], told["echoes"], told["unknown"]) == (1, 0, 0)
    assert counts(place, since="2026-02-24") == NONE


def test_whoever_says_it_word_for_word_counts_alike(world):
    say(world, LAMP, "ana")
    say(world, LAMP, "bo")
    say(world, LAMP, "bo")
    world.clock.advance(1)
    world.ask(ASKED, "cy")
    say(world, LAMP, "cy")
    assert counts(world) == {"independent": 1, "echo": 1, "unknown": 0}


@pytest.mark.parametrize(
    "door",
    [
        "search?q=lamp",
        "thoughts",
        "thoughts/{}",
        "thoughts/{}/provenance",
        "outline/read?node={}",
        "outline?of=lamps",
        "digest",
        "highways?min_access=0&min_users=0",
    ],
)
def test_every_door_that_showed_it_makes_an_echo(two, door):
    ana, bo = two
    first = ana.know(LAMP, tags=["lamps"])
    bo.clock.advance(1)
    accepted(bo.client.get(f"/api/v1/{door.format(first)}"))
    say(bo, f"Entry 3: {LAMP}", "bo")
    assert counts(ana) == {"independent": 0, "echo": 1, "unknown": 0}


def test_what_somebody_unknown_was_shown_is_not_known(world):
    say(world, LAMP, "ana")
    world.clock.advance(1)
    world.read("search", q="lamp")
    say(world, f"Entry 3: {LAMP}", "bo")
    assert counts(world) == {"independent": 0, "echo": 0, "unknown": 1}


def test_what_came_by_an_import_is_not_known(place, opened):
    say(place, LAMP, "ana")
    say(place, f"Entry 3: {LAMP}", "bo")
    lines = place.client.get("/api/v1/export").text
    other = founded(Anywhere(opened)("elsewhere"))
    other.client.request(
        "POST",
        "/api/v1/import",
        content=lines,
        headers={"content-type": "application/x-ndjson"},
    )
    told = counts(other)
    assert told["independent"] == told["echo"] == 0


def test_what_is_erased_or_replaced_converges_no_more(world):
    first, second = say(world, LAMP, "ana"), say(world, f"Entry 3: {LAMP}", "bo")
    world.forget(second)
    assert counts(world) == NONE
    say(world, f"Entry 4: {LAMP}", "bo")
    assert counts(world)["independent"] == 1
    world.know("The lamp of the north tower burns rapeseed oil.", replaces=[first])
    assert world.read("convergence")["converged"] == []


def test_a_rollback_takes_a_voice_back(two):
    ana, bo = two
    say(ana, LAMP, "ana")
    say(bo, f"Entry 3: {LAMP}", "bo")
    assert counts(ana)["independent"] == 1
    ana.change("/rollback", owner=bo.member, since="2026-01-01T00:00:00Z")
    assert counts(ana) == NONE


def test_the_digest_tells_what_was_found_by_several(world):
    first, second = say(world, LAMP, "ana"), say(world, f"Entry 3: {LAMP}", "bo")
    told = world.read("digest")
    [line] = [each for each in told["lines"] if each["section"] == "converged"]
    assert line["thought_ids"] == [first, second]
    assert line["text"].startswith("2 by themselves: ")
    assert told["counts"]["converged"] == 1


THINGS, PLACES = ("cellar", "loft", "yard", "vault"), ("mill", "quay", "abbey")
FACTS = [
    f"The {thing} of the {where} holds {number} barrels."
    for number, (thing, where) in enumerate(product(THINGS, PLACES), 12)
]


def look(member, door, fact, rng, known):
    """Look through a door, and return the ids of what it showed."""
    match door:
        case "ask":
            return ids(member.ask(f"How many barrels does {fact[4:-18]} hold?", "ada", limit=2))
        case "search":
            found = member.read("search", q=fact[4:20], limit=1)["results"]
            return [each["thought_id"] for each in found]
        case "read" if known:
            thought_id = rng.choice(known)
            member.record(thought_id)
            return [thought_id]
        case _:
            listed = member.read("thoughts", limit=1)["thoughts"]
            return [each["thought_id"] for each in listed]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_simulation_is_told_to_the_digit(opened, seed):
    """Members say facts and look through every door; who had been shown what is known."""
    owner = founded(Anywhere(opened)(), sealed=False)
    members = [owner, *(owner.shared(name) for name in ("bo", "cy", "di"))]
    rng = random.Random(seed)
    of_thought: dict[str, int] = {}
    voices: defaultdict[int, list[int]] = defaultdict(list)
    shown: defaultdict[int, set[int]] = defaultdict(set)
    truth: Counter[str] = Counter()
    for entry in range(90):
        owner.clock.advance(1)
        who, fact = rng.randrange(len(members)), rng.randrange(len(FACTS))
        if rng.random() < 0.35:
            of_thought[members[who].know(f"Entry {entry}: {FACTS[fact]}", "ada")] = fact
            if voices[fact] and who not in voices[fact]:
                truth["echo" if fact in shown[who] else "independent"] += 1
            voices[fact].append(who)
            continue
        door = rng.choice(["ask", "search", "read", "list"])
        seen = look(members[who], door, FACTS[fact], rng, [*of_thought])
        shown[who] |= {of_thought[each] for each in seen}
    assert counts(owner) == {**NONE, **truth}
    assert truth["independent"] > 0
    assert truth["echo"] > 0


def marks(place, thought_id, agent="cy"):
    """Return what each door says of how many found a thought by themselves."""
    [source] = place.ask(ASKED, agent, limit=1, contribute="never")["result"]["sources"]
    [found] = place.read("search", q=ASKED, limit=1)["results"]
    listed = {each["thought_id"]: each for each in place.read("thoughts")["thoughts"]}
    told = place.ask(ASKED, agent, limit=1, contribute="never")["result"]["response"]
    return [
        source.get("rediscovered", 0),
        found.get("rediscovered", 0),
        listed[thought_id]["rediscovered"],
        place.record(thought_id)["rediscovered"],
        int("; found independently by 1 more" in told),
    ]


def test_what_somebody_found_by_themselves_says_so_wherever_it_is_shown(two):
    ana, bo = two
    first = say(ana, LAMP, "ana")
    assert marks(ana, first) == [0, 0, 0, 0, 0]
    say(bo, LAMP, "bo")
    assert marks(ana, first) == [1, 1, 1, 1, 1]
    cy = ana.shared("cy")
    marks(cy, first)
    say(cy, LAMP, "cy")
    assert marks(ana, first) == [1, 1, 1, 1, 1]
    ana.change("/rollback", owner=bo.member, since="2026-01-01T00:00:00Z")
    assert marks(ana, first) == [0, 0, 0, 0, 0]


def test_what_is_folded_into_it_counts_and_leaves_with_its_words(two):
    ana, bo = two
    first = say(ana, LAMP, "ana")
    second = say(bo, f"Entry 3: {LAMP}", "bo")
    [source] = ana.ask(ASKED, "ana", limit=5, contribute="never")["result"]["sources"]
    assert (source["alike"]["count"], source["rediscovered"]) == (1, 1)
    bo.forget(second)
    [source] = ana.ask(ASKED, "ana", limit=5, contribute="never")["result"]["sources"]
    assert (source["thought_id"], source.get("rediscovered")) == (first, None)


def test_over_mcp_it_is_told_in_words(two):
    ana, bo = two
    say(ana, LAMP, "ana")
    say(bo, LAMP, "bo")
    call = {"name": "recall", "arguments": {"query": ASKED}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    result = ana.client.post("/mcp", json=body, headers=accept).json()["result"]
    assert result["structuredContent"]["thoughts"][0]["rediscovered"] == 1
    assert ", found independently by 1 more" in result["content"][0]["text"]


def test_of_what_was_deleted_meanwhile_nobody_said_anything(world):
    say(world, LAMP, "ana")
    say(world, f"Entry 3: {LAMP}", "bo")
    with world.app.database.read() as transaction:
        assert count_independent(transaction, [[1, 2, 99], [98, 99]]) == [1, 0]
