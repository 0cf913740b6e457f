"""A memory moves from its file to PostgreSQL and back: nothing is lost, doubled or made anew."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.conftest import BASE_URL
from api.routes import query
from api.sealed_world import SETTINGS, Bearer, founded
from api.world import World, accepted, ids
from empty_memory import of_files
from postgres import PASSWORD, lend_database, share_server
from wellworn.application.bootstrap import DATABASE, ELSEWHERE, open_app, open_records
from wellworn.application.calls import SERVER_TRAIL
from wellworn.application.maintenance import (
    doctor,
    move,
    moving,
    plan_move,
    plan_undo,
    rebuild,
    undo_move,
)
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import Practice
from wellworn.domain.spaces import local_access
from wellworn.engines.daemon import hold_folder
from wellworn.engines.storage.sql import StorageSettings
from wellworn.errors import (
    DamagedStore,
    InvalidInput,
    KeyUnavailable,
    NotFound,
    StorageUnavailable,
    StoreInUse,
)
from wellworn.interfaces.server import create_asgi
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

pytestmark = of_files

TIDE = "The tide table of the north pier hangs beside the red door."
MOVED = "The tide table of the north pier hangs in the café now, says Zoë."
ASKED = "where does the tide table of the north pier hang?"
SECRET = "The spare key of the depot lies under the third flowerpot."
SEALED = "Deploys to production need two approvals since the March outage."
LATER = "The harbour office moves to the old lighthouse in May."
BELL = "The ferry of the island has a new bell."
BELL_ASKED = "which bell has the ferry of the island?"
EMBEDDER = HashEmbedder()


@contextmanager
def served(home, url=None):
    """A server in this process, over the file of a folder or over PostgreSQL."""
    storage = StorageSettings.model_validate({"url": url, "connections": 4})
    settings = Settings(spaces=SETTINGS, storage=storage)
    clock = ManualClock()
    with (
        closing(open_app(home, settings, embedder=EMBEDDER, clock=clock)) as app,
        TestClient(create_asgi(app), base_url=BASE_URL) as client,
    ):
        yield World(home, clock, app, client)


def open_over(home, url):
    with served(home, url):
        pass


@dataclass(frozen=True)
class Lived:
    """A memory that has all kinds of records, and what opens its sealed space."""

    home: Path
    key: str
    space: str
    retry: dict
    session: str
    known: str


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    home = tmp_path_factory.mktemp("lived") / "home"
    retry = {"Idempotency-Key": str(uuid4())}
    with served(home) as world:
        old = world.know(TIDE, tags=["pier"])
        reply = world.ask(ASKED)
        world.feedback(reply["trace"]["session_id"], old, "useful")
        new = world.know(MOVED, replaces=[old])
        world.forget(world.know(SECRET))
        body = {"prompt": LATER, "agent_id": "ada", "agent_name": "Ada", "contribute": "always"}
        accepted(world.client.post("/api/v1/memory", json=body, headers=retry))
        accepted(world.post("turns", query(ASKED, "ada")))
        world.app.knowledge.ingest(local_access(), Practice("Doors are painted red in spring."))
        world.app.administration.issue(None, "ana")
        hall = founded(world, "hall", sealed=False)
        hall.know("The hall is swept on Mondays.")
        hall.shared("friend", role="reader")
        lab = founded(world, "lab")
        lab.know(SEALED)
        lab.ask("how many approvals does a deploy need?")
        lab.shared("friend")
        lab.close()
        session = world.ask(ASKED)["trace"]["session_id"]
        world.app.maintain()
    return Lived(home, lab.key, lab.space, retry, session, new)


@pytest.fixture
def home(lived, tmp_path):
    shutil.copytree(lived.home, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def database():
    with lend_database() as url:
        yield url


def go(home, url, **more):
    return move(home, url, embedder=EMBEDDER, **more)


def back(home, url, monkeypatch):
    monkeypatch.setenv("WELLWORN_STORAGE__URL", url)
    report = move(home, "sqlite", embedder=EMBEDDER)
    monkeypatch.delenv("WELLWORN_STORAGE__URL")
    return report


def export(world, lived):
    """Everything that an export of the open and of the sealed space has."""
    bearer = Bearer(world.client, lived.key, lived.space)
    everything = [world.client.get("/api/v1/export").text, bearer.get("/api/v1/export").text]
    return [sorted(text.splitlines()) for text in everything]


def tell_all(home, lived, url=None):
    """What a memory tells of itself, at a start that makes no vector."""
    with served(home, url) as world:
        assert world.app.unindexed == 0
        audit = world.app.guard.audit
        told = {
            "records": export(world, lived),
            "vectors": [index.ids().tolist() for index in world.app.indexes],
            "turns": world.read("turns", agent_id="ada"),
            "members": world.read("credentials"),
            "trail": audit.entries(SERVER_TRAIL)[:1],
            "counted": world.record(lived.known)["access_count"],
        }
        assert all(audit.verify(space).ok for space in audit.spaces())
    return told


def list_tables(report):
    return {table.name: table.rows for table in report.tables if table.rows}


def test_all_of_a_memory_goes_there_and_comes_back(home, lived, database, monkeypatch):
    before = tell_all(home, lived)
    steps = []
    report = go(home, database, advance=lambda done, total: steps.append((done, total)))
    assert all(table.is_equal for table in report.tables)
    kinds = {"answers", "thoughts", "erasures", "replacements", "turns", "sealed_records", "trails"}
    kinds |= {"turn_files"}
    assert list_tables(report).keys() >= kinds | {"audit_entries", "credentials", "feedback"}
    assert not (home / "turns").exists()
    assert {trail.space for trail in report.trails} >= {"server", lived.space}
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1] >= 2 * sum(list_tables(report).values())
    assert report.vectors == {
        kind: len(ids) for kind, ids in zip(report.vectors, before["vectors"], strict=True)
    }
    assert tell_all(home, lived, database) == before
    # It was lowered for the copies.
    walled = "SELECT relforcerowsecurity FROM pg_class WHERE relrowsecurity"
    assert {*run(database, walled)} == {(True,)}


def test_what_is_written_there_goes_on_where_the_file_ended_and_comes_back(
    home, lived, database, monkeypatch
):
    with closing(sqlite3.connect(home / DATABASE)) as file:
        numbers = dict(file.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0"))
    go(home, database)
    with served(home, database) as world:
        # A retry gets the answer of before, a session goes on, and numbers are not given again.
        body = {"prompt": LATER, "agent_id": "ada", "agent_name": "Ada", "contribute": "always"}
        repeated = accepted(world.client.post("/api/v1/memory", json=body, headers=lived.retry))
        thought = repeated["trace"]["thought_id"]
        assert run(database, f"SELECT count(*) FROM thoughts WHERE id = '{thought}'") == [(1,)]
        more = world.ask("the first one", session_id=lived.session)
        assert more["trace"]["session_id"] == lived.session
        new = world.know(BELL)
        [[number]] = run(database, f"SELECT seq FROM thoughts WHERE id = '{new}'")
        assert number == numbers["thoughts"] + 1
        actions = [each.entry.action for each in world.app.guard.audit.entries(SERVER_TRAIL)]
        assert actions[-1] == "memory.moved"
        after = export(world, lived)
    assert back(home, database, monkeypatch).setting == "unset WELLWORN_STORAGE__URL"
    assert not (home / ELSEWHERE).exists()
    with served(home) as world:
        assert (world.app.unindexed, export(world, lived)) == (0, after)
        assert ids(world.ask(BELL_ASKED))[0] == new
        another = world.know("The bell rings at noon.")
        audit = world.app.guard.audit
        assert all(audit.verify(space).ok for space in audit.spaces())
    with closing(sqlite3.connect(home / DATABASE)) as file:
        [(last,)] = file.execute("SELECT seq FROM thoughts WHERE id = ?", (another,))
    assert last == number + 1
    # The file of before is beside it, as it was.
    [old] = [path for path in home.glob(f"{DATABASE}.*") if "-" not in path.name]
    with closing(sqlite3.connect(old)) as file:
        assert file.execute("SELECT count(*) FROM thoughts WHERE id = ?", (new,)).fetchone() == (0,)


def list_files(folder):
    """Every file below a folder, by its path, with what is in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_files_of_turns_are_rows_there_and_files_here_and_go_with_what_was_left(
    home, lived, database, monkeypatch
):
    before = list_files(home / "turns")
    assert before
    # What people put there is theirs, and stays beside the old file.
    (home / "turns" / "plan.pdf").write_bytes(b"%PDF")
    (home / "jobs.sqlite3").write_bytes(b"the queue of the file")
    assert plan_move(home, database).rows["turn_files"] > 0
    go(home, database)
    assert not (home / "turns").exists()
    assert list_files(home / "wellworn.db-turns") == before | {"plan.pdf": b"%PDF"}
    with served(home, database) as world:
        assert not (home / "turns").exists()
        accepted(world.post("turns", query(ASKED, "ada")))
    back(home, database, monkeypatch)
    after = list_files(home / "turns")
    own = {path: raw for path, raw in before.items() if "turn_000001" in path}
    assert own.items() <= after.items()
    assert after.keys() >= before.keys()
    assert any("turn_000002" in path for path in after)
    assert not (home / "jobs.sqlite3").exists()
    [queue] = home.glob("wellworn.db.*-jobs")
    assert queue.read_bytes() == b"the queue of the file"
    with served(home) as world:
        assert len(world.read("turns", agent_id="ada")["turns"]) == 2
    # Back to the database: what the file has since stays with the file.
    monkeypatch.setenv("WELLWORN_STORAGE__URL", database)
    undo_move(home, embedder=EMBEDDER)
    monkeypatch.delenv("WELLWORN_STORAGE__URL")
    assert not (home / "turns").exists()
    with served(home, database) as world:
        assert len(world.read("turns", agent_id="ada")["turns"]) == 2
    # Both files that were left have turns of their own; the newer one is named later.
    assert after.items() <= list_files(max(home.glob("wellworn.db.*-turns"))).items()


