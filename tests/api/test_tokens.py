"""Keys and signed tokens at the API, sent as somebody would who is looking for a way in."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

from api.walls import founded, send, served, told, unlimited
from api.world import accepted, refused
from wellworn.application.calls import App
from wellworn.engines.crypto import CryptoSettings
from wellworn.testing.keys import FakeIssuer

DAY = 86_400


@pytest.fixture(name="world", scope="module")
def world_of_all():
    """Every test makes a space of its own, so one server does for all."""
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    return founded(world)


def listed(world, headers):
    """Ask for something that the open door would answer as well, but otherwise."""
    return world.client.get("/api/v1/spaces", headers=headers)


# ------------------------------------------------------------------------------------ headers


@pytest.mark.parametrize(
    "headers",
    [
        lambda key: {"authorization": f"Bearer {key}"},
        lambda key: {"authorization": f"bearer   {key} "},
        lambda key: {"x-api-key": key},
        lambda key: {"authorization": f"Bearer {key}", "x-api-key": key},
    ],
)
def test_either_header_carries_a_key_and_both_may_carry_the_same(world, owner, headers):
    spaces = accepted(listed(world, headers(owner.key)))["spaces"]
    assert [space["id"] for space in spaces] == [owner.space]


@pytest.mark.parametrize(
    "headers",
    [
        lambda one, other: {"authorization": f"Bearer {one}", "x-api-key": other},
        lambda one, _: {"authorization": f"Bearer {one}", "x-api-key": ""},
        lambda one, _: {"authorization": one},
        lambda one, _: {"authorization": f"Basic {one}"},
        lambda one, _: {"authorization": f"Token {one}", "x-api-key": one},
        lambda one, _: {"authorization": f"Bearer {one} {one}"},
        lambda one, other: {"authorization": f"Bearer {one}, Bearer {other}"},
        lambda _one, _other: {"authorization": "Bearer"},
        lambda _one, _other: {"authorization": "Bearer "},
        lambda _one, _other: {"authorization": ""},
        lambda _one, _other: {"x-api-key": ""},
        lambda one, _: {"x-api-key": f"Bearer {one}"},
        lambda one, _: {"x-api-key": one.upper()},
        lambda one, _: {"x-api-key": f'"{one}"'},
    ],
)
def test_two_keys_other_schemes_and_empty_headers_are_no_open_door(world, owner, headers):
    stranger = founded(world, "other")
    reply = listed(world, headers(owner.key, stranger.key))
    refused(reply, 401, "UNAUTHENTICATED")
    assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "shown",
    [
        *(b"ww", b"ww__", b"null", b"undefined", b"\xff\xfe", "clé".encode(), b"' OR 1=1 --"),
        *(b"a" * 60_000, b"ww_" + b"a" * 65, b"." * 5_000, b"..", b"a.b.c", b"%00", b"../../etc"),
        *(b"ww_aaaaaaaaaaaa_" + b"a" * 51 + b"b", b"wi_aaaaaaaaaaaa_" + b"a" * 52),
    ],
)
@pytest.mark.parametrize("header", [b"x-api-key", b"authorization"])
def test_garbage_is_refused_and_never_comes_back(world, header, shown):
    value = b"Bearer " + shown if header == b"authorization" else shown
    reply = listed(world, [(header, value)])
    message = refused(reply, 401, "UNAUTHENTICATED")
    assert len(reply.content) < 200
    assert shown.decode("latin-1") not in message or len(shown) < 3


def test_a_key_in_the_address_is_no_key(world, owner):
    reply = world.client.get("/api/v1/spaces", params={"api_key": owner.key})
    assert owner.key not in refused(reply, 400, "VALIDATION_ERROR")


# ------------------------------------------------------------- keys that are not, or no more


def shortened(owner):
    """Return bearers of keys that were valid, or are one step from it."""
    stranger = founded(owner.world, "other")
    child = owner.child()
    grandchild = child.child()
    dated = owner.child(lifetime_s=60)
    own_secret = f"ww_{stranger.kid}_{owner.key.split('_')[2]}"
    unknown = f"ww_{'a' * 12}_{owner.key.split('_')[2]}"
    last = "q" if owner.key.endswith("a") else "a"
    accepted(owner.send("DELETE", f"credentials/{child.kid}"))
    owner.world.clock.advance(60)
    return {
        "another member's number with the own secret": own_secret,
        "an unknown number": unknown,
        "one bit off": owner.key[:-1] + last,
        "expired": dated.key,
        "revoked": child.key,
        "made from one that was revoked": grandchild.key,
    }


def test_all_ways_to_have_no_valid_key_are_answered_alike(world, owner):
    answers = {
        why: told(listed(world, {"x-api-key": key})) for why, key in shortened(owner).items()
    }
    assert len({repr(answer) for answer in answers.values()}) == 1, answers
    assert {status for status, _, _ in answers.values()} == {401}


def test_a_key_without_a_place_in_the_space_is_answered_like_no_space(world, owner):
    stranger = founded(world, "other")
    foreign = told(owner.get("search", params={"q": "a"}, headers=stranger.headers | {}))
    assert foreign[0] == 200  # all of the stranger's own headers are the stranger
    into = {"wellworn-space": stranger.space}
    nowhere = {"wellworn-space": "ks-nowhere-00000000"}
    answers = [
        told(owner.get("search", params={"q": "a"}, headers=space)) for space in (into, nowhere)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


@pytest.mark.parametrize("name", ["", "server", "ks-default ", "KS-DEFAULT", "*", "%", "a" * 9_000])
def test_a_space_that_only_looks_like_one_is_none(owner, name):
    reply = owner.get("health", headers={"wellworn-space": name})
    if name:
        refused(reply, 404, "SPACE_NOT_FOUND")
    else:
        assert reply.status_code in {200, 404}  # the caller's usual one, which is not theirs here


# ------------------------------------------------------------------------------------ children


def test_a_child_reaches_what_it_was_given_and_no_more(world, owner):
    second = accepted(owner.post("spaces", {"name": "second"}))["space"]["id"]
    child = owner.child(role="reader", spaces=[second])
    refused(child.get("health"), 404, "SPACE_NOT_FOUND")
    there = {"wellworn-space": second}
    accepted(child.get("health", headers=there))
    refused(child.post("ingest", {"content": "x"}, headers=there), 403, "FORBIDDEN")
    assert [one["id"] for one in accepted(child.get("spaces"))["spaces"]] == [second]


@pytest.mark.parametrize(
    "more",
    [
        {"role": "contributor"},
        {"role": "admin"},
        {"spaces": ["ks-default"]},
        {"spaces": []},
        {"lifetime_s": DAY + 1},
        {"lifetime_s": 10 * 365 * DAY},
    ],
)
def test_a_child_cannot_make_one_that_reaches_further(owner, more):
    child = owner.child(role="reader", spaces=[owner.space], lifetime_s=DAY)
    reply = child.post("credentials", {"name": "more", **more})
    refused(reply, 403, "FORBIDDEN")


def test_a_limited_child_neither_makes_a_space_nor_joins_one(world, owner):
    stranger = founded(world, "other")
    token = accepted(stranger.post(f"spaces/{stranger.space}/invitations", {}))["token"]
    child = owner.child(role="reader", spaces=[owner.space])
    refused(child.post("spaces", {"name": "mine"}), 403, "FORBIDDEN")
    refused(child.post("invitations/accept", {"token": token}), 403, "FORBIDDEN")
    assert len(accepted(owner.get("spaces"))["spaces"]) == 1


def test_a_child_tells_only_of_itself_and_ends_only_itself(owner):
    child, sister = owner.child(), owner.child()
    told_of = accepted(child.get("credentials"))["credentials"]
    assert [one["kid"] for one in told_of] == [child.kid]
    for kid in (owner.kid, sister.kid, "a" * 12):
        refused(child.send("DELETE", f"credentials/{kid}"), 404, "CREDENTIAL_NOT_FOUND")
        refused(child.post(f"credentials/{kid}/rotate"), 404, "CREDENTIAL_NOT_FOUND")
    accepted(sister.get("health"))
    assert accepted(child.send("DELETE", f"credentials/{child.kid}")) == {"revoked": 1}
    refused(child.get("health"), 401, "UNAUTHENTICATED")


def test_revoking_a_parent_ends_the_tree_at_once(owner):
    parent = owner.child()
    child = parent.child()
    grandchild = child.child()
    assert accepted(owner.send("DELETE", f"credentials/{parent.kid}")) == {"revoked": 3}
    for one in (parent, child, grandchild):
        refused(one.get("health"), 401, "UNAUTHENTICATED")
    accepted(owner.get("health"))


@pytest.mark.parametrize("sealed", [False, True])
def test_rotation_ends_the_old_key_and_the_new_one_reaches_as_far(world, sealed):
    owner = founded(world, sealed=sealed)
    said = owner.know("The lamp burns whale oil.")
    parent = owner.child(role="contributor", spaces=[owner.space], lifetime_s=DAY)
    child = parent.child()
    issued = accepted(owner.post(f"credentials/{parent.kid}/rotate"))
    fresh = {"authorization": f"Bearer {issued['key']}"}
    refused(parent.get("health"), 401, "UNAUTHENTICATED")
    accepted(child.get("health"))
    assert accepted(parent.get(f"thoughts/{said}", headers=fresh))["thought_id"] == said
    assert issued["credential"]["role"] == "contributor"
    assert issued["credential"]["spaces"] == [owner.space]
    refused(parent.get("audit", headers=fresh), 403, "FORBIDDEN")
    world.clock.advance(DAY)
    refused(parent.get("health", headers=fresh), 401, "UNAUTHENTICATED")
    accepted(owner.get("health"))


def test_who_rotates_what_is_ended_gets_nothing(owner):
    child = owner.child()
    accepted(owner.send("DELETE", f"credentials/{child.kid}"))
    reply = owner.post(f"credentials/{child.kid}/rotate")
    refused(reply, 404, "CREDENTIAL_NOT_FOUND")


def test_a_key_is_told_once(world, owner):
    child = owner.child()
    everywhere = [owner.get(path).text for path in ("credentials", "audit", "audit/export")]
    everywhere += [owner.get(f"spaces/{owner.space}/members").text]
    for secret in (owner.key.split("_")[2], child.key.split("_")[2]):
        assert not any(secret in text for text in everywhere)


def test_an_invitation_works_once_and_is_no_key(world, owner):
    path = f"spaces/{owner.space}/invitations"
    token = accepted(owner.post(path, {"role": "reader"}))["token"]
    refused(listed(world, {"x-api-key": token}), 401, "UNAUTHENTICATED")
    accepted(send(world, "POST", "invitations/accept", {"token": token}))
    again = told(send(world, "POST", "invitations/accept", {"token": token}))
    withdrawn = accepted(owner.post(path, {}))
    accepted(owner.send("DELETE", f"{path}/{withdrawn['invitation']['id']}"))
    late = accepted(owner.post(path, {"lifetime_s": 60}))
    world.clock.advance(60)
    for other in (withdrawn["token"], late["token"], f"wi_{'a' * 12}_{'a' * 52}", owner.key, "x"):
        reply = send(world, "POST", "invitations/accept", {"token": other})
        assert told(reply) == again
    assert again[0] == 404


# -------------------------------------------------------------------------- signed tokens


@pytest.fixture(scope="module")
def issuer():
    return FakeIssuer()


@pytest.fixture(scope="module")
def trusting(issuer):
    """A server that trusts one issuer."""
    settings = CryptoSettings(tokens=issuer.settings())
    with served(unlimited().model_copy(update={"crypto": settings})) as world:
        yield world


def encoded(content):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def hs256(claims, secret: bytes, **header):
    head = {"typ": "JWT", "alg": "HS256", "kid": "key-1", **header}
    text = f"{encoded(head)}.{encoded(claims)}"
    return f"{text}.{encoded(hmac.digest(secret, text.encode(), hashlib.sha256))}"


def forged(issuer, subject, now):
    """Return tokens that nobody should believe, by what is wrong with them."""
    claims = json.loads(base64.urlsafe_b64decode(good(issuer, subject, now).split(".")[1] + "=="))
    public = base64.urlsafe_b64decode(issuer.jwk["x"] + "=")
    valid = good(issuer, subject, now)
    head, body, signature = valid.split(".")
    other = FakeIssuer()
    return {
        "no signature": f"{encoded({'alg': 'none', 'typ': 'JWT'})}.{body}.",
        "none in other letters": f"{encoded({'alg': 'nOnE', 'kid': 'key-1'})}.{body}.{signature}",
        "HS256 with the raw public key": hs256(claims, public),
        "HS256 with the public key's text": hs256(claims, issuer.jwk["x"].encode()),
        "HS256 with the key set": hs256(claims, json.dumps(issuer.jwk).encode()),
        "its own key": other.sign(claims, jwk=other.jwk),
        "a key by address": issuer.sign(claims, kid="other", jku="https://evil.example/jwks"),
        "another issuer's key under our kid": other.sign(claims),
        "wrong audience": issuer.token(subject, now=now, aud="another", scope="admin"),
        "no audience": issuer.token(subject, now=now, aud=None, scope="admin"),
        "wrong issuer": issuer.token(subject, now=now, iss="https://evil.example"),
        "no issuer": issuer.token(subject, now=now, iss=None),
        "expired": issuer.token(subject, now=now - 3600, scope="admin"),
        "without an end": issuer.token(subject, now=now, exp=None),
        "too long-lived": issuer.token(subject, now=now, exp=int(now) + 901),
        "from tomorrow": issuer.token(subject, now=now + DAY),
        "not yet": issuer.token(subject, now=now, nbf=int(now) + 3600),
        "unknown kid": issuer.sign(claims, kid="key-2"),
        "without an id": issuer.token(subject, now=now, jti=None),
        "without a subject": issuer.token("", now=now, sub=None),
        "critical extension": issuer.sign(claims, crit=["exp2"], exp2=1),
        "payload changed": f"{head}.{encoded({**claims, 'scope': 'admin'})}.{signature}",
        "signature cut": valid[:-2],
        "no claims": f"{head}.{encoded(b'[]')}.{signature}",
        "unknown subject": issuer.token("00000000-0000-4000-8000-000000000000", now=now),
        "the open door's name": issuer.token("local", now=now, scope="admin"),
        "a number for a subject": issuer.token(subject, now=now, sub=7),
        "huge": issuer.token(subject, now=now, padding="a" * 9_000),
    }


def good(issuer, subject, now, **claims):
    return issuer.token(subject, now=now, **({"scope": "contributor"} | claims))


def test_no_forged_token_gets_in_and_all_are_answered_alike(trusting, issuer):
    owner = founded(trusting)
    answers = {}
    for why, token in forged(issuer, owner.member_id, trusting.clock.now()).items():
        for headers in ({"authorization": f"Bearer {token}"}, {"x-api-key": token}):
            answers[why, *headers] = told(listed(trusting, headers))
    wrong = {why: answer[0] for why, answer in answers.items() if answer[0] != 401}
    assert wrong == {}
    assert len({repr(answer) for answer in answers.values()}) == 1, answers


def bearing(token, space):
    return {"authorization": f"Bearer {token}", "wellworn-space": space}


@pytest.mark.parametrize(
    ("scope", "reads", "writes", "rules"),
    [
        (None, 200, 403, 403),
        ("", 200, 403, 403),
        ("openid profile", 200, 403, 403),
        ("reader", 200, 403, 403),
        ("contributor", 200, 200, 403),
        ("admin", 200, 200, 200),
    ],
)
def test_a_token_does_in_an_open_space_what_its_scope_names(
    trusting, issuer, scope, reads, writes, rules
):
    owner = founded(trusting)
    token = good(issuer, owner.member_id, trusting.clock.now(), scope=scope)
    as_member = {"headers": bearing(token, owner.space)}
    assert owner.get("health", **as_member).status_code == reads
    assert owner.post("ingest", {"content": "x"}, **as_member).status_code == writes
    assert owner.get("audit", **as_member).status_code == rules


def test_a_token_does_no_more_than_its_member_may(trusting, issuer):
    owner = founded(trusting)
    reader = owner.guest("reader")
    token = good(issuer, reader.member_id, trusting.clock.now(), scope="admin")
    as_reader = {"headers": bearing(token, owner.space)}
    refused(owner.post("ingest", {"content": "x"}, **as_reader), 403, "FORBIDDEN")
    second = accepted(owner.post("spaces", {"name": "second"}))["space"]["id"]
    there = {"headers": bearing(token, second)}
    refused(owner.get("health", **there), 404, "SPACE_NOT_FOUND")


def test_a_token_that_names_spaces_reaches_no_other(trusting, issuer):
    owner = founded(trusting)
    second = accepted(owner.post("spaces", {"name": "second"}))["space"]["id"]
    token = good(issuer, owner.member_id, trusting.clock.now(), spaces=[second])
    refused(owner.get("health", headers=bearing(token, owner.space)), 404, "SPACE_NOT_FOUND")
    accepted(owner.get("health", headers=bearing(token, second)))


@pytest.mark.parametrize("is_over", [False, True])
def test_an_export_under_way_ends_with_its_token(trusting, issuer, monkeypatch, is_over):
    """A token is accepted for half a minute longer, as clocks differ; so is what it began."""
    owner = founded(trusting)
    owner.know("The lamp burns whale oil.")
    token = good(issuer, owner.member_id, trusting.clock.now(), scope="reader")
    export = App.export

    def wait_meanwhile(self, access):
        trusting.clock.advance(335 if is_over else 325)
        return export(self, access)

    monkeypatch.setattr(App, "export", wait_meanwhile)
    text = owner.get("export", headers=bearing(token, owner.space)).text
    assert ("whale oil" in text, "UNAUTHENTICATED" in text) == (not is_over, is_over)


LOCKED = [
    ("GET", "health", None),
    ("GET", "export", None),
    ("GET", "search?q=lamp", None),
    ("GET", "highways", None),
    ("GET", "contributors/zoe", None),
    ("GET", "audit", None),
    ("GET", "audit/verify", None),
    ("GET", "audit/export", None),
    ("POST", "memory", {"prompt": "lamp?", "agent_id": "a", "agent_name": "A"}),
    ("POST", "query", {"query": "lamp"}),
    ("POST", "ingest", {"content": "x"}),
    ("POST", "spaces/{space}/invitations", {}),
    ("POST", "spaces/{space}/rotate", None),
    ("POST", "spaces/{space}/reseal", None),
    ("POST", "spaces/{space}/rollback", {"owner": "zoe", "since": "2020-01-01"}),
    ("DELETE", "spaces/{space}/members/{member}", None),
    ("PUT", "spaces/{space}", {"unconfirmed_hours": 1}),
    ("DELETE", "spaces/{space}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), LOCKED)
def test_a_token_carries_no_key_so_a_sealed_space_stays_locked(
    trusting, issuer, method, path, body
):
    owner = founded(trusting, sealed=True)
    owner.know("The lamp burns whale oil.")
    guest = owner.guest("admin")
    token = good(issuer, owner.member_id, trusting.clock.now(), scope="admin")
    path = path.format(space=owner.space, member=guest.member_id)
    reply = owner.send(method, path, body, headers=bearing(token, owner.space))
    refused(reply, 423, "SPACE_LOCKED")
    accepted(guest.get("health"))


def test_a_token_makes_and_ends_no_keys(trusting, issuer):
    owner = founded(trusting)
    token = good(issuer, owner.member_id, trusting.clock.now(), scope="admin")
    as_member = {"headers": {"authorization": f"Bearer {token}"}}
    refused(owner.post("credentials", {"name": "more"}, **as_member), 401, "UNAUTHENTICATED")
    refused(
        owner.post("spaces", {"name": "x", "sealed": True}, **as_member), 401, "UNAUTHENTICATED"
    )
    path = f"credentials/{owner.kid}"
    refused(owner.send("DELETE", path, **as_member), 404, "CREDENTIAL_NOT_FOUND")
    accepted(owner.get("health"))
