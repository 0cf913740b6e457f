"""The numbers that a member sees tell nothing of how much goes on in other spaces."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.world import accepted
from wellworn.kit.ids import new_number

LARGEST_EXACT = 2**53
"""Up to which every reader of JSON tells numbers apart."""


def add_note(place, name):
    """Add a source with one document to a space; return their numbers, and that of its sync."""
    body = {"source_type": "manual_note", "name": name, "config": {"text": f"{name} is a lamp."}}
    answer = place.client.post("/api/knowledge/sources", json=body)
    source = accepted(answer)["id"]
    url = f"/api/knowledge/sources/{source}"
    accepted(place.client.post(f"{url}/sync", params={"wait": "words"}))
    runs = accepted(place.client.get(f"{url}/runs"))["runs"]
    documents = accepted(place.client.get("/api/knowledge/documents"))["documents"]
    [document] = [each["id"] for each in documents if each["source_id"] == source]
    return source, document, runs[0]["id"]


@pytest.mark.parametrize("others", [0, 3])
def test_nobody_counts_what_other_spaces_make(opened, others):
    world = Anywhere(opened)("home")
    ours, theirs = (founded(world, name, sealed=False) for name in ("ours", "theirs"))
    before = add_note(ours, "lantern")
    for number in range(others):
        add_note(theirs, f"torch {number}")
    after = add_note(ours, "beacon")
    for first, second in zip(before, after, strict=True):
        assert second - first > 100 * (others + 1)
        assert second < LARGEST_EXACT


def test_numbers_grow_and_differ_within_a_process():
    numbers = [new_number() for _ in range(10_000)]
    assert numbers == sorted(set(numbers))