def run(url, statement):
    return share_server().run(statement, url.partition("@/")[2].partition("?")[0])


def test_files_that_are_set_aside_one_after_the_other_are_all_kept_and_named(tmp_path):
    for text in ("one", "two"):
        (tmp_path / DATABASE).write_text(text)
        moving._set_aside(tmp_path)
    kept = sorted(tmp_path.glob(f"{DATABASE}.*"))
    assert [path.read_text() for path in kept] == ["one", "two"]


def find_left_files(home):
    report = doctor(home, embedder=EMBEDDER)
    return [finding for finding in report.findings if finding.check == "left files"]


def test_the_doctor_names_what_a_move_left_as_it_has_what_is_erased_since(home, database):
    assert find_left_files(home) == []
    (home / "wellworn.db.20261130T140000.123456-turns").mkdir()
    [told] = find_left_files(home)
    assert "wellworn.db," not in told.message
    go(home, database)
    [told] = find_left_files(home)
    assert told.ok
    for name in ("wellworn.db,", "wellworn.db-turns", "wellworn.db.20261130T140000.123456-turns"):
        assert name in told.message


def test_what_was_left_says_where_it_went_and_how_to_go_on(home, lived, database, monkeypatch):
    before = tell_all(home, lived)
    go(home, database)
    with pytest.raises(InvalidInput, match="set WELLWORN_STORAGE__URL") as refused:
        open_app(home, Settings(), embedder=EMBEDDER)
    assert "wellworn move --undo" in refused.value.message
    assert PASSWORD not in refused.value.message
    [told] = [one for one in doctor(home, embedder=EMBEDDER).findings if one.check == "database"]
    assert "wellworn move --undo" in told.message
    # A copy of the file is a memory of its own.
    copy = home.with_name("copy")
    shutil.copytree(home, copy)
    (copy / ELSEWHERE).unlink()
    assert tell_all(copy, lived) == before

    files = list_files(home / "wellworn.db-turns")
    with served(home, database) as world:
        new = world.know(BELL)
        accepted(world.post("turns", query(ASKED, "ada")))
    monkeypatch.setenv("WELLWORN_STORAGE__URL", database)
    assert "stays in the database" in plan_undo(home)
    assert undo_move(home, embedder=EMBEDDER) == "unset WELLWORN_STORAGE__URL"
    monkeypatch.delenv("WELLWORN_STORAGE__URL")
    assert list_files(home / "turns") == files
    with served(home) as world:
        assert export(world, lived) == before["records"]
        assert new not in ids(world.ask(BELL_ASKED))
    # The database, which nobody may go on with by mistake now, has what was written there.
    other = make_folder(home)
    with pytest.raises(InvalidInput, match="were moved on"):
        open_over(other, database)
    assert run(database, f"SELECT content FROM thoughts WHERE id = '{new}'")


