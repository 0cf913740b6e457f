"""A member's role is changed: who may, what follows at once, and what stays impossible."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, send, served
from api.world import NOBODY, accepted, refused
from empty_memory import look_into

ROLES = ("reader", "contributor", "admin")


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return founded(world, "roles", sealed=request.param == "sealed")


def appoint(by: Caller, whom: Caller, role: str):
    return by.send("PUT", f"spaces/{by.space}/members/{whom.member_id}", {"role": role})


def store(caller: Caller):
    return caller.post("ingest", {"content": "Trim the wick."})


def roles(owner: Caller) -> dict[str, str]:
    found = accepted(owner.get(f"spaces/{owner.space}/members"))["members"]
    return {one["member_id"]: one["role"] for one in found}


def may(caller: Caller) -> str:
    """Return the role that the caller's calls show."""
    if caller.get("held").status_code == 200:
        return "admin"
    return "contributor" if store(caller).status_code == 200 else "reader"


@pytest.mark.parametrize("before", ROLES)
@pytest.mark.parametrize("after", ROLES)
def test_a_member_may_do_what_the_new_role_says_from_the_next_call_on(owner, before, after):
    owner.know("The lamp burns whale oil.")
    guest = owner.guest(before)
    child = guest.child()
    assert may(guest) == may(child) == before
    appointed = accepted(appoint(owner, guest, after))
    assert (appointed["member_id"], appointed["role"]) == (guest.member_id, after)
    assert may(guest) == may(child) == after
    assert roles(owner) == {owner.member_id: "admin", guest.member_id: after}
    owner.world.app.guard.pool.close_all()
    assert may(child) == after
    assert accepted(guest.get("search?q=lamp"))


def test_a_limited_key_of_a_raised_member_stays_limited(owner):
    guest = owner.guest("reader")
    child = guest.child(role="reader")
    accepted(appoint(owner, guest, "admin"))
    assert (may(guest), may(child)) == ("admin", "reader")


@pytest.mark.parametrize("role", ["reader", "contributor"])
def test_nobody_who_is_no_admin_changes_a_role_least_of_all_their_own(owner, role):
    guest, other = owner.guest(role), owner.guest("reader")
    for whom in (guest, other, owner):
        refused(appoint(guest, whom, "admin"), 403, "FORBIDDEN")
        refused(appoint(guest, whom, "reader"), 403, "FORBIDDEN")
    assert roles(owner) == {
        owner.member_id: "admin",
        guest.member_id: role,
        other.member_id: "reader",
    }


def test_a_limited_key_of_an_admin_changes_no_role(owner):
    guest = owner.guest("reader")
    refused(appoint(owner.child(role="contributor"), guest, "admin"), 403, "FORBIDDEN")


def test_the_last_admin_stays_one(owner):
    owner.guest("contributor")
    refused(appoint(owner, owner, "reader"), 403, "FORBIDDEN")
    assert may(owner) == "admin"


def test_an_admin_lowers_another_and_themselves_where_no_key_hangs_on_it(owner):
    guest = owner.guest("admin")
    accepted(appoint(guest, owner, "contributor"))
    assert (may(owner), may(guest)) == ("contributor", "admin")
    accepted(appoint(guest, owner, "admin"))
    if owner.space.startswith("kss-"):
        refused(appoint(owner, owner, "reader"), 403, "FORBIDDEN")
    else:
        accepted(appoint(owner, owner, "reader"))
        assert may(owner) == "reader"


@pytest.mark.parametrize("way", ["lowered", "revoked"])
def test_an_invitation_in_the_pocket_of_an_admin_who_goes_is_no_way_back(owner, way):
    guest = owner.guest("admin")
    pocketed = accepted(guest.post(f"spaces/{owner.space}/invitations", {"role": "admin"}))
    if way == "lowered":
        accepted(appoint(owner, guest, "contributor"))
    else:
        accepted(owner.send("DELETE", f"spaces/{owner.space}/members/{guest.member_id}"))
    accept = {"token": pocketed["token"]}
    refused(send(owner.world, "POST", "invitations/accept", accept), 404, "CREDENTIAL_NOT_FOUND")


