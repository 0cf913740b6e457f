"""A data folder looked after from outside: every kind of damage is found, and mended or refused."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from empty_memory import drop_databases, look_into, put_into_postgresql
from wellworn.application.bootstrap import DATABASE, TURNS, open_app
from wellworn.application.maintenance import backup, checks, doctor, rebuild, restore
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.engines.daemon import RunningDaemon, announce, hold_folder, launch
from wellworn.engines.embedding import EmbeddingSettings, MiniLM
from wellworn.engines.storage import disk
from wellworn.engines.storage.vectors import POINTS, StoredVectorIndex
from wellworn.errors import DamagedStore, InvalidInput, NotFound, StorageUnavailable, StoreInUse
from wellworn.testing.embedder import HashEmbedder

ME = local_access()
WORDS = ("rust", "tide", "cedar", "lantern", "quartz")
EMBEDDER = HashEmbedder()


@contextmanager
def opened(home):
    with closing(open_app(home, embedder=EMBEDDER)) as app:
        yield app


def lived(home):
    with opened(home) as app:
        app.transfer.import_records(ME, [thought(word) for word in WORDS])
        app.memory.converse(ME, Prompt(prompt="rust?", agent_id="bob", agent_name="Bob"))
        app.knowledge.ingest(ME, Practice("cedar is soft"))


@pytest.fixture(scope="module")
def a_memory(tmp_path_factory):
    home = tmp_path_factory.mktemp("template") / "home"
    lived(home)
    return home


@pytest.fixture
def home(a_memory, tmp_path):
    shutil.copytree(a_memory, tmp_path / "home")
    return tmp_path / "home"


def thought(content):
    return {
        "record": "thought",
        "content": content,
        "contributor_id": "ann",
        "contributor_name": "Ann",
    }


def contents(home):
    with opened(home) as app:
        return [one["content"] for one in app.transfer.export(ME) if one["record"] == "thought"]


def found(home, word):
    with opened(home) as app:
        return [one.content for one in app.thoughts.search(ME, searching(app, word))]


def searching(app, word):
    from wellworn.domain.thoughts import SearchQuery

    return SearchQuery(
        vector=app.embedder.encode_query(word).vector, text=word, agent_id="zoe", limit=1
    )


def wrong(home, embedder=EMBEDDER):
    findings = doctor(home, embedder=embedder).findings
    return {finding.check: finding.message for finding in findings if not finding.ok}


# ---------------------------------------------------------------- doctor


def test_the_doctor_finds_nothing_wrong_with_a_healthy_memory(home):
    assert wrong(home) == {}
    checks = {finding.check for finding in doctor(home, embedder=EMBEDDER).findings}
    assert checks == {
        "model",
        "reader",
        "folder",
        "server",
        "database",
        "ledger",
        "sources",
        "index of thoughts",
        "index of chunks",
    }


@contextmanager
def read_only(folder):
    """Take the right to write from the folder, and root's power to write all the same."""
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_not_called_damaged(home, monkeypatch):
    monkeypatch.chdir(home)
    assert wrong(Path()) == {}
    with read_only(home):
        problems = wrong(Path())
    assert set(problems) == {"folder", "database"}
    assert "cannot be written" in problems["folder"]
    assert "not checked" in problems["database"]


def test_the_doctor_makes_no_folder(tmp_path):
    assert wrong(tmp_path / "nowhere") == {}
    assert not (tmp_path / "nowhere").exists()


def test_the_doctor_works_beside_a_server_and_says_what_it_left_out(home):
    with opened(home):
        findings = {one.check: one for one in doctor(home, embedder=EMBEDDER).findings}
    assert all(one.ok for one in findings.values())
    assert findings["index of thoughts"].message.startswith("not checked")


def test_on_a_full_disk_the_doctor_calls_no_index_damaged(home, monkeypatch):
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 0)
    assert not [check for check in wrong(home) if check.startswith("index")]


def test_a_server_that_was_killed_is_noticed_and_harmless(home):
    (home / "daemon.json").write_text('{"pid": 1}')
    [server] = [one for one in doctor(home, embedder=EMBEDDER).findings if one.check == "server"]
    assert server.ok
    assert "killed" in server.message


