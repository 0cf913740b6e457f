"""A database with destroyed pages: all that can be read is brought out, and the rest is named."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from integration.knowledge_world import local, opened, synced
from wellworn.application.maintenance import backup, doctor, restore, salvage
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Prompt
from wellworn.engines.daemon import hold_folder
from wellworn.errors import DamagedStore, InvalidInput, NotFound, StoreInUse
from wellworn.testing.embedder import HashEmbedder

EMBEDDER = HashEmbedder()
PAGE = 4096
NOISE = random.Random(4).randbytes(PAGE)
WORDS = b"of its own words"
THOUGHTS = 150
FOLLOWS = {
    "features",
    "accesses",
    "trail_agents",
    "trails",
    "query_log",
    "knowledge_chunks",
}
FOLLOWS |= {"knowledge_documents", "chunk_identifiers", "sqlite_sequence", "knowledge_spaces"}
"""Tables of which a row may be made anew, or lacks what it referred to."""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template")
    with opened(folder / "home") as app:
        access = local(app)
        app.import_records(access, [thought(number) for number in range(THOUGHTS)])
        for number in range(10):
            app.memory.converse(
                access, Prompt(prompt=f"number {number}?", agent_id="bob", agent_name="Bob")
            )
        app.knowledge.ingest(access, Practice("cedar is soft"))
        synced(app, access, folder / "mytech")
        app.embedding.finish()
    return folder / "home"


@pytest.fixture
def home(template, tmp_path):
    shutil.copytree(template, tmp_path / "home")
    return tmp_path / "home"


def thought(number):
    return {
        "record": "thought",
        "content": f"number {number} " + "of its own words " * (400 if number % 30 == 0 else 5),
        "contributor_id": "ann",
        "contributor_name": "Ann",
        "tags": [f"tag {number % 7}"],
    }


def destroy(home, *pages, content=None):
    with (home / "wellworn.db").open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(content or NOISE)


def rows(path):
    with closing(sqlite3.connect(path / "wellworn.db")) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: set(database.execute(f"SELECT * FROM {name}")) for (name,) in names}


def root_of(home, name):
    with closing(sqlite3.connect(home / "wellworn.db")) as database:
        statement = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        [root] = database.execute(statement, (name,)).fetchone()
    return root


def salvaged(home, *, is_dry=False):
    """Salvage a memory, and embed what was found, as its server does in a while."""
    report = salvage(home, home.with_name("new"), embedder=EMBEDDER, is_dry=is_dry)
    if not is_dry:
        with opened(home.with_name("new")) as app:
            app.embedding.finish()
    return report


def is_well(home):
    return [finding for finding in doctor(home, embedder=EMBEDDER).findings if not finding.ok] == []


def contents(home):
    with opened(home) as app:
        records = list(app.export(local(app)))
    assert not [record for record in records if record["record"] == "lost"]
    return {record["content"] for record in records if record["record"] == "thought"}


def test_of_a_whole_memory_nothing_is_lost(home, tmp_path):
    before = rows(home)
    report = salvaged(home)
    assert report.lost == ()
    assert rows(tmp_path / "new") == before
    assert is_well(tmp_path / "new")


@pytest.mark.parametrize("content", [None, bytes(PAGE)], ids=["noise", "zeros"])
@pytest.mark.parametrize("page", [1, 2, 3])
def test_a_memory_whose_beginning_is_destroyed_is_whole_again(home, tmp_path, page, content):
    before = contents(home)
    destroy(home, page, content=content)
    if page == 1:
        with pytest.raises(DamagedStore, match="wellworn salvage"), opened(home):
            pass
    salvaged(home)
    assert contents(tmp_path / "new") == before
    assert is_well(tmp_path / "new")


@pytest.mark.parametrize("table", ["thoughts", "accesses", "features", "knowledge_documents"])
def test_what_hung_on_a_destroyed_root_is_found_again(home, tmp_path, table):
    before = rows(home)
    destroy(home, root_of(home, table))
    report = salvaged(home)
    after = rows(tmp_path / "new")
    if table in {"thoughts", "features"}:  # larger than a page
        assert after[table] == before[table]
    else:
        assert report.lost
    assert is_well(tmp_path / "new")


@pytest.mark.parametrize("seed", range(12))
def test_what_destroyed_pages_do_not_hold_is_brought_out_and_the_rest_is_named(
    home, tmp_path, seed
):
    chance = random.Random(seed)
    before = rows(home)
    pages = (home / "wellworn.db").stat().st_size // PAGE
    noise = chance.choice([bytes(PAGE), chance.randbytes(PAGE)])
    destroy(home, *chance.sample(range(1, pages + 1), chance.choice([1, 3, 8])), content=noise)
    report = salvaged(home)
    after = rows(tmp_path / "new")
    for table in before.keys() - FOLLOWS:
        assert after[table] <= before[table]
    lost = before["thoughts"] - after["thoughts"]
    named = " ".join(row.name for row in report.lost if row.table == "thoughts")
    # By whichever is left: the index of ids, or that of the keys of contents.
    assert all(row[1] in named or row[5] in named for row in lost)
    assert len(lost) < THOUGHTS / 2
    missing = {table for table in before if before[table] - after[table]} - FOLLOWS
    assert missing <= {row.table for row in report.lost}
    assert is_well(tmp_path / "new")
    contents(tmp_path / "new")


def test_a_value_with_a_hole_is_not_passed_off_as_whole(home, tmp_path):
    content = (home / "wellworn.db").read_bytes()
    pages = [content[start : start + PAGE] for start in range(0, len(content), PAGE)]
    longer = [number for number, page in enumerate(pages, 1) if page[0] == 0 and WORDS in page]
    before = contents(home)
    destroy(home, longer[0], content=bytes(PAGE))
    report = salvaged(home)
    assert len([row for row in report.lost if row.table == "thoughts"]) == 2  # its page, its id
    after = contents(tmp_path / "new")
    assert after < before
    assert len(after) == len(before) - 1


def test_what_a_killed_server_left_in_its_log_is_brought_out(home, tmp_path):
    with opened(home) as app:
        app.import_records(local(app), [thought(1_000)])
        shutil.copytree(home, tmp_path / "killed")
    assert (tmp_path / "killed" / "wellworn.db-wal").stat().st_size
    destroy(tmp_path / "killed", 1)
    salvage(tmp_path / "killed", tmp_path / "new", embedder=EMBEDDER)
    assert thought(1_000)["content"] in contents(tmp_path / "new")


def test_what_was_erased_does_not_come_back(home, tmp_path):
    with opened(home) as app:
        access = local(app)
        [record] = [
            one for one in app.export(access) if one.get("content", "").startswith("number 60 ")
        ]
        app.forget(access, record["id"], agent_id="ann")
        app.database.scrub()
    destroy(home, 1, root_of(home, "thoughts"))
    salvaged(home)
    assert not [words for words in contents(tmp_path / "new") if words.startswith("number 60 ")]


def test_no_number_is_given_out_twice(home, tmp_path):
    with closing(sqlite3.connect(home / "wellworn.db")) as database:
        database.execute("UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'thoughts'")
        database.commit()
    destroy(home, 1)
    salvaged(home)
    with opened(tmp_path / "new") as app:
        app.import_records(local(app), [thought(2_000)])
        app.database.scrub()
    assert max(row[0] for row in rows(tmp_path / "new")["thoughts"]) == 5001


def test_dry_it_only_says_what_is_lost(home, tmp_path):
    destroy(home, root_of(home, "accesses"))
    before = {
        path: path.stat().st_mtime_ns for path in home.rglob("*") if path.name != "daemon.lock"
    }
    report = salvaged(home, is_dry=True)
    assert report.lost
    assert {path.name for path in tmp_path.iterdir()} == {"home"}
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert salvaged(home) == report


def test_the_key_of_the_server_comes_along(home, tmp_path):
    salvaged(home)
    assert (tmp_path / "new" / "server.key").read_bytes() == (home / "server.key").read_bytes()
    assert (tmp_path / "new" / "server.key").stat().st_mode & 0o077 == 0


def test_a_sealed_space_is_opened_by_its_key_afterwards(tmp_path):
    with opened(tmp_path / "home") as app:
        made = app.administration.create(None, "lab", sealed=True)
        access = app.enter(made.issued.key, made.space.id, writes=True)
        app.import_records(access, [thought(1)])
    destroy(tmp_path / "home", 1)
    assert salvaged(tmp_path / "home").lost == ()
    with opened(tmp_path / "new") as app:
        access = app.enter(made.issued.key, made.space.id, writes=True)
        assert [one for one in app.export(access) if one["record"] == "thought"]


def test_nothing_is_overwritten_and_nothing_begun_in_vain(home, tmp_path):
    with pytest.raises(NotFound):
        salvage(tmp_path / "nowhere", tmp_path / "new")
    with pytest.raises(InvalidInput):
        salvage(home, home / "new")
    with pytest.raises(InvalidInput):
        salvage(home, tmp_path)
    with hold_folder(home), pytest.raises(StoreInUse):
        salvaged(home)
    assert {path.name for path in tmp_path.iterdir()} == {"home"}


def test_a_salvaged_memory_can_be_backed_up(home, tmp_path):
    destroy(home, 1)
    salvaged(home)
    backup(tmp_path / "new", tmp_path / "copy")
    restore(tmp_path / "restored", tmp_path / "copy", embedder=EMBEDDER)
    assert is_well(tmp_path / "restored")
