"""A sealed space's key: made, given, opened, renewed.

A member who joins pins the founder's public key and the newest epoch, sealed under a key that only
the member has. From then on a writer to the database can neither put another founder in
place nor go back to an earlier epoch without the member noticing.

Source: `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from wellworn.domain.spaces.authority import (
    INVITED,
    Founder,
    SignedEpoch,
    SignedGrant,
    SignedInvitation,
    Statements,
    check_chain,
    check_grant,
    tampering_error,
)
from wellworn.domain.spaces.models import SEALED_PREFIX, Role
from wellworn.domain.spaces.store import sealing as store
from wellworn.domain.spaces.store import spaces
from wellworn.domain.spaces.store.spaces import StoredInvitation
from wellworn.engines.crypto import (
    ApiKey,
    DataKey,
    Epoch,
    Grant,
    GrantContext,
    Identity,
    PublicIdentity,
    SealedInvitation,
    SecretBox,
    Signer,
    unwrap_data_key,
    wrap_data_key,
)
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import InvalidInput, SpaceLocked


@dataclass(frozen=True, slots=True)
class UnlockedSpace:
    """The newest key of a sealed space, opened by one of its members, in that member's role."""

    space: str
    epoch: int
    role: Role
    founder: Founder
    data_key: DataKey = field(repr=False)

    @property
    def key_check(self) -> bytes:
        return self.data_key.key_check


@dataclass(frozen=True, slots=True)
class _Pin:
    founder: Founder
    epoch: int
    digest: bytes


def space_locked() -> SpaceLocked:
    return SpaceLocked("this space is sealed and opens only with a member's key")


def must_be_sealed(transaction: Transaction, space: str) -> bool:
    """Tell whether a space is sealed, whatever its own row says."""
    return space.startswith(SEALED_PREFIX) or bool(store.list_epochs(transaction, space))


def create_first_epoch(
    transaction: Transaction, space: str, member_id: str, identity: Identity, *, now: float
) -> tuple[UnlockedSpace, bytes]:
    """Make the first epoch of a space; return its key and the founder's pin."""
    founder = Founder(member_id, identity.public)
    epoch = Epoch(space, 1, b"", member_id, None, now)
    unlocked = UnlockedSpace(space, 1, Role.ADMIN, founder, DataKey.new())
    written = _write_epoch(transaction, epoch, unlocked, identity)
    _store_grant(
        transaction, unlocked, member_id, identity.public, Role.ADMIN, by=(member_id, identity)
    )
    return unlocked, _seal_pin(identity, space, _Pin(founder, 1, written.digest()))


def unlock(
    transaction: Transaction, space: str, member_id: str, identity: Identity
) -> UnlockedSpace:
    """Open the newest key with a member's own grant; remember how new it is.

    Raises:
        SpaceLocked: the member has no grant in the newest epoch.
        Tampered: epochs, grants or the pin are not as they were written.
    """
    pin = _open_pin(transaction, space, member_id, identity)
    statements = _load_statements(transaction, space)
    chain = check_chain(statements, pin.founder)
    newest = chain.newest
    if newest.epoch < pin.epoch or statements.epochs[pin.epoch - 1].epoch.digest() != pin.digest:
        raise tampering_error()
    signed = check_grant(statements, chain, member_id)
    if signed is None or signed.wrapped is None:
        raise space_locked()
    grant = signed.grant
    if _digest(signed.wrapped) != grant.wrapped or grant.member_public != identity.public:
        raise tampering_error()
    data_key = unwrap_data_key(signed.wrapped, identity, context=grant.context)
    if not data_key.matches(newest.key_check):
        raise tampering_error()
    if newest.epoch > pin.epoch:
        fresh = _Pin(pin.founder, newest.epoch, newest.digest())
        spaces.set_pin(transaction, space, member_id, _seal_pin(identity, space, fresh))
    return UnlockedSpace(space, newest.epoch, Role(grant.role), pin.founder, data_key)