def test_a_repair_that_a_killed_server_left_is_due_and_no_fault(home):
    lose_points(home)
    assert "lacks 2" in wrong(home)["index of thoughts"]
    (home / "daemon.json").write_text('{"pid": 1}')
    findings = {one.check: one for one in doctor(home, embedder=EMBEDDER).findings}
    assert all(one.ok for one in findings.values())
    assert "lacks 2" in findings["index of thoughts"].message
    assert "a repair is due" in findings["index of thoughts"].message
    with opened(home):
        pass
    assert (
        "agrees"
        in {one.check: one for one in doctor(home, embedder=EMBEDDER).findings}[
            "index of thoughts"
        ].message
    )


def test_the_doctor_waits_for_a_server_that_starts(home, monkeypatch):
    answers = iter([None, None, RunningDaemon(1, "http://127.0.0.1:1", "1", "now")])
    monkeypatch.setattr(launch, "find_daemon", lambda _home: next(answers))
    with hold_folder(home):
        assert wrong(home) == {}


def test_a_process_that_holds_the_folder_and_does_not_answer_is_found(home, monkeypatch):
    monkeypatch.setattr(checks, "ANSWERS_WITHIN_S", 0.0)
    with hold_folder(home):
        assert "does not answer" in wrong(home)["server"]


def test_a_server_that_says_that_it_cannot_serve_is_found(home, monkeypatch):
    class Unready(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(503 if self.path == "/health/ready" else 200)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Unready) as server, hold_folder(home):
        Thread(target=server.serve_forever, daemon=True).start()
        announce(home, f"http://127.0.0.1:{server.server_port}")
        found = wrong(home)["server"]
        server.shutdown()
    assert "cannot serve a call; wellworn status" in found


def test_a_job_at_work_is_no_fault(home):
    with hold_folder(home, "rebuild"):
        assert "server" not in wrong(home)


def test_a_damaged_model_is_found(home, tmp_path):
    model = MiniLM(EmbeddingSettings(model_folder=tmp_path))
    assert "missing" in wrong(home, model)["model"]


def test_overwritten_bytes_in_the_database_are_found(home):
    with (home / "wellworn.db").open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(40_000))
    assert "damaged" in wrong(home)["database"]


@pytest.mark.parametrize("length", [100, 5_000])
def test_a_database_cut_short_is_found(home, length):
    os.truncate(home / "wellworn.db", length)
    assert "damaged" in wrong(home)["database"]


def test_a_database_that_is_none_is_found(home):
    (home / "wellworn.db").write_text("dear diary" * 1_000)
    assert "damaged" in wrong(home)["database"]


def test_an_empty_database_is_found(home):
    (home / "wellworn.db").write_bytes(b"")
    assert "empty" in wrong(home)["database"]


def test_a_lost_database_is_found(home):
    (home / "wellworn.db").unlink()
    assert "gone" in wrong(home)["database"]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE trails SET access_count = access_count + 1 WHERE thought_seq = 1", "access count"),
        ("UPDATE trails SET unique_users = 7 WHERE thought_seq = 1", "user count"),
        ("UPDATE trails SET traffic_score = 99 WHERE thought_seq = 1", "traffic"),
        ("UPDATE query_log SET result_count = 99", "queries"),
        ("DELETE FROM trails WHERE thought_seq = 1", "without a trail"),
    ],
)
def test_counts_that_do_not_agree_are_found(home, statement, told):
    with closing(sqlite3.connect(home / "wellworn.db")) as database:
        database.execute(statement)
        database.commit()
    assert told in wrong(home)["ledger"]


def index_of(home):
    return home / "index" / "thoughts"


def damage_index(home):
    (index_of(home) / POINTS).write_bytes(b"nonsense")


