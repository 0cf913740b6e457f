"""What ranking reads of a thought: written with it, gone with it, made anew where it is missing."""

from __future__ import annotations

from contextlib import suppress

import pytest

from integration.owners import LOCAL, WHO, member, opened, rows, think
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import ThoughtKind
from wellworn.domain.thoughts.repair import ThoughtIndexer
from wellworn.domain.thoughts.store import features
from wellworn.errors import IndexUnavailable, StorageUnavailable
from wellworn.testing.embedder import HashEmbedder

ADMIN = member("root", Role.ADMIN)
WORDS = "the cedar stands by the harbour"


def kept(app):
    """Return whose features there are, by content."""
    of_all = "SELECT t.content FROM features f JOIN thoughts t ON t.seq = f.thought_seq ORDER BY 1"
    return [content for (content,) in rows(app, of_all)]


def every_row(app):
    return rows(app, "SELECT * FROM features ORDER BY thought_seq")


def indexer(app):
    refresh = app.thoughts.searcher.warmer.refresh
    return ThoughtIndexer(app.database, app.index, HashEmbedder(), refresh=refresh)


def embed(app):
    """Embed what waits, as the background does."""
    repair = indexer(app)
    while seqs := repair.list_pending(16):
        repair.embed(seqs)


def change(app, statement):
    """Write past everything; nobody else does, so a search need not look whether it was done."""
    with app.database.write() as transaction:
        transaction.exec_driver_sql(statement)
    app.thoughts.searcher.state.forget(seq for (seq,) in rows(app, "SELECT seq FROM thoughts"))


def record(content, **more):
    named = {"contributor_id": "ann", "contributor_name": "Ann"}
    return {"record": "thought", "content": content, **named, **more}


def found(app, text):
    return app.memory.look_up(LOCAL, text, limit=50)


def test_a_thought_is_stored_with_its_features_and_said_again_has_them_once(app):
    think(app, "ann", WORDS)
    think(app, "bob", WORDS)
    [(_, _, shape, passages, asks, _, codes, counts)] = every_row(app)
    assert (shape, passages, asks) == ("note", 1, 0)
    assert len(codes) == 16 * len(WORDS.split())
    assert len(counts) % 5 == 0
    assert counts
    assert indexer(app).missing() == []


def test_a_write_that_the_index_refuses_leaves_neither_thought_nor_features(app, monkeypatch):
    def refuse(_points):
        raise IndexUnavailable("the points cannot be stored")

    monkeypatch.setattr(app.index, "upsert", refuse)
    with pytest.raises(IndexUnavailable):
        think(app, "ann", WORDS)
    with pytest.raises(IndexUnavailable):
        app.transfer.import_records(LOCAL, [record(WORDS)])
    assert rows(app, "SELECT * FROM thoughts") == every_row(app) == []


def test_features_that_cannot_be_written_leave_neither_thought_nor_point(app, monkeypatch):
    def refuse(*_):
        raise StorageUnavailable("the disk is full")

    monkeypatch.setattr(features, "save_features", refuse)
    with pytest.raises(StorageUnavailable):
        think(app, "ann", WORDS)
    with pytest.raises(StorageUnavailable):
        app.transfer.import_records(LOCAL, [record(WORDS)])
    assert rows(app, "SELECT * FROM thoughts") == []
    assert app.index.ids().tolist() == []


def test_what_is_erased_leaves_no_features_behind_in_no_file(app, tmp_path):
    gone, _ = think(app, "ann", WORDS), think(app, "ann", "a violin in the lantern light")
    traces = [bytes(value) for row in every_row(app)[:1] for value in row[-2:]]
    assert all(trace in (tmp_path / "memory.db-wal").read_bytes() for trace in traces)
    app.memory.forget(LOCAL, gone, agent_id="ann")
    assert kept(app) == ["a violin in the lantern light"]
    for file in tmp_path.glob("memory.db*"):
        assert not any(trace in file.read_bytes() for trace in traces), file.name


def test_what_is_rolled_back_leaves_no_features_nor_does_what_was_built_on_it(app):
    think(app, "ann", "pepper and quartz")
    poison = think(app, "mallory", WORDS)
    think(app, "bob", "built upon the cedar", poison)
    app.memory.roll_back(ADMIN, WHO["mallory"].owner, since=0.0)
    assert kept(app) == ["pepper and quartz"]
    assert indexer(app).missing() == []


def test_a_purged_space_leaves_no_features(app):
    think(app, "ann", WORDS)
    with app.database.write() as transaction:
        app.transfer.empty(transaction, LOCAL)
    assert every_row(app) == []


def test_an_import_writes_the_features_that_saying_it_would_have(app, empty, tmp_path):
    app.transfer.import_records(LOCAL, [record(WORDS), record("said", id=ONE, kind="turn")])
    embed(app)
    with opened(empty, tmp_path / "other.db") as other:
        think(other, "ann", WORDS)
        think(other, "ann", "said", kind=ThoughtKind.TURN)
        assert every_row(app) == every_row(other)


