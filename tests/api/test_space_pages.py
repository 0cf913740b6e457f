"""The pages about a space: who is in it, with which keys, what was done, and what is taken back."""

from __future__ import annotations

import html
import json
import re

import pytest

from api.test_pages import OWN, sign_in
from api.walls import Caller, closed, founded, served
from empty_memory import look_into
from wellworn.domain.spaces import BrowserSessions
from wellworn.errors import DiskFull


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    """An admin of a space of their own, signed in with a browser."""
    owner = founded(world)
    sign_in(owner, owner.key)
    return owner


def look(caller: Caller, path: str = "spaces", **query: str) -> str:
    reply = caller.world.client.get(f"/ui/{caller.space}/{path}", params=query)
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def send(caller: Caller, path: str, status: int = 303, **form: str) -> str:
    reply = caller.world.client.post(
        f"/ui/{caller.space}/{path}", data=form, headers=OWN, follow_redirects=False
    )
    assert reply.status_code == status, reply.text
    return html.unescape(reply.text)


def members(caller: Caller) -> dict[str, str]:
    listed = caller.get(f"spaces/{caller.space}/members").json()["members"]
    return {each["member_id"]: each["role"] for each in listed}


def invite(owner: Caller, role: str = "contributor") -> str:
    """Return the token of an invitation made on the page."""
    page = send(owner, "spaces/invite", 200, role=role, days="2")
    return re.search(r"/ui/join#(\S+?)</code>", page)[1]


def test_whoever_gets_the_link_joins_in_a_browser_and_keeps_a_key(owner):
    token = invite(owner, "reader")
    client = owner.world.client
    client.cookies.clear()
    assert "Your name there" in client.get("/ui/join").text
    form = {"token": token, "name": "Ben"}
    page = client.post("/ui/join", data=form, headers=OWN)
    key = re.search(r"<code>(ww_\S+)</code>", page.text)[1]
    assert f"/ui/{owner.space}" in page.text
    assert client.get(f"/ui/{owner.space}").status_code == 200
    assert "You may read here, and change nothing." in look(owner)
    assert sorted(members(owner).values()) == ["admin", "reader"]
    again = client.post("/ui/join", data=form, headers=OWN)
    assert again.status_code == 404
    assert "ww_" not in again.text
    client.cookies.clear()
    assert sign_in(owner, key).status_code == 303


def test_a_newcomer_gets_the_key_even_if_the_browser_cannot_be_signed_in(owner, monkeypatch):
    token = invite(owner)
    client = owner.world.client
    client.cookies.clear()

    def fail(*_: object) -> None:
        raise DiskFull("the disk is full; nothing was written")

    monkeypatch.setattr(BrowserSessions, "begin", fail)
    page = client.post("/ui/join", data={"token": token, "name": "Ben"}, headers=OWN)
    assert re.search(r"<code>(ww_\S+)</code>", page.text)
    assert not client.cookies


def test_a_member_who_is_signed_in_joins_as_who_they_are(owner):
    token = invite(owner)
    guest = founded(owner.world, "guest")
    sign_in(guest, guest.key)
    page = guest.world.client.post("/ui/join", data={"token": token}, headers=OWN).text
    assert "ww_" not in page
    assert members(owner)[guest.member_id] == "contributor"


def test_a_form_of_another_page_lets_nobody_in(owner):
    token = invite(owner)
    reply = owner.world.client.post("/ui/join", data={"token": token, "name": "Eve"})
    assert reply.status_code == 400
    assert len(members(owner)) == 1


def test_an_admin_changes_a_role_and_removes_a_member_after_a_second_look(owner):
    guest = owner.guest("contributor", "Ben")
    send(owner, "spaces/appoint", id=guest.member_id, role="reader")
    assert members(owner)[guest.member_id] == "reader"
    asked = look(owner, "spaces/confirm", do="remove", id=guest.member_id)
    assert "Remove Ben from this space?" in asked
    assert guest.member_id in members(owner)
    send(owner, "spaces/do", do="remove", id=guest.member_id)
    assert guest.member_id not in members(owner)


def test_a_role_that_is_taken_away_takes_its_buttons_from_an_open_browser(owner):
    guest = owner.guest("admin", "Ben")
    sign_in(owner, guest.key)
    assert "spaces/appoint" in look(owner)
    owner.send("PUT", f"spaces/{owner.space}/members/{guest.member_id}", {"role": "reader"})
    page = look(owner)
    for lie in ("spaces/appoint", "spaces/invite", "spaces/trail", "rollback", "Seal…", "withdraw"):
        assert lie not in page
    for do in ("remove", "rollback", "seal", "withdraw"):
        send(owner, "spaces/do", 403, do=do, id=owner.member_id, since="2020-01-01")
    assert owner.world.client.get(f"/ui/{owner.space}/spaces/trail").status_code == 403
    assert "Leave…" in page


