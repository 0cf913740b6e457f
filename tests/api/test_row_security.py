"""The second wall around a space in PostgreSQL: what a statement without its filter comes to."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing, nullcontext
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from api.conftest import Worlds
from empty_memory import put_into_postgresql
from postgres import PASSWORD, count_round_trips, share_server
from wellworn.application.maintenance import doctor
from wellworn.application.migrations import metadata, upgrade
from wellworn.domain.audit import Action
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.engines.storage.sql import StorageSettings, open_database
from wellworn.engines.storage.sql.commits import SharedCommit
from wellworn.engines.storage.sql.postgresql import PipelinedSavepoint, PostgreSQL
from wellworn.errors import StorageUnavailable
from wellworn.kit.project_ids import derive_project_id
from wellworn.testing.embedder import HashEmbedder

SHOP = local_access(derive_project_id("shop", "git", "shop"))
MILL = local_access(derive_project_id("mill", "git", "mill"))
OURS = "The till of the shop opens with the brass key."
THEIRS = "The sluice of the mill opens with the iron crank."
SHARED = "The harbour office closes at noon."
CONTENTS = "SELECT content FROM thoughts ORDER BY seq"
NUMBERS = count(1_000_000)
FILLED = {str: "x", bytes: b"x", bool: True}
MOVE_TO_SHOP = f"UPDATE thoughts SET knowledge_space_id = '{SHOP.space}'"

BESIDE_THE_WALL = {
    # Who may what: read to find out in which space a call is, and by those who keep the trails.
    *("audit_checkpoints", "audit_entries", "audit_keys", "audit_pens", "browser_sessions"),
    *("credentials", "invitations", "knowledge_spaces", "members", "oauth_connections"),
    *("sealed_records", "space_epochs", "space_grants", "space_memberships"),
}
WITHOUT_A_SPACE = (
    # Their rows are of the space of the row that they name by its number.
    *("accesses", "affirmations", "consolidation_sources", "erasures", "features", "feedback"),
    *("knowledge_staged", "secret_notes", "sightings", "thought_ends", "thought_sources"),
    *("trail_agents", "uses", "webhook_marks"),
)


@pytest.fixture
def world(opened):
    world = Worlds(opened.home, opened.stack, in_postgresql=True)(HashEmbedder())
    world.know(SHARED)
    for access, content in ((SHOP, OURS), (MILL, THEIRS)):
        world.app.think(access, ThoughtDraft(content, "zoe", "Zoe"))
    return world


def url_of(world):
    return put_into_postgresql(world.home).url.get_secret_value()


def connect(world, spaces=None):
    """Connect as wellworn's user, by hand, to see the rows of some spaces."""
    options = {} if spaces is None else {"options": f"-c wellworn.spaces={spaces}"}
    return closing(psycopg.connect(url_of(world), autocommit=True, **options))


def read_contents(connection):
    return [content for (content,) in connection.execute(CONTENTS).fetchall()]


@pytest.mark.parametrize(
    ("spaces", "seen"),
    [
        (None, []),
        ("", []),
        ("ks-nobody", []),
        (SHOP.space, [OURS]),
        (f"{DEFAULT_SPACE},{MILL.space}", [SHARED, THEIRS]),
        ("*", [SHARED, OURS, THEIRS]),
    ],
)
def test_a_session_that_forgets_its_filter_sees_the_rows_of_its_spaces(world, spaces, seen):
    with connect(world, spaces) as connection:
        assert read_contents(connection) == seen


def test_a_session_writes_no_row_into_another_space_and_changes_none_there(world):
    with connect(world, MILL.space) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(MOVE_TO_SHOP)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(
                "INSERT INTO sessions (knowledge_space_id, id, agent_id, created_at)"
                f" VALUES ('{SHOP.space}', 'session', 'eve', 0)"
            )
        gone = f"UPDATE thoughts SET content = '' WHERE knowledge_space_id = '{SHOP.space}'"
        assert connection.execute(gone).rowcount == 0
        assert connection.execute("DELETE FROM sessions").rowcount == 0
    assert world.rows(CONTENTS) == [(SHARED,), (OURS,), (THEIRS,)]