def rotate(
    transaction: Transaction,
    unlocked: UnlockedSpace,
    author: str,
    identity: Identity,
    staying: Collection[str],
    *,
    appointed: Mapping[str, Role],
    now: float,
) -> UnlockedSpace:
    """Make the next epoch for the members who stay; earlier keys are given to nobody any more.

    Roles and keys of those who stay come from their checked grants, not from a table that
    anybody with the database could write; but for those who are appointed to a new role.
    """
    statements = _load_statements(transaction, unlocked.space)
    chain = check_chain(statements, unlocked.founder)
    newest = chain.newest
    fresh = replace(unlocked, epoch=newest.epoch + 1, data_key=DataKey.new())
    epoch = Epoch(unlocked.space, fresh.epoch, b"", author, newest.digest(), now)
    _write_epoch(transaction, epoch, fresh, identity)
    for member_id in staying:
        known = check_grant(statements, chain, member_id)
        if known is None:
            raise tampering_error()
        role = appointed.get(member_id, Role(known.grant.role))
        public = known.grant.member_public
        _store_grant(transaction, fresh, member_id, public, role, by=(author, identity))
    store.forget_wraps_before(transaction, unlocked.space, fresh.epoch)
    return fresh


def raise_role(
    transaction: Transaction,
    unlocked: UnlockedSpace,
    member_id: str,
    role: Role,
    *,
    by: tuple[str, Identity],
) -> bool:
    """Sign a greater role under the present key; tell whether it is one.

    The grant it takes the place of says less, so putting that back gains nothing.
    """
    statements = _load_statements(transaction, unlocked.space)
    known = check_grant(statements, check_chain(statements, unlocked.founder), member_id)
    if known is None:
        raise tampering_error()
    if not role.allows(Role(known.grant.role)):
        return False
    store.remove_grant(transaction, unlocked.space, unlocked.epoch, member_id)
    _store_grant(transaction, unlocked, member_id, known.grant.member_public, role, by=by)
    return True


def list_roles(transaction: Transaction, unlocked: UnlockedSpace) -> dict[str, Role]:
    """Return who has a grant of the present key that is believed, and in which role."""
    statements = _load_statements(transaction, unlocked.space)
    chain = check_chain(statements, unlocked.founder)
    granted = (
        check_grant(statements, chain, signed.grant.member_id)
        for signed in statements.grants
        if signed.grant.epoch == chain.newest.epoch
    )
    return {signed.grant.member_id: Role(signed.grant.role) for signed in granted if signed}


def seal_invitation(
    stored: StoredInvitation, token: ApiKey, identity: Identity, unlocked: UnlockedSpace
) -> StoredInvitation:
    """Give an invitation what its bearer needs to open the space."""
    invitation = stored.invitation
    made = SealedInvitation.create(
        unlocked.data_key,
        token,
        space=invitation.space,
        epoch=unlocked.epoch,
        role=invitation.role,
        invited_by=invitation.invited_by,
        expires_at=invitation.expires_at,
    )
    return replace(
        stored,
        epoch=unlocked.epoch,
        wrapped=made.wrapped,
        wrapped_hash=_digest(made.wrapped),
        acceptance_key=made.acceptance_key,
        founder=SecretBox(token.kek).seal(
            _format_founder(unlocked.founder), _founder_place(invitation.id)
        ),
        signature=_with_digest(made).sign(identity),
    )


def join(
    transaction: Transaction,
    stored: StoredInvitation,
    token: ApiKey,
    member_id: str,
    identity: Identity,
) -> bytes:
    """Give the bearer of an invitation a grant of their own; return what they pin.

    Raises:
        Tampered: the invitation, or the space it is for, is not as it was written.
        SpaceLocked: the space has a newer key than the invitation.
    """
    invitation = stored.invitation
    if stored.wrapped is None or stored.founder is None or stored.acceptance_key is None:
        raise space_locked()
    founder = _parse_founder(
        SecretBox(token.kek).open(stored.founder, _founder_place(invitation.id))
    )
    statements = _load_statements(transaction, invitation.space)
    chain = check_chain(statements, founder)
    newest = chain.newest
    if newest.epoch != stored.epoch:
        raise space_locked()
    data_key = _build_invitation(stored, stored.wrapped).open_data_key(token)
    if not data_key.matches(newest.key_check):
        raise tampering_error()
    unlocked = UnlockedSpace(invitation.space, newest.epoch, invitation.role, founder, data_key)
    by = (INVITED + invitation.id, token.signer)
    _store_grant(transaction, unlocked, member_id, identity.public, invitation.role, by=by)
    if check_grant(_load_statements(transaction, invitation.space), chain, member_id) is None:
        raise tampering_error()
    return _seal_pin(identity, invitation.space, _Pin(founder, newest.epoch, newest.digest()))


