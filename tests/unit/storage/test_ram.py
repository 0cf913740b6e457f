"""A database in memory: the file's interface, one thread at a time, and a journal that decides."""

from __future__ import annotations

from threading import Event, Thread

import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Column, Integer, text
from sqlalchemy.exc import SQLAlchemyError

from wellworn.application.migrations import is_current, upgrade
from wellworn.engines.storage.sql import Database, RamDatabase, undo_with
from wellworn.errors import DamagedStore, StorageUnavailable


class Diary:
    """A journal that keeps everything in lists, and fails when it is told to."""

    def __init__(self) -> None:
        self.changes: list[bytes] = []
        self.images: list[bytes] = []
        self.settled = 0
        self.broken = False
        self.database: RamDatabase | None = None

    def append(self, changes):
        if self.broken:
            raise StorageUnavailable("the journal is full")
        self.changes.append(changes)

    def checkpoint(self):
        if self.broken:
            raise StorageUnavailable("the journal is full")
        with self.database.freeze() as image:
            self.images.append(image)
        self.changes.clear()

    def settle(self):
        self.settled += 1

    def scrub(self):
        self.checkpoint()
        return True

    def is_due(self):
        return bool(self.changes)

    def restored(self):
        return RamDatabase(self.images[-1], self.changes)


def opened(*statements):
    diary = Diary()
    diary.database = RamDatabase(journal=diary)
    run(diary.database, *statements)
    return diary.database, diary


def run(database, *statements):
    with database.write() as transaction:
        for statement in statements:
            transaction.execute(text(statement))


def do(database, *steps):
    with database.write() as transaction:
        for step in steps:
            step(transaction)


def stop(_):
    raise ValueError("stop")


def say(statement):
    return lambda transaction: transaction.execute(text(statement))


def rows(database, table="notes"):
    with database.read() as transaction:
        return sorted(map(tuple, transaction.execute(text(f"SELECT rowid, * FROM {table}"))))


NOTES = "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, word UNIQUE, more)"


@pytest.fixture
def kept():
    database, diary = opened(NOTES)
    yield database, diary
    if not database.is_closed:
        diary.broken = False
        database.close()


def test_it_takes_a_databases_place(kept):
    database, _ = kept
    assert isinstance(database, Database)
    database.ping()
    assert database.is_sound()


