"""What is often needed next: shown where the log says it helps, and nowhere else."""

from __future__ import annotations

import pytest

from api.world import ids
from wellworn.domain.thoughts.store import co_use
from wellworn.engines.retrieval.co_use import iterate_co_uses

ROLES = "Role separation keeps agents from stepping on each other's boundaries."
CACHE = "Cache invalidation remains hard wherever two writers meet."
BREAD = "Bread dough rises slowly in a cold kitchen."
YEAST = "Yeast wakes in warm milk."


@pytest.fixture
def known(world):
    return world.know(ROLES), world.know(CACHE), world.know(BREAD)


def use(world, agent: str, *asked: tuple[str, str], **more) -> str:
    """Ask one question after the other in one session, and confirm what each is to find."""
    session = None
    for question, thought in asked:
        reply = world.ask(question, agent, limit=1, **({"session_id": session} if session else {}))
        assert ids(reply) == [thought]
        session = reply["trace"]["session_id"]
        world.feedback(session, thought, "useful", **more)
    assert session is not None
    return session


def bake(world, agent: str, bread: str) -> None:
    """Let a session need two things that no other one does."""
    use(world, agent, ("cold kitchen bread?", bread), ("warm milk yeast?", world.know(YEAST)))


def open_gate(world, monkeypatch) -> None:
    opened = {"ks-default": True}
    monkeypatch.setattr(world.app.thoughts.needed_next, "_is_open", opened)


def count_anew(world) -> None:
    """Let what pairs are weighed by be counted again, as happens with the log's growth."""
    world.app.thoughts.needed_next._chances.clear()


def needed(world, prompt: str, agent: str = "eve", **more) -> list[str] | None:
    count_anew(world)
    result = world.ask(prompt, agent, limit=1, **more)["result"]
    if "often_needed_next" not in result:
        return None
    return [one["thought_id"] for one in result["often_needed_next"]]


@pytest.fixture
def used(world, known):
    roles, cache, bread = known
    use(world, "dev", ("role boundaries?", roles), ("cache invalidation?", cache))
    bake(world, "baker", bread)
    return known


def test_what_every_session_needs_anyway_is_not_named(world, known, monkeypatch):
    open_gate(world, monkeypatch)
    roles, cache, bread = known
    use(world, "dev", ("role boundaries?", roles), ("cache invalidation?", cache))
    use(world, "joe", ("cold kitchen bread?", bread), ("cache invalidation?", cache))
    assert needed(world, "role boundaries?") is None
    use(world, "amy", ("cold kitchen bread?", bread))
    assert needed(world, "role boundaries?") is None, "a session of one question tells nothing"
    bake(world, "baker", bread)
    assert needed(world, "role boundaries?") == [cache]