def cut_index(home):
    path = index_of(home) / POINTS
    os.truncate(path, path.stat().st_size // 3)


def lose_index(home):
    shutil.rmtree(index_of(home))


def change_model(home):
    (home / "index" / "MODEL").write_text("another\n")


def lose_points(home):
    with closing(StoredVectorIndex(index_of(home))) as index:
        index.delete([64, 128])


@pytest.mark.parametrize("damage", [damage_index, cut_index, lose_index, change_model, lose_points])
def test_a_damaged_index_is_found_and_made_anew_by_a_rebuild(home, damage):
    damage(home)
    assert "index of thoughts" in wrong(home)
    rebuild(home, embedder=EMBEDDER)
    assert wrong(home) == {}
    assert found(home, "tide") == ["tide"]


@pytest.mark.parametrize("damage", [damage_index, lose_index, change_model, lose_points])
def test_the_doctor_mends_nothing(home, damage):
    damage(home)
    database = (home / "wellworn.db").read_bytes()
    assert wrong(home) == wrong(home) != {}
    assert (home / "wellworn.db").read_bytes() == database


def test_points_too_many_are_found_and_left(home):
    with closing(sqlite3.connect(home / "wellworn.db")) as database:
        database.execute("UPDATE thoughts SET erased_at = 1.0 WHERE seq = 1")
        database.commit()
    for _ in range(2):
        assert "1 too many" in wrong(home)["index of thoughts"]


# ---------------------------------------------------------------- rebuild


def test_a_rebuild_tells_how_far_it_is(home):
    with opened(home) as app:
        app.transfer.import_records(ME, [thought(f"number {n}") for n in range(300)])
    told = []
    rebuild(home, told.append, embedder=EMBEDDER)
    assert told[-1] >= 300
    assert told == sorted(told)


def test_a_rebuild_is_refused_while_somebody_has_the_folder(home):
    with hold_folder(home), pytest.raises(StoreInUse):
        rebuild(home, embedder=EMBEDDER)
    assert (index_of(home) / POINTS).exists()


def test_a_rebuild_does_not_touch_the_index_of_a_damaged_database(home):
    os.truncate(home / "wellworn.db", 5_000)
    with pytest.raises((DamagedStore, StorageUnavailable)):
        rebuild(home, embedder=EMBEDDER)
    assert (index_of(home) / POINTS).exists()


def test_there_is_nothing_to_rebuild_where_there_is_no_memory(tmp_path):
    with pytest.raises(NotFound):
        rebuild(tmp_path / "nowhere", embedder=EMBEDDER)
    assert not (tmp_path / "nowhere").exists()


def test_a_rebuild_makes_what_pgvector_compares_again(tmp_path, monkeypatch):
    home = tmp_path / "home"
    settings = put_into_postgresql(home)
    monkeypatch.setenv("WELLWORN_STORAGE__URL", settings.url.get_secret_value())
    monkeypatch.setenv("WELLWORN_STORAGE__VECTORS", "pgvector")
    lived(home)
    before = found(home, "tide")
    with look_into(home) as records:
        [table] = [name for name in records.list_tables() if "vectors_thoughts" in name]
        held = records.execute(f"SELECT id, terms FROM {table} ORDER BY id").fetchall()
        records.execute(f"UPDATE {table} SET terms = ''")
    rebuild(home, embedder=EMBEDDER)
    with look_into(home) as records:
        assert records.execute(f"SELECT id, terms FROM {table} ORDER BY id").fetchall() == held
    assert wrong(home) == {}
    assert found(home, "tide") == before == ["tide"]
    drop_databases(tmp_path)


# ---------------------------------------------------------------- backup and restore


def test_a_restored_memory_is_the_one_that_was_backed_up(home, tmp_path):
    backup(home, tmp_path / "copy")
    restore(tmp_path / "new", tmp_path / "copy", embedder=EMBEDDER)
    assert contents(tmp_path / "new") == contents(home)
    assert wrong(tmp_path / "new") == {}
    assert found(tmp_path / "new", "tide") == ["tide"]


def test_a_backup_is_taken_while_the_memory_is_open_and_holds_all_that_was_acknowledged(
    home, tmp_path
):
    with opened(home) as app:
        app.transfer.import_records(ME, [thought("said last")])
        backup(home, tmp_path / "copy")
        app.transfer.import_records(ME, [thought("said after")])
    restore(tmp_path / "new", tmp_path / "copy", embedder=EMBEDDER)
    assert contents(tmp_path / "new") == [*WORDS, "said last"]


def test_a_backup_is_one_database_file_without_a_log_beside_it(home, tmp_path):
    backup(home, tmp_path / "copy")
    assert {path.name for path in (tmp_path / "copy").iterdir()} == {"wellworn.db", "MODEL"}


def test_a_backup_does_not_replace_anything(home, tmp_path):
    (tmp_path / "copy").mkdir()
    with pytest.raises(InvalidInput, match="exists already"):
        backup(home, tmp_path / "copy")


def test_a_damaged_database_gives_no_backup(home, tmp_path):
    with (home / "wellworn.db").open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(40_000))
    with pytest.raises(DamagedStore):
        backup(home, tmp_path / "copy")
    assert {path.name for path in tmp_path.iterdir()} == {"home"}


