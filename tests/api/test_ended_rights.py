"""Rights that end while something goes on that began with them: exports, turns, invitations."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event
from typing import Any

import pytest

from api.routes import query
from api.walls import Caller, founded, send, served
from api.world import accepted, refused
from wellworn.application.calls import App, pool
from wellworn.domain.turns import service
from wellworn.domain.turns.extractive.engine import ExtractiveEngine
from wellworn.domain.turns.tools.web_visit import WebVisitTool

PAGES = 40
WORDS = "cedar " * 1_500


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    return founded(world)


def revoke_member(owner: Caller, guest: Caller) -> None:
    accepted(owner.send("DELETE", f"spaces/{owner.space}/members/{guest.member_id}"))


def lower(owner: Caller, guest: Caller) -> None:
    accepted(owner.send("PUT", f"spaces/{owner.space}/members/{guest.member_id}", READER))


def leave(_: Caller, guest: Caller) -> None:
    accepted(guest.post(f"spaces/{guest.space}/leave"))


def revoke_parent(_: Caller, guest: Caller) -> None:
    """Every call of these tests shows a child of the guest's key."""
    accepted(guest.send("DELETE", f"credentials/{guest.kid}"))


def expire(owner: Caller, _: Caller) -> None:
    owner.world.clock.advance(3_601)


READER = {"role": "reader"}
READ_PAGE = "What does https://lamps.example/oil say of the lamp of the pier?"
ENDS = [leave, lower, revoke_member, revoke_parent, expire]


# --------------------------------------------------------------------------------- long calls


@pytest.mark.parametrize("end", ENDS)
def test_an_export_under_way_ends_with_the_right_to_it(owner, monkeypatch, end):
    thoughts = [owner.know(f"Number {number}: {WORDS}") for number in range(PAGES)]
    guest = owner.guest()
    child = guest.child(lifetime_s=3_600)
    export, read = App.export, []

    def end_meanwhile(self: App, *arguments: Any) -> Any:
        for record in export(self, *arguments):
            read.append(record)
            if len(read) == PAGES // 2:
                end(owner, guest)
            yield record

    monkeypatch.setattr(App, "export", end_meanwhile)
    *lines, last = child.get("export").text.splitlines()
    assert json.loads(last)["error"]["code"] in {"SPACE_NOT_FOUND", "UNAUTHENTICATED"}
    shown = {json.loads(line)["id"] for line in lines if "id" in json.loads(line)}
    assert shown
    assert not shown & set(thoughts[PAGES // 2 :])


@pytest.mark.parametrize("end", ENDS)
def test_a_turn_under_way_ends_with_the_right_to_it(owner, monkeypatch, end):
    owner.know("The lamp of the pier burns whale oil.")
    guest = owner.guest()
    child = guest.child(lifetime_s=3_600)
    open_run = service.Turns.open_run

    def end_meanwhile(self: Any, access: Any, turn: Any, notify: Any = None) -> Any:
        if access.owner == guest.member_id:
            end(owner, guest)
        return open_run(self, access, turn, notify)

    monkeypatch.setattr(service.Turns, "open_run", end_meanwhile)
    asked = child.post("turns", query("What does the lamp of the pier burn?"))
    assert asked.json()["error"]["code"] in {"SPACE_NOT_FOUND", "UNAUTHENTICATED"}
    status = "SELECT status FROM turns WHERE user_id = ?"
    assert owner.world.rows(status, guest.member_id) == [("interrupted",)]


def delete(owner: Caller) -> None:
    accepted(owner.send("DELETE", f"spaces/{owner.space}"))


def seal(owner: Caller) -> None:
    accepted(owner.post(f"spaces/{owner.space}/seal"))


def remove_somebody(owner: Caller) -> None:
    revoke_member(owner, owner.guest("reader", "somebody"))


def unseal(owner: Caller) -> None:
    accepted(owner.post(f"spaces/{owner.space}/unseal"))


@pytest.mark.parametrize(
    ("change", "sealed"),
    [(delete, False), (delete, True), (seal, False), (unseal, True), (remove_somebody, True)],
)
def test_an_export_that_nobody_reads_holds_up_no_change_of_its_space(
    world, monkeypatch, change, sealed
):
    monkeypatch.setattr(pool, "_GRACE_S", "waiting for it is an error")
    owner = founded(world, "exporting", sealed=sealed)
    owner.know("The lamp of the pier burns whale oil.")
    guest = owner.guest("reader")
    access = world.app.authenticator.enter(guest.key, owner.space)
    with closing(world.app.export(access)) as unread:
        next(unread)
        if not sealed:
            revoke_member(owner, guest)
        change(owner)


@pytest.mark.parametrize("place", [(ExtractiveEngine, "reflect"), (WebVisitTool, "call")])
@pytest.mark.parametrize(
    ("change", "sealed"), [(delete, False), (delete, True), (seal, False), (remove_somebody, True)]
)
def test_a_turn_that_takes_long_ends_when_its_space_is_changed(
    world, monkeypatch, change, sealed, place
):
    begun, released = Event(), Event()

    def hang(*_: Any) -> None:
        begun.set()
        released.wait(170)

    monkeypatch.setattr(*place, hang)
    monkeypatch.setattr(pool, "_LONGEST_CALL_S", 170.0)
    owner = founded(world, "changing", sealed=sealed)
    owner.know("The lamp of the pier burns whale oil.")
    guest = owner.guest()
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(guest.post, "turns", query(READ_PAGE))
        try:
            assert begun.wait(60)
            change(owner)
            assert not released.is_set()
            refused(asked.result(60), 423, "SPACE_LOCKED")
        finally:
            released.set()


# -------------------------------------------------------------------------------- invitations


def invite(caller: Caller, **more: Any) -> str:
    path = f"spaces/{caller.space}/invitations"
    return accepted(caller.post(path, {"role": "admin", **more}))["token"]


def join(owner: Caller, token: str) -> Any:
    return send(owner.world, "POST", "invitations/accept", {"token": token})


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("end", ["revoked", "renewed", "expired", "revoked with its parent"])
def test_an_invitation_ends_with_the_credential_that_it_was_made_with(world, sealed, end):
    owner = founded(world, "inviting", sealed=sealed)
    stolen = owner.child(lifetime_s=3_600)
    token = invite(stolen.child() if end == "revoked with its parent" else stolen)
    if end == "renewed":
        accepted(owner.post(f"credentials/{stolen.kid}/rotate"))
    elif end == "expired":
        world.clock.advance(3_601)
    else:
        accepted(owner.send("DELETE", f"credentials/{stolen.kid}"))
    refused(join(owner, token), 404, "CREDENTIAL_NOT_FOUND")
    assert accepted(owner.get(f"spaces/{owner.space}/members"))["invitations"] == []
    accepted(join(owner, invite(owner)))
