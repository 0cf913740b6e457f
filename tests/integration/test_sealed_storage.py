"""A sealed space on disk: everything that was acknowledged comes back to whoever has its key."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from integration.sealed_world import (
    NOTES,
    SteelBox,
    created,
    dump,
    fill,
    killed,
    opened_main,
    records,
    reopened,
    run,
)
from wellworn.application.migrations import is_current, upgrade
from wellworn.engines.storage.sealed import SealedStore, sealing, store, vault
from wellworn.engines.storage.sql import RamDatabase
from wellworn.engines.storage.vectors import ExactVectorIndex
from wellworn.errors import SpaceNotFound, StorageUnavailable, StoreInUse
from wellworn.testing.persistence_contract import answers
from wellworn.testing.vectors import DIMENSIONS, axis, point, points


class Refused(Exception):
    """What a caller's code raises in the middle of its transaction."""


def refuse():
    raise Refused


def refused(database, step):
    with database.write() as transaction:
        step(transaction)
        refuse()


@pytest.fixture
def sealed(main):
    """A space with a table of notes and an image of several chunks, open."""
    made = created(main)
    fill(made.open())
    return made


def test_a_new_space_is_empty_and_can_be_migrated(main):
    database = created(main).open()
    assert dump(database) == {}
    upgrade(database)
    again = SealedStore(main, "meadow", SteelBox())
    database.close()
    opened = again.open()
    assert is_current(opened)
    opened.close()


def test_a_space_can_be_made_from_a_database_in_memory(main):
    source = RamDatabase()
    fill(source)
    made = SealedStore(main, "meadow", SteelBox())
    made.create(source)
    database = made.open()
    assert dump(database) == dump(source)
    database.close()
    source.close()


def test_a_space_is_made_once(main, sealed):
    with pytest.raises(StoreInUse):
        SealedStore(main, "meadow", SteelBox()).create()


def test_a_space_that_is_not_there_is_not_found(main):
    with pytest.raises(SpaceNotFound):
        SealedStore(main, "meadow", SteelBox()).open()


def test_a_space_is_open_once(sealed):
    with pytest.raises(StoreInUse):
        sealed.open()
    sealed._database.close()
    sealed.open().close()


def test_what_was_acknowledged_survives_the_death_of_the_process(main, sealed):
    run(sealed._database, "INSERT INTO notes (word) VALUES ('last')")
    run(sealed._database, "DELETE FROM notes WHERE id = 3")
    before = dump(sealed._database)
    assert len(records(main, "frame")) == 3  # with the one that filled the table
    killed(sealed)
    database = reopened(sealed)
    assert dump(database) == before
    run(database, "INSERT INTO notes (word) VALUES ('after')")
    assert dump(database)["notes"][-1][1] == 22
    database.close()


def test_closing_leaves_an_image_alone(main, sealed):
    before = dump(sealed._database)
    sealed._database.close()
    assert records(main, "frame") == []
    database = reopened(sealed)
    assert dump(database) == before
    database.close()


def test_only_chunks_that_changed_are_written_again(main, sealed):
    sealed.checkpoint()
    old = {row.number: row.blob for row in records(main, "chunk")}
    run(sealed._database, "UPDATE notes SET word = 'changed' WHERE id = 1")
    sealed.checkpoint()
    new = {row.number: row.blob for row in records(main, "chunk")}
    changed = [number for number in old if old[number] != new[number]]
    assert 1 <= len(changed) < len(old) / 2
    head = records(main, "head")
    sealed.checkpoint()
    assert records(main, "head") == head


def test_an_image_may_become_shorter(main, sealed):
    sealed.checkpoint()
    long = len(records(main, "chunk"))
    run(sealed._database, "DELETE FROM notes WHERE id > 2")
    sealed._database._driver.execute("VACUUM")
    sealed.checkpoint()
    assert len(records(main, "chunk")) < long
    before = dump(sealed._database)
    killed(sealed)
    assert dump(reopened(sealed)) == before


