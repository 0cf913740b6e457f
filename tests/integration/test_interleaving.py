"""Calls that meet: what one does while another is between two of its steps."""

from __future__ import annotations

import pytest

from integration.memory_parts import assemble
from wellworn.application.migrations import upgrade
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.sources import ChunkIndexer
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import (
    FeedbackSignal,
    ThoughtDraft,
    ThoughtIndexer,
    ThoughtType,
)
from wellworn.engines.storage.sql import Database
from wellworn.errors import IndexUnavailable
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.vectors import ListVectorIndex

ME = local_access()
SECRET = "the cellar key lies under the third flowerpot by the door"


@pytest.fixture
def app(tmp_path):
    clock, embedder = ManualClock(), HashEmbedder()
    database, index, chunks = Database(tmp_path / "it.db"), ListVectorIndex(), ListVectorIndex()
    upgrade(database)
    yield assemble(database, index, chunks, embedder, clock, tmp_path)
    database.close()


def say(text, agent="ann", **more):
    return Prompt(prompt=text, agent_id=agent, agent_name=agent.title(), **more)


def ask(app, text, agent="ann", **more):
    return app.memory.converse(ME, say(text, agent, contribute=Contribute.NEVER, **more))


def think(app, content, agent="zoe", **more):
    return app.thoughts.think(ME, ThoughtDraft(content, agent, agent.title(), **more)).thought_id


def found(app, text):
    return [one.thought_id for one in app.memory.look_up(ME, text)]


def before_writing(app, monkeypatch, step):
    """Run a step once between a call's search and its transaction."""
    read, waiting = app.thoughts.searcher.load_distinct, [step]

    def reading(access, hits, limit):
        shown = read(access, hits, limit)
        while waiting:
            waiting.pop()()
        return shown

    monkeypatch.setattr(app.thoughts.searcher, "load_distinct", reading)


def test_a_thought_erased_during_a_call_is_neither_answered_nor_kept_for_a_retry(app, monkeypatch):
    secret = think(app, SECRET)
    other = think(app, "the cellar is damp in winter")
    before_writing(app, monkeypatch, lambda: app.memory.forget(ME, secret, agent_id="zoe"))
    first = ask(app, "where is the cellar key", idempotency_key="k")
    again = ask(app, "where is the cellar key", idempotency_key="k")
    assert first == again
    assert [source.thought_id for source in first.result.sources] == [other]
    assert "flowerpot" not in repr(first)
    assert first.trace.thoughts_retrieved == 1
    assert app.thoughts.get_record(ME, secret).access_count == 0


def test_a_thought_erased_during_a_retrieval_is_not_returned(app, monkeypatch):
    secret = think(app, SECRET)
    pool = app.thoughts.searcher.rank

    def erasing(*asked):
        hits = pool(*asked)
        app.memory.forget(ME, secret, agent_id="zoe")
        return hits

    monkeypatch.setattr(app.thoughts.searcher, "rank", erasing)
    assert found(app, "cellar key") == []


def test_a_kept_answer_does_not_name_an_erased_thought_as_a_highway(app):
    secret = think(app, SECRET)
    think(app, "the cellar key, " * 3)
    for agent in ("ann", "bob", "cy"):
        ask(app, "cellar key flowerpot", agent)
    asked = {"limit": 1, "idempotency_key": "k"}
    first = ask(app, "cellar key", **asked)
    assert secret not in repr(first.result.sources)
    assert "flowerpot" not in first.result.response
    assert any(line.startswith("the cellar key lies") for line in first.result.highways_nearby)
    app.memory.forget(ME, secret, agent_id="zoe")
    assert not any(
        "lies" in line for line in ask(app, "cellar key", **asked).result.highways_nearby
    )


def test_a_counter_question_does_not_offer_a_tag_that_was_forgotten_during_the_call(
    app, monkeypatch
):
    for place, tag in enumerate(("garden", "kitchen", "roof")):
        for number in range(4):
            think(app, f"architecture entry {number} of part {place}", tags=(tag,))
    secret = think(app, "architecture entry of old", tags=("affair",))
    before_writing(app, monkeypatch, lambda: app.memory.forget(ME, secret, agent_id="zoe"))
    offered = ask(app, "architecture?", idempotency_key="k").result.disambiguation
    assert [cluster.tag for cluster in offered.clusters] == ["garden", "kitchen", "roof"]
    with app.database.read() as transaction:
        texts = transaction.exec_driver_sql(
            "SELECT offered_tags FROM query_log UNION SELECT answer FROM answers"
        )
        assert "affair" not in str(texts.all())


