"""Turns of long ago: out of the way of later ones, still read, and brought back as they were."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from integration.turn_world import ACCESS, FIND_SOME, READ_HAMSTERS, READ_THREAD, list_quotes
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.spaces import DEFAULT_SPACE
from wellworn.domain.turns import TurnSettings
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.links import find_links
from wellworn.errors import StorageUnavailable
from wellworn.testing.embedder import HashEmbedder

DAY_S = 86_400


def archive(person, **more):
    person.clock.advance(DAY_S)
    return person.app.turns.archive(ACCESS, agent_id="henry", before=person.clock.now(), **more)


def read_all(person, turn):
    paths = person.app.turns.list_files(ACCESS, turn.id)
    return {path: person.app.turns.read_file(ACCESS, turn.id, path) for path in paths}


def list_gathered(person, reply):
    journal = TurnJournal(FolderVault(person.vault), reply.turn.folder)
    return [item.link or "" for item in journal.list_evidence()]


def list_research(person):
    documents = person.app.turns.list_research(ACCESS, agent_id=None, topic=None, limit=9)
    return [document for document, _ in documents]


def find_dead_links(vault):
    notes = [path for path in vault.rglob("*.md") if path.is_file()]
    return [
        (str(path.relative_to(vault)), link.path)
        for path in notes
        for link in find_links(str(path.relative_to(vault)), path.read_text("utf-8"))
        if not (vault / link.path).is_file()
    ]


def test_a_capture_of_an_archived_turn_is_reached_by_what_refers_to_it(person, site):
    first = person.ask(READ_THREAD)
    person.ask("how many pages are on the thread?")
    moment = first.turn.ended_at + 1
    [archived] = person.app.turns.archive(ACCESS, agent_id="henry", before=moment)
    assert archived.id == first.turn.id
    reply = person.ask("how many comments are on the thread?")
    assert list_quotes(reply) == ["47"]
    [link] = [item.link for item in reply.evidence]
    assert link.startswith("archive/")
    assert (person.vault / link).is_file()
    assert site.visits["/thread"] == 1


def test_a_link_to_data_of_an_archived_capture_leads_to_where_it_is(person):
    first = person.ask(READ_THREAD)
    reply = person.ask("who wrote the thread?")
    [source] = reply.evidence
    assert source.link.endswith("/extracted_data.json")
    moment = first.turn.ended_at + 1
    person.app.turns.archive(ACCESS, agent_id="henry", before=moment)
    assert find_dead_links(person.vault) == []
    moved = json.loads((person.vault / source.link).read_text())["moved_to"]
    assert moved.startswith("archive/")
    assert json.loads((person.vault / moved).read_text())["author"] == "u/AquaristBob"
    assert list_quotes(person.ask("who wrote the thread?")) == ["u/AquaristBob"]
    person.app.turns.restore(ACCESS, first.turn.id)
    assert json.loads((person.vault / source.link).read_text())["author"] == "u/AquaristBob"


def test_an_archived_turn_is_read_and_listed_apart_and_no_later_turn_looks_through_it(person):
    first = person.ask(READ_THREAD)
    before = person.app.turns.read(ACCESS, first.turn.id)
    assert [turn.id for turn in archive(person, dry_run=True)] == [first.turn.id]
    assert person.app.turns.list_turns(ACCESS, is_archived=True) == []
    assert [turn.id for turn in archive(person)] == [first.turn.id]
    assert person.app.turns.list_turns(ACCESS) == []
    [turn] = person.app.turns.list_turns(ACCESS, is_archived=True)
    assert turn.archived_at == person.clock.now()
    assert turn.folder.startswith("archive/")
    after = person.app.turns.read(ACCESS, first.turn.id)
    assert (after.text, after.edited) == (before.text, ())
    later = person.ask("What do people say about glass scrapers?")
    assert not [link for link in list_gathered(person, later) if "turn_000001" in link]


def test_every_link_of_a_vault_with_an_archive_leads_somewhere(person):
    person.ask("My favourite hamster is Syrian.")
    person.ask(READ_HAMSTERS)
    person.ask(FIND_SOME)
    assert find_dead_links(person.vault) == []
    archive(person)
    person.ask("What is my favourite hamster?")
    assert list((person.vault / "archive").rglob("research.md"))
    assert find_dead_links(person.vault) == []


def test_a_restored_turn_is_what_it_was_and_is_found_again(person):
    first = person.ask(READ_HAMSTERS)
    files, documents = read_all(person, first.turn), list_research(person)
    archive(person)
    assert list_research(person) == []
    restored = person.app.turns.restore(ACCESS, first.turn.id)
    assert restored == first.turn
    assert read_all(person, restored) == files
    assert list_research(person) == documents != []
    assert not list(person.vault.glob("archive/*/*"))
    assert person.app.turns.restore(ACCESS, first.turn.id) == restored
    assert person.app.turns.list_turns(ACCESS) == [restored]
    later = person.ask("How do Syrian hamsters live?")
    assert any("turn_000001" in link for link in list_gathered(person, later))


def test_an_archive_goes_with_an_export_into_another_memory(person, tmp_path):
    first = person.ask(READ_THREAD)
    archive(person)
    second = person.ask("My favourite hamster is Syrian.")
    records = [each for each in person.app.export(ACCESS) if each["record"] == "turn_file"]
    with closing(open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())) as other:
        for record in records:
            other.import_records(ACCESS, [record])
        for _ in range(2):
            [turn] = other.turns.list_turns(ACCESS, is_archived=True)
            assert turn.id == first.turn.id
            assert [each.id for each in other.turns.list_turns(ACCESS)] == [second.turn.id]
            assert find_dead_links(tmp_path / "other/turns" / DEFAULT_SPACE / "users/henry") == []
            assert other.turns.rebuild_index(ACCESS) == 2
        assert other.turns.restore(ACCESS, turn.id).folder == first.turn.folder


def test_archiving_that_the_disk_interrupted_is_ended_by_the_next_one(person, monkeypatch):
    first = person.ask(READ_THREAD)
    files = read_all(person, first.turn)
    writing, written = FolderVault.write, []

    def write(vault, path, text):
        written.append(path)
        if len(written) == limit:
            message = "the disk is full"
            raise StorageUnavailable(message)
        writing(vault, path, text)

    for limit in (2, len(files), len(files) + 2):
        written.clear()
        with monkeypatch.context() as patch:
            patch.setattr(FolderVault, "write", write)
            with pytest.raises(StorageUnavailable):
                archive(person)
        if limit < len(files):
            assert read_all(person, first.turn) == files
    archive(person)
    assert person.app.turns.restore(ACCESS, first.turn.id) == first.turn
    assert read_all(person, first.turn) == files


def test_a_removed_turn_of_the_archive_leaves_nothing(person):
    first = person.ask(READ_THREAD)
    archive(person)
    person.app.turns.remove(ACCESS, first.turn.id)
    assert not list(person.vault.rglob("turn_000001"))


def test_old_turns_are_archived_by_themselves_where_that_is_set(person):
    first = person.ask(READ_THREAD)
    person.clock.advance(10 * DAY_S)
    second = person.ask(READ_HAMSTERS)
    person.app.maintain()
    assert len(person.app.turns.list_turns(ACCESS)) == 2
    person.app.close()
    settings = Settings(turns=TurnSettings(archive_after_days=10))
    with closing(
        open_app(person.home, settings, embedder=HashEmbedder(), clock=person.clock)
    ) as app:
        app.maintain()
        assert [turn.id for turn in app.turns.list_turns(ACCESS)] == [second.turn.id]
        [turn] = app.turns.list_turns(ACCESS, is_archived=True)
        assert turn.id == first.turn.id