def test_many_transactions_make_an_image_due_and_then_make_it_themselves(main, sealed, monkeypatch):
    sealed.checkpoint()
    monkeypatch.setattr(vault, "FRAMES_AT_MOST", 3)
    database = sealed._database
    for number in range(4):
        assert not sealed.is_due()
        run(database, f"INSERT INTO notes (word) VALUES ('n{number}')")
    assert sealed.is_due()
    assert database.scrub_if_due()
    assert not sealed.is_due()
    for number in range(3 * 8 + 2):
        run(database, f"INSERT INTO notes (word) VALUES ('m{number}')")
    assert len(records(main, "frame")) == 1
    before = dump(database)
    killed(sealed)
    assert dump(reopened(sealed)) == before


def test_what_is_written_while_an_image_is_made_stays(main, sealed, monkeypatch):
    database, seal = sealed._database, sealing.seal_chunks

    def slowly(*arguments, **options):
        run(database, "INSERT INTO notes (word) VALUES ('meanwhile')")
        return seal(*arguments, **options)

    monkeypatch.setattr(sealing, "seal_chunks", slowly)
    sealed.checkpoint()
    assert len(records(main, "frame")) == 1
    before = dump(database)
    killed(sealed)
    assert dump(reopened(sealed)) == before


@pytest.mark.parametrize("step", ["drop_frames", "put_chunks", "move_head"])
def test_a_checkpoint_that_fails_halfway_changes_nothing(main, sealed, monkeypatch, step):
    def fail(*arguments, **options):
        raise StorageUnavailable("the disk is gone")

    before, stored = dump(sealed._database), records(main)
    with monkeypatch.context() as patch:
        patch.setattr(store, step, fail)
        with pytest.raises(StorageUnavailable):
            sealed.checkpoint()
    assert records(main) == stored
    run(sealed._database, "INSERT INTO notes (word) VALUES ('later')")
    sealed.checkpoint()
    killed(sealed)
    assert dump(reopened(sealed))["notes"][:-1] == before["notes"]


def test_a_frame_that_cannot_be_written_fails_the_write(main, sealed, monkeypatch):
    before = dump(sealed._database)

    def fail(*arguments, **options):
        raise StorageUnavailable("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(store, "move_head", fail)
        with pytest.raises(StorageUnavailable):
            run(sealed._database, "INSERT INTO notes (word) VALUES ('lost')")
    assert dump(sealed._database) == before
    killed(sealed)
    assert dump(reopened(sealed)) == before


def test_the_points_of_an_index_come_back_with_the_rows(sealed):
    index = ExactVectorIndex(sealed._database, dimensions=DIMENSIONS)
    index.upsert(points(3, 40))
    index.delete([4, 5])
    index.upsert([point(6, axis(1), {1: 1.0})])
    before = answers(index)
    killed(sealed)
    assert answers(ExactVectorIndex(reopened(sealed), dimensions=DIMENSIONS)) == before


def test_a_space_made_in_a_transaction_that_fails_is_not_there(main):
    made = SealedStore(main, "meadow", SteelBox())
    with pytest.raises(Refused):
        refused(main, lambda transaction: made.create(transaction=transaction))
    with pytest.raises(SpaceNotFound):
        made.open()


def test_a_closed_space_is_resealed_in_the_callers_transaction(main, sealed):
    before = dump(sealed._database)
    killed(sealed)
    closed = SealedStore(main, "meadow", SteelBox())
    with pytest.raises(Refused):
        refused(main, lambda one: closed.reseal_closed(one, SteelBox(epoch=2)))
    assert {row.epoch for row in records(main)} == {1}
    with main.write() as transaction:
        closed.reseal_closed(transaction, SteelBox(epoch=2))
    assert {row.epoch for row in records(main)} == {2}
    assert records(main, "frame") == []
    database = SealedStore(main, "meadow", SteelBox(epoch=2)).open()
    assert dump(database) == before
    database.close()


CHILD = """
import sys
from pathlib import Path
from integration.sealed_world import NOTES, SealedStore, SteelBox, opened_main, run
from wellworn.engines.storage.sealed import vault
vault.FRAMES_AT_MOST = 1
sealed = SealedStore(opened_main(Path(sys.argv[1])), "meadow", SteelBox())
sealed.create()
database = sealed.open()
run(database, NOTES)
for number in range(1, 100_000):
    run(database, f"INSERT INTO notes (word, more) VALUES ('w{number}', zeroblob(3000))")
    print(number, flush=True)
"""


def test_killing_the_process_loses_nothing_it_acknowledged(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    acknowledged = [int(process.stdout.readline()) for _ in range(150)][-1]
    process.send_signal(signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in process.stdout if line[-1] == "\n")])
    process.wait()
    process.stdout.close()
    main = opened_main(tmp_path)
    database = SealedStore(main, "meadow", SteelBox()).open()
    found = [row[1] for row in dump(database)["notes"]]
    assert found[:acknowledged] == [*range(1, acknowledged + 1)]
    assert len(found) <= acknowledged + 1
    database.close()
    main.close()


