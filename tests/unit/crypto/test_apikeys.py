"""Keys that callers carry: one spelling, one refusal, nothing shown."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.crypto import REFUSED, ApiKey, KeyPrefix
from wellworn.errors import Unauthenticated

PREFIXES = pytest.mark.parametrize("prefix", KeyPrefix)


def refusal(text: str, prefix: KeyPrefix = KeyPrefix.MEMBER) -> str:
    with pytest.raises(Unauthenticated) as caught:
        ApiKey.parse(text, prefix)
    return str(caught.value)


@PREFIXES
@given(secret=st.binary(min_size=32, max_size=32))
def test_what_is_written_is_read_back(prefix, secret):
    key = ApiKey("abcdefgh2345", secret, prefix)
    read = ApiKey.parse(key.text, prefix)
    assert (read.kid, read.secret, read.prefix) == (key.kid, key.secret, key.prefix)
    assert key.text.startswith(f"{prefix}_abcdefgh2345_")


def test_new_keys_differ_in_both_halves():
    keys = [ApiKey.new() for _ in range(50)]
    assert len({key.kid for key in keys}) == len({key.secret for key in keys}) == 50
    assert all(len(key.kid) == 12 for key in keys)


def test_the_server_recognises_a_key_by_its_verifier_only():
    key, other = ApiKey.new(), ApiKey.new()
    assert key.matches(ApiKey.parse(key.text).verifier)
    assert not key.matches(other.verifier)
    assert not key.matches(hashlib.sha256(key.secret).digest())


def test_an_unknown_kid_never_matches():
    assert not ApiKey.new().matches(None)
    assert not ApiKey.new().matches(b"")


def test_verifier_kek_and_signature_key_are_unrelated():
    key = ApiKey.new()
    values = [key.verifier, key.kek, key.secret, key.signer.public.raw]
    values.append(hashlib.sha256(key.kek).digest())
    assert len(set(values)) == 5
    assert {len(value) for value in values} == {32}


def test_an_invitation_and_a_key_of_one_secret_open_different_things():
    key = ApiKey("a" * 12, bytes(32))
    invitation = ApiKey("a" * 12, bytes(32), KeyPrefix.INVITATION)
    assert key.kek != invitation.kek
    assert key.verifier != invitation.verifier


def test_an_invitation_is_no_key_and_a_key_no_invitation():
    assert refusal(ApiKey.new(KeyPrefix.INVITATION).text) == REFUSED
    assert refusal(ApiKey.new().text, KeyPrefix.INVITATION) == REFUSED


@given(
    st.one_of(
        st.text(max_size=80),
        st.text("abcdefghijklmnopqrstuvwxyz234567_w", min_size=60, max_size=70),
        st.just("ww_" + "a" * 10_000_000),
    )
)
def test_anything_else_gets_one_and_the_same_refusal(text):
    assert refusal(text) == REFUSED


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda text: text.upper(),
        lambda text: text + " ",
        lambda text: " " + text,
        lambda text: text + "\n",
        lambda text: text[:-1],
        lambda text: text.replace("_", "-"),
        lambda text: text[:-1] + "b",  # the same 32 bytes in another spelling
        lambda text: text[:20] + "1" + text[21:],
        lambda text: text[:20] + "ａ" + text[21:],
    ],
)
def test_a_key_has_one_spelling(spoilt):
    assert refusal(spoilt(ApiKey.new().text)) == REFUSED


@PREFIXES
def test_a_printed_key_shows_its_kid_and_no_secret(prefix):
    key = ApiKey.new(prefix)
    for shown in (repr(key), str(key), f"{key}", repr([key])):
        assert key.kid in shown
        assert key.text[16:30] not in shown
        assert repr(key.secret)[2:-1] not in shown
        assert key.secret.hex() not in shown