def test_a_database_that_was_left_is_refused_until_the_move_is_undone(
    home, lived, database, monkeypatch
):
    go(home, database)
    back(home, database, monkeypatch)
    with served(home) as world:
        new = world.know(BELL)
    other = make_folder(home)
    with pytest.raises(InvalidInput, match="were moved on") as refused:
        open_over(other, database)
    assert str(home) in refused.value.message
    monkeypatch.setenv("WELLWORN_STORAGE__URL", database)
    [told] = [one for one in doctor(other, embedder=EMBEDDER).findings if one.check == "database"]
    assert "were moved on" in told.message
    with pytest.raises(InvalidInput, match="were moved on"):
        rebuild(other, embedder=EMBEDDER)
    with pytest.raises(InvalidInput, match="not empty"):
        plan_move(home, database)

    assert "as it was when the records were moved" in plan_undo(home)
    assert undo_move(home, embedder=EMBEDDER).startswith("export WELLWORN_STORAGE__URL=")
    monkeypatch.delenv("WELLWORN_STORAGE__URL")
    with served(home, database) as world:
        assert new not in ids(world.ask(BELL_ASKED))
        assert ids(world.ask(ASKED))[0] == lived.known
        assert world.app.unindexed == 0
    assert new not in str(tell_all(home, lived, database)["records"])
    with pytest.raises(InvalidInput, match="nothing was moved"):
        plan_undo(home)


