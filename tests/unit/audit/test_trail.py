"""A trail grows with what it tells of, without gaps, and no change of it goes unseen."""

from __future__ import annotations

import struct
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from sqlalchemy import event, text

from unit.audit.world import ADA, KEY, Trail
from wellworn.domain.audit import Action, Fault, TrailReport
from wellworn.errors import StorageUnavailable, Tampered


def verdict(trail, space="ks"):
    report = trail.audit.verify(space)
    return report.first_bad_seq, report.reason


def test_what_was_noted_is_shown_in_order(trail):
    assert trail.audit.note("ks", Action.SPACE_CREATED, by=ADA, targets=["ks"]) == 1
    trail.clock.advance(5)
    refused = trail.audit.note("ks", Action.ACCESS_REFUSED, by=ADA, outcome="FORBIDDEN")
    assert refused == 2
    first, second = trail.audit.entries("ks")
    assert (first.seq, first.entry.action, first.entry.targets) == (1, "space.created", ("ks",))
    assert (second.entry.outcome, second.entry.actor) == ("FORBIDDEN", ADA)
    assert second.entry.at - first.entry.at == 5
    assert trail.audit.head("ks") == (2, second.hash)
    assert trail.audit.entries("ks", after_seq=1) == [second]
    assert trail.audit.entries("ks", limit=1) == [first]


def test_what_is_noted_while_others_write_is_flushed_with_it(trail):
    arrived, flushes = Semaphore(0), []

    class Queue(deque):
        def append(self, value):
            super().append(value)
            arrived.release()

    trail.database._sharers = Queue()
    event.listen(trail.database._dialect.writer, "commit", flushes.append)
    with ThreadPoolExecutor(1) as pool, trail.database.share_write():
        assert arrived.acquire(timeout=30)
        noted = pool.submit(trail.audit.note, "ks", Action.SPACE_CREATED, by=ADA)
        assert arrived.acquire(timeout=30)
    assert noted.result() == 1
    assert len(flushes) == 1


def test_an_untouched_trail_holds(trail):
    trail.write(5)
    assert trail.audit.verify("ks") == TrailReport("ks", 5, 0)
    assert trail.audit.verify("nobody's") == TrailReport("nobody's", 0, 0)


def test_it_goes_with_the_transaction_it_belongs_to_and_leaves_no_gap(trail):
    trail.write(2)

    def fail():
        with trail.database.write() as transaction:
            trail.audit.note("ks", Action.SPACE_SEALED, by=ADA, transaction=transaction)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert trail.audit.head("ks")[0] == 2
    assert trail.audit.note("ks", Action.SPACE_READ, by=ADA) == 3
    assert trail.audit.verify("ks").entries == 3
    assert [one.entry.action for one in trail.audit.entries("ks", after_seq=2)] == ["space.read"]


