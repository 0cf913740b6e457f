"""What every database promises that keeps records: a file of SQLite, and PostgreSQL.

Stores are written once; what they may rely on stands here.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic

import pytest
from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
    text,
    update,
)

from patience import LONG_S
from postgres import share_server
from wellworn.engines.storage.sql import (
    Database,
    StorageSettings,
    add_up,
    compare_with_list,
    fetch,
    fetch_together,
    insert_new,
    open_database,
    read_json_number,
    read_json_text,
    take_greater,
    undo_with,
    write_rows,
)
from wellworn.engines.storage.sql.commits import SharedCommit
from wellworn.errors import DatabaseAway, StorageUnavailable, StoreInUse

TABLES = MetaData()
NOTES = Table(
    "notes",
    TABLES,
    Column("seq", Integer, primary_key=True),
    Column("words", String(4)),
    Column("uses", Integer, nullable=False, default=7),
    Column("weight", Float),
    Column("is_read", Boolean, nullable=False, default=False),
    Column("about", Text, nullable=False, default="{}"),
    Column("packed", LargeBinary),
    CheckConstraint("uses >= 0", name="some"),
    sqlite_autoincrement=True,
)
LINKS = Table(
    "links",
    TABLES,
    Column("low", Integer, ForeignKey("notes.seq"), primary_key=True),
    Column("high", Integer, primary_key=True, autoincrement=False),
)
C = NOTES.c
COUNT = select(func.count()).select_from(NOTES)
ADD = insert(NOTES)


@pytest.fixture(params=["sqlite", "postgresql"])
def open_another(request, tmp_path):
    """Open one and the same database, as often as it is called."""
    server = share_server() if request.param == "postgresql" else None
    name = server.make_database() if server else ""
    url = server.url(name) if server else None
    settings = StorageSettings.model_validate({"url": url, "connections": 4})
    opened = []

    def open_one() -> Database:
        opened.append(open_database(tmp_path / "memory.db", settings))
        return opened[-1]

    yield open_one
    for database in opened:
        database.close()
    if server:
        server.drop_database(name)


@pytest.fixture
def database(open_another):
    made = open_another()
    with made.reshape() as transaction:
        TABLES.create_all(transaction)
    return made


def say(database, *words, **more):
    with database.write() as transaction:
        write_rows(transaction, ADD, [{"words": word, **more} for word in words])


def words_of(database):
    with database.read() as transaction:
        return list(transaction.execute(select(C.words).order_by(C.seq)).scalars())


def test_a_read_sees_one_state_whatever_is_written_meanwhile(database):
    with database.read() as reading:
        assert reading.execute(COUNT).scalar() == 0
        say(database, "tide")
        assert reading.execute(COUNT).scalar() == 0
        assert fetch(reading, COUNT, {}) == [(0,)]
    assert words_of(database) == ["tide"]


def test_a_failed_write_leaves_nothing_and_takes_its_steps_back(database):
    undone = []

    def fail():
        with database.write() as transaction:
            transaction.execute(ADD, {"words": "tide"})
            undo_with(transaction, lambda: undone.append("step"))
            transaction.execute(ADD, {"words": "ebb", "uses": -1})

    with pytest.raises(StorageUnavailable):
        fail()
    assert (words_of(database), undone) == ([], ["step"])


def test_a_statement_that_failed_and_was_passed_over_fails_the_write(database):
    """An engine that undoes all of a transaction then must not call that a success."""
    with database.write() as transaction:
        transaction.execute(ADD, {"words": "tide"})
    try:
        with database.write() as transaction:
            transaction.execute(ADD, {"words": "ebb"})
            with pytest.raises(Exception, match="some"):
                transaction.execute(ADD, {"words": "flow", "uses": -1})
    except StorageUnavailable:
        assert words_of(database) == ["tide"]
    else:
        assert words_of(database) == ["tide", "ebb"]


def test_a_rehearsal_leaves_nothing(database):
    with database.rehearse() as transaction:
        transaction.execute(ADD, {"words": "tide"})
        assert transaction.execute(COUNT).scalar() == 1
    assert words_of(database) == []


def test_writers_that_share_a_commit_are_kept_or_undone_each_on_its_own(database):
    inside, results = threading.Barrier(3), []

    def write(word, uses):
        inside.wait(LONG_S)
        try:
            with database.share_write() as transaction:
                write_rows(transaction, ADD, [{"words": word, "uses": uses}])
            # Here at the latest: what nobody reads may be sent with what follows.
            results.append(word)
        except StorageUnavailable:
            results.append("refused")

    asked = [("tide", 1), ("ebb", -1), ("flow", 2)]
    writers = [threading.Thread(target=write, args=one) for one in asked]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(LONG_S)
    assert sorted(results) == ["flow", "refused", "tide"]
    assert sorted(words_of(database)) == ["flow", "tide"]


def test_what_turns_out_to_be_refused_when_it_is_kept_is_taken_back(database):
    undone = []

    def fail():
        with database.share_write() as transaction:
            undo_with(transaction, lambda: undone.append("step"))
            write_rows(transaction, ADD, [{"words": "tide"}])
            write_rows(transaction, ADD, [{"words": "ebb", "uses": -1}])

    with pytest.raises(StorageUnavailable):
        fail()
    assert (words_of(database), undone) == ([], ["step"])
    say(database, "flow")
    assert words_of(database) == ["flow"]


@pytest.mark.parametrize("has_read", [False, True])
def test_a_writer_that_gives_up_takes_nobody_else_along(database, has_read):
    inside, failed = threading.Barrier(3), []

    def write(word):
        inside.wait(LONG_S)
        try:
            with database.share_write() as transaction:
                write_rows(transaction, ADD, [{"words": word}])
                if has_read:
                    assert word in transaction.execute(select(C.words)).scalars().all()
                assert word != "ebb", "gives up"
        except AssertionError:
            failed.append(word)

    writers = [threading.Thread(target=write, args=(word,)) for word in ("tide", "ebb", "flow")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(LONG_S)
    assert failed == ["ebb"]
    assert sorted(words_of(database)) == ["flow", "tide"]


@pytest.mark.parametrize("open_another", ["postgresql"], indirect=True)
def test_a_statement_that_was_to_follow_one_that_failed_is_run_later(database):
    """The driver must not take it for one that PostgreSQL has prepared."""
    more = update(NOTES).where(C.seq == bindparam("number")).values(uses=C.uses + 1)
    uses, commit = select(C.words, C.uses), SharedCommit(database._dialect)

    def count_up(*, failing=False):
        with commit.join(database._savepoint) as transaction:
            if failing:
                # All are sent before this one fails.
                write_rows(transaction, text("SELECT pg_sleep(0.2)"), [{}])
                write_rows(transaction, ADD, [{"words": "ebb", "uses": -1}])
            write_rows(transaction, more, [{"number": 1}])
            fetch(transaction, uses, {})

    with pytest.raises(Exception, match="zero"), commit.join(database._savepoint) as transaction:
        transaction.execute(text("SELECT 1 / 0"))
    with commit.join(database._savepoint) as transaction:
        write_rows(transaction, ADD, [{"words": "tide"}])
    # Also the time at which the driver begins to prepare what is read.
    for _ in range(7):
        with pytest.raises(Exception, match="some"):
            count_up(failing=True)
        count_up()
    commit.end()
    with database.share_write() as transaction:
        write_rows(transaction, more, [{"number": 1}])
    with database.read() as transaction:
        assert fetch(transaction, uses, {}) == [("tide", 15)]


def test_what_is_asked_together_is_answered_in_turn(database):
    words = select(C.words).where(compare_with_list(C.seq, "seqs")).order_by(C.seq)
    with database.write() as transaction:
        write_rows(transaction, ADD, [{"words": word} for word in ("tide", "ebb", "flow")])
        first, counted, none = fetch_together(
            transaction, (words, {"seqs": [3, 1]}), (COUNT, {}), (words, {"seqs": []})
        )
    assert (first, counted, none) == ([("tide",), ("flow",)], [(3,)], [])


def test_a_long_read_comes_in_parts_from_the_transaction_it_begins(database):
    say(database, *("tide", "ebb", "flow"))
    statement = select(C.words).order_by(C.seq).execution_options(yield_per=1)
    with database.read() as transaction:
        assert [*transaction.execute(statement).scalars()] == ["tide", "ebb", "flow"]


@pytest.mark.parametrize("open_another", ["postgresql"], indirect=True)
def test_a_connection_that_ends_between_calls_is_made_again_and_within_one_undoes_it(database):
    def cut_off():
        ended = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        share_server().run(f"{ended} WHERE application_name = 'wellworn'")

    def fail():
        with database.share_write() as transaction:
            write_rows(transaction, ADD, [{"words": "ebb"}])
            assert fetch(transaction, COUNT, {}) == [(2,)]
            cut_off()
            write_rows(transaction, ADD, [{"words": "flow"}])

    say(database, "tide")
    assert words_of(database) == ["tide"]
    cut_off()
    assert words_of(database) == ["tide"]
    with pytest.raises(DatabaseAway):
        fail()
    say(database, "reef")
    assert words_of(database) == ["tide", "reef"]


def test_counts_are_exact_under_many_writers(database):
    say(database, "tide", uses=0)
    more = update(NOTES).values(uses=C.uses + 1)

    def count_up():
        for _ in range(20):
            with database.share_write() as transaction:
                transaction.execute(more)

    writers = [threading.Thread(target=count_up) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(LONG_S)
    with database.read() as transaction:
        assert transaction.execute(select(C.uses)).scalar() == 80


def test_a_row_that_points_to_nothing_is_refused(database):
    with pytest.raises(StorageUnavailable), database.write() as transaction:
        transaction.execute(insert(LINKS), {"low": 3, "high": 4})


def test_values_come_back_as_they_were_given(database):
    given = {
        "words": "längér than four 😀",
        "uses": 2**62,
        "weight": 0.1,
        "is_read": True,
        "packed": bytes(range(256)),
    }
    say(database, given.pop("words"), **given)
    with database.read() as transaction:
        row = transaction.execute(select(NOTES)).one()
        (same,) = fetch(transaction, select(C.words, C.uses, C.weight, C.is_read, C.packed), {})
    assert row[1:5] == ("längér than four 😀", 2**62, 0.1, True)
    assert same == ("längér than four 😀", 2**62, 0.1, 1, bytes(range(256)))


def test_texts_are_ordered_by_their_bytes(database):
    say(database, "b", "Z", "ä", "a", "_")
    with database.read() as transaction:
        ordered = list(transaction.execute(select(C.words).order_by(C.words)).scalars())
        least, most = transaction.execute(select(func.min(C.words), func.max(C.words))).one()
        after = select(func.count()).where(C.words > bindparam("word"))
        assert transaction.execute(after, {"word": "Z"}).scalar() == 4
    assert ordered == ["Z", "_", "a", "b", "ä"]
    assert (least, most) == ("Z", "ä")


def test_sums_are_numbers_as_python_has_them(database):
    say(database, "tide", "ebb", uses=3, weight=0.5)
    sums = select(func.sum(C.uses), func.sum(C.weight), func.count())
    with database.read() as transaction:
        (row,) = fetch(transaction, sums, {})
        assert row == transaction.execute(sums).one() == (6, 1.0, 2)
        assert [type(value) for value in row] == [int, float, int]


@pytest.mark.parametrize("listed", [[], [2], (1, 3), {3, 2**40}])
def test_a_list_is_compared_as_one_value(database, listed):
    say(database, "tide", "ebb", "flow")
    among = select(C.seq).where(compare_with_list(C.seq, "seqs"), C.uses == 7).order_by(C.seq)
    others = select(C.seq).where(~compare_with_list(C.seq, "seqs")).order_by(C.seq)
    with database.read() as transaction:
        here = [row[0] for row in fetch(transaction, among, {"seqs": listed})]
        assert here == [seq for seq in (1, 2, 3) if seq in listed]
        assert list(transaction.execute(among, {"seqs": list(listed)}).scalars()) == here
        there = [row[0] for row in fetch(transaction, others, {"seqs": listed})]
        assert there == [seq for seq in (1, 2, 3) if seq not in listed]


def test_words_of_a_list_are_compared_as_they_are(database):
    say(database, "tide", 'a"b', "5")
    among = select(C.words).where(compare_with_list(C.words, "words")).order_by(C.seq)
    with database.read() as transaction:
        assert fetch(transaction, among, {"words": ['a"b', "5", "x"]}) == [('a"b',), ("5",)]


def test_rows_that_are_there_are_passed_over_or_added_to(database):
    with database.write() as transaction:
        insert_new(transaction, NOTES, [{"seq": 5, "words": "tide", "uses": 1}])
        insert_new(transaction, NOTES, [{"seq": 5, "words": "ebb", "uses": 1}])
        more = {"seq": 5, "words": "flow", "uses": 2, "weight": None}
        add_up(transaction, NOTES, [more], "uses", latest=("weight",), earliest=("words",))
    with database.read() as transaction:
        row = transaction.execute(select(C.words, C.uses, C.weight)).one()
    assert row == ("tide", 3, None)


def test_a_part_of_a_text_is_cut_out_by_columns(database):
    say(database, "längér", uses=3)
    part = select(func.substr(C.words, C.uses - 1, C.uses), func.substr(C.words, 1, 2))
    with database.read() as transaction:
        assert transaction.execute(part).one() == ("äng", "lä")


def test_the_greater_of_two_columns_is_taken(database):
    say(database, "tide", uses=3, weight=2.5)
    with database.read() as transaction:
        statement = select(take_greater(C.weight, C.uses), take_greater(C.weight, C.weight))
        assert transaction.execute(statement).one() == (3, 2.5)


@pytest.mark.parametrize(
    ("about", "number", "flags"),
    [
        ('{"at": 12.5, "flags": ["a", "b"]}', 12.5, '["a", "b"]'),
        ('{"at": 3, "flags": "plain"}', 3, "plain"),
        ('{"at": null, "flags": null}', None, None),
        ("{}", None, None),
    ],
)
def test_fields_of_json_are_read(database, about, number, flags):
    say(database, "tide", about=about)
    read = select(read_json_number(C.about, "at"), read_json_text(C.about, "flags"))
    with database.read() as transaction:
        row = transaction.execute(read).one()
    assert row[0] == number
    assert (row[1] or "").replace(" ", "") == (flags or "").replace(" ", "")


def test_a_writer_leaves_its_place_to_the_next_process_when_it_closes(open_another):
    first = open_another()
    first.hold()
    first.close()
    again = open_another()
    again.hold()
    again.ping()


def test_what_was_deleted_can_be_scrubbed(database):
    say(database, "tide")
    with database.write() as transaction:
        transaction.execute(text("DELETE FROM notes"))
    database.expect_scrub()
    assert database.scrub_if_due()
    assert database.is_sound()
    assert not database.is_damaged


@pytest.fixture
def two_servers():
    """Two processes' databases that are one."""
    server = share_server()
    name = server.make_database()
    settings = StorageSettings.model_validate({"url": server.url(name), "connections": 4})
    opened = [open_database(None, settings) for _ in range(2)]
    with opened[0].reshape() as transaction:
        TABLES.create_all(transaction)
    for one in opened:
        one.hold()
    yield opened
    for one in opened:
        one.close()
    server.drop_database(name)


