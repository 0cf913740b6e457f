"""All of thought tracing in a sealed space: it answers as an open one does."""

from __future__ import annotations

import json
import random
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from api.sealed_world import LETTERS, Anywhere, Place, founded, restarted
from api.world import NOBODY, accepted, ids, refused, talk
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.kit import ids as identifiers


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def place(anywhere):
    return founded(anywhere())


# ---------------------------------------------------------------- all of thought tracing


class Told(list[Any]):
    """Answers in the order they came, a second between any two."""

    def __init__(self, world: Place) -> None:
        super().__init__()
        self.world = world

    def __call__(self, answer: Any) -> Any:
        self.world.clock.advance(1)
        self.append(answer)
        return answer


def told(world: Place) -> list[Any]:
    """Play everything that can be done with a memory and return every answer."""
    noted = Told(world)
    thoughts = conversed(world, noted)
    traced(world, noted, thoughts)
    kept(world, noted)
    erased(world, noted, *thoughts[1:])
    many(world, noted)
    noted([json.loads(line) for line in world.export().splitlines()])
    return list(noted)


def conversed(world: Place, noted: Told) -> list[str]:
    lamp = noted(world.ask("The lamp in the tower burns whale oil, I measured it.", "ada"))
    lamp = lamp["trace"]["thought_id"]
    oil = world.know("Whale oil for the lamp comes on the tower's own boat.", "zoe", tags=["oil"])
    made_of = {"thought_type": "refinement", "source_ids": [lamp, oil]}
    better = world.know("The boat with the oil comes on Monday.", **made_of)
    asked = noted(world.ask("what does the lamp in the tower burn?", "ben", context="towers"))
    session = asked["trace"]["session_id"]
    noted(world.feedback(session, lamp, "useful", agent_id="ben"))
    noted(world.feedback(session, lamp, "irrelevant"))
    thanks = "The lamp in the tower really burns whale oil, thanks, I saw it."
    noted(world.ask(thanks, "ben", session_id=session))
    for agent in ("cleo", "dan", "cleo"):
        noted(world.ask("lamp tower oil boat", agent, limit=5, explain=True))
    return [lamp, oil, better]


def traced(world: Place, noted: Told, thoughts: list[str]) -> None:
    first = {"idempotency-key": "again"}
    body = talk("Salt dulls the glass of the lamp, so wipe it daily.", "eve", contribute="always")
    once = noted(accepted(world.client.post("/api/v1/memory", json=body, headers=first)))
    again = noted(accepted(world.client.post("/api/v1/memory", json=body, headers=first)))
    assert again == once
    noted(world.ask("lamp", "fay", contribute="never", retrieval_method="vector"))
    noted(world.ask("oil", "fay", filter_tags=["oil"], match_all_tags=True, exclude_self=True))
    query = {"query": "whale oil lamp", "agent_id": "gus", "session_id": NOBODY}
    noted(accepted(world.post("retrieve", query)))
    for thought in thoughts:
        noted(world.record(thought))
        noted(world.read(f"thoughts/{thought}/provenance"))
    noted(world.read("highways", min_access=1, min_users=1))
    noted(world.read("highways", min_access=1, min_users=1, sort_by="pheromone"))
    noted([world.read(f"contributors/{agent}") for agent in ("ada", "zoe", "eve")])
    noted(world.read("search", q="lamp oil", limit=20))


def kept(world: Place, noted: Told) -> None:
    practice = {"content": "Wipe lamps daily.", "metadata": {"domain": "lamps"}}
    noted(accepted(world.post("ingest", practice)))
    noted(accepted(world.post("ingest", practice)))
    noted(accepted(world.post("query", {"query": "wipe the lamps", "domain": "lamps"})))
    world.clock.advance(hours=30)
    noted(accepted(world.post("maintenance/decay", {})))


def erased(world: Place, noted: Told, thought: str, other: str) -> None:
    noted(world.forget(thought, "zoe", reason="wrong"))
    noted(world.record(thought))
    noted(world.read(f"thoughts/{other}/provenance"))
    noted(refused(world.client.get(f"/api/v1/thoughts/{NOBODY}"), 404, "THOUGHT_NOT_FOUND"))
    noted(refused(world.post("memory", {"prompt": ""}), 400, "VALIDATION_ERROR"))


def many(world: Place, noted: Told) -> None:
    for word in ("harbour", "engine", "ledger", "lantern"):
        for number in range(3):
            world.know(f"The {word} keeper writes about keeping {word} {number}.", tags=[word])
    noted(world.ask("keeper", "hal"))
    noted(world.read("health")["collections"])


@pytest.fixture
def numbered(monkeypatch):
    """Give out the same ids in the same order, from the start at each call of it."""

    def begin() -> None:
        numbers = count(1)
        made = lambda: UUID(int=next(numbers) << 80 | 4 << 76 | 1 << 63)  # noqa: E731
        monkeypatch.setattr(identifiers, "uuid4", made)

    return begin