def test_eight_threads_leave_no_gap(trail):
    def work(_):
        return [trail.audit.note("ks", Action.MEMORY_RECALLED, by=ADA) for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        given_out = [seq for seqs in pool.map(work, range(8)) for seq in seqs]
    assert sorted(given_out) == list(range(1, 161))
    assert trail.audit.verify("ks") == TrailReport("ks", 160, 0)


def test_two_processes_write_one_chain(trail, tmp_path):
    other = Trail(tmp_path / "memory.db")
    for _ in range(3):
        trail.write(1)
        other.write(1)
    assert trail.audit.verify("ks") == TrailReport("ks", 6, 0)
    other.database.close()


def test_each_space_has_a_chain_of_its_own(trail):
    trail.write(3, "ks-a")
    trail.write(3, "ks-b")
    hashes_a, hashes_b = (
        {one.hash for one in trail.audit.entries(space)} for space in ("ks-a", "ks-b")
    )
    assert hashes_a.isdisjoint(hashes_b)
    assert trail.audit.spaces() == ["ks-a", "ks-b"]
    trail.harm("DELETE FROM audit_entries WHERE space_id = 'ks-a' AND seq = 2")
    assert not trail.audit.verify("ks-a").ok
    assert trail.audit.verify("ks-b").ok


def test_a_chain_cannot_be_given_out_as_that_of_another_space(trail):
    trail.write(3)
    trail.harm("UPDATE audit_entries SET space_id = 'ks-b'")
    assert verdict(trail, "ks-b") == (1, Fault.CHANGED)


def test_each_space_may_have_a_key_of_its_own(trail):
    keys = {"ks-a": b"a" * 32, "ks-b": b"b" * 32}
    trail.audit = trail.opened(chain_key=keys.__getitem__)
    trail.write(2, "ks-a")
    trail.write(2, "ks-b")
    assert trail.audit.verify("ks-a").ok
    keys["ks-b"] = b"c" * 32
    assert trail.audit.verify("ks-a").ok
    assert verdict(trail, "ks-b") == (1, Fault.CHANGED)


def test_a_short_key_is_none(trail):
    with pytest.raises(ValueError, match="at least 32 bytes"):
        trail.opened(chain_key=b"short").note("ks", Action.SPACE_READ, by=ADA)
    assert trail.audit.spaces() == []


@pytest.mark.parametrize("space", ["", "two words", "a\nb", "x" * 201])
def test_a_space_is_named_by_an_identifier(trail, space):
    with pytest.raises(ValueError, match="must"):
        trail.audit.note(space, Action.SPACE_READ, by=ADA)


def test_an_edit_is_seen(trail):
    trail.write(5)
    trail.harm(
        "UPDATE audit_entries SET entry = CAST(replace(CAST(entry AS TEXT), 'k1', 'k2') AS BLOB)"
        " WHERE seq = 3"
    )
    assert verdict(trail) == (3, Fault.CHANGED)


@pytest.mark.parametrize("seq", [1, 3])
def test_a_missing_entry_is_seen(trail, seq):
    trail.write(5)
    trail.harm("DELETE FROM audit_entries WHERE seq = :seq", seq=seq)
    assert verdict(trail) == (seq, Fault.GAP)


def test_a_missing_entry_is_seen_when_the_others_close_ranks(trail):
    trail.write(5)
    trail.harm("DELETE FROM audit_entries WHERE seq = 3")
    trail.harm("UPDATE audit_entries SET seq = seq - 1 WHERE seq = 4")
    trail.harm("UPDATE audit_entries SET seq = seq - 1 WHERE seq = 5")
    assert verdict(trail) == (3, Fault.CHANGED)


def test_another_order_is_seen(trail):
    trail.write(5)
    for old, new in ((2, 99), (3, 2), (99, 3)):
        trail.harm("UPDATE audit_entries SET seq = :new WHERE seq = :old", new=new, old=old)
    assert verdict(trail) == (2, Fault.CHANGED)


@pytest.mark.parametrize(("seq", "bad"), [(6, 6), (0, 1), (-1, 1), ("x", 6), (7, 6)])
def test_an_entry_that_was_slipped_in_is_seen(trail, seq, bad):
    trail.write(5)
    trail.harm(
        "INSERT INTO audit_entries SELECT space_id, :seq, entry, hash FROM audit_entries"
        " WHERE seq = 5",
        seq=seq,
    )
    first_bad, reason = verdict(trail)
    assert first_bad == bad
    assert reason in {Fault.GAP, Fault.CHANGED}


def test_nothing_is_built_on_a_last_entry_without_a_number(trail):
    trail.write(2)
    trail.harm("UPDATE audit_entries SET seq = 'x' WHERE seq = 2")
    with pytest.raises(Tampered):
        trail.write(1)


@pytest.mark.parametrize("value", ["text", 5, b"\xff\xfe", 1.5, ""])
def test_values_of_another_type_are_a_fault_and_no_crash(trail, value):
    trail.write(3)
    trail.harm("UPDATE audit_entries SET entry = :value WHERE seq = 2", value=value)
    assert verdict(trail) == (2, Fault.CHANGED)
    with pytest.raises(Tampered):
        trail.audit.entries("ks")
    trail.harm("UPDATE audit_entries SET hash = :value WHERE seq = 1", value=value)
    assert verdict(trail) == (1, Fault.CHANGED)


@pytest.fixture(scope="module")
def harmed(tmp_path_factory):
    made = Trail(tmp_path_factory.mktemp("harm") / "memory.db")
    for space, count in (("ks", 3), ("kt", 1), ("empty", 1)):
        made.write(count, space)
        made.audit.checkpoint(space)
    made.write(2, "ks")
    yield made
    made.database.close()


def changed(value, place, flip):
    """Return the value with one byte of it changed."""
    if isinstance(value, float):
        whole = bytearray(struct.pack(">d", value))
    else:
        whole = bytearray(value if isinstance(value, bytes) else str(value).encode())
    whole[place % len(whole)] ^= flip
    if isinstance(value, float):
        return struct.unpack(">d", whole)[0]
    return bytes(whole) if isinstance(value, bytes) else whole.decode()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.sampled_from(["audit_entries", "audit_checkpoints"]),
    row=st.integers(0, 99),
    column=st.integers(0, 99),
    place=st.integers(0, 999),
    flip=st.integers(1, 127),
)
def test_no_change_of_a_single_byte_of_any_row_goes_unseen(harmed, table, row, column, place, flip):
    rows = harmed.rows(table)
    old = rows[row % len(rows)]
    name, value = list(old.items())[column % len(old)]
    new = changed(value, place, flip)
    assume(new == new)  # SQLite keeps no NaN  # noqa: PLR0124
    key = (new if name == "space_id" else old["space_id"], new if name == "seq" else old["seq"])
    assume(str(key) not in {str((one["space_id"], one["seq"])) for one in rows if one != old})
    where = "WHERE space_id = :space AND seq = :seq"
    try:
        try:
            harmed.harm(
                f"UPDATE {table} SET {name} = :new {where}",
                new=new,
                space=old["space_id"],
                seq=old["seq"],
            )
        except StorageUnavailable:
            reject()  # a number that another row has cannot be written
        assert not holds(harmed)
    finally:
        put_back(harmed, table, rows)


def holds(trail):
    try:
        return all(trail.audit.verify(space).ok for space in trail.audit.spaces())
    except StorageUnavailable:
        return False  # what is no text any more cannot be read at all


def put_back(trail, table, rows):
    with trail.database.write() as transaction:
        transaction.execute(text(f"DELETE FROM {table}"))
        names = ", ".join(f":{name}" for name in rows[0])
        transaction.execute(text(f"INSERT INTO {table} VALUES ({names})"), rows)


def test_the_key_is_in_no_file(trail, tmp_path):
    trail.write(3)
    trail.audit.checkpoint("ks")
    assert all(KEY not in file.read_bytes() for file in tmp_path.iterdir())
