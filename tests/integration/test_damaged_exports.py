"""A memory in which records are damaged: an export brings out all others, and names these."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Prompt
from wellworn.domain.thoughts import ThoughtDraft, ThoughtType
from wellworn.errors import DamagedStore

WORDS = ("rust", "tide", "cedar", "lantern", "quartz")
FIRST_DOCUMENT = "(SELECT min(id) FROM knowledge_documents)"
NO_TEXT = "CAST(X'C3C328A0' AS TEXT)"


def think(app, content, sources=(), kind=ThoughtType.ORIGINAL):
    draft = ThoughtDraft(content, "ann", "Ann", kind, tuple(sources))
    return app.think(local(app), draft).thought_id


@pytest.fixture
def memory(tmp_path):
    """A memory with some of everything, and the ids of its thoughts by their words."""
    with opened(tmp_path / "home") as app:
        access = local(app)
        ids = {word: think(app, word) for word in WORDS}
        app.memory.converse(access, Prompt(prompt="rust?", agent_id="bob", agent_name="Bob"))
        call(app, "ingest")(access, Practice("cedar is soft"))
        synced(app, access, tmp_path / "mytech")
        call(app, "pin")(access, "frigate", pinned=True)
        call(app, "learn")(access, "the box", "AGENTS.md#servers")
        app.database.scrub()
        yield app, ids


def damage(app, statement, *values):
    with closing(sqlite3.connect(_path(app))) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        assert database.execute(statement, values).rowcount == 1
        database.commit()


def _path(app):
    with app.database.read() as transaction:
        (_, _, file), *_ = transaction.exec_driver_sql("PRAGMA database_list")
    return Path(file)


def exported(app):
    records = list(app.export(local(app)))
    lost = [record for record in records if record["record"] == "lost"]
    assert records[len(records) - len(lost) :] == lost
    return [record for record in records if record["record"] != "lost"], lost


def imported(records, home):
    with opened(home) as other:
        other.import_records(local(other), records)
        return exported(other)


@pytest.mark.parametrize(
    "change",
    [
        "tags = 'no list'",
        "tags = '[1]'",
        f"content = {NO_TEXT}",
        "content = X'00FF'",
        "contributor_id = ''",
        "created_at = 'yesterday'",
        "created_at = 1e300",
        "thought_type = 'rumour'",
        "owner = X'00FF'",
        "position = -1",
    ],
)
def test_one_damaged_thought_is_named_and_all_others_are_brought_out(memory, tmp_path, change):
    app, ids = memory
    before, nothing = exported(app)
    assert nothing == []
    damage(app, f"UPDATE thoughts SET {change} WHERE id = ?", ids["cedar"])
    records, lost = exported(app)
    assert ("thought", ids["cedar"]) in {(one["kind"], one["id"]) for one in lost}
    assert {one["id"] for one in lost} == {ids["cedar"]}
    assert len(records) == len(before) - len(lost)
    again, _ = imported([*records, *lost], tmp_path / "other")
    contents = {one["content"] for one in again if one["record"] == "thought"}
    assert contents >= set(WORDS) - {"cedar"}


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("query", "UPDATE query_log SET query_vector = X'01'"),
        ("query", "UPDATE query_log SET returned_ids = '{'"),
        ("trail", "UPDATE trails SET weight = 99 WHERE thought_seq = 1"),
        ("document", "UPDATE knowledge_documents SET metadata = '[1]' WHERE path = 'AGENTS.md'"),
        ("document", f"UPDATE knowledge_documents SET title = {NO_TEXT} WHERE path = 'AGENTS.md'"),
        ("alias", f"UPDATE learned_aliases SET anchor = {NO_TEXT}"),
        ("practice", f"UPDATE knowledge_documents SET metadata = '{{' WHERE id = {FIRST_DOCUMENT}"),
    ],
)
def test_one_damaged_record_of_any_kind_is_named(memory, tmp_path, kind, statement):
    app, _ = memory
    before, _ = exported(app)
    damage(app, statement)
    records, [lost] = exported(app)
    assert lost["kind"] == kind
    assert len(records) == len(before) - 1
    imported([*records, lost], tmp_path / "other")


def test_a_damaged_source_takes_only_what_is_its_own(memory, tmp_path):
    app, _ = memory
    damage(app, "UPDATE knowledge_sources SET config = 'none' WHERE name = 'mytech'")
    records, lost = exported(app)
    assert "source" in {one["kind"] for one in lost}
    kinds = {record["record"] for record in records}
    assert {"thought", "query", "practice", "alias", "pin"} <= kinds
    imported([*records, *lost], tmp_path / "other")


@pytest.mark.parametrize("more", [(), ("tide",)])
def test_what_refines_a_lost_thought_stays_readable(memory, tmp_path, more):
    app, ids = memory
    sources = [ids[word] for word in ("cedar", *more)]
    refined = think(app, "cedar is soft wood", sources, ThoughtType.REFINEMENT)
    damage(app, f"UPDATE thoughts SET content = {NO_TEXT} WHERE id = ?", ids["cedar"])
    records, lost = exported(app)
    assert {(one["kind"], one["id"]) for one in lost} == {
        ("thought", ids["cedar"]),
        ("source_ids", refined),
    }
    again, _ = imported([*records, *lost], tmp_path / "other")
    [thought] = [one for one in again if one.get("id") == refined]
    assert thought["source_ids"] == [ids[word] for word in more]


def test_a_thought_whose_id_is_damaged_is_named_by_its_number(memory):
    app, ids = memory
    damage(app, f"UPDATE thoughts SET id = {NO_TEXT} WHERE id = ?", ids["cedar"])
    records, lost = exported(app)
    assert {"kind": "thought", "id": "seq 3"}.items() <= lost[0].items()
    contents = [one["content"] for one in records if one["record"] == "thought"]
    assert contents == [word for word in WORDS if word != "cedar"]


@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_destroyed_page_takes_only_what_was_on_it(tmp_path, place):
    with opened(tmp_path / "home") as app:
        thoughts = [
            {
                "record": "thought",
                "content": "and its words " * 60 + f"number {number}",
                "contributor_id": "ann",
                "contributor_name": "Ann",
            }
            for number in range(100)
        ]
        app.import_records(local(app), thoughts)
        before, _ = exported(app)
        app.database.scrub()
        app.database.close()
        page, rows = leaf(_path(app), "and its words number", place)
        with _path(app).open("r+b") as file:
            file.seek(page * 4096)
            file.write(random.Random(4).randbytes(4096))
        records, lost = exported(app)
        with pytest.raises(DamagedStore):
            list(app.transfer.export(local(app)))
    readable = [one["id"] for one in records if one["record"] == "thought"]
    assert len(readable) == len(thoughts) - rows
    assert readable == [one["id"] for one in before if one.get("id") in readable]
    assert "thought" in {one["kind"] for one in lost}
    imported([*records, *lost], tmp_path / "other")


def leaf(path, word, place):
    """Return one of the leaf pages that hold the word, and how often it does."""
    content = path.read_bytes()
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    numbers = [
        number
        for number, page in enumerate(pages)
        if page[0] == 0x0D and word.encode() in page  # a leaf of a table
    ]
    return numbers[place], pages[numbers[place]].count(word.encode())


def test_sealing_names_every_record_that_it_cannot_read(tmp_path):
    with opened(tmp_path / "home") as app:
        made = app.administration.create(None, "lab", sealed=False)
        access = app.enter(made.issued.key, made.space.id, writes=True)
        drafts = [ThoughtDraft(word, "ann", "Ann") for word in WORDS]
        ids = [app.think(access, draft).thought_id for draft in drafts]
        for thought in ids[1:3]:
            damage(app, f"UPDATE thoughts SET content = {NO_TEXT} WHERE id = ?", thought)
        with pytest.raises(DamagedStore) as failure:
            app.administration.seal(access)
        assert "2 records cannot be read" in failure.value.message
        assert all(thought in failure.value.message for thought in ids[1:3])


def test_sealing_leaves_no_damaged_record_behind(tmp_path):
    with opened(tmp_path / "home") as app:
        made = app.administration.create(None, "lab", sealed=False)
        access = app.enter(made.issued.key, made.space.id, writes=True)
        thought = app.think(access, ThoughtDraft("cedar", "ann", "Ann")).thought_id
        damage(app, f"UPDATE thoughts SET content = {NO_TEXT} WHERE id = ?", thought)
        with pytest.raises(DamagedStore):
            app.administration.seal(access)
        with closing(sqlite3.connect(_path(app))) as database:
            assert database.execute("SELECT count(*) FROM thoughts").fetchone() == (1,)
