"""How somebody becomes a member of a space: as who they are already, or as somebody new.

Source: `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.doors import no_space
from wellworn.domain.spaces.models import Issued, Joined, Member, Membership, Mode, Principal, Space
from wellworn.domain.spaces.store import members, spaces
from wellworn.domain.spaces.tokens import no_invitation
from wellworn.engines.crypto import ApiKey, Identity
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import CredentialNotFound, InvalidInput


def member_for(
    transaction: Transaction,
    credentials: Credentials,
    actor: Principal | None,
    name: str,
    *,
    needs_keys: bool,
) -> tuple[str, Identity | None, Issued | None]:
    """Return the actor, or a new member for nobody, with their keys where these are needed."""
    if actor is None:
        member, identity, issued = credentials.found_member(transaction, name)
        return member.id, identity, issued
    identity = credentials.identity(transaction, actor) if needs_keys else None
    return actor.member_id, identity, None


def joined(
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
        CredentialNotFound: the token is unknown, used, taken back or has ended.
        InvalidInput: the actor belongs to the space already.
    """
    kept = spaces.invitation(transaction, token.kid)
    if kept is None or not token.matches(kept.verifier) or not kept.is_open(now):
        raise no_invitation()
    given = kept.invitation
    space = existing_space(transaction, given.space)
    sealed = space.mode is Mode.SEALED
    member_id, identity, issued = member_for(
        transaction, credentials, actor, name, needs_keys=sealed
    )
    if spaces.door(transaction, space.id, member_id) is not None:
        message = "you belong to this space already"
        raise InvalidInput(message)
    pinned = None
    if sealed and identity is not None:
        pinned = sealing.join(transaction, kept, token, member_id, identity)
    spaces.accept(transaction, token.kid, member_id)
    spaces.add_membership(
        transaction,
        space.id,
        member_id,
        given.role,
        granted_by=given.invited_by,
        pinned=pinned,
        now=now,
    )
    member = _member(transaction, member_id)
    return Joined(Membership(space.id, member, given.role, now, given.invited_by), issued)


def existing_space(transaction: Transaction, space_id: str) -> Space:
    """Return a space.

    Raises:
        SpaceNotFound: there is none.
    """
    space = spaces.space(transaction, space_id)
    if space is None:
        raise no_space()
    return space


def _member(transaction: Transaction, member_id: str) -> Member:
    found = members.member(transaction, member_id)
    if found is None:
        raise CredentialNotFound("no such member")
    return found