def make_folder(home):
    """A folder of another server of the same database."""
    other = home.with_name("other")
    other.mkdir()
    shutil.copy(home / "server.key", other)
    (other / ELSEWHERE).touch()
    return other


def moved_by_another(home, url, step):
    """Move in a process that is killed at a step, as by a power cut."""

    def work():
        counted = 0

        def die(*_arguments, **_more):
            os.kill(os.getpid(), signal.SIGKILL)

        def die_late(copy):
            def copy_some(reading, writing, table, advance):
                nonlocal counted
                digest = copy(reading, writing, table, advance)
                counted += bool(digest.rows)
                if counted == 9:
                    die()
                return digest

            return copy_some

        if step == "copying":
            moving.copy_table = die_late(moving.copy_table)
        else:
            setattr(moving, step, die)
        os.environ.update({"WELLWORN_STORAGE__URL": url[1]} if url[1] else {})
        move(home, url[0], embedder=EMBEDDER)

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL, step


@pytest.mark.parametrize(
    "step",
    [
        *("upgrade", "copying", "write_numbers", "digest_table", "carry_vectors"),
        *("open_audit", "mark_moved", "write_mark_of_move"),
    ],
)
def test_a_move_that_was_killed_goes_on_without_loss_or_doubles(home, lived, database, step):
    before = tell_all(home, lived)
    moved_by_another(home, (database, ""), step)
    is_marked = bool(run(database, "SELECT to_regclass('server_facts') IS NOT NULL")[0][0])
    is_marked = is_marked and bool(run(database, "SELECT 1 FROM server_facts WHERE name = 'move'"))
    if is_marked:
        other = home.with_name("other")
        other.mkdir()
        shutil.copy(home / "server.key", other)
        with (
            pytest.raises(InvalidInput, match="not all of them are there"),
            served(other, database),
        ):
            pass
    # Until it is done the file serves on, and what is written meanwhile goes along.
    with served(home) as world:
        new = world.know(BELL)
        before["records"] = export(world, lived)
    assert plan_move(home, database).resumes == is_marked
    report = go(home, database)
    assert all(table.is_equal for table in report.tables)
    if step in {"carry_vectors", "mark_moved"}:
        assert sum(table.was_there for table in report.tables) > 5
    after = tell_all(home, lived, database)
    assert after["records"] == before["records"]
    assert len(after["vectors"][0]) == len(before["vectors"][0]) + 1
    assert run(database, f"SELECT count(*) FROM thoughts WHERE id = '{new}'") == [(1,)]


