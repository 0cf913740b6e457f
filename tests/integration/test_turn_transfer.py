"""Turns out of one memory and into another one: whole, indexed, and never mixed with others."""

from __future__ import annotations

from contextlib import closing

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.memory import Prompt
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.turns import RecordedEntry, TurnQuery
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)


class CountingEmbedder(HashEmbedder):
    """Remembers every text that it was asked to embed as one that is found later."""

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def app(tmp_path):
    with closing(open_app(tmp_path / "data", Settings(), embedder=HashEmbedder())) as app:
        yield app


def ask(app, text, **more):
    return app.turns.ask(ACCESS, TurnQuery(text, "henry", "Henry", **more))


def export_turns(app, access=ACCESS):
    return [each for each in app.export(access) if each["record"] == "turn_file"]


def read_files(home, space=DEFAULT_SPACE):
    folder = home / "turns" / space / "users" / "henry" / "turns"
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.glob("turn_*/*")
        if path.is_file()
    }


def test_exported_turns_are_imported_with_their_files(app, tmp_path):
    answer = ask(app, "Where is the lamp?")
    records = list(app.export(ACCESS))
    other = open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())
    other.import_records(ACCESS, [each for each in records if each["record"] == "turn_file"])
    [turn] = other.turns.list_turns(ACCESS)
    assert turn.id == answer.turn.id
    assert other.turns.read(ACCESS, turn.id).text == answer.text
    other.close()


def test_an_import_embeds_only_what_came_in_with_it(app, tmp_path):
    embedder = CountingEmbedder()
    files = []
    app.memory.converse(
        ACCESS, Prompt("The lamp is a lighthouse's.", agent_id="ada", agent_name="Ada")
    )
    for name in ("the lamp", "the hill"):
        ask(app, f"What is {name}?")
        records = [each for each in app.export(ACCESS) if each["record"] == "turn_file"]
        files.append([each for each in records if not any(each in batch for batch in files)])
    other = open_app(tmp_path / "other", Settings(), embedder=embedder)
    embedder.texts.clear()
    for batch in (*files, files[0]):
        other.import_records(ACCESS, batch)
    assert embedder.texts == ["What is the lamp?", "What is the hill?"]
    assert len(other.turns.list_turns(ACCESS)) == 2
    assert other.turns.ask(ACCESS, TurnQuery("What is the lamp?", "henry", "Henry")).evidence == ()
    assert (
        "Turn 1: What is the lamp?"
        in (
            tmp_path
            / "other"
            / "turns"
            / DEFAULT_SPACE
            / "users/henry/turns/turn_000003/context.md"
        ).read_text()
    )
    other.close()


def test_an_import_that_was_killed_before_it_indexed_is_indexed_when_it_comes_again(app, tmp_path):
    answer = ask(app, "Where is the lamp?")
    files = [each for each in app.export(ACCESS) if each["record"] == "turn_file"]
    other = open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())
    other.guard.pool.shared.turns.exchange.import_records(ACCESS, files)
    assert other.turns.list_turns(ACCESS) == []
    other.import_records(ACCESS, files)
    assert [turn.id for turn in other.turns.list_turns(ACCESS)] == [answer.turn.id]
    other.close()


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_a_turn_whose_number_another_turn_has_is_left_out_whole(app, tmp_path, size):
    ask(app, "Where is the lamp?")
    ask(app, "Where is the hill?")
    records = export_turns(app)
    with closing(open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())) as other:
        ask(other, "Who keeps the whale oil of the lighthouse?")
        before = read_files(tmp_path / "other")
        batches = [records[start : start + size] for start in range(0, len(records), size)]
        taken = [other.import_records(ACCESS, batch).taken for batch in batches]
        assert {turn for each in taken for turn in each.clashing} == {"turn 1 of henry"}
        after = read_files(tmp_path / "other")
        mine = {path: text for path, text in after.items() if path.startswith("turn_000001/")}
        assert mine == before
        theirs = read_files(tmp_path / "data")
        assert {path for path in after if path.startswith("turn_000002/")} == {
            path for path in theirs if path.startswith("turn_000002/")
        }
        assert {turn.query for turn in other.turns.list_turns(ACCESS)} == {
            "Where is the hill?",
            "Who keeps the whale oil of the lighthouse?",
        }
        left_out = sum(each["path"].startswith("turns/turn_000001/") for each in records)
        assert sum(each.imported + each.known for each in taken) == len(records) - left_out


