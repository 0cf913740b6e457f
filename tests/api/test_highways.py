"""What becomes a highway: what answered questions of several agents, and nothing else."""

from __future__ import annotations

import pytest

from api.walls import accepted, founded, served

KILN = "Glaze kilns reach cone six in nine hours."
NEED = ("When do glaze kilns reach cone six?", "glaze kilns", "Is cone six reached in nine hours?")


@pytest.fixture
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return founded(world, "roads", sealed=request.param == "sealed")


@pytest.fixture
def guests(owner):
    return [owner.guest("contributor", name) for name in ("ada", "bo", "cy")]


def highways(caller, **query):
    return [road["thought_id"] for road in accepted(caller.get("highways", params=query))]


def test_a_thought_that_answers_three_questions_of_two_agents_is_a_highway(owner, guests):
    kiln = owner.know(KILN)
    ada, bo, _ = guests
    for caller, question in zip((ada, bo, ada), NEED, strict=True):
        assert highways(owner) == []
        caller.ask(question)
    assert highways(owner) == [kiln]
    assert highways(owner, min_users=3) == highways(owner, min_access=4) == []
    [nearby] = bo.ask("glaze kilns?")["result"]["highways_nearby"]
    assert nearby.endswith("(4 accesses, 2 agents)")


def test_what_is_shown_with_contributions_is_retrieved_often_and_no_highway(owner, guests):
    kiln = owner.know(KILN)
    for number, caller in enumerate(guests):
        caller.ask(f"Glaze kilns reach cone six, batch {number}.", contribute="always")
    assert (highways(owner), highways(owner, sort_by="traffic")[:1]) == ([], [kiln])
    assert guests[0].ask("glaze kilns?")["result"]["highways_nearby"] == []


def test_what_stands_below_the_first_three_answers_nothing(owner, guests):
    for number in range(5):
        owner.know(f"Glaze kilns reach cone six in nine hours, says kiln log {number}.")
    for caller in guests:
        assert len(caller.ask("glaze kilns cone six", min_relevance=0)["result"]["sources"]) == 5
    assert (len(highways(owner)), len(highways(owner, sort_by="traffic"))) == (3, 5)


def test_a_member_with_many_names_is_one_agent(owner, guests):
    owner.know(KILN)
    for name, question in zip(("x", "y", "z"), NEED, strict=True):
        guests[0].ask(question, name)
    assert highways(owner) == []