WORDS = st.sampled_from(["ash", "beech", "elm", "oak"])
IDS = st.integers(1, 8)


def without_numbers(tables):
    # An insert that was ignored uses up a number, and changes no row that could be kept.
    return {name: rows for name, rows in tables.items() if name != "sqlite_sequence"}


class Space(RuleBasedStateMachine):
    """Whatever happens to a space, what was committed is what is there."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.main = opened_main(Path(self.folder.name))
        self.sealed = created(self.main)
        self.database = self.sealed.open()
        run(self.database, NOTES, "CREATE TABLE links (a INTEGER, b INTEGER, PRIMARY KEY (a, b))")
        self.committed = dump(self.database)

    def write(self, statement, *, fails=False):
        try:
            with self.database.write():
                # Part of a larger transaction, as the index's writes are.
                run(self.database, statement)
                if fails:
                    refuse()
        except Refused:
            return
        self.committed = dump(self.database)

    @rule(number=IDS, word=WORDS, size=st.sampled_from([0, 9, 90_000]), fails=st.booleans())
    def put(self, number, word, size, fails):
        insert = f"INSERT OR REPLACE INTO notes VALUES ({number}, '{word}', zeroblob({size}))"
        self.write(insert, fails=fails)

    @rule(word=WORDS)
    def add(self, word):
        self.write(f"INSERT OR IGNORE INTO notes (word) VALUES ('{word}')")

    @rule(a=IDS, b=IDS)
    def renumber(self, a, b):
        self.write(f"UPDATE OR IGNORE notes SET id = {a} WHERE id = {b}")

    @rule(a=IDS, b=IDS, fails=st.booleans())
    def link(self, a, b, fails):
        self.write(f"INSERT OR IGNORE INTO links VALUES ({a}, {b})", fails=fails)

    @rule(number=IDS, fails=st.booleans())
    def remove(self, number, fails):
        self.write(f"DELETE FROM notes WHERE id >= {number}", fails=fails)

    @rule()
    def reshape(self):
        self.write("CREATE TABLE IF NOT EXISTS more (x)")
        self.write("INSERT INTO more VALUES (1.5)")

    @rule()
    def checkpoint(self):
        self.sealed.checkpoint()

    @rule()
    def reseal(self):
        assert self.sealed.reseal(SteelBox(epoch=self.sealed._cipher.epoch + 1))

    @rule(dies=st.booleans())
    def open_again(self, dies):
        if dies:
            killed(self.sealed)
        else:
            self.database.close()
        self.sealed = SealedStore(self.main, "meadow", self.sealed._cipher)
        self.database = self.sealed.open()

    @invariant()
    def what_was_committed_is_there(self):
        assert without_numbers(dump(self.database)) == without_numbers(self.committed)

    def teardown(self):
        self.database.close()
        self.main.close()
        self.folder.cleanup()


TestSpace = Space.TestCase
TestSpace.settings = settings(max_examples=30, stateful_step_count=30, database=None)