def test_writers_of_two_servers_come_one_after_the_other(two_servers):
    """Read-modify-write is exact, also where a transaction of either is shared by several."""
    say(two_servers[0], "tide", uses=0)

    def count(begin):
        for _ in range(25):
            with begin() as transaction:
                [(uses,)] = fetch(transaction, select(C.uses), {})
                transaction.execute(update(NOTES).values(uses=uses + 1))

    ways = [begin for one in two_servers for begin in (one.write, one.share_write)]
    threads = [threading.Thread(target=count, args=[begin]) for begin in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    with two_servers[1].read() as transaction:
        assert transaction.execute(select(C.uses)).scalar() == 100


def test_each_server_is_told_what_others_changed_and_none_of_what_was_undone(two_servers):
    a, b = two_servers
    told = {a: [], b: []}
    for one, list_of in told.items():
        one.follow("notes", lambda _, names, of=list_of: of.extend(names), pytest.fail, seen=0)
    with a.write():
        a.note_change("notes", [1, 2])
    with b.rehearse():
        b.note_change("notes", [3])
    with b.share_write():
        b.note_change("notes", [4])
    for _ in range(2):
        a.catch_up()
        b.catch_up()
    assert told == {a: [4], b: [1, 2]}


def test_what_one_may_do_is_done_by_one_and_by_the_next_when_that_is_gone(two_servers):
    a, b = two_servers
    assert a.take_lease("sleep")
    assert a.take_lease("sleep")
    assert not b.take_lease("sleep")
    assert b.take_lease("sync")
    a.end_lease("sleep")
    assert b.take_lease("sleep")
    b.close()
    # PostgreSQL ends a connection when it notices.
    assert wait_until(lambda: a.take_lease("sync"))


def is_alone(database):
    with suppress(StoreInUse), database.keep_alone():
        return True
    return False


def wait_until(is_so):
    until = monotonic() + LONG_S
    while not (done := is_so()) and monotonic() < until:
        pass
    return done


def test_tables_are_changed_while_no_other_server_has_them(two_servers):
    a, b = two_servers
    with pytest.raises(StoreInUse, match="end them first"), a.reshape():
        pass
    b.close()
    assert wait_until(lambda: is_alone(a))
    with a.reshape() as transaction:
        transaction.execute(text("ALTER TABLE notes ADD COLUMN more TEXT"))
    b.hold()
