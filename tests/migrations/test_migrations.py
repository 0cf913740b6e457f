"""The revisions together make exactly the tables that the code declares, and never lose data."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from wellworn.application import migrations
from wellworn.application.bootstrap import DATABASE, open_app, opening
from wellworn.application.migrations import is_current, metadata, upgrade
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import Draft, words_key
from wellworn.engines.extraction import Extractor
from wellworn.engines.storage.sql import Database
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


def at_the_first_revision(database):
    """Make the tables as they were when the first memories were stored."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with database.write() as transaction:
        config.attributes["connection"] = transaction
        command.upgrade(config, "0001")


def test_a_memory_of_the_first_version_keeps_all_it_held_and_its_tags_are_found(database):
    at_the_first_revision(database)
    with database.write() as writer:
        for statement in (
            (
                "INSERT INTO thoughts (id, knowledge_space_id, kind, content, content_key,"
                " contributor_id, contributor_name, thought_type, tags, created_at) VALUES"
                " ('t', 'ks-default', 'thought', 'said', 'key', 'a', 'A', 'original', '[]', 1)"
            ),
            "INSERT INTO tags VALUES ('ks-default', 'role boundary', 'Role-Boundaries', 1)",
            (
                "INSERT INTO query_log"
                " (id, agent_id, query_text, returned_ids, session_id, timestamp,"
                " result_count, knowledge_space_id, retrieval_method, policy_version, offered_tags)"
                " VALUES ('q', 'a', 'what?', '[]', 's', 'now', 0, 'ks-default', 'hybrid', 1,"
                ' \'["Role-Boundaries", "forgotten"]\')'
            ),
        ):
            writer.exec_driver_sql(statement)
    upgrade(database)
    with database.read() as reader:
        tag = reader.execute(text("SELECT words_key, word_count FROM tags")).one()
        assert tag == (words_key("Role-Boundaries"), 2)
        assert reader.execute(text("SELECT content FROM thoughts")).scalar() == "said"
        offered = reader.execute(text("SELECT offered_tags FROM query_log")).scalar()
        assert offered == '["Role-Boundaries"]'
        spaces = reader.execute(text("SELECT id, mode FROM knowledge_spaces")).all()
        assert spaces == [("ks-default", "open")]


def test_numbers_of_what_is_gone_are_not_given_again_after_an_upgrade(database):
    at_the_first_revision(database)
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


# ---------------------------------------------------------------- 0003, features of thoughts

SAID = ("Roles stay apart.", "The lamp burns whale oil.", "Salt spoils the glass.")


def of_the_revision_before(home):
    """Make a memory with data as the revision 0002 left it, its index included."""
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        for content in SAID:
            app.thoughts.think(LOCAL, Draft(content, "zoe", "Zoe"))
        gone = app.thoughts.think(LOCAL, Draft("Nobody knows.", "zoe", "Zoe")).thought_id
        app.memory.forget(LOCAL, gone, agent_id="zoe")
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with closing(Database(home / DATABASE)) as database, database.reshape() as transaction:
        config.attributes["connection"] = transaction
        command.downgrade(config, "0002")


@pytest.mark.parametrize("at_once", [0, 100], ids=["in the background", "at opening"])
def test_a_memory_of_the_revision_before_answers_and_makes_its_features(
    tmp_path, monkeypatch, at_once
):
    of_the_revision_before(tmp_path / "home")
    monkeypatch.setattr(opening, "REPAIRED_AT_ONCE", at_once)
    with closing(open_app(tmp_path / "home", embedder=HashEmbedder())) as app:
        assert app.unindexed == (0 if at_once else len(SAID))
        for _ in range(2):
            for content in SAID:
                assert app.memory.look_up(LOCAL, content)[0].content == content
            app.maintain()
        with app.database.read() as reader:
            assert reader.execute(text("SELECT count(*) FROM features")).scalar() == len(SAID)
        assert "pieces" in app.memory.look_up(LOCAL, "whale oil")[0].parts
        assert app.unindexed == 0


def test_going_back_a_revision_loses_nothing_but_what_can_be_made_anew(tmp_path):
    of_the_revision_before(tmp_path / "home")
    with closing(Database(tmp_path / "home" / DATABASE)) as database:
        with database.read() as reader:
            names = reader.execute(text("SELECT name FROM sqlite_master")).scalars().all()
            assert not any("features" in name for name in names)
            told = reader.execute(text("SELECT content FROM thoughts WHERE erased_at IS NULL"))
            assert tuple(told.scalars()) == SAID
        assert not is_current(database)


# ---------------------------------------------------------------- 0005, practices are documents

PRACTICES = (
    ("p-1", "ks-default", "Trim the wick.", "Lamps", "guild", ""),
    (
        "p-2",
        "ks-default",
        "word " * 900 + "\n\n# Bell\n\nThe quartz bell is rung.",
        "",
        "seed",
        "a/b.md",
    ),
    ("p-3", "ks-other", "Coil the ropes.", "lamps", "", ""),
)


