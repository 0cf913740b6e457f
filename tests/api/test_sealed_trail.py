"""The trail of a sealed space tells a thief of the database how much was done, and no more."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from api.routes import query
from api.sealed_world import Anywhere, Place, Traces, founded, restarted, seen
from api.world import accepted, refused
from empty_memory import look_into
from wellworn.application.maintenance import backup, restore
from wellworn.testing.embedder import HashEmbedder


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def place(anywhere):
    return founded(anywhere())


def child(place: Place, **limits: Any) -> Place:
    """Return the place as seen by the bearer of a lesser credential."""
    made = accepted(place.client.post("/api/v1/credentials", json={"name": "child", **limits}))
    return replace(place, client=replace(place.client, key=made["key"]))


def trail(place: Place, **query: Any) -> list[dict[str, Any]]:
    return place.read("audit", limit=1000, **query)["entries"]


def live(place: Place) -> None:
    """Do what a trail tells of: say, ask, work on turns, read, sync, invite, be turned away."""
    lamp = place.know("The lamp burns whale oil.")
    place.ask("What does the lamp burn?")
    turn = accepted(place.post("turns", query("What does the lamp burn?")))["turn"]["id"]
    place.read(f"turns/{turn}")
    place.record(lamp)
    body = {"name": "notes", "source_type": "manual_note", "config": {"text": "Oil is dear."}}
    accepted(place.client.post("/api/knowledge/sources", json=body))
    bob = place.shared("bob")
    bob.ask("What does the lamp burn?")
    reader = child(place, role="reader")
    place.close()
    for caller in (bob, reader):
        url = f"/api/v1/spaces/{place.space}/rotate"
        refused(caller.client.post(url), 403, "FORBIDDEN")
    assert not place.is_open


def told(entries: list[dict[str, Any]]) -> Traces:
    """Return what stands in a trail and nowhere else."""
    found = {entry["action"] for entry in entries}
    found |= {entry["request_id"] for entry in entries if entry["request_id"]}
    found |= {target for entry in entries for target in entry["targets"] if len(target) > 8}
    found |= {'"FORBIDDEN"', '"touched"'}
    return Traces(np.empty(0, np.uint64), tuple(one.encode() for one in sorted(found)))


def without_ids_kept_elsewhere(place: Place, entries: list[dict[str, Any]]) -> Traces:
    """Leave out members and invitations, whose tables say who belongs to a space."""
    known = {one for row in place.rows("SELECT id FROM members") for one in row}
    known |= {one for row in place.rows("SELECT id FROM invitations") for one in row}
    kept = [
        {**entry, "targets": [one for one in entry["targets"] if one not in known]}
        for entry in entries
    ]
    return told(kept)


def stored(place: Place) -> bytes:
    """Return everything that the trail's tables have of the space, but its id."""
    tables = [name for name in place.tables() if name.startswith("audit_")]
    rows = [place.rows(f"SELECT * FROM {name} WHERE space_id = ?", place.space) for name in tables]
    return b"".join(
        value if isinstance(value, bytes) else str(value).encode()
        for found in rows
        for row in found
        for value in row
    )


def test_no_file_has_what_only_the_trail_tells(place, tmp_path):
    live(place)
    place.app.guard.audit.checkpoint(place.space)
    entries = trail(place)
    wanted = without_ids_kept_elsewhere(place, entries)
    actions = {entry["action"] for entry in entries}
    assert {"memory.recalled", "member.joined", "space.rotated", "source.created"} <= actions
    assert {"turn.asked", "turn.read"} <= actions
    assert len(wanted.ids) > 20
    assert seen(place.home, wanted) == []
    backup(place.home, tmp_path / "copy")
    assert seen(tmp_path, wanted) == []
    place.change("/rotate")
    place.app.close()
    assert seen(place.home, wanted) == []


def test_no_row_of_the_trail_names_who_did_it(place):
    live(place)
    named = {entry[who] for entry in trail(place) for who in ("principal", "credential")} - {None}
    kept = stored(place)
    assert len(named) > 3
    assert [one for one in named if one.encode() in kept] == []


def test_an_open_space_s_trail_shows_what_is_looked_for(anywhere):
    place = founded(anywhere(), sealed=False)
    place.ask("What does the lamp burn?")
    assert seen(place.home, told(trail(place))) != []
    assert json.loads(place.rows("SELECT entry FROM audit_entries")[0][0])["action"]


def acted(place: Place, **query: Any) -> list[str]:
    return [entry["action"] for entry in trail(place, **query)]


def test_members_read_it_after_every_new_key_and_restart(anywhere, place):
    live(place)
    before = acted(place)
    bob = place.shared("bob")
    place.change(f"/members/{bob.member}", "DELETE")
    place.change("/rotate")
    place.change("/reseal")
    place = restarted(anywhere, place)
    place.ask("What does the lamp burn?")
    assert acted(place)[: len(before)] == before
    assert acted(place)[-1] == "audit.read"
    assert place.read("audit/verify")["ok"]
    lines = [json.loads(one) for one in place.client.get("/api/v1/audit/export").text.splitlines()]
    opened = [line["opened"]["action"] for line in lines if "of" in line]
    assert opened[: len(before)] == before
    assert len(opened) == len([line for line in lines if "seq" in line])


def test_whoever_is_no_admin_reads_nothing_of_it(place):
    bob = place.shared("bob")
    for what in ("audit", "audit/export", "audit/verify"):
        refused(bob.client.get(f"/api/v1/{what}"), 403, "FORBIDDEN")
    place.change(f"/members/{bob.member}", "DELETE")
    refused(bob.client.get("/api/v1/audit"), 404, "SPACE_NOT_FOUND")