def test_two_spaces_of_a_server_hold_the_same_turns_and_each_its_own(app, tmp_path):
    turn = ask(app, "Where is the lamp?").turn
    opened = app.turns.open(ACCESS, TurnQuery("Who is it?", "henry", "Henry", engine="model"))
    records, elsewhere = export_turns(app), local_access("ks-elsewhere-0badcafe")
    app.import_records(elsewhere, records)
    assert {each.id for each in app.turns.list_turns(elsewhere)} == {turn.id, opened.id}
    app.turns.close(elsewhere, opened.id, "It is the keeper.", [])
    assert app.turns.read(ACCESS, opened.id).turn.status == "open"
    app.turns.remove(elsewhere, turn.id)
    assert app.turns.read(ACCESS, turn.id).turn == turn
    assert read_files(tmp_path / "data")["turn_000001/context.md"]


def test_what_is_appended_to_a_long_turn_reads_none_of_it_again(app, monkeypatch):
    turn = app.turns.open(ACCESS, TurnQuery("How is it?", "henry", "Henry", engine="model"))
    read, reading = [], FolderVault.read

    def count(vault, path):
        read.append(path)
        return reading(vault, path)

    numbers = []
    for number in range(5):
        with monkeypatch.context() as patch:
            patch.setattr(FolderVault, "read", count)
            entry = RecordedEntry(f"line {number}", "shell")
            numbers += app.turns.append(ACCESS, turn.id, [entry, RecordedEntry("a note")])
    assert [item.number for item in numbers] == [1, 2, 3, 4, 5]
    assert sum(path.endswith("journal.jsonl") for path in read) == 1
    answer = app.turns.close(ACCESS, turn.id, "line 4", [])
    results = app.turns.read_file(ACCESS, answer.turn.id, "toolresults.md")
    assert [line for line in results.splitlines() if line.startswith("## ")] == [
        f"## {number}. {'note' if number % 2 == 0 else 'shell'}" for number in range(1, 11)
    ]


def test_a_journal_that_was_changed_between_two_calls_is_read_again(app, tmp_path):
    turn = app.turns.open(ACCESS, TurnQuery("How is it?", "henry", "Henry", engine="model"))
    app.turns.append(ACCESS, turn.id, [RecordedEntry("one", "shell"), RecordedEntry("two", "sh")])
    folder = tmp_path / "data" / "turns" / DEFAULT_SPACE / "users" / "henry" / turn.folder
    journal = folder / "journal.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]) + lines[-1][:20], "utf-8")
    [item] = app.turns.append(ACCESS, turn.id, [RecordedEntry("three", "shell")])
    assert item.number == 2
    assert len(app.turns.read_file(ACCESS, turn.id, "journal.jsonl").splitlines()) == len(lines) + 1


def test_a_turn_of_one_key_is_not_taken_twice(app, tmp_path):
    query = TurnQuery("How is it?", "henry", "Henry", engine="model", key="session-7")
    with closing(open_app(tmp_path / "other", Settings(), embedder=HashEmbedder())) as other:
        ask(other, "Where is the lamp?")
        for memory in (app, other):
            turn = memory.turns.open(ACCESS, query)
            memory.turns.close(ACCESS, turn.id, "Well.", [])
        records = export_turns(app)
        taken = other.import_records(ACCESS, records).taken
        assert (taken.imported, taken.known, taken.clashing) == (0, len(records), ())
        assert [turn.number for turn in other.turns.list_turns(ACCESS)] == [2, 1]
        assert other.turns.rebuild_index(ACCESS) == 2
