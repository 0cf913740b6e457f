"""Words that several members said: whoever erases their own leaves those of the others."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.world import accepted, refused

COOL = "The archive room is cooled to 16 degrees."


@pytest.fixture(params=[False, True], ids=["open", "sealed"])
def members(opened, request):
    """An admin and three contributors of a space."""
    admin = founded(Anywhere(opened)(), sealed=request.param)
    return admin, *(admin.shared(name) for name in ("bo", "cy", "di"))


def test_what_another_member_said_in_the_same_words_stays_theirs(members):
    _, bo, cy, di = members
    first = bo.know(COOL, "bo", tags=["archive"])
    for place, name in ((cy, "cy"), (di, "di"), (cy, "cy")):
        place.clock.advance(60)
        assert place.know(COOL, name) == first
    said_at = cy.record(first)["affirmed_by"][0]["timestamp"]
    bo.clock.advance(60)
    bo.forget(first, "bo")
    assert cy.record(first)["erased_at"]
    [kept] = accepted(cy.client.get("/api/v1/thoughts"))["thoughts"]
    assert (kept["content"], kept["contributor_id"], kept["tags"]) == (COOL, "cy", [])
    record = cy.record(kept["thought_id"])
    assert record["created_at"] == said_at
    assert [each["contributor_id"] for each in record["affirmed_by"]] == ["di"]
    assert cy.ask("How cool is the archive room?", "cy")["result"]["sources"]
    # Who says it last erases it for good, and nobody erases what others said.
    body = {"agent_id": "bo"}
    refused(bo.send("DELETE", f"thoughts/{kept['thought_id']}", body), 403, "FORBIDDEN")
    cy.forget(kept["thought_id"], "cy")
    [kept] = accepted(di.client.get("/api/v1/thoughts"))["thoughts"]
    assert kept["contributor_id"] == "di"
    di.forget(kept["thought_id"], "di")
    assert accepted(di.client.get("/api/v1/thoughts"))["thoughts"] == []


def test_an_admin_erases_the_words_whoever_said_them(members):
    admin, bo, cy, _ = members
    first = bo.know(COOL, "bo")
    cy.know(COOL, "cy")
    admin.forget(first, "ana")
    assert accepted(cy.client.get("/api/v1/thoughts"))["thoughts"] == []
