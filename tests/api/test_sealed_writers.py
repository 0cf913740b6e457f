"""Who writes to the database without a key: what they change in a sealed space is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from api.sealed_world import Anywhere, Place, founded, is_in, records, windows
from api.world import accepted, refused, talk
from empty_memory import look_into, of_files
from wellworn.application.bootstrap import DATABASE


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def place(anywhere):
    return founded(anywhere())


# ---------------------------------------------------------------- who writes to the database


def write(place: Place, *statements: str) -> None:
    """Write to the database from outside, with ? for the space."""
    with look_into(place.home) as connection:
        for statement in statements:
            connection.execute(statement, [place.space] * statement.count("?"))


def kept_rows(place: Place, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table: place.rows(f"SELECT * FROM {table} WHERE space_id = ?", place.space)
        for table in tables or ("sealed_records",)
    }


def put_back(place: Place, kept: dict[str, list[tuple[Any, ...]]], where: str = "true") -> None:
    """Replace rows by those of an earlier time; of the records only those of a condition."""
    with look_into(place.home) as connection:
        for table, rows in kept.items():
            marks = ",".join("?" * len(rows[0]))
            connection.execute(f"CREATE TEMP TABLE old AS SELECT * FROM {table} WHERE false")
            for row in rows:
                connection.execute(f"INSERT INTO old VALUES ({marks})", row)
            connection.execute(
                f"DELETE FROM {table} WHERE space_id = ? AND {where}",
                [place.space],
            )
            connection.execute(f"INSERT INTO {table} SELECT * FROM old WHERE {where}")
            connection.execute("DROP TABLE old")


def refuses(place: Place) -> None:
    """Check that the space opens to nobody, with the error every damage has."""
    assert not place.is_open
    answers = [
        place.client.get("/api/v1/export"),
        place.client.get("/api/v1/search", params={"q": "lamp"}),
        place.client.post("/api/v1/memory", json=talk("lamp", contribute="always")),
    ]
    for answer in answers:
        refused(answer, 500, "INTERNAL_ERROR")
    assert not place.is_open


@pytest.fixture
def used(place):
    """A sealed space with an image, frames since, and nobody in it."""
    for number in range(12):
        place.know(f"The lamp number {number} burns whale oil. " + "more words " * 400)
    place.close()
    for number in range(4):
        place.know(f"The boat number {number} comes on Monday.")
    drop(place)
    assert {row[0] for row in records(place)} == {"head", "chunk", "frame"}
    return place


def drop(place: Place) -> None:
    """Lose the open space as a process that dies does: frames stay frames."""
    found = place.app.guard.pool._open.pop(place.space)
    found.services.database.discard()


LAST = "(SELECT max(number) FROM sealed_records WHERE kind = '{0}' AND space_id = ?)"


def at(kind: str) -> str:
    return f"space_id = ? AND kind = '{kind}' AND number = " + LAST.format(kind)


@pytest.mark.parametrize("kind", ["head", "chunk", "frame"])
@pytest.mark.parametrize("place_in_blob", ["1", "length(blob) / 2", "length(blob)"])
def test_a_flipped_bit_is_refused(used, kind, place_in_blob):
    [(old,)] = used.rows(
        f"SELECT blob FROM sealed_records WHERE {at(kind)}",
        used.space,
        used.space,
    )
    position = {"1": 0, "length(blob)": len(old) - 1}.get(place_in_blob, len(old) // 2)
    new = old[:position] + bytes([old[position] ^ 4]) + old[position + 1 :]
    write(used, f"UPDATE sealed_records SET blob = x'{new.hex()}' WHERE {at(kind)}")
    refuses(used)


@pytest.mark.parametrize("kind", ["head", "chunk", "frame"])
def test_a_dropped_record_is_refused(used, kind):
    write(used, f"DELETE FROM sealed_records WHERE {at(kind)}")
    if kind != "head":
        refuses(used)
        return
    answer = used.client.get("/api/v1/export")
    assert answer.status_code >= 400
    assert answer.json().keys() == {"error"}


@pytest.mark.parametrize("kind", ["head", "chunk", "frame"])
def test_a_record_of_another_space_is_refused(used, kind):
    other = founded(used, "other")
    for number in range(12):
        other.know(f"The lamp number {number} burns whale oil. " + "more words " * 400)
    other.close()
    for number in range(4):
        other.know(f"The boat number {number} comes on Monday.")
    drop(other)
    columns = "epoch, revision, blob"
    foreign = f"(SELECT {columns} FROM sealed_records AS b WHERE b.space_id = '{other.space}' "
    foreign += "AND b.kind = sealed_records.kind AND b.number = sealed_records.number)"
    write(used, f"UPDATE sealed_records SET ({columns}) = {foreign} WHERE {at(kind)}")
    refuses(used)


def test_all_records_of_another_space_are_refused(used):
    other = founded(used, "other")
    other.know("The lamp is cold.")
    drop(other)
    write(
        used,
        "DELETE FROM sealed_records WHERE space_id = ?",
        f"UPDATE sealed_records SET space_id = ? WHERE space_id = '{other.space}'",
    )
    refuses(used)


@pytest.mark.parametrize(
    "where",
    ["kind = 'head'", "kind = 'chunk' AND number = 0", "kind = 'chunk'", "kind != 'chunk'"],
)
def test_records_of_an_earlier_time_are_refused(used, where):
    earlier = kept_rows(used)
    used.know("The lamp is cold now.")
    used.close()
    used.know("The lamp burns again.")
    drop(used)
    put_back(used, earlier, where)
    refuses(used)


def test_frames_that_were_undone_are_refused(used):
    earlier = kept_rows(used)
    used.know("The lamp is cold now.")
    drop(used)
    put_back(used, earlier, "kind IN ('frame', 'head')")
    refuses(used)


def test_a_space_put_back_as_a_whole_is_told_by_the_audit_trail(used):
    earlier = kept_rows(used)
    used.know("The lamp is cold now.")
    drop(used)
    put_back(used, earlier)
    refuses(used)


def test_a_space_put_back_as_a_whole_with_its_keys_is_told_too(used):
    tables = ("sealed_records", "space_epochs", "space_grants", "space_memberships")
    earlier = kept_rows(used, *tables)
    used.change("/rotate")
    used.know("The lamp is cold now.")
    drop(used)
    put_back(used, earlier)
    refuses(used)


NEXT_EPOCH = "space_id, epoch + 1, key_check, x'00', author, created_at, signature"


@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO space_epochs SELECT {NEXT_EPOCH} FROM space_epochs WHERE space_id = ?",
        "DELETE FROM space_epochs WHERE space_id = ?",
        "UPDATE space_epochs SET key_check = zeroblob(32) WHERE space_id = ?",
        "UPDATE space_epochs SET author = lower(author) || '0' WHERE space_id = ?",
        "UPDATE space_epochs SET created_at = created_at + 1 WHERE space_id = ?",
        "UPDATE space_grants SET role = 'reader' WHERE space_id = ?",
        "UPDATE space_grants SET wrapped = zeroblob(length(wrapped)) WHERE space_id = ?",
        "UPDATE space_grants SET wrapped = x'00' WHERE space_id = ?",
        "UPDATE space_grants SET signature = zeroblob(64) WHERE space_id = ?",
        "UPDATE space_grants SET signature = x'' WHERE space_id = ?",
        "UPDATE space_grants SET granted_by = 'invitation/none' WHERE space_id = ?",
        "UPDATE space_grants SET encryption_public = zeroblob(8) WHERE space_id = ?",
        "UPDATE space_grants SET signing_public = zeroblob(32) WHERE space_id = ?",
        "UPDATE space_memberships SET pinned = zeroblob(64) WHERE space_id = ?",
        "UPDATE space_memberships SET pinned = x'' WHERE space_id = ?",
    ],
)
def test_changed_statements_about_who_may_enter_are_refused(used, statement):
    write(used, statement)
    refuses(used)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE space_memberships SET pinned = NULL WHERE space_id = ?",
        "UPDATE space_grants SET wrapped = NULL WHERE space_id = ?",
        "DELETE FROM space_grants WHERE space_id = ?",
    ],
)
def test_a_member_whose_grant_was_taken_away_finds_the_space_locked(used, statement):
    write(used, statement)
    refused(used.client.get("/api/v1/export"), 423, "SPACE_LOCKED")


def test_a_membership_that_was_written_in_opens_nothing(used):
    stranger = founded(used, "elsewhere")
    columns = "agent_id, role, granted_at, granted_by, pinned"
    write(
        used,
        f"INSERT INTO space_memberships (space_id, {columns}) SELECT ?, {columns} "
        f"FROM space_memberships WHERE space_id = '{stranger.space}'",
    )
    bearer = replace(stranger.client, space=used.space)
    refused(bearer.get("/api/v1/export"), 500, "INTERNAL_ERROR")
    write(used, "UPDATE space_memberships SET pinned = NULL WHERE space_id = ?")
    refused(bearer.get("/api/v1/export"), 423, "SPACE_LOCKED")


def test_a_grant_that_was_copied_for_somebody_else_opens_nothing(used):
    bob = used.shared("bob", role="reader")
    for column in ("member_id", "granted_by"):
        write(
            used,
            f"DELETE FROM space_grants WHERE space_id = ? AND member_id = '{bob.member}'",
            "INSERT INTO space_grants SELECT space_id, epoch, "
            f"'{bob.member}', encryption_public, signing_public, role, wrapped, wrapped_hash, "
            f"{column}, signature FROM space_grants WHERE space_id = ?",
        )
        refused(bob.client.get("/api/v1/export"), 500, "INTERNAL_ERROR")


def test_a_role_that_was_raised_in_the_tables_is_worth_nothing(used):
    bob = used.shared("bob", role="reader")
    write(used, "UPDATE space_memberships SET role = 'admin' WHERE space_id = ?")
    body = talk("I say the lamp is cold.", contribute="always")
    refused(bob.post("memory", body), 403, "FORBIDDEN")
    invited = bob.client.post(f"/api/v1/spaces/{used.space}/invitations", json={})
    if invited.status_code == 200:
        joining = {"token": invited.json()["token"], "name": "eve"}
        joined = used.client.client.post("/api/v1/invitations/accept", json=joining)
        assert joined.status_code >= 400


def child(place: Place, **limits: Any) -> tuple[Place, str]:
    """Return the place through a lesser credential of the same member, and its number."""
    body = {"name": "child", **limits}
    made = accepted(place.client.post("/api/v1/credentials", json=body))
    return replace(place, client=replace(place.client, key=made["key"])), made["credential"]["kid"]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_credential_that_was_made_greater_in_the_tables_opens_nothing_more(used, is_open):
    lesser, kid = child(used, role="reader")
    if is_open:
        lesser.ask("lamp")
    write(used, f"UPDATE credentials SET role = 'admin' WHERE kid = '{kid}'")
    body = talk("I say the lamp is cold.", contribute="always")
    assert lesser.post("memory", body).status_code >= 400


def test_a_revoked_credential_that_was_revived_in_the_tables_opens_nothing(used):
    stolen, kid = child(used)
    stolen.ask("lamp")
    used.close()
    accepted(used.client.request("DELETE", f"/api/v1/credentials/{kid}"))
    refused(stolen.client.get("/api/v1/highways"), 401, "UNAUTHENTICATED")
    write(used, "UPDATE credentials SET revoked_at = NULL")
    assert stolen.client.get("/api/v1/highways").status_code >= 400


@of_files
def test_a_space_that_was_declared_open_takes_and_tells_nothing(used):
    write(used, "UPDATE knowledge_spaces SET mode = 'open' WHERE id = ?")
    secret = "Whoever reads the disk reads this sentence."
    answer = used.post("memory", talk(secret, contribute="always"))
    assert answer.status_code >= 400
    assert answer.json().keys() == {"error"}
    assert not is_in((used.home / DATABASE).read_bytes(), windows(secret))
    assert used.client.get("/api/v1/export").status_code >= 400


def test_an_open_space_is_untouched_by_damage_to_a_sealed_one(used):
    write(used, f"DELETE FROM sealed_records WHERE {at('frame')}")
    refuses(used)
    accepted(used.client.client.post("/api/v1/memory", json=talk("lamp oil", contribute="always")))
    assert len(accepted(used.client.client.get("/api/v1/search?q=lamp"))["results"]) == 1
