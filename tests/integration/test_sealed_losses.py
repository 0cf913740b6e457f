"""A sealed space that lost records opens once it is salvaged; what was moved stays refused."""

from __future__ import annotations

import pytest

from integration.sealed_world import NOTES, SteelBox, created, dump, fill, killed, run
from integration.test_sealed_attacks import at, dropped, exchange, flipped, kept, put_back
from wellworn.engines.storage.sealed import SealedStore, mark_salvaged
from wellworn.engines.storage.sql import RamDatabase, salvage_image
from wellworn.errors import Tampered

LATER = 5
MOST_IN_A_CHUNK = 8


@pytest.fixture
def sealed(main):
    """A space of several chunks and five frames, whose process has died, and what was in it."""
    made = created(main)
    fill(made.open())
    made.checkpoint()
    for number in range(LATER):
        run(made._database, f"INSERT INTO notes (word) VALUES ('later {number}')")
    before = {row[1:] for row in dump(made._database)["notes"]}
    killed(made)
    return before


def recover(image, changes, holes):
    empty = RamDatabase()
    run(empty, NOTES)
    with empty.freeze() as model:
        content, salvaged = salvage_image(image, changes, model, has_holes=holes > 0)
    return content, tuple(salvaged.lost)


def opened_rest(main):
    store = SealedStore(main, "meadow", SteelBox(), recover)
    return store, store.open()


def rest_of(main):
    store, database = opened_rest(main)
    notes = {row[1:] for row in dump(database)["notes"]}
    database.close()
    return notes, store.loss


def salvaged(main, *statements):
    run(main, *statements)
    with pytest.raises(Tampered):
        opened_rest(main)
    with main.write() as transaction:
        mark_salvaged(transaction)


LAST = "(SELECT max(number) FROM sealed_records WHERE kind = 'frame')"


@pytest.mark.parametrize("damage", [dropped, flipped])
@pytest.mark.parametrize("number", range(7))
def test_a_lost_chunk_takes_only_its_own_rows(main, sealed, damage, number):
    salvaged(main, *damage("chunk", number))
    notes, loss = rest_of(main)
    assert notes < sealed
    assert loss.records == 1
    assert loss.rows or number == 0  # with what names them
    assert len(sealed - notes) <= MOST_IN_A_CHUNK
    assert {f"later {later}" for later in range(LATER)} <= {note[1] for note in notes}


@pytest.mark.parametrize("damage", [dropped, flipped])
@pytest.mark.parametrize("later", range(LATER))
def test_a_lost_frame_takes_only_its_own_transaction(main, sealed, damage, later):
    salvaged(main, *damage("frame", f"{LAST} - {later}"))
    notes, loss = rest_of(main)
    assert {note[1] for note in sealed - notes} == {f"later {LATER - 1 - later}"}
    assert loss.records == 1


def test_what_is_left_is_written_anew_and_opens_like_any_other(main, sealed):
    salvaged(main, *dropped("chunk", 3), *dropped("frame", LAST))
    notes, loss = rest_of(main)
    assert loss.records == 2
    database = SealedStore(main, "meadow", SteelBox()).open()
    assert {row[1:] for row in dump(database)["notes"]} == notes
    database.close()
    run(main, *dropped("chunk", 1))
    with pytest.raises(Tampered):
        opened_rest(main)


def test_a_process_that_dies_with_the_rest_open_has_lost_nothing_more(main, sealed):
    salvaged(main, *dropped("chunk", 3), *dropped("frame", f"{LAST} - 1"))
    store, database = opened_rest(main)
    before = store.loss
    run(database, "INSERT INTO notes (word) VALUES ('after')")
    expected = dump(database)["notes"]
    killed(store)
    store, database = opened_rest(main)
    assert dump(database)["notes"] == expected
    assert store.loss == before
    database.close()


def test_of_a_whole_space_nothing_is_lost(main, sealed):
    with main.write() as transaction:
        mark_salvaged(transaction)
    notes, loss = rest_of(main)
    assert (notes, loss.records) == (sealed, 0)


def test_a_lost_list_of_chunks_alone_loses_nothing(main, sealed):
    run(main, *dropped("head", -1))
    with main.write() as transaction:
        mark_salvaged(transaction)
    assert rest_of(main)[0] == sealed


@pytest.mark.parametrize(
    "statements",
    [
        exchange("blob", "chunk", 1, 2),
        [*exchange("blob", "chunk", 1, 2), *exchange("revision", "chunk", 1, 2)],
        [*dropped("chunk", 3), *exchange("blob", "chunk", 1, 2)],
        [*dropped("chunk", 3), *dropped("head", -1)],
        exchange("blob", "frame", f"{LAST} - 1", LAST),
        [*dropped("frame", f"{LAST} - 3"), *exchange("blob", "frame", f"{LAST} - 1", LAST)],
        [f"UPDATE sealed_records SET number = 3 WHERE {at('chunk', 2)}"],
        [f"UPDATE sealed_records SET epoch = 2 WHERE {at('chunk', 2)}"],
        [f"UPDATE sealed_records SET revision = 7 WHERE {at('chunk', 2)}"],
        [f"UPDATE sealed_records SET number = 99 WHERE {at('chunk', 2)}"],
        flipped("head", 0),
    ],
)
def test_records_that_were_moved_stay_refused(main, sealed, statements):
    if "number = 3" in statements[0]:
        run(main, *dropped("chunk", 3))
    salvaged(main, *statements)
    with pytest.raises(Tampered):
        opened_rest(main)


@pytest.mark.parametrize("kind", ["chunk", "frame"])
def test_a_record_that_was_put_back_stays_refused_beside_a_lost_one(main, sealed, kind):
    everything = kept(main, None)
    store = SealedStore(main, "meadow", SteelBox())
    run(store.open(), "INSERT INTO notes (word) VALUES ('one')", "DELETE FROM notes WHERE id < 19")
    if kind == "chunk":
        store.checkpoint()
        new = {row["number"]: row for row in kept(main, kind)}
        old = [r for r in everything if r["kind"] == kind and r != new[r["number"]]][-1]
        lost = next(number for number in new if number != old["number"])
    else:
        other = kept(main, kind)[-1]
        run(main, "DELETE FROM sealed_records")
        put_back(main, everything)
        store = SealedStore(main, "meadow", SteelBox())
        run(
            store.open(),
            "INSERT INTO notes (word) VALUES ('two')",
            "DELETE FROM notes WHERE id = 1",
        )
        old, lost = other, kept(main, kind)[0]["number"]
    killed(store)
    put_back(main, [old])
    salvaged(main, *dropped(kind, lost))
    with pytest.raises(Tampered):
        opened_rest(main)
