"""Tokens of another issuer: one scheme, known keys, a short life, one refusal."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc.jwk import ECKey, OKPKey

from wellworn.engines.crypto import REFUSED, TokenSettings, TokenVerifier, open_verifier
from wellworn.errors import KeyUnavailable, Unauthenticated
from wellworn.testing.keys import FakeIssuer

NOW = 1_771_858_800.7
ISSUER = FakeIssuer()


def verifier(issuer: FakeIssuer = ISSUER, **settings) -> TokenVerifier:
    found = open_verifier(issuer.settings().model_copy(update=settings))
    assert found is not None
    return found


def refusal(token: str, *, now: float = NOW, **settings) -> str:
    with pytest.raises(Unauthenticated) as caught:
        verifier(**settings).verify(token, now=now)
    return str(caught.value)


def encoded(content: object) -> str:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def payload_of(token: str) -> str:
    return token.split(".")[1]


def test_a_valid_token_says_who_calls():
    token = ISSUER.token("alice", now=NOW, jti="t-1", spaces=["a", "b"], scope="read write")
    claims = verifier().verify(token, now=NOW)
    assert claims.subject == "alice"
    assert claims.spaces == ("a", "b")
    assert claims.scope == ("read", "write")
    assert claims.token_id == "t-1"
    assert claims.expires_at == int(NOW) + 300
    assert claims.issued_at == int(NOW)


def test_a_token_without_limits_has_none():
    claims = verifier().verify(ISSUER.token("alice", now=NOW), now=NOW)
    assert claims.spaces is None
    assert claims.scope == ()


def test_a_token_limited_to_no_space_is_not_unlimited():
    token = ISSUER.token("alice", now=NOW, spaces=[])
    assert verifier().verify(token, now=NOW).spaces == ()


def test_one_of_several_audiences_is_enough():
    token = ISSUER.token("alice", now=NOW, aud=["other", "wellworn"])
    assert verifier().verify(token, now=NOW).subject == "alice"


def test_the_older_name_of_the_scheme_is_taken_without_a_warning():
    token = ISSUER.sign(
        {
            "iss": ISSUER.name,
            "aud": "wellworn",
            "sub": "a",
            "jti": "1",
            "iat": int(NOW),
            "exp": int(NOW) + 60,
        },
        alg="EdDSA",
        typ="at+jwt",
        vendor="unknown header parameters are ignored",
    )
    assert verifier().verify(token, now=NOW).subject == "a"


# ---------------------------------------------------------------- who signed


def test_an_unsigned_token_is_refused():
    payload = payload_of(ISSUER.token("alice", now=NOW))
    for name in ("none", "None", "NONE", ""):
        head = encoded({"alg": name, "kid": ISSUER.kid})
        assert refusal(f"{head}.{payload}.") == REFUSED
        assert refusal(f"{head}.{payload}.{encoded(b'x' * 64)}") == REFUSED


@pytest.mark.parametrize("form", ["raw", "base64url", "jwk"])
def test_the_public_key_is_no_secret_to_sign_with(form):
    public = ISSUER.jwk["x"]
    secret = {
        "raw": base64.urlsafe_b64decode(public + "="),
        "base64url": public.encode(),
        "jwk": json.dumps(ISSUER.jwk).encode(),
    }[form]
    head = encoded({"alg": "HS256", "kid": ISSUER.kid, "typ": "JWT"})
    text = f"{head}.{payload_of(ISSUER.token('alice', now=NOW))}"
    signature = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    assert refusal(f"{text}.{encoded(signature)}") == REFUSED


@pytest.mark.parametrize("name", ["Ed448", "ES256", "RS256", "HS512", "ed25519", "eddsa", 1, None])
def test_a_true_signature_under_another_name_is_refused(name):
    claims = json.loads(base64.urlsafe_b64decode(payload_of(ISSUER.token("a", now=NOW)) + "=="))
    assert refusal(ISSUER.sign(claims, alg=name)) == REFUSED


def test_another_key_is_refused_even_when_the_token_brings_it():
    impostor = FakeIssuer()
    claims = {
        "iss": ISSUER.name,
        "aud": "wellworn",
        "sub": "a",
        "jti": "1",
        "iat": int(NOW),
        "exp": int(NOW) + 60,
    }
    assert refusal(impostor.sign(claims)) == REFUSED
    assert refusal(impostor.sign(claims, jwk=impostor.jwk)) == REFUSED
    assert refusal(impostor.sign(claims, jku="https://impostor.example/keys")) == REFUSED


def test_an_unknown_or_missing_kid_is_refused():
    claims = json.loads(base64.urlsafe_b64decode(payload_of(ISSUER.token("a", now=NOW)) + "=="))
    for kid in ("key-2", "", None, 7, ["key-1"], {}):
        assert refusal(ISSUER.sign(claims, kid=kid)) == REFUSED


def test_headers_that_must_be_understood_and_are_not_refuse_the_token():
    claims = json.loads(base64.urlsafe_b64decode(payload_of(ISSUER.token("a", now=NOW)) + "=="))
    assert refusal(ISSUER.sign(claims, crit=["b64"], b64=False)) == REFUSED
    assert refusal(ISSUER.sign(claims, crit=["special"], special=1)) == REFUSED


# ---------------------------------------------------------------- what it says


@pytest.mark.parametrize("name", ["iss", "aud", "sub", "jti", "iat", "exp"])
def test_a_missing_claim_is_refused(name):
    assert refusal(ISSUER.token("alice", now=NOW, **{name: None})) == REFUSED


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"iss": ["https://sso.example"]},
        {"aud": "other"},
        {"aud": []},
        {"aud": ["other"]},
        {"aud": "wellworn "},
        {"sub": ""},
        {"sub": 7},
        {"sub": "a" * 256},
        {"sub": "\ud800"},
        {"sub": "nul\x00"},
        {"jti": ""},
        {"jti": 7},
        {"spaces": "a"},
        {"spaces": [1]},
        {"spaces": [""]},
        {"spaces": {"a": 1}},
        {"scope": ["read"]},
        {"exp": "9999999999"},
        {"exp": True},
        {"exp": float("nan")},
        {"exp": float("inf")},
        {"exp": 10**400},
        {"iat": -(10**400)},
        {"iat": "0"},
        {"nbf": NOW + 100},
        {"nbf": "soon"},
    ],
    ids=str,
)
def test_a_claim_that_does_not_fit_is_refused(claims):
    assert refusal(ISSUER.token("alice", now=NOW, **claims)) == REFUSED


def test_a_token_lives_from_its_issue_to_its_end_give_or_take_the_leeway():
    token = ISSUER.token("alice", now=NOW)
    begin, end = int(NOW), int(NOW) + 300
    for now in (begin - 30, begin, end, end + 29):
        assert verifier().verify(token, now=now)
    for now in (begin - 31, end + 30, end + 10_000, 0):
        assert refusal(token, now=now) == REFUSED
    assert refusal(token, now=end, leeway_s=0) == REFUSED


def test_a_token_that_lives_too_long_is_refused():
    longest = ISSUER.token("alice", now=NOW, exp=int(NOW) + 900)
    assert verifier().verify(longest, now=NOW)
    assert refusal(longest, lifetime_s=899) == REFUSED
    assert refusal(ISSUER.token("alice", now=NOW, exp=int(NOW) + 901)) == REFUSED
    assert refusal(ISSUER.token("a", now=NOW, iat=int(NOW) + 10, exp=int(NOW) + 9)) == REFUSED


# ---------------------------------------------------------------- what it looks like


@given(st.one_of(st.text(max_size=60), st.text("eyJ.AQ_-", max_size=200)))
def test_what_is_no_token_gets_the_same_refusal(text):
    assert refusal(text) == REFUSED


@pytest.mark.parametrize(
    "head",
    [
        [],
        "x",
        1,
        None,
        {},
        {"alg": []},
        {"alg": {}},
        {"kid": "key-1"},
        {"alg": "Ed25519", "kid": 1},
    ],
)
def test_a_strange_header_gets_the_same_refusal(head):
    payload = payload_of(ISSUER.token("a", now=NOW))
    assert refusal(f"{encoded(head)}.{payload}.{encoded(bytes(64))}") == REFUSED


def test_deep_and_long_tokens_get_the_same_refusal():
    deep = encoded(b"[" * 5000)
    assert refusal(f"{deep}.{deep}.{deep}") == REFUSED
    assert refusal("a" * 5_000_000) == REFUSED
    assert refusal(ISSUER.token("a", now=NOW, more="x" * 9000)) == REFUSED


def test_any_changed_character_is_refused():
    token = ISSUER.token("alice", now=NOW)
    for at in range(len(token) - 1):  # the last character has bits that mean nothing
        changed = "A" if token[at] != "A" else "B"
        assert refusal(token[:at] + changed + token[at + 1 :]) == REFUSED


# ---------------------------------------------------------------- which keys


def test_without_an_issuer_there_is_nothing_to_check_with():
    assert open_verifier(TokenSettings()) is None


def test_keys_may_be_a_set_one_key_or_a_file(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(ISSUER.jwk))
    pem = OKPKey.import_key(ISSUER.jwk).as_pem(private=False).decode()
    foreign = [ECKey.generate_key("P-256").as_dict(private=False), {"kty": "AKP", "pub": "x"}]
    mixed = json.dumps({"keys": [*foreign, ISSUER.jwk]})
    token = ISSUER.token("alice", now=NOW)
    for settings in (
        {"public_keys": json.dumps(ISSUER.jwk)},
        {"public_keys": mixed},
        {"public_keys": pem},
        {"public_keys_file": path},
    ):
        whole = TokenSettings(issuer=ISSUER.name, audience=ISSUER.audience, **settings)
        found = open_verifier(whole)
        assert found is not None
        assert found.verify(token, now=NOW).subject == "alice"


def test_several_keys_are_told_apart_by_name():
    second = FakeIssuer(kid="key-2")
    both = TokenVerifier(ISSUER.settings(), json.dumps({"keys": [ISSUER.jwk, second.jwk]}))
    assert both.verify(ISSUER.token("a", now=NOW), now=NOW)
    assert both.verify(second.token("b", now=NOW), now=NOW).subject == "b"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"keys": []}',
        '{"keys": 1}',
        '{"keys": [7]}',
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        json.dumps({"keys": [ISSUER.jwk, ISSUER.jwk]}),
        json.dumps(OKPKey.generate_key("Ed25519", {"kid": "a"}).as_dict(private=True)),
        json.dumps(OKPKey.generate_key("X25519", {"kid": "a"}).as_dict(private=False)),
        OKPKey.generate_key("Ed25519").as_pem(private=True).decode(),
        OKPKey.generate_key("Ed448").as_pem(private=False).decode(),
        ECKey.generate_key("P-256").as_pem(private=False).decode(),
    ],
    ids=range(14),
)
def test_what_is_no_public_ed25519_key_is_refused_at_the_start(text):
    with pytest.raises(KeyUnavailable):
        TokenVerifier(ISSUER.settings(), text)


def test_a_file_of_keys_that_is_missing_is_said_plainly(tmp_path):
    settings = TokenSettings(issuer="i", audience="a", public_keys_file=tmp_path / "none")
    with pytest.raises(KeyUnavailable) as caught:
        open_verifier(settings)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"issuer": "i"},
        {"issuer": "i", "audience": "a"},
        {"issuer": "i", "audience": "a", "public_keys": "k", "public_keys_file": "/f"},
        {"issuer": "", "audience": "a", "public_keys": "k"},
        {"unknown": 1},
    ],
)
def test_half_an_issuer_is_no_setting(settings):
    with pytest.raises(ValueError, match=r"issuer|unknown"):
        TokenSettings(**settings)
