"""A member leaves a space by themselves: who may, what becomes of its key, and what is written."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, send, served
from api.world import accepted, refused


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return founded(world, "leaving", sealed=request.param == "sealed")


def leave(caller: Caller):
    return caller.post(f"spaces/{caller.space}/leave")


def epoch(owner: Caller) -> int:
    return accepted(owner.get(f"spaces/{owner.space}"))["epoch"]


def members(owner: Caller) -> set[str]:
    found = accepted(owner.get(f"spaces/{owner.space}/members"))["members"]
    return {one["member_id"] for one in found}


@pytest.mark.parametrize("role", ["reader", "contributor"])
def test_whoever_leaves_is_out_and_the_others_go_on(owner, role):
    said = owner.know("The lamp burns whale oil.")
    guest, before = owner.guest(role), epoch(owner)
    child = guest.child()
    assert accepted(guest.get("search?q=lamp"))["results"]
    assert accepted(leave(guest)) == {"left": owner.space, "key_renewed": False}
    for one in (guest, child):
        refused(one.get("search?q=lamp"), 404, "SPACE_NOT_FOUND")
    owner.world.app.guard.pool.close_all()
    assert accepted(owner.get(f"thoughts/{said}"))["content"] == "The lamp burns whale oil."
    assert (members(owner), epoch(owner)) == ({owner.member_id}, before)
    entry = next(one for one in owner.trail() if one["action"] == "member.left")
    assert (entry["principal"], entry["targets"]) == (guest.member_id, [guest.member_id])
    assert (entry["outcome"], entry["details"]) == ("ok", {"key_renewed": 0})


def test_when_an_admin_leaves_a_sealed_space_has_a_new_key(owner):
    said = owner.know("The lamp burns whale oil.")
    guest, staying, before = owner.guest("admin"), owner.guest("reader"), epoch(owner)
    sealed = owner.space.startswith("kss-")
    assert accepted(leave(owner)) == {"left": owner.space, "key_renewed": sealed}
    refused(owner.get(f"thoughts/{said}"), 404, "SPACE_NOT_FOUND")
    assert epoch(guest) == before + sealed
    for one in (guest, staying):
        assert accepted(one.get(f"thoughts/{said}"))["content"]


def test_the_key_can_be_renewed_after_somebody_left_and_they_can_come_back(owner):
    guest = owner.guest("contributor")
    accepted(leave(guest))
    token = accepted(owner.post(f"spaces/{owner.space}/invitations", {}))["token"]
    accepted(guest.post("invitations/accept", {"token": token}, headers={"wellworn-space": ""}))
    accepted(guest.get("search?q=lamp"))
    accepted(leave(guest))
    if owner.space.startswith("kss-"):
        accepted(owner.post(f"spaces/{owner.space}/rotate"))
    assert members(owner) == {owner.member_id}
    accepted(owner.get("search?q=lamp"))


def test_the_last_admin_is_told_what_to_do_instead(owner):
    owner.guest("contributor")
    refusal = leave(owner)
    refused(refusal, 403, "FORBIDDEN")
    assert "appoint another first, or delete the space" in refusal.json()["error"]["message"]
    assert owner.member_id in members(owner)


def test_a_limited_key_and_whoever_has_none_leave_nothing(owner):
    guest = owner.guest("contributor")
    refused(leave(guest.child(role="reader")), 403, "FORBIDDEN")
    assert guest.member_id in members(owner)
    refused(send(owner.world, "POST", "spaces/ks-default/leave"), 403, "FORBIDDEN")


def test_invitations_of_an_admin_who_leaves_are_no_way_back(owner):
    guest = owner.guest("admin")
    pocketed = accepted(guest.post(f"spaces/{owner.space}/invitations", {"role": "admin"}))
    accepted(leave(guest))
    accept = {"token": pocketed["token"]}
    refused(send(owner.world, "POST", "invitations/accept", accept), 404, "CREDENTIAL_NOT_FOUND")