def test_a_role_that_was_written_into_the_database_reads_nothing_of_it(place):
    bob = place.shared("bob")
    place.close()
    with look_into(place.home) as records:
        records.execute(
            "UPDATE space_memberships SET role = 'admin' WHERE agent_id = ?", (bob.member,)
        )
    for what in ("audit", "audit/export"):
        refused(bob.client.get(f"/api/v1/{what}"), 403, "FORBIDDEN")


def test_a_space_that_is_sealed_later_has_a_sealed_trail_from_then_on(anywhere):
    place = founded(anywhere(), sealed=False)
    place.know("The lamp burns whale oil.")
    place.change("/seal")
    place.ask("What does the lamp burn?")
    actions = acted(place)
    place_of_sealing = actions.index("space.sealed")
    assert 0 < place_of_sealing < len(actions) - 1
    later = trail(place)[place_of_sealing:]
    wanted = tuple(one["request_id"].encode() for one in later)
    assert seen(place.home, Traces(np.empty(0, np.uint64), wanted)) == []
    place.app.guard.audit.checkpoint(place.space)
    assert place.read("audit/verify")["ok"]


@pytest.mark.parametrize("is_sealed_first", [True, False])
def test_after_unsealing_its_trail_is_read_by_those_who_may(anywhere, is_sealed_first):
    place = founded(anywhere(), sealed=is_sealed_first)
    if not is_sealed_first:
        place.change("/seal")
    live(place)
    before = acted(place)
    opened = place.change("/unseal")["id"]
    operator = replace(place, client=place.client.client)
    if opened == place.space:
        assert acted(place)[: len(before)] == before
        place.change("/seal")
        assert acted(place)[: len(before)] == before
    else:
        there = replace(place, client=replace(place.client, space=opened))
        assert acted(there)[0] == "space.unsealed"
        assert acted(operator, of=place.space)[: len(before)] == before
        assert acted(operator, of=place.space)[-1] == "space.unsealed"
    assert operator.app.guard.audit.verify(place.space).ok


def test_of_a_deleted_space_the_operator_sees_that_it_was_deleted_and_by_whom(place, tmp_path):
    live(place)
    wanted = without_ids_kept_elsewhere(place, trail(place))
    place.change(method="DELETE")
    operator = replace(place, client=place.client.client)
    [last] = trail(operator, of=place.space)
    assert (last["action"], last["principal"]) == ("space.deleted", place.member)
    assert operator.read("audit/verify", of=place.space)["entries"] == last["seq"]
    exported = operator.client.get("/api/v1/audit/export", params={"of": place.space})
    assert len(exported.text.splitlines()) == 1 + last["seq"]
    assert seen(place.home, wanted) == []
    assert place.rows("SELECT count(*) FROM audit_keys WHERE wrapped IS NOT NULL") == [(0,)]


@pytest.mark.parametrize("has_key", [True, False])
def test_a_restored_trail_is_read_and_goes_on(anywhere, place, tmp_path, has_key):
    live(place)
    before = acted(place)
    backup(place.home, tmp_path / "copy")
    home = place.home.with_name("restored")
    restore(home, tmp_path / "copy", embedder=HashEmbedder())
    if has_key:
        shutil.copy(place.home / "server.key", home / "server.key")
    world = anywhere("restored")
    client = replace(place.client, client=world.client)
    place = replace(place, home=home, clock=world.clock, app=world.app, client=client)
    place.know("The boat comes on Monday.")
    assert acted(place)[: len(before)] == before
    assert "memory.remembered" in acted(place)[len(before) :]
    assert place.read("audit/verify")["ok"] is has_key


def test_a_space_from_before_trails_were_sealed_has_a_sealed_one_once_it_is_opened(anywhere, place):
    place.app.close()
    with look_into(place.home) as raw:
        raw.execute("DELETE FROM audit_keys")
        raw.execute("DELETE FROM audit_pens")
        raw.execute("DELETE FROM audit_entries")
    place = restarted(anywhere, place)
    reader = child(place, role="reader")
    refused(reader.client.post(f"/api/v1/spaces/{place.space}/rotate"), 403, "FORBIDDEN")
    assert json.loads(
        place.rows("SELECT entry FROM audit_entries WHERE space_id != 'server'")[0][0]
    )["action"]
    place.know("The lamp burns whale oil.")
    assert acted(place)[0] == "space.rotated"
    sealed = place.rows(
        "SELECT entry FROM audit_entries WHERE space_id = ? AND seq > 1", place.space
    )
    assert [set(json.loads(entry)) for (entry,) in sealed] == [{"digest", "pen", "sealed"}] * len(
        sealed
    )


@pytest.mark.parametrize(
    ("column", "value"), [("encryption_public", bytes), ("state", "open"), ("wrapped", bytes)]
)
def test_a_space_whose_trail_has_another_key_opens_to_nobody(place, column, value):
    place.know("The lamp burns whale oil.")
    place.close()
    with look_into(place.home) as records:
        [(before,)] = records.execute(f"SELECT {column} FROM audit_keys").fetchall()
        after = value if value == "open" else bytes(len(before))
        records.execute(f"UPDATE audit_keys SET {column} = ?", (after,))
    refused(place.client.get("/api/v1/highways"), 500, "INTERNAL_ERROR")
    assert not place.is_open