def test_an_import_whose_practices_cannot_be_indexed_stores_nothing(app, monkeypatch):
    app.knowledge.ingest(ME, Practice(SECRET))
    app.knowledge.ingest(ME, Practice("cedar is soft", domain="Wood"))
    think(app, "quartz is hard")
    exported = list(app.transfer.export(ME))
    counted = "SELECT (SELECT count(*) FROM knowledge_documents), (SELECT count(*) FROM thoughts)"
    with app.database.write() as transaction:
        app.transfer.empty(transaction, ME)

    def fail(_):
        raise IndexUnavailable("the chunk index is unavailable")

    with monkeypatch.context() as patch:
        patch.setattr(app.chunks, "upsert", fail)
        with pytest.raises(IndexUnavailable):
            app.transfer.import_records(ME, exported)
    with app.database.read() as transaction:
        assert tuple(transaction.exec_driver_sql(counted).one()) == (0, 0)
    assert len(app.index.ids()) == len(app.chunks.ids()) == 0
    assert app.transfer.import_records(ME, exported).imported == len(exported)
    assert len(app.knowledge.query(ME, "cedar", domain="wood")) == 1
    assert app.transfer.import_records(ME, exported).imported == 0


def test_of_two_first_calls_at_once_only_one_is_welcomed(app, monkeypatch):
    guidance = []
    before_writing(
        app,
        monkeypatch,
        lambda: guidance.append(ask(app, "Where does cedar grow?").result.guidance),
    )
    guidance.append(ask(app, "Where does cedar grow?").result.guidance)
    assert [bool(said) for said in guidance] == [True, False]


def test_a_repair_leaves_alone_what_is_stored_while_it_looks(app, monkeypatch):
    ids = app.index.ids

    def storing():
        think(app, SECRET)
        return ids()

    monkeypatch.setattr(app.index, "ids", storing)
    assert ThoughtIndexer(app.database, app.index, app.embedder).missing() == []
    assert len(found(app, "flowerpot")) == 1


def test_a_repair_leaves_alone_chunks_that_are_stored_while_it_looks(app, monkeypatch):
    ids = app.chunks.ids

    def storing():
        app.knowledge.ingest(ME, Practice(SECRET))
        return ids()

    monkeypatch.setattr(app.chunks, "ids", storing)
    assert ChunkIndexer(app.database, app.chunks, app.embedder).missing() == []
    assert len(app.knowledge.query(ME, "flowerpot")) == 1


def test_a_thought_said_after_an_import_into_its_session_comes_last(app):
    session = ask(app, "hello").trace.session_id
    turn = {
        "record": "thought",
        "content": "an earlier part of this conversation",
        "contributor_id": "ann",
        "contributor_name": "Ann",
        "session": session,
        "position": 5,
    }
    app.transfer.import_records(ME, [turn])
    reply = app.memory.converse(ME, say(SECRET, session_id=session, contribute=Contribute.ALWAYS))
    assert app.thoughts.get_record(ME, reply.trace.thought_id).position == 6


def test_a_signal_given_back_and_forth_counts_as_one_use(app):
    one, two = think(app, "cedar wood is light"), think(app, "quartz rock is hard")
    session = ask(app, "cedar", limit=1).trace.session_id
    ask(app, "quartz", limit=1, session_id=session)

    def judged(thought, signal):
        app.thoughts.add_feedback(ME, session_id=session, thought_id=thought, signal=signal)

    def used():
        return [row["thought_id"] for row in app.transfer.export(ME) if row["record"] == "use"]

    judged(one, FeedbackSignal.USEFUL)
    for _ in range(3):
        judged(two, FeedbackSignal.USEFUL)
        assert used() == [one, two]
        judged(two, FeedbackSignal.IRRELEVANT)
        assert used() == [one]


def test_provenance_grows_with_the_thoughts_and_not_with_the_ways_between_them(app):
    level = (think(app, "zero left"), think(app, "zero right"))
    for step in range(1, 14):
        level = tuple(
            think(
                app,
                f"{step} {side}",
                thought_type=ThoughtType.CONSOLIDATION,
                source_ids=level,
            )
            for side in ("left", "right")
        )
    chain = app.thoughts.get_provenance(ME, level[0])
    told = list(_all(chain.came_from))
    assert len({one.thought_id for one in told}) == 26
    assert len(told) == 26 + 24  # each step names both sources of both its thoughts
    near = app.thoughts.get_provenance(ME, level[0], depth=2)
    assert len(list(_all(near.came_from))) == 2 + 4


def test_a_source_met_early_is_followed_there_and_not_deeper(app):
    root = think(app, "root")
    early = think(app, "early", thought_type=ThoughtType.REFINEMENT, source_ids=(root,))
    late = think(app, "late", thought_type=ThoughtType.REFINEMENT, source_ids=(early,))
    both = (late, early)
    last = think(app, "last", thought_type=ThoughtType.CONSOLIDATION, source_ids=both)
    by_late, by_early = app.thoughts.get_provenance(ME, last, depth=2).came_from
    assert [one.thought_id for one in by_late.beyond] == [early]
    assert by_late.beyond[0].beyond == ()
    assert [one.thought_id for one in by_early.beyond] == [root]


def _all(origins):
    for origin in origins:
        yield origin
        yield from _all(origin.beyond)
