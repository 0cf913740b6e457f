"""Best practices are documents of a source that is built in, and are found like all others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call, sync_source
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.sources import NewSource, SourceChanges, handbook
from wellworn.domain.spaces import Role
from wellworn.errors import InvalidInput

LAMP = Practice("Trim the wick of every lantern before dusk.", domain="Lamps", source="guild")
LONG = "\n\n".join(
    f"Rule {number} of the harbour: keep berth {number} clear of ropes." for number in range(150)
)
LAST = "At the very end the quartz bell is rung thrice."


@pytest.fixture
def app(tmp_path):
    with opened(tmp_path / "home") as app:
        yield app


def ingested(app, *practices):
    return [call(app, "ingest")(local(app), one)[0] for one in practices]


def handbook_of(app):
    [source] = call(app, "sources")(local(app))
    return source


def found(app, question, **more):
    return [
        one.id
        for one in call(app, "find_practices")(local(app), question, **({"domain": None} | more))
    ]


def held(app, *tables):
    with app.database.read() as transaction:
        return [transaction.execute(text(f"SELECT count(*) FROM {one}")).scalar() for one in tables]


def test_practices_are_one_source_that_is_there_from_the_first_on(app):
    assert call(app, "sources")(local(app)) == []
    ingested(app, LAMP, Practice("Coil ropes.", domain="Ropes"))
    source = handbook_of(app)
    told = source.source_type, source.name, source.sync_status, source.documents
    assert told == ("best_practices", "Best practices", "success", 2)


def test_the_source_of_practices_is_neither_synced_nor_changed_nor_made_by_hand(app):
    ingested(app, LAMP)
    access, source = local(app), handbook_of(app)
    for change in (
        lambda: sync_source(app, access, source.id),
        lambda: call(app, "change_source")(access, source.id, SourceChanges(name="other")),
        lambda: app.syncs.upload(access, source.id, "a.md", b"# A", media_type=None),
        lambda: call(app, "create_source")(access, NewSource("best_practices", "mine", {})),
    ):
        with pytest.raises(InvalidInput):
            change()
    assert handbook_of(app) == source


def test_no_other_source_takes_the_name_of_the_built_in_one(app):
    with pytest.raises(InvalidInput, match="name"):
        call(app, "create_source")(local(app), NewSource("upload", "Best practices", {}))


def test_who_removes_the_source_removes_the_practices_and_can_ingest_them_again(app):
    [first] = ingested(app, LAMP)
    assert app.syncs.remove_source(local(app), handbook_of(app).id) == 1
    assert found(app, "wick") == []
    assert held(app, "knowledge_documents", "knowledge_chunks", "chunk_identifiers") == [0, 0, 0]
    assert call(app, "ingest")(local(app), LAMP) == (first, True)
    assert found(app, "wick") == [first]


def test_a_long_practice_is_found_once_by_any_of_its_parts(app):
    long, short = ingested(app, Practice(f"{LONG}\n\n{LAST}"), LAMP)
    assert held(app, "knowledge_chunks")[0] > 5
    best = call(app, "find_practices")(local(app), "the quartz bell is rung thrice", domain=None)[0]
    assert best.id == long
    assert best.practice.content.endswith(LAST)
    assert sorted(found(app, "rule of the harbour")) == sorted([long, short])


def test_a_practice_with_more_chunks_than_are_looked_at_hides_no_other(app, monkeypatch):
    monkeypatch.setattr(handbook, "_CANDIDATES", 2)
    long, *others = ingested(app, Practice(LONG), LAMP, Practice("Rule of thumb: berth early."))
    assert sorted(found(app, "rule of the harbour berth")) == sorted([long, *others])


def test_a_domain_keeps_its_practices_when_the_index_is_made_anew(app):
    [lamp, _] = ingested(app, LAMP, Practice("Trim the wick.", domain="other"))
    index = app.indexes[-1]
    index.delete(index.ids().tolist())
    assert found(app, "wick") == []
    app.repair()
    app.embedding.finish()
    assert found(app, "wick", domain="lAMPS") == [lamp]


def test_practices_are_knowledge(app):
    [lamp] = ingested(
        app, Practice("# Beacon\n\n- **beacon** (10.4.5.6) - The lamp at the harbour mouth.\n")
    )
    access = local(app)
    [snippet, *_] = app.search_documents(access, "10.4.5.6", limit=3, sources=None)
    assert (snippet.citation, snippet.is_exact) == (f"Best practices/{lamp}#beacon", True)
    [value, *_] = app.resolve(access, "beacon").values
    assert value.value == "10.4.5.6"
    prompt = Prompt("beacon lamp", "ada", "Ada", contribute=Contribute.NEVER)
    assert app.converse(access, prompt).result.sources == ()
    [source] = app.converse(access, replace(prompt, include_knowledge=True)).result.sources
    assert (source.kind, source.citation) == ("document", f"Best practices/{lamp}#beacon")


def test_practices_travel_as_practices(app, tmp_path):
    ingested(app, LAMP, Practice(LONG, file_path="a/b.md", file_name="b.md", total_chunks=2))
    synced(app, local(app), tmp_path / "mytech")
    records = list(app.export(local(app)))
    practices = [one for one in records if one["record"] == "practice"]
    assert [list(one) for one in practices] == [
        [
            *("record", "id", "content", "domain", "source", "file_path", "file_name"),
            *("chunk_index", "total_chunks", "timestamp"),
        ]
    ] * 2
    assert {one["name"] for one in records if one["record"] == "source"} == {"mytech"}
    assert {one["source"] for one in records if one["record"] == "document"} == {"mytech"}
    with opened(tmp_path / "other") as other:
        assert other.import_records(local(other), records).taken.imported == len(records)
        assert list(other.export(local(other))) == records
        assert found(other, "wick", domain="lamps") == found(app, "wick", domain="lamps")


def test_a_document_cannot_be_brought_into_the_source_of_practices(app):
    ingested(app, LAMP)
    stranger = {
        "record": "document",
        "source": "Best practices",
        "path": "x",
        "content": "wick",
        "metadata": {"odd": 1},
        "fetched_at": 1.0,
        "item_version": "",
        "raw_hash": "",
    }
    assert app.import_records(local(app), [stranger]).taken.imported == 0
    assert len(found(app, "wick")) == 1


def test_a_contributor_imports_practices_also_the_first(app):
    records = [
        {
            "record": "practice",
            "id": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            "content": "Coil ropes.",
            "domain": "",
            "source": "seed",
            "file_path": "",
            "file_name": "",
            "chunk_index": 0,
            "total_chunks": 1,
            "timestamp": 5.5,
        }
    ]
    issued = app.administration.issue(None, "ann", role=Role.CONTRIBUTOR)
    ann = app.enter(issued.key, None, writes=True)
    assert app.import_records(ann, records * 2).taken.imported == 1
    [one] = call(app, "find_practices")(ann, "ropes", domain=None)
    assert (one.id, one.timestamp) == (records[0]["id"], 5.5)


def test_a_practice_that_comes_twice_at_once_is_stored_once(app):
    access = local(app)
    [known] = ingested(app, LAMP)
    row = next(one for one in app.export(access) if one["record"] == "practice")
    app.syncs.remove_source(access, handbook_of(app).id)
    row = {name: value for name, value in row.items() if name != "record"}
    ready = app.knowledge.prepare(access, [row])
    assert ingested(app, LAMP) == [known]
    with app.database.write() as transaction:
        assert app.knowledge.take(transaction, access, ready) == 0
    assert held(app, "knowledge_documents") == [1]


def test_spaces_keep_their_practices_apart_also_when_one_is_deleted_or_sealed(app):
    ingested(app, LAMP)
    made = app.administration.create(None, "lab")
    access = app.enter(made.issued.key, made.space.id, writes=True)
    assert call(app, "find_practices")(access, "wick", domain=None) == []
    call(app, "ingest")(access, LAMP)
    app.administration.seal(access)
    sealed = app.enter(made.issued.key, made.space.id, writes=True)
    [one] = call(app, "find_practices")(sealed, "wick", domain="lamps")
    assert one.practice == LAMP
    assert app.health(sealed).practices == 1
    app.administration.delete(sealed)
    assert len(found(app, "wick")) == 1
    assert held(app, "knowledge_sources", "knowledge_documents") == [1, 1]


def test_practices_are_cut_anew_when_the_rules_change(app, monkeypatch):
    [long] = ingested(app, Practice(f"{LONG}\n\n{LAST}"))
    assert app.repairs[-1].missing() == []
    with app.database.write() as transaction:
        transaction.execute(text("UPDATE knowledge_documents SET maker = 7"))
        before = transaction.execute(text("SELECT max(seq) FROM knowledge_chunks")).scalar_one()
    app.repair()
    assert app.unindexed == 0
    assert app.repairs[-1].missing() == []
    with app.database.read() as transaction:
        after = transaction.execute(text("SELECT min(seq) FROM knowledge_chunks")).scalar_one()
    assert after > before
    assert len(app.indexes[-1].ids()) == held(app, "knowledge_chunks")[0]
    assert found(app, "the quartz bell is rung thrice") == [long]