def differing(one: Any, other: Any, where: str = "") -> list[Any]:
    """Return where answers differ, and how.

    Cosines may differ in the sixth place, to which they are rounded, and z-scores of them, which
    divide by .05 and more, in the fifth.
    """
    if isinstance(one, float) and isinstance(other, float):
        least = 4e-5 if "rank_score" in where or "/why/" in where else 2e-6
        return [] if one == pytest.approx(other, abs=least) else [(where, one, other)]
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(name, one[name], other[name]) for name in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = list(zip(count(), one, other, strict=False))
    else:
        return [] if one == other else [(where, one, other)]
    return [found for name, a, b in pairs for found in differing(a, b, f"{where}/{name}")]


def test_a_sealed_space_answers_everything_as_an_open_one_does(anywhere, numbered):
    answers = []
    for sealed in (False, True):
        numbered()
        place = founded(anywhere(f"sealed-{sealed}"), sealed=sealed)
        answers.append(json.loads(json.dumps(told(place)).replace(place.space, "here")))
        assert place.is_open == sealed
    opened, sealed = answers
    assert differing(opened, sealed) == []
    assert opened[-1] == sealed[-1]
    assert {one["record"] for one in sealed[-1]} >= {"thought", "query", "practice"}


def test_what_was_told_is_there_after_a_restart(anywhere, place):
    told(place)
    before = place.export(), place.read("highways", min_access=1, min_users=1)
    place = restarted(anywhere, place)
    assert (place.export(), place.read("highways", min_access=1, min_users=1)) == before


def test_a_sealed_space_moves_into_another_byte_by_byte(anywhere, place):
    told(place)
    lines = place.export()
    other = founded(anywhere("other"), "other")
    taken = other.import_records(*map(json.loads, lines.splitlines()))
    assert taken["known"] == 0
    assert other.export() == lines
    assert other.import_records(*map(json.loads, lines.splitlines()))["imported"] == 0


def test_sealing_an_open_space_changes_nothing_that_it_tells(anywhere):
    place = founded(anywhere(), sealed=False)
    told(place)
    before = place.export(), place.read("highways", min_access=1, min_users=1)
    assert place.change("/seal")["mode"] == "sealed"
    assert (place.export(), place.read("highways", min_access=1, min_users=1)) == before
    assert place.rows("SELECT count(*) FROM thoughts") == [(0,)]


def test_an_unclear_question_is_asked_back_and_the_answer_counts(anywhere, numbered):
    replies = []
    for sealed in (False, True):
        numbered()
        place = founded(anywhere(f"unclear-{sealed}"), sealed=sealed)
        for area, many in (("tide-timing", 6), ("bell-timing", 4), ("tower-timing", 2)):
            for number in range(many):
                place.know(f"Timing entry {area} {number}".replace("-", ""), tags=[area])
        reply = place.ask("timing?", "ivy")
        assert reply["result"]["disambiguation"]["total_found"] == 12
        more = place.ask("bell-timing", "ivy", session_id=reply["trace"]["session_id"])
        assert len(ids(more)) == 4
        replies.append([reply, more])
    assert differing(*replies) == []


# ---------------------------------------------------------------- the same results


VOCABULARY = [f"{one}{two}" for one in ("lam", "tor", "wex", "pil", "gru") for two in LETTERS]


def words(chance: random.Random, many: int) -> str:
    weights = [1 / rank for rank in range(1, len(VOCABULARY) + 1)]
    return " ".join(chance.choices(VOCABULARY, weights, k=many))


def library(chance: random.Random, size: int) -> list[dict[str, Any]]:
    return [
        {
            "record": "thought",
            "id": str(UUID(int=number + 1 << 80 | 4 << 76 | 1 << 63)),
            "content": f"{words(chance, chance.randint(4, 12))} number{number}",
            "contributor_id": f"agent-{number % 7}",
            "contributor_name": f"Agent {number % 7}",
            "tags": [VOCABULARY[number % 5]],
        }
        for number in range(size)
    ]


def test_five_hundred_questions_find_the_same_in_the_same_order(anywhere):
    chance = random.Random(5)
    records = library(chance, 1_000)
    # All are weighed: which of several equals come last into a shorter list, engines may choose.
    world = anywhere(thoughts=ThoughtSettings(candidates=len(records)))
    places = [founded(world, sealed=sealed) for sealed in (False, True)]
    for place in places:
        place.import_records(*records)
    accesses = [world.app.authenticator.enter(place.key, place.space) for place in places]
    for number in range(500):
        question = words(chance, chance.randint(1, 6))
        tags = [VOCABULARY[number % 5]] if number % 4 == 0 else []
        opened, sealed = (
            world.app.look_up(access, question, limit=10, filter_tags=tags) for access in accesses
        )
        assert [one.thought_id for one in opened] == [one.thought_id for one in sealed]
        scores = [one.score for one in opened]
        assert scores == pytest.approx([one.score for one in sealed], abs=2e-6)
        assert opened
