"""Makes somebody a member of a space: as who they are already, or as somebody new.

Source: `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.authentication import find_living, no_space
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.models import (
    LOCAL,
    Access,
    Invitation,
    Invited,
    Issued,
    Joined,
    Member,
    Membership,
    Mode,
    Principal,
    Role,
    Space,
)
from wellworn.domain.spaces.rekeying import open_keys
from wellworn.domain.spaces.store import members, spaces
from wellworn.domain.spaces.store.spaces import StoredInvitation
from wellworn.engines.crypto import ApiKey, Identity, KeyPrefix
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import CredentialNotFound, InvalidInput, Unauthenticated


def resolve_member(
    transaction: Transaction,
    credentials: Credentials,
    actor: Principal | None,
    name: str,
    *,
    needs_keys: bool,
    created_by: str = LOCAL,
) -> tuple[str, Identity | None, Issued | None]:
    """Return the actor, or a new member for nobody, with their keys where these are needed."""
    if actor is None:
        member, identity, issued = credentials.create_member(
            transaction, name, created_by=created_by
        )
        return member.id, identity, issued
    identity = credentials.open_identity(transaction, actor) if needs_keys else None
    return actor.member_id, identity, None


def make_invitation(
    transaction: Transaction,
    credentials: Credentials,
    access: Access,
    role: Role,
    *,
    lifetime_s: float,
    now: float,
) -> Invited:
    """Make an invitation, which ends with the credential that it is made with.

    Raises:
        Unauthenticated: the credential was revoked.
        SpaceLocked: the space is sealed and the caller has no key to it.
    """
    token = ApiKey.new(KeyPrefix.INVITATION)
    made_with = access.credential.kid if access.credential else None
    ends_at = now + lifetime_s
    if made_with is not None:
        maker = find_living(transaction, made_with, now).credential
        ends_at = min(ends_at, maker.expires_at or ends_at)
    invitation = Invitation(token.kid, access.space, role, access.principal, now, ends_at)
    stored = StoredInvitation(invitation, token.verifier, made_with)
    if access.mode is Mode.SEALED:
        identity, unlocked = open_keys(transaction, access, credentials)
        stored = sealing.seal_invitation(stored, token, identity, unlocked)
    spaces.add_invitation(transaction, stored)
    return Invited(invitation, token.text)


def accept_invitation(
    transaction: Transaction,
    credentials: Credentials,
    token: ApiKey,
    actor: Principal | None,
    *,
    name: str,
    now: float,
) -> Joined:
    """Let the bearer of an invitation's token in.

    Raises:
        CredentialNotFound: the token is unknown, used, revoked or has ended.
        InvalidInput: the actor belongs to the space already.
    """
    stored = spaces.find_invitation(transaction, token.kid)
    if stored is None or not token.matches(stored.verifier) or not stored.is_open(now):
        raise no_invitation()
    invitation = stored.invitation
    space = get_space(transaction, invitation.space)
    sealed = space.mode is Mode.SEALED
    member_id, identity, issued = resolve_member(
        transaction, credentials, actor, name, needs_keys=sealed, created_by=invitation.invited_by
    )
    if spaces.find_membership(transaction, space.id, member_id) is not None:
        message = "you belong to this space already"
        raise InvalidInput(message)
    pinned = None
    if sealed and identity is not None:
        pinned = sealing.join(transaction, stored, token, member_id, identity)
    spaces.accept(transaction, token.kid, member_id)
    spaces.add_membership(
        transaction,
        space.id,
        member_id,
        invitation.role,
        granted_by=invitation.invited_by,
        pinned=pinned,
        now=now,
    )
    member = _member(transaction, member_id)
    return Joined(Membership(space.id, member, invitation.role, now, invitation.invited_by), issued)


def get_space(transaction: Transaction, space_id: str) -> Space:
    """Return a space.

    Raises:
        SpaceNotFound: there is none.
    """
    space = spaces.find_space(transaction, space_id)
    if space is None:
        raise no_space()
    return space


def _member(transaction: Transaction, member_id: str) -> Member:
    member = members.find_member(transaction, member_id)
    if member is None:
        raise CredentialNotFound("no such member")
    return member


def parse_token(text: str) -> ApiKey:
    """Read a token.

    Raises:
        CredentialNotFound: it is none.
    """
    try:
        return ApiKey.parse(text, KeyPrefix.INVITATION)
    except Unauthenticated:
        raise no_invitation() from None


def no_invitation() -> CredentialNotFound:
    """Return the one answer for every token that lets nobody in."""
    return CredentialNotFound("this invitation is unknown, used, withdrawn or expired")
