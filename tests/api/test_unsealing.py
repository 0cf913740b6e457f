"""A sealed space becomes an open one: with all it held, for its members, whole or not at all."""

from __future__ import annotations

import json
from threading import Thread

import pytest

from api.routes import documented
from api.walls import Caller, founded, send, served
from api.world import accepted, refused
from empty_memory import look_into
from patience import LONG_S
from wellworn.application.transfer import Transfer

LAMP = "The lamp burns whale oil."


@pytest.fixture
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["founded sealed", "sealed later"])
def owner(world, request):
    owner = founded(world, "lab", sealed=request.param == "founded sealed")
    owner.know(LAMP)
    owner.ask("What does the lamp burn?")
    documented(owner, "lamp")
    if request.param == "sealed later":
        accepted(owner.post(f"spaces/{owner.space}/seal"))
    return owner


def unseal(owner: Caller):
    return owner.post(f"spaces/{owner.space}/unseal")


def enter(caller: Caller, space: str) -> Caller:
    return Caller(caller.world, caller.key, space, caller.member_id)


def everything(caller: Caller) -> set[str]:
    return {json.dumps(record, sort_keys=True) for record in caller.everything()}


def test_all_it_held_is_there_as_it_was_and_nothing_sealed_is_left(owner):
    before, old = everything(owner), owner.space
    told = accepted(unseal(owner))
    assert (told["mode"], told["epoch"], told["role"]) == ("open", 0, "admin")
    assert told["id"] == old.replace("kss-", "ks-")
    opened = enter(owner, told["id"])
    assert everything(opened) == before
    assert accepted(opened.get("search?q=lamp"))["results"][0]["content_preview"] == LAMP
    assert accepted(opened.get("/api/knowledge/search", params={"q": "cube"}))["results"]
    for table in ("sealed_records", "space_epochs", "space_grants"):
        assert owner.world.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert opened.world.app.thoughts is not None
    opened.know("The wick is trimmed at dusk.")
    assert accepted(opened.get("health"))["status"] == "ok"
    assert opened.trail()[-1]["action"] != "space.sealed"
    assert "space.unsealed" in {entry["action"] for entry in opened.trail()}


def test_members_stay_in_their_signed_roles_and_invitations_end(owner):
    guest, stranger = owner.guest("contributor"), owner.guest("reader")
    limited = owner.child(spaces=[owner.space])
    invited = accepted(owner.post(f"spaces/{owner.space}/invitations", {}))
    with look_into(owner.world.home) as records:
        records.execute(
            "UPDATE space_memberships SET role = 'admin' WHERE agent_id = ?", [guest.member_id]
        )
        records.execute("DELETE FROM space_grants WHERE member_id = ?", [stranger.member_id])
    space = accepted(unseal(owner))["id"]
    belonging = accepted(enter(owner, space).get(f"spaces/{space}/members"))
    assert {one["member_id"]: one["role"] for one in belonging["members"]} == {
        owner.member_id: "admin",
        guest.member_id: "contributor",
    }
    assert belonging["invitations"] == []
    assert accepted(enter(guest, space).get("search?q=lamp"))["results"]
    assert accepted(enter(limited, space).get("search?q=lamp"))["results"]
    refused(enter(stranger, space).get("search?q=lamp"), 404, "SPACE_NOT_FOUND")
    accept = {"token": invited["token"]}
    refused(send(owner.world, "POST", "invitations/accept", accept), 404, "CREDENTIAL_NOT_FOUND")


def test_what_fails_half_way_changes_nothing(owner, monkeypatch):
    before = everything(owner)
    index = owner.world.app.indexes[1]
    monkeypatch.setattr(type(index), "upsert", fail)
    refused(unseal(owner), 500, "INTERNAL_ERROR")
    monkeypatch.undo()
    assert everything(owner) == before
    assert owner.world.rows("SELECT count(*) FROM thoughts") == [(0,)]
    assert accepted(unseal(owner))["mode"] == "open"


def fail(index, points):
    from wellworn.errors import StorageUnavailable

    raise StorageUnavailable("the disk is full; nothing was written")


def test_only_an_admin_of_a_sealed_space_unseals_it(owner, world):
    refused(unseal(owner.guest("contributor")), 403, "FORBIDDEN")
    refused(unseal(founded(world)), 400, "VALIDATION_ERROR")


def test_others_write_while_what_it_held_is_made_ready(owner, monkeypatch):
    prepare, written = Transfer._prepare, []

    def prepare_and_write(*arguments):
        other = Thread(target=write, args=(owner.world.app.database,))
        other.start()
        other.join(timeout=LONG_S)
        written.append(not other.is_alive())
        return prepare(*arguments)

    monkeypatch.setattr(Transfer, "_prepare", prepare_and_write)
    accepted(unseal(owner))
    assert written == [True]


def write(database):
    with database.write():
        pass


def test_it_can_be_sealed_again(owner):
    opened = enter(owner, accepted(unseal(owner))["id"])
    before = everything(opened)
    assert accepted(opened.post(f"spaces/{opened.space}/seal"))["mode"] == "sealed"
    assert everything(opened) == before
    assert accepted(unseal(opened))["mode"] == "open"
    assert everything(opened) == before


def test_one_that_was_used_while_it_was_sealed_can_be_sealed_again(owner, world):
    owner.know("The boat comes on Monday.")
    for _ in range(2):
        owner = enter(owner, accepted(unseal(owner))["id"])
        accepted(owner.post(f"spaces/{owner.space}/seal"))
        for _ in range(3):
            owner.ask("What does the lamp burn?")
        with world.app.guard.pool.close_for(owner.space):
            pass
        assert accepted(owner.get("search?q=lamp"))["results"][0]["content_preview"] == LAMP