def test_a_move_killed_between_its_last_two_steps_is_as_good_as_done(
    home, lived, database, monkeypatch
):
    before = tell_all(home, lived)
    write, marks = moving.write_mark_of_move, []

    def write_once(target, mark):
        if mark is None:
            raise StorageUnavailable("cut")
        marks.append(mark)
        write(target, mark)

    with monkeypatch.context() as patch:
        patch.setattr(moving, "write_mark_of_move", write_once)
        with pytest.raises(StorageUnavailable, match="cut"):
            go(home, database)
    for url in (None, database):
        with pytest.raises(InvalidInput):
            open_over(home, url)
    assert plan_move(home, database).resumes
    go(home, database)
    assert tell_all(home, lived, database)["records"] == before["records"]


@pytest.mark.parametrize("step", ["copying", "carry_vectors", "_set_aside", "write_mark_of_move"])
def test_a_way_back_that_was_killed_begins_again(home, lived, database, step, monkeypatch):
    go(home, database)
    before = tell_all(home, lived, database)
    moved_by_another(home, ("sqlite", database), step)
    assert all(table.is_equal for table in back(home, database, monkeypatch).tables)
    after = tell_all(home, lived)
    assert after["records"] == before["records"]
    assert after["vectors"] == before["vectors"]
    assert not [*home.glob("*.moving*")]


def test_the_second_of_two_moves_at_once_is_refused(home, lived, database):
    refusals = []

    def try_another(_done, _total):
        if refusals:
            return
        other = home.with_name("other")
        shutil.copytree(lived.home, other)
        for folder in (home, other):
            with pytest.raises((StoreInUse, InvalidInput)) as refused:
                go(folder, database)
            refusals.append(refused.value.message)

    report = go(home, database, advance=try_another)
    assert "at work on this data folder (move)" in refusals[0]
    assert "moves records there" in refusals[1]
    assert all(table.is_equal for table in report.tables)