def make_row(connection, name, space, made):
    """Insert a row of any table, after those that it names, and return what names it."""
    columns = metadata.tables[name].columns
    values = {}
    for column in columns:
        for key in column.foreign_keys:
            parent = key.column.table.name
            if (parent, space) not in made:
                made[parent, space] = make_row(connection, parent, space, made)
            values[column.name] = made[parent, space][key.column.name]
        if column.name == "knowledge_space_id":
            values[column.name] = space
        elif column.name not in values and not column.nullable and column.server_default is None:
            kind = column.type.python_type
            values[column.name] = kind(next(NUMBERS)) if kind in {int, float} else FILLED[kind]
    [row] = connection.execute(
        f"INSERT INTO {name} ({', '.join(values)})"
        f" VALUES ({', '.join(['%s'] * len(values))}) RETURNING *",
        list(values.values()),
    ).fetchall()
    return dict(zip(columns.keys(), row, strict=False))


@pytest.fixture
def filled(world):
    """Rows of two spaces in each table that has no column for it; a session makes more."""
    operator = share_server().operator_url(url_of(world).partition("@/")[2].partition("?")[0])
    made = {}
    with closing(psycopg.connect(operator, autocommit=True)) as connection:
        for name in WITHOUT_A_SPACE:
            connection.execute(f"DELETE FROM {name}")
            for space in (SHOP.space, MILL.space):
                make_row(connection, name, space, made)
    return made


@pytest.mark.parametrize(("spaces", "seen"), [(None, 0), (SHOP.space, 1), ("*", 2)])
def test_rows_that_name_another_by_its_number_are_behind_the_wall_with_it(
    world, filled, spaces, seen
):
    assert filled
    with connect(world, spaces) as connection:
        for name in WITHOUT_A_SPACE:
            assert connection.execute(f"SELECT * FROM {name}").rowcount == seen, name


def test_a_session_hangs_nothing_on_a_row_of_another_space_and_takes_nothing_off(world, filled):
    with connect(world, SHOP.space) as connection:
        for name in WITHOUT_A_SPACE:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                make_row(connection, name, MILL.space, filled)
            assert connection.execute(f"DELETE FROM {name}").rowcount == 1, name
    assert [world.rows(f"SELECT count(*) FROM {name}") for name in WITHOUT_A_SPACE] == [
        [(1,)] for _ in WITHOUT_A_SPACE
    ]


def test_a_call_reaches_its_own_spaces_whatever_its_statements_forget(world):
    database = world.app.database
    with world.app.call(SHOP, Action.THOUGHT_READ):
        with database.read() as transaction:
            assert transaction.execute(text(CONTENTS)).scalars().all() == [SHARED, OURS]
        with database.share_write() as transaction:
            assert transaction.execute(text(CONTENTS)).scalars().all() == [SHARED, OURS]
        with database.write() as transaction:
            moved = f"UPDATE thoughts SET contributor_name = 'Eve' WHERE content = '{THEIRS}'"
            assert transaction.execute(text(moved)).rowcount == 0
        insert = text(
            "INSERT INTO sessions (knowledge_space_id, id, agent_id, created_at)"
            f" VALUES ('{MILL.space}', 'session', 'eve', 0)"
        )
        with (
            pytest.raises(StorageUnavailable, match="row of another space"),
            database.write() as transaction,
        ):
            transaction.execute(insert)
    with database.read() as transaction:
        assert transaction.execute(text(CONTENTS)).scalars().all() == [SHARED, OURS, THEIRS]


def test_what_spans_spaces_within_a_call_says_so_and_the_call_goes_on_as_before(world):
    database = world.app.database
    with database.confine(SHOP.spaces):
        for begin in (database.share_read, database.share_write):
            with begin():
                assert read_all(database) == [SHARED, OURS]
                with database.confine(None):
                    assert read_all(database) == [SHARED, OURS, THEIRS]
                assert read_all(database) == [SHARED, OURS]
                with pytest.raises(ValueError, match="midway"), database.confine(None):
                    raise ValueError("midway")
                assert read_all(database) == [SHARED, OURS]


def read_all(database):
    reading = nullcontext(database.transaction) if database.transaction else database.read()
    with reading as transaction:
        return transaction.execute(text(CONTENTS)).scalars().all()