ONE = "11111111-1111-4111-8111-111111111111"


def test_an_export_carries_no_features_and_its_import_makes_them(app, empty, tmp_path):
    app.transfer.import_records(LOCAL, [record(WORDS, id=ONE, tags=["wood"]), record("quartz?")])
    records = list(app.transfer.export(LOCAL))
    assert {one["record"] for one in records} == {"thought"}
    assert all({"codes", "counts", "shape", "maker"}.isdisjoint(one) for one in records)
    with opened(empty, tmp_path / "other.db") as other:
        other.transfer.import_records(LOCAL, records)
        embed(app)
        embed(other)
        assert every_row(other) == every_row(app)


def test_a_thought_that_arrives_erased_has_no_features(app, empty, tmp_path):
    thought_id = think(app, "ann", WORDS)
    app.memory.forget(LOCAL, thought_id, agent_id="ann")
    with opened(empty, tmp_path / "other.db") as other:
        other.transfer.import_records(LOCAL, list(app.transfer.export(LOCAL)))
        assert rows(other, "SELECT count(*) FROM thoughts") == [(1,)]
        assert every_row(other) == []
        assert indexer(other).missing() == []


LOST = {
    "missing": "DELETE FROM features",
    "of another maker": "UPDATE features SET maker = maker + 1",
}


@pytest.mark.parametrize("how", LOST)
def test_without_its_features_a_space_answers_by_the_scores_of_the_index(app, how):
    wanted = think(app, "ann", WORDS)
    for word in ("rust", "tide", "quartz", "violin"):
        think(app, "ann", f"{word} and pepper")
    whole = found(app, "cedar harbour")
    assert "pieces" in whole[0].parts
    change(app, LOST[how])
    lame = found(app, "cedar harbour")
    assert {one.thought_id for one in lame} == {one.thought_id for one in whole}
    assert lame[0].thought_id == wanted
    assert {*lame[0].parts} & {"pieces", "answer", "around", "nearby"} == set()
    assert {one.thought_id: one.score for one in lame} == {
        one.thought_id: one.score for one in whole
    }


@pytest.mark.parametrize("how", LOST)
def test_a_repair_makes_lost_features_anew_and_no_point_twice(app, how):
    think(app, "ann", WORDS)
    think(app, "ann", "long " * 700)
    embed(app)
    before, points, answer = every_row(app), app.index.ids().tolist(), found(app, "cedar harbour")
    change(app, LOST[how])
    repair = indexer(app)
    missing = repair.missing()
    assert len(missing) == 2
    repair.index(missing)
    assert repair.missing() == []
    assert found(app, "cedar harbour")[0].thought_id == answer[0].thought_id
    embed(app)
    assert (every_row(app), app.index.ids().tolist()) == (before, points)
    assert found(app, "cedar harbour") == answer


def test_half_of_the_features_are_enough_to_find_either_half(app):
    first, second = think(app, "ann", WORDS), think(app, "ann", "a lantern stands by the tide")
    change(app, "DELETE FROM features WHERE thought_seq = 1")
    assert found(app, "cedar harbour")[0].thought_id == first
    assert found(app, "lantern tide")[0].thought_id == second
    assert len(indexer(app).missing()) == 1


def test_erasing_while_a_repair_embeds_brings_no_words_back(app, monkeypatch):
    gone = think(app, "ann", WORDS)
    change(app, LOST["missing"])
    repair = indexer(app)
    encode = HashEmbedder.encode

    def encoding(self, texts):
        monkeypatch.undo()
        with suppress(Exception):
            app.memory.forget(LOCAL, gone, agent_id="ann")
        return encode(self, texts)

    repair.index(repair.missing())
    monkeypatch.setattr(HashEmbedder, "encode", encoding)
    embed(app)
    assert every_row(app) == []
    assert app.index.ids().tolist() == []


def test_a_turn_stored_by_the_conversation_has_features_too(app):
    prompt = Prompt(WORDS, "ann", "Ann", contribute=Contribute.ALWAYS)
    app.memory.converse(WHO["ann"], prompt)
    assert kept(app) == [WORDS]


def test_what_is_warm_is_found_as_what_is_not_and_nothing_held_is(app):
    for word in ("rust", "tide", "quartz", "violin"):
        think(app, "ann", f"the {word} of the harbour")
    app.transfer.import_records(LOCAL, [record("the harbour is held", quarantined_at=1.0)])
    cold = found(app, "harbour rust")
    searcher = app.thoughts.searcher
    change(app, "SELECT 1")
    searcher.warmer.warm()
    assert len(searcher.state.units.find(LOCAL.space, range(1, 99))) == 4
    assert [(one.content, one.parts) for one in found(app, "harbour rust")] == [
        (one.content, one.parts) for one in cold
    ]
    think(app, "ann", WORDS)
    searcher.warmer.warm()
    assert len(searcher.state.units.find(LOCAL.space, range(1, 99))) == 5