def test_invitations_of_others_stay_open_in_an_open_space(world):
    owner = founded(world)
    guest = owner.guest("admin")
    invited = accepted(owner.post(f"spaces/{owner.space}/invitations", {}))
    accepted(appoint(owner, guest, "reader"))
    accepted(send(world, "POST", "invitations/accept", {"token": invited["token"]}))


def describe(owner):
    return accepted(owner.get(f"spaces/{owner.space}"))


def test_raising_somebody_makes_no_key_and_ends_no_invitation(owner):
    guest, epoch = owner.guest("reader"), describe(owner)["epoch"]
    invited = accepted(owner.post(f"spaces/{owner.space}/invitations", {"role": "reader"}))
    for role in ("contributor", "admin"):
        assert accepted(appoint(owner, guest, role))["ended_invitations"] == []
    assert describe(owner)["epoch"] == epoch
    assert (may(guest), may(owner)) == ("admin", "admin")
    accept = {"token": invited["token"]}
    joined = accepted(send(owner.world, "POST", "invitations/accept", accept))
    late = Caller(owner.world, joined["issued"]["key"], owner.space)
    assert may(late) == "reader"
    others = accepted(guest.post(f"spaces/{owner.space}/invitations", {"role": "reader"}))
    accepted(send(owner.world, "POST", "invitations/accept", {"token": others["token"]}))


def test_lowering_somebody_names_the_invitations_that_end(owner):
    guest = owner.guest("admin")
    path = f"spaces/{owner.space}/invitations"
    by_owner, by_guest = (
        accepted(one.post(path, {}))["invitation"]["id"] for one in (owner, guest)
    )
    sealed = describe(owner)["mode"] == "sealed"
    ended = accepted(appoint(owner, guest, "reader"))["ended_invitations"]
    assert ended == ([by_owner, by_guest] if sealed else [by_guest])
    assert accepted(appoint(owner, guest, "reader"))["ended_invitations"] == []


def test_a_lesser_role_in_the_database_is_no_way_to_lower_without_a_new_key(world):
    owner = founded(world, sealed=True)
    guest, epoch = owner.guest("admin"), describe(owner)["epoch"]
    with look_into(world.home) as records:
        records.execute(
            "UPDATE space_memberships SET role = 'reader' WHERE space_id = ? AND agent_id = ?",
            (owner.space, guest.member_id),
        )
    accepted(appoint(owner, guest, "contributor"))
    assert describe(owner)["epoch"] == epoch + 1


def test_a_change_is_in_the_trail_with_whom_it_concerns_and_a_refusal_too(owner):
    guest = owner.guest("contributor")
    accepted(appoint(owner, guest, "reader"))
    refused(appoint(guest, guest, "admin"), 403, "FORBIDDEN")
    done, refusal = [one for one in owner.trail() if one["action"] == "member.changed"]
    assert (done["principal"], done["targets"]) == (owner.member_id, [guest.member_id])
    assert (done["outcome"], done["details"]) == ("ok", {"to_reader": 1})
    assert (refusal["principal"], refusal["outcome"]) == (guest.member_id, "FORBIDDEN")


def test_nobody_of_that_id_and_no_such_role_are_told_apart(owner):
    path = f"spaces/{owner.space}/members/{NOBODY}"
    refused(owner.send("PUT", path, {"role": "reader"}), 404, "CREDENTIAL_NOT_FOUND")
    refused(owner.send("PUT", path, {"role": "owner"}), 400, "VALIDATION_ERROR")


def test_a_role_that_was_written_into_the_database_raises_nobody_in_a_sealed_space(world):
    owner = founded(world, sealed=True)
    guest = owner.guest("admin")
    accepted(appoint(owner, guest, "reader"))
    world.app.guard.pool.close_all()
    with look_into(world.home) as records:
        records.execute(
            "UPDATE space_memberships SET role = 'admin' WHERE space_id = ?", (owner.space,)
        )
    assert may(guest) == "reader"