@pytest.mark.parametrize(
    "statements",
    [
        ["INSERT INTO notes VALUES (7, 'a', 1.5), (8, 'b', NULL)"],
        ["INSERT INTO notes VALUES (7, 'a', x'00ff'), (8, 'ü\u2028', 9007199254740993)"],
        ["INSERT INTO notes VALUES (7, 'a', 9e999)"],
        ["INSERT INTO notes VALUES (7, 'a', 1)", "UPDATE notes SET more = 2 WHERE id = 7"],
        ["INSERT INTO notes VALUES (7, 'a', 1)", "UPDATE notes SET id = 9 WHERE id = 7"],
        ["INSERT INTO notes VALUES (7, 'a', 1)", "INSERT OR REPLACE INTO notes VALUES (9, 'a', 2)"],
        ["INSERT INTO notes VALUES (7, 'a', 1)", "DELETE FROM notes"],
        [
            "INSERT INTO notes VALUES (1, 'a', 1), (2, 'b', 1)",
            "UPDATE notes SET word = 'c' WHERE id = 1",
            "UPDATE notes SET word = 'a' WHERE id = 2",
            "UPDATE notes SET word = 'b' WHERE id = 1",
        ],
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_what_transactions_changed_comes_out_the_same_when_it_is_done_again(
    statements, together, kept
):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (40, 'z', 0)")
    for transaction in [statements] if together else [[one] for one in statements]:
        run(database, *transaction)
    assert len(diary.changes) == 1 + (1 if together else len(statements))
    again = diary.restored()
    assert rows(again) == rows(database)
    for one in (database, again):
        run(one, "INSERT INTO notes (word) VALUES ('new')")
    assert rows(again) == rows(database)
    again.close()


def test_rows_exchanged_between_transactions_come_out_the_same(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1), (2, 'b', 1)")
    diary.checkpoint()
    run(database, "DELETE FROM notes", "INSERT INTO notes VALUES (1, 'b', 1), (2, 'a', 1)")
    again = diary.restored()
    assert rows(again) == [(1, 1, "b", 1), (2, 2, "a", 1)]
    again.close()


def test_a_number_used_once_is_not_used_again_after_opening(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (50, 'a', 1)", "DELETE FROM notes")
    again = diary.restored()
    run(again, "INSERT INTO notes (word) VALUES ('b')")
    assert rows(again)[0][0] == 51
    again.close()


def test_reading_leaves_nothing_in_the_journal(kept):
    database, diary = kept
    rows(database)
    run(database, "UPDATE notes SET more = 1 WHERE id = 12345")
    assert diary.changes == []


def test_rows_that_follow_their_parents_are_noted_too():
    database, diary = opened(
        "CREATE TABLE parents (id INTEGER PRIMARY KEY)",
        "CREATE TABLE children (parent REFERENCES parents(id) ON DELETE CASCADE)",
    )
    run(database, "INSERT INTO parents VALUES (1)", "INSERT INTO children VALUES (1)")
    run(database, "DELETE FROM parents")
    again = diary.restored()
    assert rows(again, "children") == []
    again.close()
    database.close()


def test_a_journal_that_fails_undoes_the_transaction_and_what_went_with_it(kept):
    database, diary = kept
    undone = []
    diary.broken = True
    promise = lambda one: undo_with(one, lambda: undone.append(rows(database)))  # noqa: E731
    with pytest.raises(StorageUnavailable):
        do(database, say("INSERT INTO notes VALUES (1, 'a', 1)"), promise)
    assert undone == [[]]
    diary.broken = False
    run(database, "INSERT INTO notes VALUES (1, 'b', 1)")
    assert rows(database) == rows(diary.restored()) == [(1, 1, "b", 1)]


def test_an_undo_step_may_write(kept):
    database, diary = kept
    step = "INSERT INTO notes VALUES (2, 'step', 1)"
    promise = lambda one: undo_with(one, lambda: run(database, step))  # noqa: E731
    with pytest.raises(ValueError, match="stop"):
        do(database, promise, say("INSERT INTO notes VALUES (1, 'a', 1)"), stop)
    assert rows(database) == rows(diary.restored()) == [(2, 2, "step", 1)]


def test_a_write_within_a_write_is_a_part_of_it(kept):
    database, diary = kept
    with database.write() as outer:
        outer.execute(text("INSERT INTO notes VALUES (1, 'a', 1)"))
        run(database, "INSERT INTO notes VALUES (2, 'b', 1)")
        assert len(rows(database)) == 2
        assert diary.changes == []
    assert len(diary.changes) == 1
    assert diary.settled == 2  # with the one that made the table


def test_a_write_within_a_failing_write_fails_with_it(kept):
    database, diary = kept
    inner = lambda _: run(database, "INSERT INTO notes VALUES (2, 'b', 1)")  # noqa: E731
    with pytest.raises(ValueError, match="stop"):
        do(database, inner, stop)
    assert rows(database) == []
    assert diary.changes == []


def test_a_failing_write_within_a_write_is_undone_alone(kept):
    database, _ = kept
    undone = []
    with database.write() as outer:
        outer.execute(text("INSERT INTO notes VALUES (1, 'a', 1)"))
        undo_with(outer, lambda: undone.append("outer"))
        promise = lambda one: undo_with(one, lambda: undone.append(rows(database)))  # noqa: E731
        with pytest.raises(ValueError, match="stop"):
            do(database, promise, say("INSERT INTO notes VALUES (2, 'b', 1)"), stop)
    assert undone == [[(1, 1, "a", 1)]]
    assert rows(database) == [(1, 1, "a", 1)]


def test_a_write_within_a_read_is_refused(kept):
    database, _ = kept
    with database.read(), pytest.raises(RuntimeError):
        run(database, "INSERT INTO notes VALUES (2, 'b', 1)")
    assert rows(database) == []


def test_another_thread_waits_for_the_whole_transaction(kept):
    database, _ = kept
    begun, seen = Event(), []

    def look():
        begun.set()
        seen.append(len(rows(database)))

    with database.write() as transaction:
        transaction.execute(text("INSERT INTO notes VALUES (1, 'a', 1)"))
        thread = Thread(target=look)
        thread.start()
        begun.wait()
        transaction.execute(text("INSERT INTO notes VALUES (2, 'b', 1)"))
        assert seen == []
    thread.join()
    assert seen == [2]


def test_a_failed_statement_says_nothing_of_its_words(kept):
    database, _ = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1)")
    with pytest.raises(StorageUnavailable) as caught, database.write() as transaction:
        transaction.execute(text("INSERT INTO notes VALUES (1, :word, 1)"), {"word": "secret"})
    assert isinstance(caught.value.__cause__, SQLAlchemyError)
    assert "secret" not in str(caught.value.__cause__)


def test_it_is_migrated_like_a_file_and_keeps_that_as_an_image():
    database, diary = opened()
    upgrade(database)
    assert is_current(database)
    assert diary.changes == []
    again = diary.restored()
    assert is_current(again)
    upgrade(again)
    again.close()
    database.close()


def test_a_table_copied_and_renamed_by_a_migration_is_watched_again(kept):
    database, diary = kept
    run(database, "CREATE TABLE plain (word VARCHAR)", "INSERT INTO plain VALUES ('a')")
    with database.write() as transaction:
        operations = Operations(MigrationContext.configure(transaction))
        with operations.batch_alter_table("plain", recreate="always") as batch:
            batch.add_column(Column("extra", Integer))
    assert diary.changes == []
    run(database, "UPDATE plain SET extra = 5")
    again = diary.restored()
    assert rows(again, "plain") == [(1, "a", 5)]
    again.close()


def test_a_schema_that_the_journal_cannot_keep_closes_the_database(kept):
    database, diary = kept
    diary.broken = True
    with pytest.raises(StorageUnavailable, match="full"):
        run(database, "CREATE TABLE more (id)")
    with pytest.raises(StorageUnavailable, match="closed"):
        database.ping()
    assert rows(diary.restored()) == []


def test_a_table_that_cannot_be_watched_is_refused():
    with pytest.raises(DamagedStore):
        opened("CREATE TABLE odd (id INTEGER PRIMARY KEY) WITHOUT ROWID")


def test_changes_of_another_database_are_refused(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1)")
    for changes in ([b"nonsense"], diary.changes):
        with pytest.raises(DamagedStore):
            RamDatabase(changes=changes)


def test_an_image_that_is_none_is_refused():
    with pytest.raises(DamagedStore):
        RamDatabase(b"no image at all" * 1000)


def test_no_image_is_taken_halfway_through_a_transaction(kept):
    database, _ = kept
    with database.write(), pytest.raises(RuntimeError), database.freeze():
        pass


def test_a_snapshot_stays_as_it_was(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1)")
    snapshot = database.snapshot()
    run(database, "DELETE FROM notes")
    assert rows(snapshot) == [(1, 1, "a", 1)]
    run(snapshot, "DELETE FROM notes")
    assert len(diary.changes) == 2
    snapshot.close()


def test_a_scrub_leaves_an_image_without_what_was_erased(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'under the third flowerpot', 1)")
    database.scrub()
    assert b"flowerpot" in diary.images[-1]
    run(database, "DELETE FROM notes")
    assert database.scrub_if_due()
    assert b"flowerpot" not in diary.images[-1]
    assert not database.scrub_if_due()


def test_closing_leaves_an_image_and_answers_nothing_more(kept):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1)")
    database.close()
    database.close()
    assert diary.changes == []
    assert rows(diary.restored()) == [(1, 1, "a", 1)]
    for call in (database.ping, database.snapshot, database.is_sound):
        with pytest.raises(StorageUnavailable):
            call()


def test_closing_goes_on_when_the_journal_fails(kept, caplog):
    database, diary = kept
    run(database, "INSERT INTO notes VALUES (1, 'a', 1)")
    diary.broken = True
    database.close()
    assert database.is_closed
    assert rows(diary.restored()) == [(1, 1, "a", 1)]
