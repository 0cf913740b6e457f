"""Many agents at once: nothing fails and every count is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from api.world import accepted, ids
from empty_memory import over_both
from wellworn.kit.ids import new_id

pytestmark = over_both

CLIENTS = 16
CALLS = 12


def at_once(call: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(call, values))


@pytest.fixture
def three(world):
    return [world.know(f"Roles stay apart, case {name}.") for name in ("a", "b", "c")]


def test_every_access_every_pair_and_every_query_is_counted(world, three):
    def call(number):
        return world.ask("roles stay apart case", f"agent-{number % CLIENTS}")

    replies = at_once(call, range(CLIENTS * CALLS))
    total = CLIENTS * CALLS
    assert all(set(ids(reply)) == set(three) for reply in replies)
    assert len({reply["trace"]["session_id"] for reply in replies}) == total
    assert world.rows("SELECT count(*) FROM query_log") == [(total,)]
    assert world.rows("SELECT count(*) FROM accesses") == [(3 * total,)]
    for thought in three:
        record = world.record(thought)
        assert record["access_count"] == total
        assert record["pheromone_weight"] == min(10.0, round(1 + 0.05 * total, 9))
        assert len(record["accessed_by"]) == CLIENTS
        assert [entry["count"] for entry in record["co_retrieved_with"]] == [total, total]
    roads = world.read("highways")
    assert [road["traffic_score"] for road in roads] == [total * CLIENTS] * 3


def test_reading_and_writing_at_once_fails_nowhere(world, three):
    def call(number):
        kind = number % 6
        if kind == 0:
            return world.ask(
                f"Insight {number}: roles stay apart because somebody has to watch the gate."
            )
        if kind == 1:
            return world.record(three[number % 3])
        if kind == 2:
            return world.read("highways")
        if kind == 3:
            reply = world.ask("roles stay apart", f"agent-{number}")
            return world.feedback(reply["trace"]["session_id"], ids(reply)[0], "useful")
        if kind == 4:
            return accepted(world.post("ingest", {"content": f"Practice {number}."}))
        body = {"query": "roles", "agent_id": "eve", "session_id": new_id()}
        return accepted(world.post("retrieve", body))

    at_once(call, range(CLIENTS * 9))
    stored = CLIENTS * 9 // 6
    assert world.rows("SELECT count(*) FROM thoughts") == [(3 + stored,)]
    points = world.read("health")["collections"]
    assert points["thought_space"]["points"] == 3 + stored
    assert points["best_practices"]["points"] == stored
    assert world.rows("SELECT count(*) FROM query_log") == [(3 * stored,)]
    assert world.rows("SELECT sum(access_count) FROM trails") == world.rows(
        "SELECT count(*) FROM accesses"
    )
    assert world.rows("SELECT sum(accesses) FROM trail_agents") == world.rows(
        "SELECT count(*) FROM accesses"
    )
    assert world.rows("SELECT sum(result_count) FROM query_log") == world.rows(
        "SELECT count(*) FROM accesses"
    )


def test_the_same_words_said_at_once_become_one_thought(world):
    prompt = "Everybody discovers at the same time that roles ought to stay apart."
    replies = at_once(lambda number: world.ask(prompt, f"agent-{number}"), range(CLIENTS))
    assert sum(reply["trace"]["thoughts_contributed"] for reply in replies) == 1
    [thought] = {reply["trace"]["thought_id"] for reply in replies}
    assert len(world.record(thought)["affirmed_by"]) == CLIENTS - 1


def test_one_session_used_at_once_stays_one_session(world, three):
    session = world.ask("roles stay apart", "dev")["trace"]["session_id"]
    at_once(lambda _: world.ask("roles apart", "dev", session_id=session), range(CLIENTS))
    log = world.record(three[0])["access_log"]
    assert {entry["session_id"] for entry in log} == {session}
    assert len(log) == CLIENTS + 1


def test_a_new_agents_first_calls_at_once_are_all_answered(world, three):
    replies = at_once(lambda _: world.ask("roles stay apart", "dev"), range(CLIENTS))
    assert sum("onboard" in reply["trace"]["operations"] for reply in replies) >= 1
    assert world.ask("roles stay apart", "dev")["result"]["guidance"] is None


def test_signals_given_at_once_leave_one(world, three):
    session = world.ask("roles stay apart", "dev")["trace"]["session_id"]
    signals = ["useful", "irrelevant"] * (CLIENTS // 2)
    at_once(lambda signal: world.feedback(session, three[0], signal), signals)
    assert world.rows("SELECT count(*) FROM feedback") == [(1,)]
    assert world.weight(three[0]) in {1.15, 0.945}


def test_forgetting_while_everybody_asks_fails_nowhere(world, three):
    def call(number):
        if number == CLIENTS:
            return world.forget(three[1])
        return world.ask("roles stay apart", f"agent-{number}")

    at_once(call, range(CLIENTS * 3))
    assert three[1] not in ids(world.ask("roles stay apart"))
    assert world.record(three[1])["content"] == ""