def test_what_is_used_most_weighs_what_the_gate_judged(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    roles, cache, bread = used
    for agent in ("joe", "amy"):
        use(world, agent, ("role boundaries?", roles), ("cache invalidation?", cache))
        bake(world, agent, bread)
    count_anew(world)

    def weigh() -> float:
        result = world.ask("role boundaries?", "dev", limit=1)["result"]
        return result["often_needed_next"][0]["strength"]

    assert weigh() == pytest.approx(3.0, rel=0.01)
    # Sessions of one question, which the gate does not judge, make no pair less likely.
    for _ in range(5):
        use(world, "eve", ("role boundaries?", roles))
    count_anew(world)
    assert weigh() == pytest.approx(3.0, rel=0.01)


def test_nothing_is_counted_while_others_wait_to_write(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    read, writing = [], []
    load, keep = co_use.load_sessions, world.app.memory._keep

    def note(*asked):
        read.append(bool(writing))
        return load(*asked)

    def answer(leave, **more):
        def write(transaction):
            writing.append(1)
            try:
                return leave(transaction)
            finally:
                writing.clear()

        return keep(write, **more)

    monkeypatch.setattr(co_use, "load_sessions", note)
    monkeypatch.setattr(world.app.memory, "_keep", answer)
    assert needed(world, "role boundaries?") == [used[1]]
    assert read == [False]


def test_while_the_gate_is_shut_the_answer_has_the_specified_shape(world, used):
    world.app.maintain()
    assert needed(world, "role boundaries?") is None


def test_what_was_used_after_it_is_named_and_nothing_else(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    _, cache, bread = used
    result = world.ask("role boundaries?", "eve", limit=1)["result"]
    assert result["often_needed_next"] == [
        {
            "thought_id": cache,
            "label": "Cache invalidation remains hard wherever two…",
            "strength": pytest.approx(1.0),
        }
    ]
    assert needed(world, "warm milk yeast?") == [bread]


def test_being_named_leaves_no_trace_and_moves_nothing(world, used, monkeypatch):
    _, cache, _ = used
    before = world.record(cache)
    asked = ids(world.ask("role boundaries?", "eve", limit=1))
    open_gate(world, monkeypatch)
    named = world.ask("role boundaries?", "eve", limit=1)
    assert named["result"]["often_needed_next"][0]["thought_id"] == cache
    assert ids(named) == asked
    assert world.record(cache) == before


def test_what_is_shown_anyway_is_not_named(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    result = world.ask("role boundaries? cache invalidation?", "eve", limit=2)["result"]
    assert "often_needed_next" not in result


def test_what_the_session_used_before_is_not_named(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    _, cache, _ = used
    session = use(world, "joe", ("cache invalidation?", cache))
    assert needed(world, "role boundaries?", "joe", session_id=session) is None


def test_what_was_forgotten_is_not_named(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    _, cache, _ = used
    world.forget(cache)
    assert needed(world, "role boundaries?") is None


def test_a_signal_taken_back_takes_the_co_use_back(world, known, monkeypatch):
    open_gate(world, monkeypatch)
    roles, cache, _ = known
    session = use(world, "dev", ("role boundaries?", roles), ("cache invalidation?", cache))
    world.feedback(session, cache, "irrelevant")
    assert needed(world, "role boundaries?") is None


def test_co_use_fades(world, used, monkeypatch):
    open_gate(world, monkeypatch)
    world.clock.advance(hours=24 * 14)
    result = world.ask("role boundaries?", "eve", limit=1)["result"]
    assert result["often_needed_next"][0]["strength"] == pytest.approx(0.5, rel=0.01)
    world.clock.advance(hours=24 * 60)
    assert needed(world, "role boundaries?") is None


def test_what_one_query_returned_together_is_no_co_use(world, known, monkeypatch):
    open_gate(world, monkeypatch)
    roles, cache, _ = known
    first = world.ask("role boundaries? cache invalidation?", "dev", limit=2)
    session = first["trace"]["session_id"]
    world.feedback(session, roles, "useful")
    world.ask("cache invalidation?", "dev", limit=1, session_id=session)
    world.feedback(session, cache, "useful")
    assert needed(world, "role boundaries?") is None


def test_reading_one_thoughts_co_uses_follows_the_rule_for_whole_sessions(world, used):
    roles, cache, bread = used
    use(world, "joe", ("cache invalidation?", cache), ("cold kitchen bread?", bread))
    use(world, "amy", ("cold kitchen bread?", bread), ("role boundaries?", roles))
    access = world.app.enter(None, None, writes=False)
    with world.app.database.read() as transaction:
        sessions = co_use.load_sessions(transaction, "ks-default")
        seqs = {step.used[0] for one in sessions for step in one.steps}
        found = [
            event
            for seq in sorted(seqs)
            for event, _ in co_use.find_with_sessions(transaction, access, seq)
        ]
    assert len(sessions) == 4
    assert sorted(found) == sorted(pair for one in sessions for pair in iterate_co_uses(one))


def test_of_a_session_without_end_and_of_all_sessions_the_newest_uses_are_read(
    world, used, monkeypatch
):
    pairs = [("role boundaries?", used[0]), ("cache invalidation?", used[1])]
    use(world, "joe", *pairs, ("cold kitchen bread?", used[2]))
    use(world, "amy", *pairs)

    def read() -> list[list[int]]:
        with world.app.database.read() as transaction:
            sessions = co_use.load_sessions(transaction, "ks-default")
        return [[seq for step in one.steps for seq in step.used] for one in sessions]

    monkeypatch.setattr(co_use, "MOST_USES_OF_A_SESSION", 2)
    whole = read()
    assert [len(one) for one in whole] == [2, 2, 2, 2]
    monkeypatch.setattr(co_use, "MOST_USES_JUDGED", 4)
    assert read() == whole[2:]
