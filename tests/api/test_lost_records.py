"""A sealed space of a damaged folder: salvaged, it serves what is left and names what is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api.sealed_world import Anywhere, founded
from api.test_sealed_writers import at, drop, refuses, write
from api.world import accepted
from wellworn.application.maintenance import doctor, salvage
from wellworn.testing.embedder import HashEmbedder

EMBEDDER = HashEmbedder()
LAMPS = 60


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def used(anywhere):
    """A sealed space with an image of several chunks and frames since, and nobody in it."""
    place = founded(anywhere())
    lamp = "The lamp number {} burns whale oil. " + "more words " * 400
    records = [
        {
            "record": "thought",
            "content": lamp.format(number),
            "contributor_id": "zoe",
            "contributor_name": "Zoe",
        }
        for number in range(LAMPS)
    ]
    place.import_records(*records)
    place.close()
    for number in range(4):
        place.know(f"The boat number {number} comes on Monday.")
    drop(place)
    return place


def damaged(place, *statements):
    write(place, *statements)
    refuses(place)


def salvaged(anywhere, place):
    place.app.close()
    target = place.home.with_name("salvaged")
    salvage(place.home, target, embedder=EMBEDDER)
    [finding] = [each for each in doctor(target, embedder=EMBEDDER).findings if not each.ok]
    assert finding.check == "sealed spaces"
    world = anywhere("salvaged")
    client = replace(place.client, client=world.client)
    return replace(place, home=world.home, clock=world.clock, app=world.app, client=client)


def contents(place):
    records = place.export()
    return records.count("The lamp number"), records.count("The boat number")


def opened_entries(place):
    entries = accepted(place.client.get("/api/v1/audit"))["entries"]
    return [entry for entry in entries if entry["action"] == "space.opened"]


def middle(place):
    [(number,)] = place.rows(
        "SELECT max(number) / 2 FROM sealed_records WHERE space_id = ? AND kind = 'chunk'",
        place.space,
    )
    return f"space_id = ? AND kind = 'chunk' AND number = {number}"


def test_a_lost_chunk_is_named_and_the_rest_is_served(anywhere, used):
    damaged(used, f"DELETE FROM sealed_records WHERE {middle(used)}")
    place = salvaged(anywhere, used)
    lamps, boats = contents(place)
    assert LAMPS / 2 < lamps <= LAMPS
    assert boats == 4
    health = accepted(place.client.get("/api/v1/health"))
    assert health["status"] != "ok"
    assert "1 stored records of this sealed space are lost" in health["advice"]
    details = opened_entries(place)[-1]["details"]
    assert details["lost_records"] == 1
    assert place.read("search", q="boat Monday")["results"]
    place.know("The lamp is cold now.")
    place.close()
    place.app.close()
    assert all(finding.ok for finding in doctor(place.home, embedder=EMBEDDER).findings)


def test_a_lost_transaction_is_named_and_the_rest_is_served(anywhere, used):
    damaged(used, f"DELETE FROM sealed_records WHERE {at('frame')}")
    place = salvaged(anywhere, used)
    assert contents(place) == (LAMPS, 3)
    place.close()
    assert contents(place) == (LAMPS, 3)
    assert accepted(place.client.get("/api/v1/health"))["status"] == "ok"
    assert [entry["details"].get("lost_records") for entry in opened_entries(place)[-2:]] == [
        1,
        None,
    ]


def test_a_new_key_for_a_space_with_losses_tells_of_them(anywhere, used):
    damaged(used, f"DELETE FROM sealed_records WHERE {at('frame')}")
    place = salvaged(anywhere, used)
    place.change("/rotate")
    assert contents(place) == (LAMPS, 3)
    entries = accepted(place.client.get("/api/v1/audit"))["entries"]
    losses = [entry["details"].get("lost_records") for entry in entries]
    assert 1 in losses
