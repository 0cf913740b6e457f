"""Whoever writes to the database, but holds no member's key, gains nothing that is believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wellworn.domain.spaces import Role
from wellworn.domain.spaces.authority import SignedEpoch, SignedGrant
from wellworn.domain.spaces.sealing import _digest
from wellworn.domain.spaces.store import sealing as store
from wellworn.engines.crypto import DataKey, Epoch, Grant, GrantContext, Identity, wrap_data_key
from wellworn.errors import SpaceLocked, Tampered


@pytest.fixture
def sealed(house):
    return house.founded()[1]


def change(house, statement, *values):
    with house.database.write() as writer:
        assert writer.exec_driver_sql(statement, values).rowcount > 0


def forged_epoch(house, access, mallory, *, author=None):
    """Insert a next epoch whose key mallory knows, granted to everybody."""
    with house.database.write() as writer:
        newest = store.list_epochs(writer, access.space)[-1].epoch
        key = DataKey.new()
        epoch = Epoch(
            space=access.space,
            epoch=newest.epoch + 1,
            key_check=key.key_check,
            author=author or newest.author,
            previous_hash=newest.digest(),
            created_at=newest.created_at,
        )
        store.add_epoch(writer, SignedEpoch(epoch, epoch.sign(mallory)))
        grants = (signed.grant for signed in store.list_grants(writer, access.space))
        public = {grant.member_id: grant.member_public for grant in grants}[access.principal]
        context = GrantContext(access.space, epoch.epoch, access.principal, "admin")
        wrapped = wrap_data_key(key, public, context=context)
        grant = Grant(
            space=access.space,
            epoch=epoch.epoch,
            member_id=access.principal,
            member_public=public,
            role="admin",
            wrapped=_digest(wrapped),
            granted_by=epoch.author,
        )
        store.add_grant(writer, SignedGrant(grant, grant.sign(mallory), wrapped))


def test_every_member_opens_the_same_key_with_their_own(house, sealed):
    _, guest = house.guest(sealed)
    assert house.spaces.unlock(guest).data_key == house.spaces.unlock(sealed).data_key


def test_without_a_key_of_one_s_own_the_space_is_locked(house, sealed):
    token_only = replace(sealed.credential, kek=None, kid=None)
    for credential in (None, token_only):
        with pytest.raises(SpaceLocked):
            house.spaces.unlock(replace(sealed, credential=credential))


def test_a_membership_written_into_the_database_opens_nothing(house, sealed):
    mallory = house.authenticator.enter(house.member("mallory").key)
    change(
        house,
        "INSERT INTO space_memberships (space_id, agent_id, role, granted_at, granted_by)"
        " VALUES (?, ?, 'admin', '2026-01-01T00:00:00Z', ?)",
        sealed.space,
        mallory.principal,
        sealed.principal,
    )
    with pytest.raises(SpaceLocked):
        house.spaces.unlock(replace(mallory, space=sealed.space, mode=sealed.mode))


def test_an_epoch_without_an_admin_s_signature_is_refused(house, sealed):
    forged_epoch(house, sealed, Identity.new())
    with pytest.raises(Tampered):
        house.spaces.unlock(sealed)


def test_an_epoch_by_a_contributor_is_refused(house, sealed):
    key, guest = house.guest(sealed)
    with house.database.read() as reader:
        identity = house.credentials.open_identity(reader, house.principal(key))
    forged_epoch(house, sealed, identity, author=guest.principal)
    with pytest.raises(Tampered):
        house.spaces.unlock(sealed)


def test_an_admin_who_was_revoked_writes_no_epoch_any_more(house, sealed):
    key, guest = house.guest(sealed, Role.ADMIN)
    with house.database.read() as reader:
        identity = house.credentials.open_identity(reader, house.principal(key))
    house.spaces.revoke(sealed, guest.principal)
    forged_epoch(house, sealed, identity, author=guest.principal)
    with pytest.raises(Tampered):
        house.spaces.unlock(sealed)


def test_history_is_not_written_anew_behind_a_member_who_has_seen_it(house, sealed):
    key, guest = house.guest(sealed, Role.ADMIN)
    with house.database.read() as reader:
        identity = house.credentials.open_identity(reader, house.principal(key))
    house.spaces.revoke(sealed, guest.principal)
    house.spaces.unlock(sealed)
    for table in ("space_epochs", "space_grants"):
        change(house, f"DELETE FROM {table} WHERE epoch = 2")
    forged_epoch(house, sealed, identity, author=guest.principal)
    with pytest.raises(Tampered):
        house.spaces.unlock(sealed)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE space_grants SET role = 'reader'",
        "UPDATE space_grants SET member_id = 'somebody'",
        "UPDATE space_grants SET signature = zeroblob(64)",
        "UPDATE space_grants SET wrapped = zeroblob(1168)",
        "UPDATE space_grants SET signing_public = zeroblob(32)",
        "UPDATE space_epochs SET key_check = zeroblob(32)",
        "UPDATE space_epochs SET signature = zeroblob(64)",
        "UPDATE space_epochs SET author = 'somebody'",
        "UPDATE space_epochs SET epoch = 2",
        "UPDATE space_memberships SET pinned = zeroblob(200) WHERE pinned IS NOT NULL",
        "DELETE FROM space_epochs",
    ],
)
def test_what_was_changed_in_the_database_is_refused(house, sealed, statement):
    change(house, statement)
    with pytest.raises((Tampered, SpaceLocked)):
        house.spaces.unlock(sealed)


def test_the_grant_of_one_space_opens_no_other(house, sealed):
    founded, other = house.founded("other")
    del founded
    change(house, "DELETE FROM space_grants WHERE space_id = ?", other.space)
    change(house, "UPDATE space_grants SET space_id = ?", other.space)
    with pytest.raises((Tampered, SpaceLocked)):
        house.spaces.unlock(other)


def test_another_founder_is_not_put_in_the_place_of_the_pinned_one(house, sealed):
    _, guest = house.guest(sealed)
    mallory = Identity.new()
    with house.database.write() as writer:
        store.remove(writer, sealed.space)
        key = DataKey.new()
        epoch = Epoch(sealed.space, 1, key.key_check, "mallory", None, 0.0)
        store.add_epoch(writer, SignedEpoch(epoch, epoch.sign(mallory)))
    with pytest.raises(Tampered):
        house.spaces.unlock(guest)


def test_a_new_key_is_given_to_those_who_stay_alone(house, sealed):
    _, staying = house.guest(sealed)
    _, leaving = house.guest(sealed)
    old = house.spaces.unlock(leaving).data_key
    house.spaces.revoke(sealed, leaving.principal)
    fresh = house.spaces.unlock(sealed)
    assert fresh.epoch == 2
    assert fresh.data_key != old
    assert house.spaces.unlock(staying).data_key == fresh.data_key
    with pytest.raises(SpaceLocked):
        house.spaces.unlock(leaving)


def test_after_a_new_key_nothing_is_left_that_wraps_the_old_one(house, sealed):
    house.guest(sealed)
    pending = house.spaces.invite(sealed)
    house.spaces.rotate(sealed)
    with house.database.read() as reader:
        old = "SELECT count(*) FROM space_grants WHERE epoch = 1 AND wrapped IS NOT NULL"
        assert reader.exec_driver_sql(old).scalar() == 0
        waiting = "SELECT count(*) FROM invitations WHERE wrapped IS NOT NULL"
        assert reader.exec_driver_sql(waiting).scalar() == 0
    assert pending.invitation.id not in str(house.spaces.list_members(sealed)[1])


def test_a_role_raised_in_the_database_is_not_believed_at_the_next_key(house, sealed):
    key, guest = house.guest(sealed, Role.READER)
    change(house, "UPDATE space_memberships SET role = 'admin' WHERE role = 'reader'")
    house.spaces.rotate(sealed)
    assert house.spaces.unlock(house.authenticator.enter(key, guest.space)).role is Role.READER


def test_many_keys_later_the_chain_still_holds(house, sealed):
    _, guest = house.guest(sealed, Role.ADMIN)
    for turn in (sealed, guest, sealed, guest):
        house.spaces.rotate(turn)
    house.guest(guest)
    assert house.spaces.unlock(sealed).epoch == 5


def test_an_invitation_changed_in_the_database_lets_nobody_in(house, sealed):
    invited = house.spaces.invite(sealed, Role.READER)
    change(house, "UPDATE invitations SET role = 'admin'")
    with pytest.raises(Tampered):
        house.spaces.join(invited.token, None)


def test_no_representation_shows_a_key(house, sealed):
    unlocked = house.spaces.unlock(sealed)
    shown = repr((sealed, unlocked, house.spaces.invite(sealed)))
    assert unlocked.data_key.material().hex() not in shown
    assert "wi_" not in shown
    assert "ww_" not in shown
