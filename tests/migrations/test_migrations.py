"""The revisions together make exactly the tables that the code declares, and never lose data."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from postgres import share_server
from wellworn.application.bootstrap import DATABASE, open_app, opening
from wellworn.application.migrations import is_current, metadata, revisions, upgrade
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import store
from wellworn.engines.storage.sql import Database, StorageSettings, open_database
from wellworn.errors import DamagedStore, StorageUnavailable
from wellworn.testing.embedder import HashEmbedder

LOCAL = local_access()


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "wellworn.db")
    yield opened
    opened.close()


def test_the_revisions_make_the_declared_tables(database, tmp_path):
    upgrade(database)
    engine = create_engine(f"sqlite:///{tmp_path / 'wellworn.db'}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()
    assert differences == []


def test_the_revisions_make_the_same_tables_in_postgresql():
    server = share_server()
    name = server.make_database()
    settings = StorageSettings.model_validate({"url": server.url(name)})
    with closing(open_database(Path(), settings)) as database:
        upgrade(database)
        upgrade(database)
        assert is_current(database)
        with database.read() as connection:
            differences = compare_metadata(MigrationContext.configure(connection), metadata)
            named = "SELECT id FROM knowledge_spaces"
            assert connection.execute(text(named)).scalar() == "ks-default"
    # Long names of constraints are cut there.
    assert [step for step in differences if "constraint" not in step[0]] == []
    narrow = server.run(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema ="
        " 'public' AND (data_type IN ('integer', 'real') OR character_maximum_length < 255"
        " OR collation_name <> 'C') AND table_name <> 'alembic_version'",
        name,
    )
    assert narrow == []
    server.drop_database(name)


def test_the_revisions_are_what_their_files_are_called():
    config = Config()
    config.set_main_option("script_location", str(Path(revisions.__file__).parent))
    newest_first = [
        script.revision for script in ScriptDirectory.from_config(config).walk_revisions()
    ]
    assert revisions.list_revisions() == newest_first[::-1]


def test_a_memory_that_is_up_to_date_opens_without_what_migrates_or_speaks_to_postgresql(tmp_path):
    with closing(open_app(tmp_path, embedder=HashEmbedder())):
        pass
    told = (
        "import sys; from pathlib import Path\n"
        "from wellworn.application.bootstrap import open_app\n"
        "from wellworn.testing.embedder import HashEmbedder\n"
        f"open_app(Path({str(tmp_path)!r}), embedder=HashEmbedder()).close()\n"
        "print([name for name in sys.modules if name.startswith(('alembic', 'psycopg'))])"
    )
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "[]"


def test_an_empty_database_is_behind_and_an_upgraded_one_is_not(database):
    assert not is_current(database)
    upgrade(database)
    assert is_current(database)


def test_upgrading_twice_changes_nothing(database):
    upgrade(database)
    with database.write() as transaction:
        transaction.execute(
            text(
                "INSERT INTO sessions (id, knowledge_space_id, agent_id, created_at)"
                " VALUES ('s', 'ks-default', 'agent', 1.0)"
            ),
        )
    upgrade(database)
    with database.read() as transaction:
        assert transaction.execute(text("SELECT count(*) FROM sessions")).scalar() == 1


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database):
    upgrade(database)
    with database.write() as transaction:
        transaction.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DamagedStore, match="newer version"):
        upgrade(database)
    with database.read() as transaction:
        revision = transaction.execute(text("SELECT version_num FROM alembic_version")).scalar()
    assert revision == "9999"


def test_a_database_from_before_the_first_release_is_refused_with_a_way_out(database):
    upgrade(database)
    with database.write() as transaction:
        transaction.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    with pytest.raises(DamagedStore, match="before its first release"):
        upgrade(database)


def test_a_failed_upgrade_leaves_nothing_behind(tmp_path):
    path = tmp_path / "wellworn.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE thoughts (other TEXT)")
    raw.close()
    opened = Database(path)
    with pytest.raises(StorageUnavailable):
        upgrade(opened)
    with opened.read() as transaction:
        names = transaction.execute(text("SELECT name FROM sqlite_master")).scalars().all()
    opened.close()
    assert names == ["thoughts"]


def test_numbers_of_what_is_gone_are_not_given_again(database):
    upgrade(database)
    with database.read() as reader:
        for table in ("thoughts", "query_log"):
            made = reader.execute(
                text("SELECT sql FROM sqlite_master WHERE name = :table"), {"table": table}
            )
            assert "AUTOINCREMENT" in made.scalar_one()
        assert reader.execute(text("PRAGMA foreign_key_check")).all() == []
        keys = "SELECT name FROM pragma_table_info('sessions') WHERE pk ORDER BY pk"
        assert reader.execute(text(keys)).scalars().all() == ["knowledge_space_id", "id"]


# ---------------------------------------------------------------- what is derived is made anew

SAID = ("Roles stay apart.", "The lamp burns whale oil.", "Salt spoils the glass.")


def without_features(home):
    """Make a memory with data and an index whose features are missing."""
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        for content in SAID:
            app.thoughts.think(LOCAL, ThoughtDraft(content, "zoe", "Zoe"))
        gone = app.thoughts.think(LOCAL, ThoughtDraft("Nobody knows.", "zoe", "Zoe")).thought_id
        app.memory.forget(LOCAL, gone, agent_id="zoe")
    with closing(Database(home / DATABASE)) as database, database.write() as transaction:
        transaction.execute(text("DELETE FROM features"))


@pytest.mark.parametrize("at_once", [0, 100], ids=["in the background", "at opening"])
def test_a_memory_without_features_answers_and_makes_them(tmp_path, monkeypatch, at_once):
    without_features(tmp_path / "home")
    monkeypatch.setattr(opening, "REPAIRED_AT_ONCE", at_once)
    with closing(open_app(tmp_path / "home", embedder=HashEmbedder())) as app:
        assert app.unindexed == (0 if at_once else len(SAID))
        for _ in range(2):
            for content in SAID:
                assert app.memory.look_up(LOCAL, content)[0].content == content
            app.maintain()
        with app.database.read() as reader:
            assert reader.execute(text("SELECT count(*) FROM features")).scalar() == len(SAID)
        assert app.unindexed == 0
        app.embedding.finish()
        assert "pieces" in app.memory.look_up(LOCAL, "whale oil")[0].parts


def test_terms_that_a_stemmer_took_for_one_get_keys_of_their_own(database):
    upgrade(database, to="0008")
    rows = [("Home-Assistant", "home-assist", 1), ("home assistants", "home assist", 2)]
    rows += [("Home Assistant", "home-assistant ", 9)]
    with database.write() as transaction:
        for term, key, at in rows:
            transaction.execute(
                text("INSERT INTO term_pins VALUES ('shared', :key, :term, :at, NULL)"),
                {"key": key, "term": term, "at": at},
            )
    upgrade(database)
    with database.read() as reader:
        kept = reader.execute(text("SELECT term_key, term FROM term_pins ORDER BY term_key")).all()
    assert [tuple(row) for row in kept] == [
        ("homeassistant", "Home-Assistant"),
        ("homeassistants", "home assistants"),
    ]


@pytest.mark.parametrize(
    ("claimed", "place"), [((1,), "lab"), ((1, 2), ""), ((3,), ""), ((4,), "docs.example")]
)
def test_a_conflict_gets_the_place_that_its_documents_are_in(database, claimed, place):
    upgrade(database, to="0009")
    sources = [("lab", "folder"), ("shop", "git_repo"), ("note", "manual_note"), ("page", "url")]
    with database.write() as transaction:
        for number, (name, kind) in enumerate(sources, 1):
            _fill(transaction, "knowledge_sources", id=number, name=name, source_type=kind)
            path = "https://docs.example/a" if kind == "url" else "a.md"
            _fill(transaction, "knowledge_documents", id=number, source_id=number, path=path)
        candidates = json.dumps([{"document_id": number} for number in claimed])
        _fill(transaction, "fact_conflicts", id=1, candidates=candidates, resolution="10.0.0.1")
    upgrade(database)
    with database.read() as reader:
        row = reader.execute(text("SELECT place, resolution FROM fact_conflicts")).one()
    assert tuple(row) == (place, "10.0.0.1")


def test_what_a_webhook_took_is_known_to_the_revision_that_keeps_it_apart(database):
    upgrade(database, to="0025")
    webhook = {"set_at": 1.5, "marks": ["00ff", "0a0b"], "made_by": "mem-1"}
    with database.write() as transaction:
        _fill(transaction, "knowledge_sources", id=7, webhook=json.dumps(webhook))
        _fill(transaction, "knowledge_sources", id=8)
    upgrade(database)
    with database.read() as reader:
        rows = reader.execute(text("SELECT source_id, mark FROM webhook_marks")).all()
        stored = reader.execute(text("SELECT webhook FROM knowledge_sources")).scalars().all()
    assert [tuple(row) for row in rows] == [(7, b"\x00\xff"), (7, b"\x0a\x0b")]
    assert [value and json.loads(value) for value in stored] == [
        {"set_at": 1.5, "made_by": "mem-1"},
        None,
    ]


def _fill(transaction, table, **values):
    """Write a row, with something in every column that must not be empty."""
    columns = transaction.execute(text(f"PRAGMA table_info({table})")).mappings().all()
    needed = {column["name"]: 0 for column in columns if column["notnull"]} | values
    names, marks = ", ".join(needed), ", ".join(f":{name}" for name in needed)
    transaction.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), needed)


def test_turns_and_their_files_outlive_the_revision_that_makes_their_tables_anew(database):
    upgrade(database, to="0014")
    turn = {
        **dict.fromkeys(("query", "resolved_query", "topic", "engine", "summary"), "lamp"),
        "id": "a",
        "knowledge_space_id": "ks-default",
        "user_id": "ada",
        "number": 3,
        "status": "done",
        "intent": "informational",
        "created_at": 1.0,
        "ended_at": 2.0,
    }
    columns = ", ".join(turn)
    values = ", ".join(f":{name}" for name in turn)
    with database.write() as transaction:
        transaction.execute(text(f"INSERT INTO turns ({columns}) VALUES ({values})"), turn)
        transaction.execute(
            text(
                "INSERT INTO turn_files VALUES ('ks-default', 'ada', 'facts.md', 'The lamp burns.')"
            )
        )
    upgrade(database)
    access = local_access()
    with database.read() as transaction:
        [listed] = store.list_newest(transaction, access, "ada", limit=2)
    assert (listed.id, listed.number, listed.summary, listed.archived_at) == ("a", 3, "lamp", None)
    vault = store.RowVault(database, access, "ada")
    vault.append("facts.md", " It is red.")
    assert vault.read("facts.md") == "The lamp burns. It is red."
