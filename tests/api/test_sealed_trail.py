"""The trail of a sealed space: a thief of the database learns from it how much was done, no more."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from api.sealed_world import Anywhere, Place, Traces, founded, seen
from api.world import accepted, refused
from wellworn.application.maintenance import backup


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
    """Do what a trail tells of: say, ask, read, sync, invite, and be turned away while locked."""
    lamp = place.know("The lamp burns whale oil.")
    place.ask("What does the lamp burn?")
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
    tables = [
        name
        for (name,) in place.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        if name.startswith("audit_")
    ]
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
    assert {"memory.recalled", "member.joined", "space.rotated", "source.created"} <= {
        entry["action"] for entry in entries
    }
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