def test_what_a_rollback_takes_is_counted_before_and_nothing_is_done_by_looking(owner):
    guest = owner.guest("contributor", "Mallory")
    thought_id = guest.know("The lamp is made of cheese.")
    asked = look(owner, "spaces/confirm", do="rollback", id=guest.member_id, since="2020-01-01")
    assert "Take back what Mallory wrote?" in asked
    assert re.search(r"Thoughts of theirs</dt><dd class=\"number\">1<", asked)
    assert owner.get(f"thoughts/{thought_id}").status_code == 200
    send(owner, "spaces/do", do="rollback", id=guest.member_id, since="2020-01-01")
    assert owner.get(f"thoughts/{thought_id}").status_code == 404


def test_keys_are_a_tree_of_which_a_branch_is_cut_at_once(owner):
    child = owner.child(name="ci")
    grandchild = child.child(name="nightly")
    page = look(owner)
    depths = [page.count("<ul", 0, page.index(each.kid)) for each in (owner, child, grandchild)]
    assert depths == sorted(set(depths))
    assert "Revoke the key ci?" in look(owner, "spaces/confirm", do="revoke", id=child.kid)
    send(owner, "spaces/do", do="revoke", id=child.kid)
    assert [each.get("thoughts").status_code for each in (owner, child, grandchild)] == [
        200,
        401,
        401,
    ]
    assert "2 more have ended." in look(owner)


def test_a_key_is_made_and_shown_once_within_what_one_has(owner):
    guest = owner.guest("reader")
    sign_in(owner, guest.key)
    page = send(owner, "spaces/keys", 200, name="laptop", role="reader")
    key = re.search(r"<code>(ww_\S+)</code>", page)[1]
    assert Caller(owner.world, key, owner.space).get("thoughts").status_code == 200
    assert key not in look(owner)


def test_a_space_is_sealed_renewed_and_unsealed_on_its_page(owner):
    owner.know("The lamp is green.")
    assert "Seal this space?" in look(owner, "spaces/confirm", do="seal")
    send(owner, "spaces/do", do="seal")
    assert "Nothing of it can be read on the disk" in look(owner)
    assert "The lamp is green." in look(owner, "thoughts")
    send(owner, "spaces/do", do="rotate")
    assert "Its key is number 2" in look(owner)
    send(owner, "spaces/do", do="unseal")
    assert "Whoever reads the server's disk can read it." in look(owner)


def test_of_a_locked_space_nothing_is_known(world):
    owner = founded(world, sealed=True)
    owner.know("The lamp burns whale oil.")
    guest = owner.keyless_guest()
    sign_in(guest, guest.key)
    reply = world.client.get(f"/ui/{owner.space}/thoughts")
    assert reply.status_code == 423
    assert "This space is locked" in reply.text
    assert "lamp" not in reply.text


def test_the_trail_is_shown_newest_first_verified_and_taken_out(owner):
    for number in range(60):
        owner.know(f"Lamp {number} is green.")
    page = look(owner, "spaces/trail", verify="1")
    numbers = [int(n) for n in re.findall(r'<td class="number">(\d+)</td>', page)]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 50
    assert "are as they were written" in page
    older = look(owner, "spaces/trail", before=str(numbers[-1]))
    assert f'<td class="number">{numbers[-1] - 1}</td>' in older
    assert '<td class="number">1</td>' in older
    reply = owner.world.client.get(f"/ui/{owner.space}/spaces/trail/export")
    assert reply.headers["content-disposition"].startswith("attachment; ")
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    lines = reply.text.splitlines()
    assert owner.get("audit/export").text.splitlines()[: len(lines)] == lines
    assert [json.loads(line) for line in lines]


def test_a_trail_that_was_changed_says_so(owner):
    owner.know("The lamp is green.")
    with look_into(owner.world.home) as records:
        records.execute(
            "UPDATE audit_entries SET hash = ? WHERE space_id = ? AND seq = 2",
            (b"\x00", owner.space),
        )
    assert "does not hold from entry 2 on" in look(owner, "spaces/trail", verify="1")


def test_the_servers_own_trail_is_for_admins_of_the_default_space():
    with closed() as admin:
        sign_in(admin, admin.key)
        admin.post("credentials", {"name": "ci"})
        assert "credential.created" in look(admin, "spaces/trail", of="server")


def test_what_members_say_waits_as_long_as_the_page_says(owner):
    send(owner, "spaces/policy", hours="48")
    assert owner.get(f"spaces/{owner.space}").json()["unconfirmed_hours"] == 48
