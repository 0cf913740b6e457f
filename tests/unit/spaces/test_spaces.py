from __future__ import annotations

import pytest

from wellworn.domain.spaces import DEFAULT_SPACE, Mode, Role
from wellworn.engines.crypto import ApiKey
from wellworn.errors import CredentialNotFound, Forbidden, InvalidInput, SpaceNotFound


def test_a_founder_is_admin_of_what_they_founded(house):
    founded, access = house.founded(sealed=False)
    assert (access.role, access.mode) == (Role.ADMIN, Mode.OPEN)
    assert founded.space.id.startswith("ks-notes-")


def test_two_spaces_of_one_name_are_two(house):
    first, _ = house.founded("notes", sealed=False)
    second, _ = house.founded("notes", sealed=False)
    assert first.space.id != second.space.id


def test_a_space_of_others_is_answered_as_none_is(house, stranger):
    _, access = house.founded(sealed=False)
    outsider = house.member("mallory")
    complaints = set()
    for space in (access.space, "ks-nowhere"):
        with pytest.raises(SpaceNotFound) as refused:
            house.authenticator.enter(outsider.key, space)
        complaints.add(refused.value.message)
    assert len(complaints) == 1


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("sealed", [False, True])
def test_an_invitation_lets_its_bearer_in_once_in_its_role(house, role, sealed):
    _, access = house.founded(sealed=sealed)
    invited = house.spaces.invite(access, role)
    joined = house.spaces.join(invited.token, None, name="bob")
    assert house.authenticator.enter(joined.issued.key, access.space).role is role
    with pytest.raises(CredentialNotFound):
        house.spaces.join(invited.token, None, name="eve")


@pytest.mark.parametrize("sealed", [False, True])
def test_who_has_a_credential_joins_with_it(house, sealed):
    _, access = house.founded(sealed=sealed)
    bob = house.member("bob")
    joined = house.spaces.join(house.spaces.invite(access).token, house.principal(bob.key))
    assert joined.issued is None
    assert house.authenticator.enter(bob.key, access.space).role is Role.CONTRIBUTOR


def test_nobody_joins_twice(house):
    founded, access = house.founded()
    with pytest.raises(InvalidInput):
        house.spaces.join(house.spaces.invite(access).token, house.principal(founded.issued.key))


def test_an_invitation_ends_with_its_time_and_when_it_is_taken_back(house):
    _, access = house.founded()
    late = house.spaces.invite(access, lifetime_s=60)
    withdrawn = house.spaces.invite(access)
    house.spaces.withdraw(access, withdrawn.invitation.id)
    house.clock.advance(60)
    unknown = ApiKey.new(ApiKey.parse(house.member().key).prefix.__class__.INVITATION).text
    for token in (late.token, withdrawn.token, unknown, "nonsense"):
        with pytest.raises(CredentialNotFound):
            house.spaces.join(token, None)


def test_only_admins_invite_and_see_invitations(house):
    _, access = house.founded()
    _, guest = house.guest(access)
    house.spaces.invite(access)
    with pytest.raises(Forbidden):
        house.spaces.invite(guest)
    assert len(house.spaces.list_members(access)[1]) == 1
    assert house.spaces.list_members(guest)[1] == []
    assert len(house.spaces.list_members(guest)[0]) == 2


@pytest.mark.parametrize("sealed", [False, True])
def test_a_revoked_member_is_out_at_once(house, sealed):
    _, access = house.founded(sealed=sealed)
    key, guest = house.guest(access)
    house.spaces.revoke(access, guest.principal)
    with pytest.raises(SpaceNotFound):
        house.authenticator.enter(key, access.space)


def test_a_contributor_revokes_nobody(house):
    _, access = house.founded()
    _, guest = house.guest(access)
    _, other = house.guest(access)
    for victim in (access.principal, other.principal):
        with pytest.raises(Forbidden):
            house.spaces.revoke(guest, victim)


def test_the_last_admin_stays(house):
    _, access = house.founded()
    house.guest(access)
    with pytest.raises(Forbidden):
        house.spaces.revoke(access, access.principal)
    house.guest(access, Role.ADMIN)
    house.spaces.revoke(access, access.principal)


def test_the_default_space_is_neither_deleted_nor_sealed(house):
    admin = house.authenticator.enter(house.member().key)
    assert admin.space == DEFAULT_SPACE
    with pytest.raises(Forbidden):
        house.spaces.delete(admin, then=lambda _: None)
    with pytest.raises(Forbidden):
        house.spaces.seal(admin, then=lambda *_: None)


def test_a_limited_credential_founds_no_space(house):
    parent = house.principal(house.member().key)
    for limits in ({"role": Role.CONTRIBUTOR}, {"spaces": [DEFAULT_SPACE]}):
        child = house.principal(house.credentials.create_child(parent, "bot", **limits).key)
        with pytest.raises(Forbidden):
            house.spaces.create(child, "mine")
    assert house.spaces.create(parent, "mine").issued is None


def test_what_fails_with_a_space_leaves_no_space(house):
    def fail(*_):
        raise InvalidInput("no")

    bob = house.principal(house.member("bob").key)
    with pytest.raises(InvalidInput):
        house.spaces.create(bob, "mine", sealed=True, then=fail)
    assert [space.id for space, _ in house.spaces.list_spaces(bob)] == [DEFAULT_SPACE]


def test_a_deleted_space_takes_its_keys_along(house):
    founded, access = house.founded()
    house.spaces.invite(access)
    house.spaces.delete(access, then=lambda _: None)
    with pytest.raises(SpaceNotFound):
        house.authenticator.enter(founded.issued.key, access.space)
    with house.database.read() as reader:
        for table in ("space_epochs", "space_grants", "space_memberships", "invitations"):
            assert reader.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


def test_a_key_to_one_space_leads_there_without_naming_it(house):
    founded, access = house.founded()
    assert house.authenticator.enter(founded.issued.key).space == access.space
    house.spaces.create(house.principal(founded.issued.key), "another")
    with pytest.raises(SpaceNotFound):
        house.authenticator.enter(founded.issued.key)


def test_whoever_belongs_to_the_default_space_is_led_there(house):
    alice = house.member()
    house.spaces.create(house.principal(alice.key), "mine")
    assert house.authenticator.enter(alice.key).space == DEFAULT_SPACE
