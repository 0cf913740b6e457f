"""A webhook ends with the right and the key of whoever made it; what it signed counts once."""

from __future__ import annotations

import hmac

import pytest

from api.walls import founded, send, served
from api.world import accepted, refused

NOTE = {"source_type": "manual_note", "name": "note", "config": {"text": "A word."}}


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    return founded(world)


@pytest.fixture
def maker(owner):
    return owner.guest("admin", "maker")


@pytest.fixture
def path(owner):
    return f"/api/knowledge/sources/{accepted(owner.post('/api/knowledge/sources', NOTE))['id']}"


def deliver(owner, path, secret):
    return send(owner.world, "POST", f"{path}/webhook", headers={"x-gitlab-token": secret})


def assert_taken(answer):
    assert (answer.status_code, answer.json()) == (202, {"status": "waiting"})


@pytest.mark.parametrize("ending", ["leaves", "is removed", "loses the role"])
def test_whoever_is_no_admin_any_more_starts_no_sync(owner, maker, path, ending):
    secret = accepted(maker.send("PUT", f"{path}/webhook"))["secret"]
    assert_taken(deliver(owner, path, secret))
    members = f"spaces/{owner.space}/members/{maker.member_id}"
    if ending == "leaves":
        accepted(maker.post(f"spaces/{owner.space}/leave"))
    elif ending == "is removed":
        accepted(owner.send("DELETE", members))
    else:
        accepted(owner.send("PUT", members, {"role": "contributor"}))
    assert accepted(owner.get(path))["webhook"]
    for _ in range(2):
        refused(deliver(owner, path, secret), 401, "UNAUTHENTICATED")
    assert accepted(owner.get(path))["webhook"] is None
    [entry] = [each for each in owner.trail() if each["action"] == "webhook.dropped"]
    assert (entry["principal"], entry["targets"]) == (maker.member_id, [path.rpartition("/")[2]])
    renewed = accepted(owner.send("PUT", f"{path}/webhook"))["secret"]
    assert_taken(deliver(owner, path, renewed))


@pytest.mark.parametrize("ending", ["revoked", "renewed", "expired", "revoked with its parent"])
def test_a_webhook_ends_with_the_credential_that_it_was_made_with(owner, path, ending):
    stolen = owner.child(lifetime_s=3_600)
    caller = stolen.child() if ending == "revoked with its parent" else stolen
    secret = accepted(caller.send("PUT", f"{path}/webhook"))["secret"]
    assert_taken(deliver(owner, path, secret))
    if ending == "renewed":
        accepted(owner.post(f"credentials/{stolen.kid}/rotate"))
    elif ending == "expired":
        owner.world.clock.advance(3_601)
    else:
        accepted(owner.send("DELETE", f"credentials/{stolen.kid}"))
    refused(deliver(owner, path, secret), 401, "UNAUTHENTICATED")
    assert accepted(owner.get(path))["webhook"] is None
    assert "webhook.dropped" in {entry["action"] for entry in owner.trail()}
    renewed = accepted(owner.send("PUT", f"{path}/webhook"))["secret"]
    assert_taken(deliver(owner, path, renewed))


def test_a_webhook_that_another_admin_renewed_goes_on(owner, maker, path):
    maker.send("PUT", f"{path}/webhook")
    secret = accepted(owner.send("PUT", f"{path}/webhook"))["secret"]
    accepted(maker.post(f"spaces/{owner.space}/leave"))
    assert_taken(deliver(owner, path, secret))


def test_a_signed_delivery_counts_once_however_many_follow_it(owner, path):
    secret = accepted(owner.send("PUT", f"{path}/webhook"))["secret"].encode()

    def push(number):
        body = b"%d" % number
        headers = {"x-hub-signature-256": f"sha256={hmac.digest(secret, body, 'sha256').hex()}"}
        answer = send(owner.world, "POST", f"{path}/webhook", content=body, headers=headers)
        return answer.json()["status"]

    assert [push(number) for number in range(150)] == ["waiting"] * 150
    assert [push(number) for number in (0, 75, 149)] == ["known"] * 3
