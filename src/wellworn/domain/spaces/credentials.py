"""Credentials: made, listed, renewed and revoked.

A member's private keys are sealed once for each credential, under a key that only its bearer has.
So a credential that can be made from another needs that other's key, and one that the server's
operator makes is always a new member's.

Source: `docs/security.md`; `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.spaces.authentication import find_living, no_credential
from wellworn.domain.spaces.models import (
    LOCAL,
    Credential,
    Issued,
    Member,
    MemberKind,
    Principal,
    Role,
)
from wellworn.domain.spaces.store import members, spaces
from wellworn.domain.spaces.store.members import StoredCredential
from wellworn.engines.crypto import ApiKey, Identity
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import CredentialNotFound, Forbidden, InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id
from wellworn.kit.text import check_name

LONGEST_LIFE_S = 10 * 365 * 86_400.0


class Credentials:
    """Credentials, made and revoked. An actor of None is the operator at the open door."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def create_member(
        self,
        transaction: Transaction,
        name: str,
        *,
        kind: MemberKind = MemberKind.AGENT,
        created_by: str = LOCAL,
        lifetime_s: float | None = None,
    ) -> tuple[Member, Identity, Issued]:
        """Make a member with a first credential that reaches all of their spaces.

        Raises:
            InvalidInput: the name is empty or too long, or the lifetime is not in range.
        """
        name = check_name(name)
        now = self._clock.now()
        identity = Identity.new()
        fingerprint = identity.public.fingerprint()
        member = Member(new_id(), name, kind, fingerprint, now, created_by)
        members.add_member(transaction, member, identity.public)
        template = Credential(
            kid="",
            member_id=member.id,
            label=name,
            role=Role.ADMIN,
            spaces=None,
            parent=None,
            created_at=now,
            expires_at=_compute_expiry(now, lifetime_s),
            revoked_at=None,
            last_used_at=None,
        )
        return member, identity, _issue(transaction, template, identity)

    def create_child(
        self,
        actor: Principal,
        label: str,
        *,
        role: Role | None = None,
        spaces: Sequence[str] | None = None,
        lifetime_s: float | None = None,
    ) -> Issued:
        """Make a credential of the same member that reaches no further than the actor's own.

        Raises:
            Forbidden: it would reach further: another space, a greater role or a longer life.
            InvalidInput: a value is not in range.
            Unauthenticated: the actor shows a signed token, which cannot make keys.
        """
        with self._database.write() as transaction:
            parent, identity = self._open(transaction, actor)
            now = self._clock.now()
            made = replace(
                parent,
                label=check_name(label),
                role=role or parent.role,
                spaces=parent.spaces if spaces is None else tuple(dict.fromkeys(spaces)),
                parent=parent.kid,
                created_at=now,
                expires_at=parent.expires_at
                if lifetime_s is None
                else _compute_expiry(now, lifetime_s),
                last_used_at=None,
            )
            _require_within(made, parent)
            return _issue(transaction, made, identity)

    def renew(self, actor: Principal, kid: str) -> Issued:
        """Give a credential a new key under a new number; the old one ends, its children stay.

        Raises:
            CredentialNotFound: it is not the actor's own, nor made from it, or it has ended.
        """
        with self._database.write() as transaction:
            _, identity = self._open(transaction, actor)
            old = self._find_own(transaction, actor, kid)
            now = self._clock.now()
            issued = _issue(transaction, replace(old, created_at=now, last_used_at=None), identity)
            members.hand_over_children(transaction, kid, issued.credential.kid)
            self._end(transaction, [kid])
        return issued

    def revoke(self, actor: Principal | None, kid: str) -> int:
        """End a credential and all that were made from it, at once; return how many.

        Raises:
            CredentialNotFound: there is none that the actor may end.
        """
        with self._database.write() as transaction:
            if actor is None:
                if members.find_credential(transaction, kid) is None:
                    raise _no_own_credential()
            else:
                self._find_own(transaction, actor, kid)
            tree = members.list_descendants(transaction, kid)
            self._end(transaction, tree)
        return len(tree)

    def _end(self, transaction: Transaction, kids: Sequence[str]) -> None:
        """End credentials, and the invitations that were made with them: each is a way back in."""
        now = self._clock.now()
        members.revoke(transaction, kids, now)
        spaces.withdraw_made_with(transaction, kids, now)

    def list_credentials(self, actor: Principal | None) -> list[Credential]:
        """Return the actor's own credential and those made from it; all of them to the operator."""
        with self._database.read() as transaction:
            if actor is None:
                return members.list_credentials(transaction, None)
            if actor.kid is None:
                return []
            tree = set(members.list_descendants(transaction, actor.kid))
            own = members.list_credentials(transaction, actor.member_id)
        return [credential for credential in own if credential.kid in tree]

    def has_any(self) -> bool:
        """Tell whether anybody has a credential that was not revoked."""
        with self._database.read() as transaction:
            return members.has_credentials(transaction)

    def has_member(self, member_id: str) -> bool:
        """Tell whether somebody is, or was, a member of any space."""
        with self._database.read() as transaction:
            return members.find_member(transaction, member_id) is not None

    def open_identity(self, transaction: Transaction, actor: Principal) -> Identity:
        """Open the actor's private keys.

        Raises:
            Unauthenticated: the actor shows a signed token, or the credential was revoked.
            Tampered: what is stored under this credential was changed.
        """
        return self._open(transaction, actor)[1]

    def _open(self, transaction: Transaction, actor: Principal) -> tuple[Credential, Identity]:
        now = self._clock.now()
        stored = None if actor.kid is None else find_living(transaction, actor.kid, now)
        if stored is None or actor.kek is None:
            raise no_credential()
        place = _format_binding(stored.credential)
        identity = Identity.unseal(stored.sealed_identity, actor.kek, bound_to=place)
        return stored.credential, identity

    def _find_own(self, transaction: Transaction, actor: Principal, kid: str) -> Credential:
        within = [] if actor.kid is None else members.list_descendants(transaction, actor.kid)
        stored = members.find_credential(transaction, kid) if kid in within else None
        if stored is None or stored.credential.revoked_at is not None:
            raise _no_own_credential()
        return stored.credential