def drop_grant(transaction: Transaction, space: str, member_id: str) -> None:
    """Delete a member's grant of the present key; on earlier ones those of others may rest.

    Those who had the key may have a copy: only the next one shuts them out.
    """
    newest = len(store.list_epochs(transaction, space))
    store.remove_grant(transaction, space, newest, member_id)


def forget(transaction: Transaction, space: str) -> None:
    """Delete every key of a space: what was sealed with them stays closed, wherever a copy is."""
    store.remove(transaction, space)


def _write_epoch(
    transaction: Transaction, epoch: Epoch, unlocked: UnlockedSpace, identity: Identity
) -> Epoch:
    written = replace(epoch, key_check=unlocked.key_check)
    store.add_epoch(transaction, SignedEpoch(written, written.sign(identity)))
    return written


def _store_grant(
    transaction: Transaction,
    unlocked: UnlockedSpace,
    member_id: str,
    public: PublicIdentity,
    role: Role,
    *,
    by: tuple[str, Signer],
) -> None:
    granted_by, signer = by
    context = GrantContext(unlocked.space, unlocked.epoch, member_id, role)
    wrapped = wrap_data_key(unlocked.data_key, public, context=context)
    grant = Grant(
        space=unlocked.space,
        epoch=unlocked.epoch,
        member_id=member_id,
        member_public=public,
        role=role,
        wrapped=_digest(wrapped),
        granted_by=granted_by,
    )
    store.add_grant(transaction, SignedGrant(grant, grant.sign(signer), wrapped))


def _load_statements(transaction: Transaction, space: str) -> Statements:
    invitations = {
        stored.invitation.id: SignedInvitation(
            _with_digest(_build_invitation(stored, b"")), stored.signature
        )
        for stored in spaces.list_invitations(transaction, space)
        if stored.signature is not None
    }
    try:
        epochs, grants = (
            store.list_epochs(transaction, space),
            store.list_grants(transaction, space),
        )
    except InvalidInput as error:
        # A stored key that is none is no fault of the caller's.
        raise tampering_error() from error
    return Statements(space, epochs, grants, invitations)


def _build_invitation(stored: StoredInvitation, wrapped: bytes) -> SealedInvitation:
    invitation = stored.invitation
    return SealedInvitation(
        invitation_id=invitation.id,
        space=invitation.space,
        epoch=stored.epoch,
        role=invitation.role,
        wrapped=wrapped or stored.wrapped_hash or b"",
        acceptance_key=stored.acceptance_key or b"",
        invited_by=invitation.invited_by,
        expires_at=invitation.expires_at,
    )


def _with_digest(made: SealedInvitation) -> SealedInvitation:
    """Return the statement that is signed: it outlives the wrapped key, so it names its digest."""
    is_digest = len(made.wrapped) == hashlib.sha256().digest_size
    return made if is_digest else replace(made, wrapped=_digest(made.wrapped))


def _open_pin(transaction: Transaction, space: str, member_id: str, identity: Identity) -> _Pin:
    pinned = spaces.load_pin(transaction, space, member_id)
    if pinned is None:
        raise space_locked()
    read = json.loads(_pin_box(identity).open(pinned, _pin_place(space)))
    founder = Founder(read["member_id"], PublicIdentity.parse(read["public"]))
    return _Pin(founder, read["epoch"], bytes.fromhex(read["digest"]))


def _seal_pin(identity: Identity, space: str, pin: _Pin) -> bytes:
    written = {
        "member_id": pin.founder.member_id,
        "public": pin.founder.public.text,
        "epoch": pin.epoch,
        "digest": pin.digest.hex(),
    }
    return _pin_box(identity).seal(json.dumps(written).encode(), _pin_place(space))


def _pin_box(identity: Identity) -> SecretBox:
    return SecretBox(identity.derive_key("pins"))


def _pin_place(space: str) -> bytes:
    return f"pin/{space}".encode()


def _founder_place(invitation_id: str) -> bytes:
    return f"founder/{invitation_id}".encode()


def _format_founder(founder: Founder) -> bytes:
    return f"{founder.member_id} {founder.public.text}".encode()


def _parse_founder(written: bytes) -> Founder:
    member_id, _, public = written.decode().partition(" ")
    return Founder(member_id, PublicIdentity.parse(public))


def _digest(wrapped: bytes) -> bytes:
    return hashlib.sha256(wrapped).digest()