def test_a_running_server_keeps_its_records(home, lived, database):
    with hold_folder(home):
        assert plan_move(home, database, is_dry=True).total > 20
        for attempt in (plan_move, go):
            with pytest.raises(StoreInUse, match="serves this data folder"):
                attempt(home, database)
    with served(home, None):
        pass
    assert not run(database, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")


def test_a_fleet_is_not_moved_from_under_its_servers(home, lived, database, monkeypatch):
    go(home, database)
    other = make_folder(home)
    with served(other, database) as world:
        new = world.know(BELL)
        with pytest.raises(StoreInUse, match="other servers have this database open"):
            back(home, database, monkeypatch)
    # Any of their folders may take the records, with the files of all turns.
    monkeypatch.setenv("WELLWORN_STORAGE__URL", database)
    assert plan_move(other, "sqlite").rows["turn_files"] > 0
    back(home, database, monkeypatch)
    with served(home) as world:
        assert world.app.unindexed == 0
        assert ids(world.ask(BELL_ASKED))[0] == new


def test_a_target_that_is_not_empty_is_refused(home, lived, database, tmp_path):
    with served(tmp_path / "another", database) as world:
        world.know(TIDE)
    tables = run(database, "SELECT count(*) FROM thoughts")
    for attempt in (plan_move, go):
        with pytest.raises(InvalidInput, match="not empty: it has a memory of"):
            attempt(home, database)
    assert run(database, "SELECT count(*) FROM thoughts") == tables
    with served(home) as world:
        assert ids(world.ask(ASKED))


def test_a_target_that_a_server_was_started_on_by_mistake_is_taken(home, lived, database, tmp_path):
    with served(tmp_path / "another", database):
        pass
    before = tell_all(home, lived)
    go(home, database)
    assert tell_all(home, lived, database) == before


def test_tables_of_others_are_left_alone(home, lived, database):
    run(database, "CREATE TABLE invoices (number int)")
    with pytest.raises(InvalidInput, match="the tables invoices"):
        plan_move(home, database)


def test_half_a_move_of_another_folder_is_not_gone_on_with(home, lived, database):
    moved_by_another(home, (database, ""), "carry_vectors")
    other = home.with_name("other")
    shutil.copytree(lived.home, other)
    with pytest.raises(InvalidInput, match="another data folder"):
        plan_move(other, database)


@pytest.mark.parametrize("side", ["source", "target"])
def test_another_revision_is_refused_on_either_side(home, lived, database, side):
    newer = "UPDATE alembic_version SET version_num = '9999'"
    if side == "target":
        settings = StorageSettings.model_validate({"url": database})
        with closing(open_records(home.with_name("new"), settings)) as empty:
            moving.upgrade(empty)
        run(database, newer)
    else:
        with closing(sqlite3.connect(home / DATABASE)) as file, file:
            file.execute(newer)
    with pytest.raises(DamagedStore, match="newer version of wellworn"):
        plan_move(home, database)
    if side == "source":
        with closing(sqlite3.connect(home / DATABASE)) as file, file:
            file.execute("UPDATE alembic_version SET version_num = '0037'")
        with pytest.raises(InvalidInput, match="older wellworn: start the server once"):
            plan_move(home, database)


def test_a_target_that_cannot_be_reached_or_written_is_refused_before_anything_is(
    home, lived, database
):
    away = f"postgresql://wellworn:{PASSWORD}@127.0.0.1:1/memory"
    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        plan_move(home, away)
    run(database, "CREATE ROLE guest LOGIN PASSWORD 'guest'")
    try:
        as_guest = database.replace(f"wellworn:{PASSWORD}", "guest:guest")
        with pytest.raises(InvalidInput, match="may make no tables"):
            plan_move(home, as_guest)
    finally:
        run(database, "DROP OWNED BY guest; DROP ROLE guest")
    for target in ("mysql://wellworn@host/memory", "memory.db"):
        with pytest.raises(InvalidInput):
            plan_move(home, target)
    assert not run(database, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")
    with pytest.raises(InvalidInput, match="in a file already"):
        plan_move(home, "sqlite")
    with pytest.raises(NotFound):
        plan_move(home.with_name("nowhere"), database)
    (home / "server.key").unlink()
    with pytest.raises(KeyUnavailable):
        plan_move(home, database)


def test_a_value_that_postgresql_cannot_keep_is_named_and_the_file_serves_on(home, lived, database):
    with closing(sqlite3.connect(home / DATABASE)) as file, file:
        file.execute(
            "UPDATE thoughts SET content = content || char(0) WHERE id = ?", (lived.known,)
        )
    with pytest.raises(InvalidInput, match=r"thoughts.content of the row seq=.*NUL character"):
        go(home, database)
    with served(home):
        pass


def test_a_row_that_is_not_the_same_there_stops_the_move(home, lived, database, monkeypatch):
    copy = moving.copy_table

    def lose_one(reading, writing, table, advance):
        digest = copy(reading, writing, table, advance)
        if table.name == "feedback":
            writing.exec_driver_sql("UPDATE feedback SET signal = 'wrong'")
        return digest

    with monkeypatch.context() as patch:
        patch.setattr(moving, "copy_table", lose_one)
        with pytest.raises(StorageUnavailable, match="the rows of feedback are not the same"):
            go(home, database)
    assert not (home / ELSEWHERE).exists()
    report = go(home, database)
    assert [table.name for table in report.tables if table.rows and not table.was_there] == [
        "feedback"
    ]
