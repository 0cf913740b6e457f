"""Tells who may speak for a sealed space: epochs and grants checked back to its founder.

The first epoch is the founder's. Each later one is written by somebody who held the role of admin
in the one before it. A grant of an epoch is signed by its author, by an admin of that epoch, or by
the bearer of an invitation that such an admin signed. So whoever can write to the database, but
holds no member's key, can add nothing that is believed.

Pure: statements in, an answer or `Tampered` out.

Source: `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wellworn.domain.spaces.models import Role
from wellworn.engines.crypto import Epoch, Grant, PublicIdentity, SealedInvitation
from wellworn.errors import Tampered

INVITED = "invitation/"
"""Before the number of the invitation in `granted_by`."""


@dataclass(frozen=True, slots=True)
class SignedEpoch:
    epoch: Epoch
    signature: bytes


@dataclass(frozen=True, slots=True)
class SignedGrant:
    """`grant.wrapped` is the digest of `wrapped`, which goes when its epoch's key is no more."""

    grant: Grant
    signature: bytes
    wrapped: bytes | None


@dataclass(frozen=True, slots=True)
class SignedInvitation:
    invitation: SealedInvitation
    signature: bytes


@dataclass(frozen=True, slots=True)
class Founder:
    """Whom a member takes for the founder, from when they joined."""

    member_id: str
    public: PublicIdentity


@dataclass(frozen=True, slots=True)
class Statements:
    """Everything that was said about who may open one space."""

    space: str
    epochs: Sequence[SignedEpoch]
    grants: Sequence[SignedGrant]
    invitations: Mapping[str, SignedInvitation]


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of epochs that holds: the newest, and who is an admin in it."""

    newest: Epoch
    admins: Mapping[str, PublicIdentity]


def check_chain(statements: Statements, founder: Founder) -> Chain:
    """Check every epoch back to the founder's.

    Raises:
        Tampered: an epoch is missing, out of place, or by somebody who could not write it.
    """
    before: Epoch | None = None
    admins = {founder.member_id: founder.public}
    for number, signed in enumerate(statements.epochs, 1):
        epoch = signed.epoch
        linked = None if before is None else before.digest()
        author = admins.get(epoch.author)
        if epoch.epoch != number or epoch.previous_hash != linked or author is None:
            raise tampering_error()
        epoch.verify(signed.signature, author)
        admins = _admins(statements, epoch.epoch, epoch.author, author)
        before = epoch
    if before is None:
        raise tampering_error()
    return Chain(before, admins)


def check_grant(statements: Statements, chain: Chain, member_id: str) -> SignedGrant | None:
    """Return the member's grant in the newest epoch, if there is one that is believed.

    Raises:
        Tampered: there is one, and nobody who could give it signed it.
    """
    for signed in statements.grants:
        if signed.grant.epoch == chain.newest.epoch and signed.grant.member_id == member_id:
            _check(statements, signed, chain.admins)
            return signed
    return None


def _admins(
    statements: Statements, epoch: int, author: str, public: PublicIdentity
) -> dict[str, PublicIdentity]:
    """Return who is an admin in an epoch whose author is known to be one."""
    admins = {author: public}
    waiting = [
        signed
        for signed in statements.grants
        if signed.grant.epoch == epoch and signed.grant.role == Role.ADMIN
    ]
    # A grant may rest on another of the same epoch, so go on until none is believed any more.
    while believed := [signed for signed in waiting if _holds(statements, signed, admins)]:
        admins |= {signed.grant.member_id: signed.grant.member_public for signed in believed}
        waiting = [signed for signed in waiting if signed not in believed]
    return admins


def _holds(
    statements: Statements, signed: SignedGrant, admins: Mapping[str, PublicIdentity]
) -> bool:
    try:
        _check(statements, signed, admins)
    except Tampered:
        return False
    return True


def _check(
    statements: Statements, signed: SignedGrant, admins: Mapping[str, PublicIdentity]
) -> None:
    grant = signed.grant
    if not grant.granted_by.startswith(INVITED):
        granter = admins.get(grant.granted_by)
        if granter is None:
            raise tampering_error()
        grant.verify(signed.signature, granter)
        return
    invited = statements.invitations.get(grant.granted_by.removeprefix(INVITED))
    inviter = invited and admins.get(invited.invitation.invited_by)
    if invited is None or inviter is None:
        raise tampering_error()
    invitation = invited.invitation
    place = (invitation.space, invitation.epoch, invitation.role)
    if place != (grant.space, grant.epoch, grant.role):
        raise tampering_error()
    invitation.verify(invited.signature, inviter)
    grant.verify(signed.signature, invitation.acceptor)


def tampering_error() -> Tampered:
    return Tampered("the records of who may open this space are not as its admins wrote them")
