"""A member's key pairs: sealed, shown, compared."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.crypto import ApiKey, Identity, PublicIdentity, VerifyKey
from wellworn.errors import InvalidInput, Tampered

MEMBER = Identity(bytes(range(128)))
OTHER = Identity.new()
KEK = bytes(range(32))


def test_an_identity_comes_back_with_its_credential():
    key = ApiKey.new()
    blob = MEMBER.seal(key.kek, bound_to=key.kid)
    again = Identity.unseal(blob, ApiKey.parse(key.text).kek, bound_to=key.kid)
    assert again.public == MEMBER.public
    assert again.decrypt(MEMBER.public.encrypt(b"hello", b"x"), b"x") == b"hello"
    MEMBER.public.check(again.sign(b"statement"), b"statement")


@given(st.data())
def test_any_changed_bit_of_a_sealed_identity_is_refused(data):
    blob = bytearray(MEMBER.seal(KEK, bound_to="kid"))
    blob[data.draw(st.integers(0, len(blob) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Tampered):
        Identity.unseal(bytes(blob), KEK, bound_to="kid")


def test_another_credential_or_place_does_not_open_it():
    blob = MEMBER.seal(KEK, bound_to="kid")
    for kek, place in ((bytes(32), "kid"), (KEK, "kie"), (KEK, b"kid")):
        with pytest.raises(Tampered):
            Identity.unseal(blob, kek, bound_to=place)


def test_only_the_member_decrypts_what_was_encrypted_to_him():
    blob = MEMBER.public.encrypt(b"hello", b"here")
    for reader, place in ((OTHER, b"here"), (MEMBER, b"there")):
        with pytest.raises(Tampered):
            reader.decrypt(blob, place)


@given(st.binary(max_size=1300))
def test_what_nobody_encrypted_is_refused(blob):
    with pytest.raises(Tampered):
        MEMBER.decrypt(blob, b"here")


def test_a_ciphertext_made_to_give_no_secret_is_refused():
    blob = MEMBER.public.encrypt(b"hello", b"here")
    with pytest.raises(Tampered):
        MEMBER.decrypt(blob[:1088] + bytes(32) + blob[1120:], b"here")


@pytest.mark.parametrize("raw", [b"", bytes(31), bytes(32), b"\xff" * 32])
def test_under_what_is_no_key_no_signature_holds(raw):
    with pytest.raises(Tampered):
        VerifyKey(raw).check(MEMBER.sign(b"statement"), b"statement")


def test_a_signature_holds_for_its_member_and_message_only():
    signature = MEMBER.sign(b"statement")
    MEMBER.public.check(signature, b"statement")
    for public, message, given_signature in (
        (OTHER.public, b"statement", signature),
        (MEMBER.public, b"statemenT", signature),
        (MEMBER.public, b"statement", bytes(64)),
        (MEMBER.public, b"statement", b""),
    ):
        with pytest.raises(Tampered):
            public.check(given_signature, message)


def test_a_public_identity_travels_as_text():
    assert PublicIdentity.parse(MEMBER.public.text) == MEMBER.public
    assert MEMBER.public.text.startswith("wp_")
    assert len(MEMBER.public.text) == 1667


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda text: text[:-1],
        lambda text: text + "A",
        lambda text: "ww_" + text[3:],
        lambda text: text[:-1] + "=",
        lambda text: text[:-1] + "\n",
        lambda text: text[:-1] + "é",
        lambda _: "",
    ],
)
def test_other_texts_are_no_public_identity(spoilt):
    with pytest.raises(InvalidInput):
        PublicIdentity.parse(spoilt(MEMBER.public.text))


@pytest.mark.parametrize(
    "encryption",
    [
        MEMBER.public.encryption[:1184] + bytes(32),  # an X25519 point that gives no secret
        b"\xff" * 1184 + MEMBER.public.encryption[1184:],  # no ML-KEM key
    ],
)
def test_a_key_that_cannot_keep_a_secret_is_refused(encryption):
    with pytest.raises(InvalidInput):
        PublicIdentity(encryption, MEMBER.public.signing).encrypt(b"hello", b"")


@pytest.mark.parametrize(("encryption", "signing"), [(1215, 32), (1216, 31), (0, 0)])
def test_keys_of_other_lengths_are_refused(encryption, signing):
    with pytest.raises(InvalidInput):
        PublicIdentity(bytes(encryption), bytes(signing))


def test_a_fingerprint_is_short_and_depends_on_both_keys():
    public = MEMBER.public
    assert re.fullmatch(r"([a-z2-7]{4}-){7}[a-z2-7]{4}", public.fingerprint())
    mixed = [
        PublicIdentity(public.encryption, OTHER.public.signing),
        PublicIdentity(OTHER.public.encryption, public.signing),
        OTHER.public,
    ]
    assert len({each.fingerprint() for each in [public, *mixed]}) == 4


def test_a_printed_identity_shows_its_fingerprint_and_no_key():
    secret = bytes(range(128))
    shown = repr(MEMBER) + str(MEMBER) + repr([MEMBER, MEMBER.public, MEMBER._signing])
    assert MEMBER.public.fingerprint() in shown
    for part in (secret[:64], secret[64:96], secret[96:]):
        assert part.hex() not in shown
        assert repr(part)[2:-1] not in shown


def test_the_same_128_bytes_are_always_the_same_member():
    assert Identity(bytes(range(128))).public == MEMBER.public
    with pytest.raises(ValueError, match="128 bytes"):
        Identity(bytes(127))
