"""Wrapped data keys and signed statements: nothing can be moved, swapped or made up."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.crypto import (
    ApiKey,
    DataKey,
    Epoch,
    Grant,
    GrantContext,
    Identity,
    KeyPrefix,
    SealedInvitation,
    unwrap_data_key,
    wrap_data_key,
)
from wellworn.errors import SpaceLocked, Tampered

OWNER, MEMBER, ATTACKER = Identity.new(), Identity.new(), Identity.new()
KEY = DataKey.new()
PLACE = GrantContext(space="s", epoch=2, member_id="m", role="contributor")
WRAPPED = wrap_data_key(KEY, MEMBER.public, PLACE)
TOKEN = ApiKey.new(KeyPrefix.INVITATION)

EPOCH = Epoch(
    space="s",
    epoch=2,
    key_check=KEY.key_check,
    author="owner",
    previous_hash=bytes(32),
    created_at=1_771_858_800.25,
)
GRANT = Grant(
    space="s",
    epoch=2,
    member_id="m",
    member_public=MEMBER.public,
    role="contributor",
    wrapped=WRAPPED,
    granted_by="owner",
)
INVITATION = SealedInvitation.create(
    KEY, TOKEN, space="s", epoch=2, role="reader", invited_by="owner", expires_at=2e9
)
# For every field of every statement, another value that a database writer might put there.
CHANGES = {
    Epoch: {
        "space": "t",
        "epoch": 3,
        "key_check": DataKey.new().key_check,
        "author": "attacker",
        "previous_hash": None,
        "created_at": 1_771_858_800.5,
    },
    Grant: {
        "space": "t",
        "epoch": 3,
        "member_id": "attacker",
        "member_public": ATTACKER.public,
        "role": "admin",
        "wrapped": wrap_data_key(KEY, ATTACKER.public, PLACE),
        "granted_by": "attacker",
    },
    SealedInvitation: {
        "invitation_id": "other",
        "space": "t",
        "epoch": 3,
        "role": "admin",
        "wrapped": bytes(61),
        "acceptance_key": ATTACKER.public.signing,
        "invited_by": "attacker",
        "expires_at": 3e9,
    },
}
STATEMENTS = pytest.mark.parametrize(
    "statement", [EPOCH, GRANT, INVITATION], ids=lambda each: type(each).__name__
)


def test_a_member_unwraps_the_key_that_was_wrapped_for_him():
    assert unwrap_data_key(WRAPPED, MEMBER, PLACE) == KEY
    assert len(WRAPPED) == 1168
    assert wrap_data_key(KEY, MEMBER.public, PLACE) != WRAPPED


@pytest.mark.parametrize(
    "change", [{"space": "t"}, {"epoch": 3}, {"member_id": "n"}, {"role": "admin"}]
)
def test_a_wrapped_key_moved_elsewhere_is_refused(change):
    with pytest.raises(Tampered):
        unwrap_data_key(WRAPPED, MEMBER, replace(PLACE, **change))


def test_nobody_else_unwraps_it():
    with pytest.raises(Tampered):
        unwrap_data_key(WRAPPED, ATTACKER, PLACE)


@given(st.data())
@settings(max_examples=60)
def test_any_changed_bit_of_a_wrapped_key_is_refused(data):
    blob = bytearray(WRAPPED)
    blob[data.draw(st.integers(0, len(blob) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Tampered):
        unwrap_data_key(bytes(blob), MEMBER, PLACE)


def test_something_else_wrapped_as_a_key_is_refused():
    blob = MEMBER.public.encrypt(b"no key", PLACE.canonical())
    with pytest.raises(Tampered):
        unwrap_data_key(blob, MEMBER, PLACE)


def test_a_wiped_key_is_not_wrapped():
    key = DataKey.new()
    key.wipe()
    with pytest.raises(SpaceLocked):
        wrap_data_key(key, MEMBER.public, PLACE)


@STATEMENTS
def test_a_statement_holds_under_its_signature(statement):
    statement.verify(statement.sign(OWNER), OWNER.public)


@STATEMENTS
def test_a_statement_that_another_signed_is_forged(statement):
    with pytest.raises(Tampered):
        statement.verify(statement.sign(ATTACKER), OWNER.public)
    with pytest.raises(Tampered):
        statement.verify(b"", OWNER.public)


@STATEMENTS
def test_every_field_is_signed(statement):
    signature = statement.sign(OWNER)
    changes = CHANGES[type(statement)]
    assert set(changes) == {field.name for field in fields(statement)}
    for name, value in changes.items():
        forged = replace(statement, **{name: value})
        with pytest.raises(Tampered):
            forged.verify(signature, OWNER.public)


def test_a_signature_under_one_kind_of_statement_is_none_under_another():
    kinds = [EPOCH, GRANT, INVITATION]
    for signed in kinds:
        for claimed in kinds:
            if signed is not claimed:
                with pytest.raises(Tampered):
                    claimed.verify(signed.sign(OWNER), OWNER.public)


def test_epochs_form_a_chain():
    first = replace(EPOCH, epoch=1, previous_hash=None)
    second = replace(EPOCH, previous_hash=first.digest())
    forged = replace(first, key_check=DataKey.new().key_check)
    assert second.previous_hash != forged.digest()
    assert first.digest() == replace(first).digest()
    assert len(first.digest()) == 32


def test_a_time_of_whole_seconds_is_signed_alike_however_it_is_read_back():
    stated = replace(EPOCH, created_at=1_771_858_800)
    read_back = replace(EPOCH, created_at=1_771_858_800.0)
    read_back.verify(stated.sign(OWNER), OWNER.public)


def test_the_token_alone_opens_the_space():
    assert INVITATION.open_data_key(ApiKey.parse(TOKEN.text, KeyPrefix.INVITATION)) == KEY


def test_another_token_does_not():
    for token in (
        ApiKey.new(KeyPrefix.INVITATION),
        replace(TOKEN, prefix=KeyPrefix.MEMBER),
    ):
        with pytest.raises(Tampered):
            INVITATION.open_data_key(token)


@pytest.mark.parametrize(
    "change", [{"invitation_id": "other"}, {"space": "t"}, {"epoch": 3}, {"role": "admin"}]
)
def test_an_invitation_to_elsewhere_opens_nothing(change):
    with pytest.raises(Tampered):
        replace(INVITATION, **change).open_data_key(TOKEN)


def test_only_the_holder_of_the_token_accepts_for_the_newcomer():
    accepted = replace(GRANT, granted_by=INVITATION.invitation_id)
    accepted.verify(accepted.sign(TOKEN.signer), INVITATION.acceptor)
    for signer in (ATTACKER, ApiKey.new(KeyPrefix.INVITATION).signer, OWNER):
        with pytest.raises(Tampered):
            accepted.verify(accepted.sign(signer), INVITATION.acceptor)


def test_printed_statements_show_no_key():
    shown = repr(EPOCH) + repr(GRANT) + repr(INVITATION) + repr(TOKEN.signer)
    for secret in (KEY.material(), TOKEN.secret, TOKEN.kek):
        assert repr(secret)[2:-1] not in shown
        assert secret.hex() not in shown
