"""A sealed space and whoever reads or writes its database without the key."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text

from integration.sealed_world import (
    SteelBox,
    created,
    dump,
    fill,
    killed,
    records,
    reopened,
    run,
)
from wellworn.engines.storage.sealed import SealedStore, destroy, epoch_of, is_sealed, spaces
from wellworn.engines.storage.vectors import ExactVectorIndex, Labels, Point
from wellworn.errors import SpaceLocked, SpaceNotFound, StorageUnavailable, Tampered

SECRET = "the spare key lies under the third flowerpot"


@pytest.fixture
def sealed(main):
    """A space with several chunks and five frames, whose process has died."""
    made = created(main)
    fill(made.open())
    made.checkpoint()
    for number in range(5):
        run(made._database, f"INSERT INTO notes (word) VALUES ('later {number}')")
    killed(made)
    return made


def attack(main, *statements):
    """Write to the records as someone with the database and without the key."""
    run(main, *statements)


def changed(what, where):
    return f"UPDATE sealed_records SET {what} WHERE {where}"


def at(kind, number):
    return f"kind = '{kind}' AND number = {number}"


def exchange(column, kind, one, other):
    place = f"SELECT {column} FROM sealed_records WHERE"
    return [
        f"CREATE TABLE held AS {place} {at(kind, one)}",
        changed(f"{column} = ({place} {at(kind, other)})", at(kind, one)),
        changed(f"{column} = (SELECT * FROM held)", at(kind, other)),
        "DROP TABLE held",
    ]


FIRST = "(SELECT min(number) FROM sealed_records WHERE kind = 'frame')"
LAST = "(SELECT max(number) FROM sealed_records WHERE kind = 'frame')"


def flipped(kind, number):
    """Return statements that change the last byte of a record."""
    last = "CASE substr(blob, -1) WHEN x'00' THEN x'01' ELSE x'00' END"
    new = f"CAST(substr(blob, 1, length(blob) - 1) || {last} AS BLOB)"
    return [changed(f"blob = {new}", at(kind, number))]


def dropped(kind, number):
    return [f"DELETE FROM sealed_records WHERE {at(kind, number)}"]


def copied(kind, number, new):
    columns = f"space_id, kind, {new}, epoch, revision, blob"
    rows = f"SELECT {columns} FROM sealed_records WHERE {at(kind, number)}"
    return [f"INSERT INTO sealed_records {rows}"]


@pytest.mark.parametrize(
    "statements",
    [
        exchange("blob", "chunk", 1, 2),
        [*exchange("blob", "chunk", 1, 2), *exchange("revision", "chunk", 1, 2)],
        dropped("chunk", 1),
        dropped("chunk", "(SELECT max(number) FROM sealed_records WHERE kind = 'chunk')"),
        flipped("head", 0),
        flipped("chunk", 1),
        flipped("frame", LAST),
        dropped("frame", FIRST),
        dropped("frame", LAST),
        dropped("frame", f"{LAST} - 2"),
        [
            *dropped("frame", f"{LAST} - 2"),
            changed("number = number - 1", f"kind = 'frame' AND number > {LAST} - 2"),
        ],
        exchange("blob", "frame", f"{LAST} - 1", LAST),
        copied("frame", LAST, "number + 1"),
        copied("chunk", 1, 9999),
        ["DELETE FROM sealed_records WHERE kind = 'frame'"],
        [changed("revision = revision + 1", "kind = 'head'")],
        [changed("revision = 7", at("chunk", 2))],
        [changed("epoch = 2", at("chunk", 2))],
        [changed("epoch = 2", at("frame", LAST))],
        [changed("blob = x''", at("chunk", 2))],
    ],
)
def test_records_that_were_changed_do_not_open(main, sealed, statements):
    attack(main, *statements)
    with pytest.raises(Tampered):
        reopened(sealed)


def kept(main, kind):
    return [row._asdict() for row in records(main, kind)]


def put_back(main, rows):
    columns = "space_id, kind, number, epoch, revision, blob"
    insert = f"INSERT OR REPLACE INTO sealed_records ({columns}) VALUES "
    with main.write() as transaction:
        for row in rows:
            transaction.execute(text(f"{insert} (:{columns.replace(', ', ', :')})"), row)


@pytest.mark.parametrize("kind", ["head", "chunk"])
def test_a_record_of_an_earlier_day_does_not_open(main, sealed, kind):
    database = reopened(sealed)
    old = kept(main, kind)
    run(database, "UPDATE notes SET word = 'changed' WHERE id = 10")
    database.close()
    new = kept(main, kind)
    [(before, _), *_] = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    put_back(main, [before])
    with pytest.raises(Tampered):
        reopened(sealed)


def test_a_frame_of_another_course_of_events_does_not_open(main, sealed):
    everything = kept(main, None)
    for word in ("one", "other"):
        database = reopened(sealed)
        run(database, f"INSERT INTO notes (word) VALUES ('{word}')")
        run(database, f"INSERT INTO notes (word) VALUES ('{word} more')")
        database._drop()
        if word == "one":
            frames = kept(main, "frame")
            attack(main, "DELETE FROM sealed_records")
            put_back(main, everything)
    put_back(main, frames[-2:-1])
    with pytest.raises(Tampered):
        reopened(sealed)


@pytest.mark.parametrize("kind", ["head", "chunk", "frame"])
def test_a_record_of_another_space_does_not_open(main, sealed, kind):
    other = created(main, "forest")
    fill(other.open())
    other.checkpoint()
    for number in range(5):
        run(other._database, f"INSERT INTO notes (word) VALUES ('other {number}')")
    killed(other)
    foreign = [row for row in kept(main, kind) if row["space_id"] == "forest"]
    put_back(main, [{**foreign[-1], "space_id": "meadow"}])
    with pytest.raises(Tampered):
        reopened(sealed)


def test_all_records_of_an_earlier_day_are_told_by_the_tip(main, sealed):
    database = reopened(sealed)
    everything = kept(main, None)
    one = SealedStore(main, "meadow", SteelBox())
    one.open()
    before = one.tip
    run(one._database, "INSERT INTO notes (word) VALUES ('new')")
    assert one.tip.frame == before.frame + 1
    killed(one)
    database._drop()
    attack(main, "DELETE FROM sealed_records")
    put_back(main, everything)
    again = SealedStore(main, "meadow", SteelBox())
    again.open()
    assert again.tip == before
    killed(again)


def test_two_that_have_the_space_open_do_not_overwrite_each_other(main, sealed):
    first, second = reopened(sealed), reopened(sealed)
    run(first, "INSERT INTO notes (word) VALUES ('first')")
    with pytest.raises(Tampered):
        run(second, "INSERT INTO notes (word) VALUES ('second')")
    assert second.is_closed
    expected = dump(first)
    first._drop()
    assert dump(reopened(sealed)) == expected


def test_the_key_of_another_epoch_or_space_opens_nothing(main, sealed):
    with pytest.raises(SpaceLocked):
        SealedStore(main, "meadow", SteelBox(epoch=2)).open()
    with pytest.raises(Tampered):
        SealedStore(main, "meadow", SteelBox("forest")).open()


# ---------------------------------------------------------------- reading the disk


def windows(content: bytes, size: int = 6) -> set[bytes]:
    return {content[start : start + size] for start in range(len(content) - size + 1)}


def leaked(folder, content):
    """Return which files hold any six bytes in a row of this content."""
    wanted = windows(content)
    return [file.name for file in folder.iterdir() if wanted & windows(file.read_bytes())]


VECTOR = np.random.default_rng(8).normal(size=32).astype(np.float32)
VECTOR /= np.linalg.norm(VECTOR)
SECRETS = (SECRET.encode(), VECTOR.tobytes(), VECTOR.astype(np.float16).tobytes())


def test_no_file_tells_six_bytes_of_a_text_or_a_vector(main, tmp_path):
    made = created(main)
    database = made.open()
    fill(database, 3)
    index = ExactVectorIndex(database, dimensions=32)
    run(database, f"INSERT INTO notes (word) VALUES ('{SECRET}')")
    index.upsert([Point(1, VECTOR, {1: 1.0}, Labels("meadow", "zoe"))])
    with database.freeze() as image:
        assert windows(SECRETS[2]) & windows(image)  # what is looked for can be found
    assert [leaked(tmp_path, secret) for secret in SECRETS] == [[], [], []]
    made.checkpoint()
    assert [leaked(tmp_path, secret) for secret in SECRETS] == [[], [], []]
    database.close()
    assert [leaked(tmp_path, secret) for secret in SECRETS] == [[], [], []]


def plain(main, box):
    """Return everything that a key opens of the records on disk."""
    found = b""
    for row in records(main):
        try:
            found += box.open(row.kind, row.number, row.revision, row.blob)
        except Tampered:
            continue
    return found


def on_disk(folder, blobs):
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    return [blob for blob in blobs if blob[:64] in content]


def test_what_was_erased_is_in_no_record_that_the_key_opens(main, tmp_path):
    made = created(main)
    database = made.open()
    fill(database)
    run(database, f"INSERT INTO notes (word) VALUES ('{SECRET}')")
    assert SECRET.encode() in plain(main, SteelBox())
    made.checkpoint()
    assert SECRET.encode() in plain(main, SteelBox())
    run(database, "UPDATE notes SET word = '' WHERE word LIKE '%flowerpot%'")
    telling = [
        row.blob
        for row in records(main)
        if SECRET.encode() in SteelBox().open(row.kind, row.number, row.revision, row.blob)
    ]
    assert on_disk(tmp_path, telling) == telling
    assert database.scrub()
    assert SECRET.encode() not in plain(main, SteelBox())
    assert on_disk(tmp_path, telling) == []
    database.close()


def test_a_scrub_that_failed_is_done_with_the_next_maintenance(main, sealed, monkeypatch):
    database = reopened(sealed)
    made = database._journal
    with monkeypatch.context() as patch:
        patch.setattr(main, "scrub", lambda: False)
        assert not database.scrub()
    assert made.is_due()
    assert database.scrub_if_due()
    assert not made.is_due()
    database.close()


# ---------------------------------------------------------------- keys come and go


def test_after_a_reseal_the_old_key_opens_nothing_that_is_left(main, sealed, tmp_path):
    database = reopened(sealed)
    made = database._journal
    old, before = [row.blob for row in records(main)], dump(database)
    assert len(plain(main, SteelBox())) > 100_000
    assert made.reseal(SteelBox(epoch=2))
    assert plain(main, SteelBox()) == b""
    assert on_disk(tmp_path, old) == []
    run(database, "INSERT INTO notes (word) VALUES ('after')")
    assert {row.epoch for row in records(main)} == {2}
    made.checkpoint()
    killed(made)
    with pytest.raises(SpaceLocked):
        SealedStore(main, "meadow", SteelBox()).open()
    again = SealedStore(main, "meadow", SteelBox(epoch=2)).open()
    assert dump(again)["notes"][:-1] == before["notes"]
    again.close()


def test_a_reseal_that_fails_changes_nothing(main, sealed, monkeypatch):
    database = reopened(sealed)
    made = database._journal
    stored = records(main)

    class Blunt(SteelBox):
        def seal(self, kind, number, revision, payload):
            if kind == "head":
                raise StorageUnavailable("no")
            return super().seal(kind, number, revision, payload)

    with pytest.raises(StorageUnavailable):
        made.reseal(Blunt(epoch=2))
    assert records(main) == stored
    run(database, "UPDATE notes SET word = 'changed' WHERE id = 10")
    before = dump(database)
    made.checkpoint()
    killed(made)
    assert dump(reopened(sealed)) == before


def test_a_destroyed_space_leaves_nothing(main, sealed, tmp_path):
    created(main, "forest").open().close()
    old = [row.blob for row in records(main) if row.space_id == "meadow"]
    destroy(main, "meadow")
    main.scrub()
    assert on_disk(tmp_path, old) == []
    with pytest.raises(SpaceNotFound):
        reopened(sealed)
    with main.read() as transaction:
        assert spaces(transaction) == ["forest"]
        assert epoch_of(transaction, "forest") == 1
        assert not is_sealed(transaction, "meadow")