def with_practices(home, revision="0004"):
    """Make a memory as it was when practices had a table and an index of their own."""
    (home / "index" / "practices").mkdir(parents=True)
    (home / "index" / "practices" / "CURRENT").write_text("old", encoding="utf-8")
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with closing(Database(home / DATABASE)) as database, database.reshape() as transaction:
        config.attributes["connection"] = transaction
        command.upgrade(config, revision)
        for number, (one, space, content, domain, source, path) in enumerate(PRACTICES):
            transaction.exec_driver_sql(
                "INSERT INTO best_practices (id, knowledge_space_id, content, domain, source,"
                " file_path, file_name, chunk_index, total_chunks, timestamp)"
                " VALUES (?, ?, ?, ?, ?, ?, '', 2, 3, ?)",
                (one, space, content, domain, source, path, number + 0.5),
            )
        # As a sealed space keeps its points.
        transaction.exec_driver_sql("CREATE TABLE practice_points_abc (id INTEGER PRIMARY KEY)")
    return config


def kept_practices(transaction):
    rows = "SELECT id, knowledge_space_id, content, domain, source, file_path FROM best_practices"
    return transaction.exec_driver_sql(f"{rows} ORDER BY seq").all()


@pytest.mark.parametrize("at_once", [0, 100], ids=["in the background", "at opening"])
@pytest.mark.parametrize("revision", ["0001", "0004"])
def test_the_practices_of_an_old_memory_are_still_answered(
    tmp_path, monkeypatch, at_once, revision
):
    with_practices(tmp_path / "home", revision)
    monkeypatch.setattr(opening, "REPAIRED_AT_ONCE", at_once)
    with closing(open_app(tmp_path / "home", embedder=HashEmbedder())) as app:
        assert app.unindexed == (0 if at_once else len(PRACTICES))
        app.maintain()
        assert app.unindexed == 0
        [lamp] = app.query(LOCAL, "wick", domain="lamps")
        assert (lamp.id, lamp.timestamp) == ("p-1", 0.5)
        said = lamp.practice
        assert (said.content, said.domain, said.source) == ("Trim the wick.", "Lamps", "guild")
        assert (said.chunk_index, said.total_chunks) == (2, 3)
        # What stands beyond the window of the model is found too.
        assert app.query(LOCAL, "the quartz bell is rung", domain=None)[0].id == "p-2"
        assert app.health(LOCAL).practices == 2
        exported = [one["id"] for one in app.export(LOCAL) if one["record"] == "practice"]
        assert exported == ["p-1", "p-2"]
        with app.database.read() as reader:
            names = reader.execute(text("SELECT name FROM sqlite_master")).scalars().all()
    assert not any("practice" in name for name in names)
    assert not (tmp_path / "home" / "index" / "practices").exists()


def test_going_back_keeps_the_practices_and_leaves_nothing_of_their_documents(tmp_path):
    config = with_practices(tmp_path / "home")
    with closing(open_app(tmp_path / "home", embedder=HashEmbedder())) as app:
        app.knowing.resolve(LOCAL, "wick")
    with closing(Database(tmp_path / "home" / DATABASE)) as database:
        with database.reshape() as transaction:
            config.attributes["connection"] = transaction
            command.downgrade(config, "0004")
        with database.read() as reader:
            assert kept_practices(reader) == list(PRACTICES)
            for table in ("sources", "documents", "chunks"):
                left = reader.execute(text(f"SELECT count(*) FROM knowledge_{table}"))
                assert left.scalar() == 0


# ---------------------------------------------------------------- 0006, refusals are remembered


def test_what_a_memory_refused_before_is_remembered_and_not_read_again(tmp_path, monkeypatch):
    folder, home = tmp_path / "docs", tmp_path / "home"
    folder.mkdir()
    (folder / "good.md").write_text("# Guide\n\nKopia runs nightly.\n")
    (folder / "bad.pdf").write_bytes(b"\x7fELF" + bytes(4000))
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        new = NewSource("folder", "docs", {"path": str(folder)})
        source = app.knowing.create_source(LOCAL, new).id
        before = app.knowing.sync_source(LOCAL, source)
        after = app.knowing.sync_source(LOCAL, source)
    assert before.problems
    with closing(Database(home / DATABASE)) as database:
        config = Config()
        config.set_main_option("script_location", str(Path(migrations.__file__).parent))
        with database.reshape() as transaction:
            config.attributes["connection"] = transaction
            command.downgrade(config, "0005")
        with database.read() as reader:
            rows = "SELECT path, maker > 0, times_missing FROM knowledge_documents ORDER BY path"
            assert reader.exec_driver_sql(rows).all() == [("bad.pdf", 1, 0), ("good.md", 1, 0)]
    monkeypatch.setattr(Extractor, "extract", lambda *_, **__: pytest.fail("it was read again"))
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        again = app.knowing.sync_source(LOCAL, source)
    assert (again.status, again.message, again.problems) == (
        after.status,
        after.message,
        after.problems,
    )
