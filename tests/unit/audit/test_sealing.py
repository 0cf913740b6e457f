"""Sealed trails: written by anybody, opened by the space's key, and chained like all others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.audit.test_entries import ENTRIES
from unit.audit.world import ADA, KEY, Pen, Trail, verifies
from wellworn.domain.audit import Action, Fault, TrailReport, Trust
from wellworn.domain.audit.chain import canonical
from wellworn.domain.audit.sealing import (
    Envelope,
    KeyState,
    StoredPen,
    TrailKey,
    open_envelope,
    take_pen,
)
from wellworn.domain.audit.sealing import Pen as EntryPen
from wellworn.engines.crypto import DataKey, Identity
from wellworn.errors import SpaceLocked, Tampered

TRUST = Trust((Pen().public,), verifies)
IDENTITY = Identity.new()
TRAIL_KEY = TrailKey("kss", 1, KeyState.PRESENT, IDENTITY.public, None, b"")
PEN = EntryPen(TRAIL_KEY)
BOX = take_pen("kss", PEN.stored, IDENTITY)


def seal(trail, data_key, old=None, space="kss"):
    with trail.database.write() as transaction:
        trail.audit.keys.renew(transaction, space, data_key, old=old)


def shown(trail, data_key, space="kss"):
    """Return the targets of each entry."""
    return [one.entry.targets[0] for one in trail.audit.entries(space, data_key=data_key)]


@pytest.fixture
def data_key():
    return DataKey.new()


@pytest.fixture
def sealed(trail, data_key):
    seal(trail, data_key)
    trail.write(3, "kss")
    return trail


# ---------------------------------------------------------------------------- one entry


@given(ENTRIES, st.integers(1, 2**40))
def test_what_is_sealed_is_opened_again(entry, seq):
    written = PEN.write(seq, canonical(entry))
    envelope = Envelope.parse(written)
    assert envelope.canonical() == written
    assert open_envelope(envelope, seq, BOX).entry == canonical(entry)
    with pytest.raises(Tampered):
        open_envelope(envelope, seq + 1, BOX)


@given(ENTRIES, st.integers(0, 10**6), st.integers(1, 127))
def test_no_change_of_a_single_byte_is_opened(entry, place, flip):
    written = bytearray(PEN.write(1, canonical(entry)))
    written[place % len(written)] ^= flip
    try:
        envelope = Envelope.parse(bytes(written))
    except ValueError:
        return
    changed = Envelope.parse(PEN.write(1, canonical(entry)))
    assert envelope is None or envelope != changed
    if envelope is not None and envelope.pen == PEN.stored.id:
        with pytest.raises(Tampered):
            open_envelope(envelope, 1, BOX)


@given(ENTRIES, ENTRIES)
def test_an_envelope_tells_by_its_size_only_roughly_how_long_the_entry_is(one, other):
    sizes = [len(PEN.write(1, canonical(entry))) for entry in (one, other)]
    near = abs(len(canonical(one)) - len(canonical(other))) < 100
    assert not near or abs(sizes[0] - sizes[1]) in (0, 340, 341, 342, 344)


def test_a_pen_is_opened_by_its_own_key_pair_in_its_own_place_only():
    for space, stored, identity in (
        ("other", PEN.stored, IDENTITY),
        ("kss", StoredPen(PEN.stored.id, 2, PEN.stored.wrapped), IDENTITY),
        ("kss", StoredPen("0" * 16, 1, PEN.stored.wrapped), IDENTITY),
        ("kss", PEN.stored, Identity.new()),
    ):
        with pytest.raises(Tampered):
            take_pen(space, stored, identity)


# ---------------------------------------------------------------------------- one trail


def test_a_sealed_trail_shows_nothing_without_the_key_and_all_with_it(sealed, data_key):
    assert shown(sealed, data_key) == ["t-0", "t-1", "t-2"]
    rows = [row["entry"] for row in sealed.rows("audit_entries")]
    assert {*json.loads(rows[0])} == {"digest", "pen", "sealed"}
    assert not [row for row in rows if b"m-ada" in row or b"Lovelace" in row or b"memory." in row]
    with pytest.raises(SpaceLocked):
        sealed.audit.entries("kss")
    with pytest.raises(Tampered):
        sealed.audit.entries("kss", data_key=DataKey.new())


def test_it_is_verified_without_a_key(sealed):
    sealed.audit.checkpoint("kss")
    assert sealed.audit.verify("kss") == TrailReport("kss", 3, 1)
    sealed.harm("UPDATE audit_entries SET entry = (SELECT entry FROM audit_entries WHERE seq = 1)")
    assert sealed.audit.verify("kss").reason is Fault.CHANGED


def test_what_stood_in_the_clear_before_stays_and_is_read_with_the_rest(trail, data_key):
    trail.write(2, "kss")
    trail.audit.checkpoint("kss")
    seal(trail, data_key)
    trail.write(1, "kss")
    assert shown(trail, data_key) == ["t-0", "t-1", "t-0"]
    assert trail.audit.verify("kss") == TrailReport("kss", 3, 1)


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(st.sampled_from(["write", "rotate", "reseal", "restart"]), max_size=10))
def test_each_new_key_opens_all_that_came_before_and_no_old_key_anything(tmp_path_factory, steps):
    trail = Trail(tmp_path_factory.mktemp("rotation") / "memory.db")
    keys, written = [DataKey.new()], 0
    seal(trail, keys[0])
    for step in steps:
        if step == "write":
            trail.audit.note("kss", Action.SPACE_READ, by=ADA, targets=[f"n-{written}"])
            written += 1
        elif step == "rotate":
            keys.append(DataKey.new())
            seal(trail, keys[-1], old=keys[-2])
        elif step == "reseal":
            seal(trail, keys[-1], old=keys[-1])
        else:
            trail.audit = trail.opened()
            trail.audit.confirm_key("kss", keys[-1])
    assert shown(trail, keys[-1]) == [f"n-{number}" for number in range(written)]
    assert trail.audit.verify("kss") == TrailReport("kss", written, 0)
    for old in keys[:-1] if written else ():
        with pytest.raises(Tampered):
            trail.audit.entries("kss", data_key=old)
    trail.database.close()


def test_after_unsealing_the_server_reads_all_and_new_entries_are_clear(sealed, data_key):
    with sealed.database.write() as transaction:
        sealed.audit.keys.release(transaction, "kss", data_key)
    sealed.write(1, "kss")
    assert shown(sealed, None) == ["t-0", "t-1", "t-2", "t-0"]
    assert json.loads(sealed.rows("audit_entries")[-1]["entry"])["action"]
    other = sealed.opened(chain_key=KEY[::-1])
    with pytest.raises(Tampered):
        other.entries("kss")
    again = DataKey.new()
    seal(sealed, again)
    sealed.write(1, "kss")
    assert shown(sealed, again) == ["t-0", "t-1", "t-2", "t-0", "t-0"]
    with pytest.raises(SpaceLocked):
        sealed.audit.entries("kss")


def test_after_deleting_nobody_reads_what_was_sealed_and_the_chain_holds(sealed, data_key):
    with sealed.database.write() as transaction:
        sealed.audit.keys.forget(transaction, "kss")
    sealed.audit.note("kss", Action.SPACE_DELETED, by=ADA)
    for key in (None, data_key):
        [last] = sealed.audit.entries("kss", data_key=key)
        assert (last.seq, last.entry.action) == (4, "space.deleted")
    assert sealed.audit.verify("kss").ok
    assert [row["wrapped"] for row in sealed.rows("audit_keys")] == [None]


def test_an_entry_that_was_undone_takes_no_later_one_with_it(trail, data_key):
    seal(trail, data_key)

    def fail():
        with trail.database.write() as transaction:
            trail.audit.note("kss", Action.SPACE_READ, by=ADA, transaction=transaction)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    trail.write(2, "kss")
    assert shown(trail, data_key) == ["t-0", "t-1"]


def test_what_was_told_last_is_found_though_a_pen_is_lost(sealed, data_key):
    def highest(**more):
        return sealed.audit.find_highest(
            "kss", "count", since=Action.SPACE_SEALED, data_key=data_key, **more
        )

    assert highest(among=100) == 2
    assert highest(among=0) == 0
    sealed.audit = sealed.opened()
    sealed.write(2, "kss")
    first = sealed.rows("audit_entries")[0]["entry"]
    sealed.harm("DELETE FROM audit_pens WHERE id = :pen", pen=json.loads(first)["pen"])
    assert highest(among=100) == 1
    sealed.audit.note("kss", Action.SPACE_SEALED, by=ADA, outcome="FORBIDDEN")
    assert highest(among=100) == 1
    sealed.audit.note("kss", Action.SPACE_SEALED, by=ADA)
    assert highest(among=100) == 0
    with pytest.raises(Tampered, match="is lost"):
        sealed.audit.entries("kss", data_key=data_key)
    assert sealed.audit.verify("kss").ok


# ---------------------------------------------------------------------------- who writes to rows

SWAPPED = Identity.new().public
PUBLIC = {"encryption": SWAPPED.encryption, "signing": SWAPPED.signing}
HARM = {
    "another key": (
        "UPDATE audit_keys SET encryption_public = :encryption, signing_public = :signing",
        PUBLIC,
    ),
    "an old state": ("UPDATE audit_keys SET state = 'past'", {}),
    "an open state": ("UPDATE audit_keys SET state = 'open'", {}),
    "a deleted state": ("UPDATE audit_keys SET state = 'gone'", {}),
    "no such state": ("UPDATE audit_keys SET state = 'x'", {}),
    "no mac": ("UPDATE audit_keys SET mac = 'x'", {}),
    "no row": ("DELETE FROM audit_keys", {}),
}


@pytest.fixture
def guarded(tmp_path, data_key):
    made = Trail(tmp_path / "memory.db", must_seal=lambda *_: True)
    seal(made, data_key)
    made.write(1, "kss")
    yield made
    made.database.close()


@pytest.mark.parametrize("harm", HARM)
def test_who_changes_the_key_gets_no_entry_to_read(guarded, harm):
    statement, values = HARM[harm]
    guarded.harm(statement, **values)
    with pytest.raises(Tampered):
        guarded.audit.note("kss", Action.SPACE_READ, by=ADA)
    assert guarded.audit.head("kss")[0] == 1


@pytest.mark.parametrize("harm", ["another key", "an open state", "a deleted state"])
def test_who_changes_the_key_is_told_when_a_member_opens_the_space(guarded, harm, data_key):
    statement, values = HARM[harm]
    guarded.harm(statement, **values)
    with pytest.raises(Tampered):
        guarded.audit.confirm_key("kss", data_key)


def test_a_key_that_was_put_back_seals_nothing_once_a_member_has_opened_the_space(
    guarded, data_key
):
    [earlier] = guarded.rows("audit_keys")
    fresh = DataKey.new()
    seal(guarded, fresh, old=data_key)
    guarded.audit.confirm_key("kss", fresh)
    guarded.harm("DELETE FROM audit_keys WHERE number = 2")
    guarded.harm(
        "UPDATE audit_keys SET state = :state, wrapped = :wrapped, mac = :mac",
        **{name: earlier[name] for name in ("state", "wrapped", "mac")},
    )
    with pytest.raises(Tampered):
        guarded.audit.note("kss", Action.SPACE_READ, by=ADA)
    with pytest.raises(Tampered):
        guarded.audit.confirm_key("kss", fresh)


def test_a_lost_key_is_made_anew_when_a_member_opens_the_space(guarded, data_key):
    guarded.harm("DELETE FROM audit_keys")
    guarded.audit.confirm_key("kss", data_key)
    guarded.audit.note("kss", Action.SPACE_READ, by=ADA, targets=["later"])
    [last] = guarded.audit.entries("kss", after_seq=1, data_key=data_key)
    assert last.entry.targets == ("later",)
    assert [row["number"] for row in guarded.rows("audit_keys")] == [2]


def test_beside_another_key_of_the_server_s_a_member_s_key_sets_it_right(guarded, data_key):
    guarded.audit = guarded.opened(chain_key=KEY[::-1], must_seal=lambda *_: True)
    with pytest.raises(Tampered):
        guarded.audit.note("kss", Action.SPACE_READ, by=ADA)
    guarded.audit.confirm_key("kss", data_key)
    guarded.audit.note("kss", Action.SPACE_READ, by=ADA, targets=["later"])
    assert shown(guarded, data_key) == ["t-0", "later"]


# ---------------------------------------------------------------------------- exports


@pytest.fixture
def exported(sealed, data_key):
    sealed.audit.checkpoint("kss")
    return list(sealed.audit.export("kss", data_key=data_key))


def test_an_export_with_the_key_shows_what_one_without_proves(sealed, exported):
    lines = [json.loads(line) for line in exported]
    assert [line["opened"]["targets"] for line in lines if "of" in line] == [
        ["t-0"],
        ["t-1"],
        ["t-2"],
    ]
    without = list(sealed.audit.export("kss"))
    assert without == [line for line in exported if '"of":' not in line]