def _issue(transaction: Transaction, template: Credential, identity: Identity) -> Issued:
    key = ApiKey.new()
    made = replace(template, kid=key.kid)
    sealed = identity.seal(key.kek, bound_to=_format_binding(made))
    members.add_credential(transaction, StoredCredential(made, key.verifier, sealed))
    return Issued(made, key.text)


def add_without_keys(
    transaction: Transaction,
    parent_kid: str,
    *,
    kid: str,
    label: str,
    role: Role,
    space: str,
    ends_at: float,
    now: float,
) -> None:
    """Make a child of a credential that carries no keys of its member, for one space.

    It cannot make others, opens no sealed space, and nothing that anybody holds is its key.

    Raises:
        Unauthenticated: the parent has ended.
        Forbidden: it would reach further than its parent.
    """
    parent = find_living(transaction, parent_kid, now).credential
    made = replace(
        parent,
        kid=kid,
        label=check_name(label),
        role=role,
        spaces=(space,),
        parent=parent_kid,
        created_at=now,
        expires_at=min(ends_at, parent.expires_at or ends_at),
        last_used_at=None,
    )
    _require_within(made, parent)
    members.add_credential(transaction, StoredCredential(made, ApiKey.new().verifier, b""))


def _format_binding(credential: Credential) -> str:
    """Return what a member's keys are bound to: who, and how far and how long it reaches."""
    reach = None if credential.spaces is None else list(credential.spaces)
    return json.dumps(
        [credential.member_id, credential.kid, credential.role, reach, credential.expires_at]
    )


def _require_within(made: Credential, parent: Credential) -> None:
    further = not parent.role.allows(made.role)
    further |= parent.spaces is not None and not set(made.spaces or ()) <= set(parent.spaces)
    further |= parent.spaces is not None and not made.spaces
    further |= (parent.expires_at or float("inf")) < (made.expires_at or float("inf"))
    if further:
        message = "a credential cannot reach further than the one it is made from"
        raise Forbidden(message)


def _compute_expiry(now: float, lifetime_s: float | None) -> float | None:
    if lifetime_s is None:
        return None
    if not 0 < lifetime_s <= LONGEST_LIFE_S:
        message = "the lifetime must be more than 0 and at most ten years"
        raise InvalidInput(message)
    return now + lifetime_s


def _no_own_credential() -> CredentialNotFound:
    return CredentialNotFound("no credential of yours has this number")