def test_there_is_nothing_to_back_up_where_there_is_no_memory(tmp_path):
    with pytest.raises(NotFound):
        backup(tmp_path / "nowhere", tmp_path / "copy")
    assert not list(tmp_path.iterdir())


def test_a_backup_that_was_cut_short_before_does_not_stand_in_the_way(home, tmp_path):
    (tmp_path / "copy.partial").mkdir()
    (tmp_path / "copy.partial" / "wellworn.db").write_text("half")
    backup(home, tmp_path / "copy")
    assert not (tmp_path / "copy.partial").exists()


def test_a_restore_does_not_replace_a_memory(home, tmp_path):
    backup(home, tmp_path / "copy")
    with pytest.raises(InvalidInput, match="not empty"):
        restore(home, tmp_path / "copy", embedder=EMBEDDER)


def test_a_restore_brings_in_no_file_that_the_backup_only_links_to(home, tmp_path):
    copy, private = tmp_path / "copy", tmp_path / "private"
    private.mkdir()
    (private / "id_key").write_text("orchid")
    backup(home, copy)
    turn = copy / TURNS / "ks-default" / "users" / "eve" / "turns" / "turn_000001"
    turn.mkdir(parents=True)
    (turn / "context.md").symlink_to(private / "id_key")
    (turn / "more").symlink_to(private)
    os.mkfifo(turn / "answer.md")
    (turn / "metadata.json").write_text("{}")
    restore(tmp_path / "new", copy, embedder=EMBEDDER)
    there = tmp_path / "new" / TURNS
    assert [path.name for path in there.rglob("*") if not path.is_dir()] == ["metadata.json"]
    shutil.rmtree(copy / TURNS)
    (copy / TURNS).symlink_to(private)
    with pytest.raises(InvalidInput, match="link"):
        restore(tmp_path / "other", copy, embedder=EMBEDDER)


def test_a_restore_from_what_is_no_backup_is_refused(tmp_path):
    with pytest.raises(NotFound):
        restore(tmp_path / "new", tmp_path, embedder=EMBEDDER)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("length", [0, 100, 5_000])
def test_a_damaged_backup_leaves_the_folder_empty_for_another(home, tmp_path, length):
    backup(home, tmp_path / "good")
    shutil.copytree(tmp_path / "good", tmp_path / "bad")
    os.truncate(tmp_path / "bad" / "wellworn.db", length)
    with pytest.raises(DamagedStore):
        restore(tmp_path / "new", tmp_path / "bad", embedder=EMBEDDER)
    restore(tmp_path / "new", tmp_path / "good", embedder=EMBEDDER)
    assert contents(tmp_path / "new") == list(WORDS)


def test_a_restore_is_refused_while_somebody_has_the_folder(home, tmp_path):
    backup(home, tmp_path / "copy")
    with hold_folder(tmp_path / "new"), pytest.raises(StoreInUse):
        restore(tmp_path / "new", tmp_path / "copy", embedder=EMBEDDER)


def test_a_memory_whose_database_is_gone_is_not_begun_anew_in_silence(tmp_path):
    home = tmp_path / "home"
    opened = open_app(home, embedder=HashEmbedder())
    opened.thoughts.think(local_access(), ThoughtDraft("Roles stay apart.", "ann", "Ann"))
    opened.close()
    (home / DATABASE).unlink()
    with pytest.raises(DamagedStore, match="gone"):
        open_app(home, embedder=HashEmbedder())
    assert not (home / DATABASE).exists()


def test_a_damaged_database_is_called_damaged(tmp_path):
    home = tmp_path / "home"
    open_app(home, embedder=HashEmbedder()).close()
    (home / DATABASE).write_bytes(b"no database at all " * 1000)
    with pytest.raises(DamagedStore, match="damaged"):
        open_app(home, embedder=HashEmbedder())
