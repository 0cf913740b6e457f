from __future__ import annotations

import pytest

from wellworn.domain.spaces import DEFAULT_SPACE, Authenticator, Role
from wellworn.engines.crypto import ApiKey
from wellworn.errors import (
    CredentialNotFound,
    Forbidden,
    InvalidInput,
    SpaceNotFound,
    Unauthenticated,
)


def test_a_new_member_enters_the_default_space_in_the_role_given(house):
    issued = house.member("alice", Role.READER)
    access = house.authenticator.enter(issued.key)
    assert (access.space, access.role) == (DEFAULT_SPACE, Role.READER)
    assert access.principal == issued.credential.member_id


def test_the_open_door_leads_into_the_default_space_alone(house):
    assert house.authenticator.enter(None).owner is None
    with pytest.raises(Unauthenticated):
        house.authenticator.enter(None, "ks-other")


def test_a_closed_door_lets_nobody_in_without_a_credential(house):
    authenticator = Authenticator(house.database, house.clock, open_door=False)
    with pytest.raises(Unauthenticated):
        authenticator.enter(None)
    with pytest.raises(Unauthenticated):
        authenticator.recognise(None)


@pytest.mark.parametrize("shown", ["", "ww_", "x" * 10_000, "a.b.c", "ww_abc_def", "\x00"])
def test_what_is_no_credential_is_refused(house, shown):
    with pytest.raises(Unauthenticated):
        house.authenticator.enter(shown)


def test_an_unknown_key_and_a_wrong_secret_are_refused_alike(house, stranger):
    known = house.member().credential.kid
    forged = stranger.replace(stranger.split("_")[1], known)
    complaints = set()
    for shown in (stranger, forged):
        with pytest.raises(Unauthenticated) as refused:
            house.authenticator.enter(shown)
        complaints.add(refused.value.message)
    assert len(complaints) == 1


def test_the_database_holds_neither_key_nor_anything_that_opens(house, tmp_path):
    issued = house.member()
    key = ApiKey.parse(issued.key)
    with house.database.read() as reader:
        rows = str(reader.exec_driver_sql("SELECT * FROM credentials").all()).encode()
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (issued.key.encode(), issued.key.split("_")[2].encode(), key.secret, key.kek):
        assert secret not in raw
        assert secret not in rows


def test_a_credential_ends_with_its_life(house):
    issued = house.spaces.enrol("alice", role=Role.ADMIN, lifetime_s=60)
    house.clock.advance(59)
    house.authenticator.enter(issued.key)
    house.clock.advance(1)
    with pytest.raises(Unauthenticated):
        house.authenticator.enter(issued.key)


def test_a_child_reaches_no_further_than_its_parent(house):
    parent = house.principal(house.spaces.enrol("alice", role=Role.ADMIN, lifetime_s=100).key)
    child = house.credentials.create_child(parent, "bot", role=Role.READER, spaces=[DEFAULT_SPACE])
    assert house.authenticator.enter(child.key).role is Role.READER
    weak = house.principal(child.key)
    for more in (
        {"role": Role.CONTRIBUTOR},
        {"spaces": ["ks-other"]},
        {"spaces": []},
        {"lifetime_s": 1_000},
    ):
        with pytest.raises(Forbidden):
            house.credentials.create_child(weak, "more", **more)
    within = house.credentials.create_child(weak, "less", lifetime_s=10)
    assert within.credential.role is Role.READER
    assert within.credential.spaces == (DEFAULT_SPACE,)


def test_a_child_enters_only_the_spaces_it_was_given(house):
    founded, access = house.founded(sealed=False)
    owner = house.principal(founded.issued.key)
    child = house.credentials.create_child(owner, "bot", spaces=["ks-elsewhere"])
    with pytest.raises(SpaceNotFound):
        house.authenticator.enter(child.key, access.space)


def test_two_keys_of_one_member_are_one_owner(house):
    parent = house.member()
    child = house.credentials.create_child(house.principal(parent.key), "bot")
    accesses = [house.authenticator.enter(one.key) for one in (parent, child)]
    assert {one.owner for one in accesses} == {parent.credential.member_id}
    assert len({one.resolve_user(label) for one in accesses for label in "abcdefghij"}) == 1


def test_revoking_a_parent_revokes_the_tree(house):
    parent = house.member()
    child = house.credentials.create_child(house.principal(parent.key), "child")
    grandchild = house.credentials.create_child(house.principal(child.key), "grandchild")
    assert house.credentials.revoke(None, child.credential.kid) == 2
    house.authenticator.enter(parent.key)
    for gone in (child, grandchild):
        with pytest.raises(Unauthenticated):
            house.authenticator.enter(gone.key)


def test_a_child_can_end_itself_and_nobody_above_or_beside_it(house):
    parent = house.member()
    child, other = (
        house.credentials.create_child(house.principal(parent.key), name) for name in ("one", "two")
    )
    actor = house.principal(child.key)
    for target in (parent, other, house.member("bob")):
        with pytest.raises(CredentialNotFound):
            house.credentials.revoke(actor, target.credential.kid)
    assert house.credentials.revoke(actor, child.credential.kid) == 1


def test_a_renewed_credential_has_a_new_key_and_keeps_its_children(house):
    parent = house.member()
    actor = house.principal(parent.key)
    child = house.credentials.create_child(actor, "child")
    renewed = house.credentials.renew(actor, parent.credential.kid)
    with pytest.raises(Unauthenticated):
        house.authenticator.enter(parent.key)
    house.authenticator.enter(child.key)
    assert house.credentials.revoke(house.principal(renewed.key), child.credential.kid) == 1


def test_a_renewed_key_still_opens_what_the_old_one_opened(house):
    founded, access = house.founded()
    before = house.spaces.unlock(access).data_key
    actor = house.principal(founded.issued.key)
    renewed = house.credentials.renew(actor, founded.issued.credential.kid)
    again = house.authenticator.enter(renewed.key, access.space)
    assert house.spaces.unlock(again).data_key == before


def test_a_list_shows_what_is_one_s_own_and_no_key(house):
    parent, other = house.member(), house.member("bob")
    child = house.credentials.create_child(house.principal(parent.key), "child")
    mine = house.credentials.list_credentials(house.principal(parent.key))
    assert {one.kid for one in mine} == {parent.credential.kid, child.credential.kid}
    everything = house.credentials.list_credentials(None)
    assert {one.kid for one in everything} >= {other.credential.kid}
    assert parent.key not in repr((mine, everything, parent, house.principal(parent.key)))


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "line\nbreak"])
def test_a_name_that_is_none_is_refused(house, name):
    with pytest.raises(InvalidInput):
        house.member(name)