def test_each_of_those_who_share_a_commit_reaches_its_own_spaces(world):
    database = world.app.database
    postgresql = PostgreSQL(url_of(world), connections=2)
    commit = SharedCommit(postgresql)
    seen = []
    for access in (SHOP, MILL):
        within = database.confine(access.spaces)
        with within, commit.join(PipelinedSavepoint()) as transaction:
            seen.append(transaction.execute(text(CONTENTS)).scalars().all())
    commit.end()
    assert seen == [[SHARED, OURS], [SHARED, THEIRS]]
    postgresql.reader.dispose()
    postgresql.writer.dispose()


def test_the_wall_takes_no_round_trip(world):
    database = world.app.database
    # What begins a transaction, and who joins one, travels with the statement. Nobody waits for the
    # end of one that read; another's tables are not looked at before its lock is had.
    wanted = {database.read: 1, database.write: 3, database.share_write: 2}
    for begin, most in wanted.items():
        with count_round_trips() as trips, database.confine(SHOP.spaces), begin() as transaction:
            transaction.execute(text("SELECT 1"))
        assert len(trips) == most, trips


def test_an_export_without_its_filter_has_the_rows_of_its_spaces(world, monkeypatch):
    transfer = world.app.transfer

    def forget(access):
        with world.app.database.read() as transaction:
            yield from ({"content": row} for row in transaction.execute(text(CONTENTS)).scalars())

    monkeypatch.setattr(type(transfer), "export_readable", lambda _, access: forget(access))
    assert [record["content"] for record in world.app.export(MILL)] == [SHARED, THEIRS]


def test_every_table_with_rows_of_a_space_is_behind_the_wall_or_named_as_beside_it(world):
    walled = {
        name
        for (name,) in world.rows(
            "SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid"
            " WHERE relrowsecurity AND relforcerowsecurity"
        )
    }
    assert walled.isdisjoint(BESIDE_THE_WALL)
    assert walled | BESIDE_THE_WALL == {table.name for table in metadata.sorted_tables}


def test_doctor_says_that_a_superuser_is_above_the_wall(world, monkeypatch):
    def look(url):
        monkeypatch.setenv("WELLWORN_STORAGE__URL", url)
        findings = doctor(world.home, embedder=HashEmbedder()).findings
        [found] = [each for each in findings if each.check == "row-level security"]
        return found

    assert not look(url_of(world)).warns
    name = url_of(world).partition("@/")[2].partition("?")[0]
    above = look(share_server().operator_url(name))
    # The images of PostgreSQL have no other user, and a memory in them works.
    assert above.ok
    assert above.warns
    assert "superuser" in above.message
    assert PASSWORD not in above.message


def test_a_memory_of_the_last_version_is_walled_with_what_it_holds():
    server = share_server()
    name = server.make_database()
    settings = StorageSettings.model_validate({"url": server.url(name), "connections": 2})
    insert = text(
        "INSERT INTO sessions (knowledge_space_id, id, agent_id, created_at)"
        " VALUES ('ks-default', 'session', 'ada', 0)"
    )
    with closing(open_database(Path(), settings)) as database:
        upgrade(database, to="0043")
        with database.write() as transaction:
            transaction.execute(insert)
        upgrade(database)
        count = text("SELECT count(*) FROM sessions")
        for spaces, seen in ((None, 1), (["ks-default"], 1), (["ks-other"], 0)):
            with database.confine(spaces), database.read() as transaction:
                assert transaction.execute(count).scalar() == seen
    server.drop_database(name)


def test_the_owner_dumps_all_spaces_and_restores_them(world, tmp_path):
    server = share_server()
    there, dump = url_of(world), tmp_path / "memory.dump"
    command = [server.programs / "pg_dump", "--format", "custom", "--file", dump]
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    refused = subprocess.run(
        [*command, there], env=plain, capture_output=True, text=True, check=False
    )
    assert "row-level security" in refused.stderr  # nothing is left out without a word
    all_spaces = {**plain, "PGOPTIONS": "-c wellworn.spaces=*"}
    subprocess.run([*command, "--enable-row-security", there], env=all_spaces, check=True)

    name = server.make_database()
    restore = [server.programs / "pg_restore", "--dbname", server.url(name), dump]
    subprocess.run([*restore, "--no-comments"], env=plain, check=False)
    with closing(psycopg.connect(server.url(name), autocommit=True)) as connection:
        assert read_contents(connection) == []
        connection.execute("SET wellworn.spaces = '*'")
        assert read_contents(connection) == [SHARED, OURS, THEIRS]
    server.drop_database(name)
