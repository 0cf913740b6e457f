"""Spaces: founded, shared by invitation, given new keys, deleted.

An invitation is a token told once; its bearer may join, once, until it ends or is revoked.
In a sealed space the token also carries the data key, wrapped under a key that only its bearer has.

Source: `docs/security.md`; `docs/adr/0012-spaces.md`; agent memory, iteration 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.founding import NewSpace, build_project, build_space, require_unlimited
from wellworn.domain.spaces.joining import (
    accept_invitation,
    get_space,
    make_invitation,
    no_invitation,
    parse_token,
    resolve_member,
)
from wellworn.domain.spaces.memberships import Appointment, appoint_member, end_membership
from wellworn.domain.spaces.models import (
    DEFAULT_SPACE,
    LOCAL,
    Access,
    Invitation,
    Invited,
    Issued,
    Joined,
    Membership,
    Mode,
    Principal,
    Role,
    Space,
)
from wellworn.domain.spaces.policies import Policies
from wellworn.domain.spaces.rekeying import (
    MoveOut,
    Reseal,
    list_sealed_names,
    open_keys,
    rotate_key,
    unseal_space,
)
from wellworn.domain.spaces.sealing import UnlockedSpace
from wellworn.domain.spaces.store import spaces
from wellworn.engines.storage.sql import Asked, Database, Rows, Transaction, fetch, fetch_together
from wellworn.errors import Forbidden, InvalidInput
from wellworn.kit.clock import Clock

LONGEST_INVITATION_S = 90 * 86_400.0
USUAL_INVITATION_S = 7 * 86_400.0


def _nothing(*_: object) -> None: ...


class Spaces:
    """Spaces, founded, shared and deleted."""

    def __init__(self, database: Database, clock: Clock, credentials: Credentials) -> None:
        self._database = database
        self._clock = clock
        self._credentials = credentials
        self.policies = Policies(database)

    def create(
        self,
        actor: Principal | None,
        name: str,
        *,
        sealed: bool = False,
        member_name: str = "owner",
        settings: Mapping[str, object] | None = None,
        then: Callable[[Transaction, Space, UnlockedSpace | None], None] = _nothing,
    ) -> NewSpace:
        """Make a space with the actor as its first admin; at the open door, with a new member.

        `then` runs in the same transaction.

        Raises:
            InvalidInput: the name is empty, too long or has unprintable characters.
            Forbidden: the credential is limited to other spaces or to a lesser role.
        """
        require_unlimited(actor)
        with self._database.write() as transaction:
            member_id, identity, issued = resolve_member(
                transaction, self._credentials, actor, member_name, needs_keys=sealed
            )
            space = build_space(
                name, member_id, sealed=sealed, settings=settings or {}, now=self._clock.now()
            )
            unlocked, pinned = None, None
            if sealed and identity is not None:
                unlocked, pinned = sealing.create_first_epoch(
                    transaction, space.id, member_id, identity, now=space.created_at
                )
            spaces.add(transaction, space, unlocked and unlocked.key_check)
            spaces.add_membership(
                transaction,
                space.id,
                member_id,
                Role.ADMIN,
                granted_by=member_id,
                pinned=pinned,
                now=space.created_at,
            )
            then(transaction, space, unlocked)
        return NewSpace(space, issued, unlocked)

    def enrol(self, name: str, *, role: Role, lifetime_s: float | None = None) -> Issued:
        """Make a member of the default space, as its operator does, with a first credential.

        Raises:
            InvalidInput: the name or the lifetime is not in range.
        """
        with self._database.write() as transaction:
            member, _, issued = self._credentials.create_member(
                transaction, name, lifetime_s=lifetime_s
            )
            spaces.add_membership(
                transaction,
                DEFAULT_SPACE,
                member.id,
                role,
                granted_by=LOCAL,
                pinned=None,
                now=self._clock.now(),
            )
        return issued

    def list_spaces(self, actor: Principal | None) -> list[tuple[Space, Role]]:
        """Return the spaces that the actor may enter, with the role in each."""
        with self._database.read() as transaction:
            if actor is None:
                default = spaces.find_space(transaction, DEFAULT_SPACE)
                projects = spaces.list_projects(transaction)
                return [(space, Role.ADMIN) for space in (default, *projects) if space is not None]
            entered = spaces.list_spaces(transaction, actor.member_id)
        return [(space, role) for space, role in entered if actor.reaches(space.id)]

    def create_project(self, project: str) -> bool:
        """Make the space of a project unless there is one; tell whether it was made now."""
        with self._database.write() as transaction:
            if spaces.find_space(transaction, project) is not None:
                return False
            spaces.add(transaction, build_project(project, now=self._clock.now()), None)
        return True

    def has_space(self, space_id: str) -> bool:
        """Tell whether there is such a space; not for those who may not know."""
        with self._database.read() as transaction:
            return spaces.find_space(transaction, space_id) is not None

    def get(self, access: Access) -> Space:
        """Return the space that the access is for."""
        with self._database.read() as transaction:
            return get_space(transaction, access.space)

    def list_names(self, access: Access, beside: Asked, database: Database) -> tuple[Rows, Rows]:
        """Return the name and id of each member of the space, and what a database is asked beside.

        Where that is the one that has the members, it takes one round trip.
        """
        names = spaces.ask_names(access.space)
        with self._database.read() as transaction:
            if database is self._database:
                members, found = fetch_together(transaction, names, beside)
                return members, found
            members = fetch(transaction, *names)
        with database.read() as transaction:
            return members, fetch(transaction, *beside)

    def list_members(self, access: Access) -> tuple[list[Membership], list[Invitation]]:
        """Return who belongs to the space and, to admins, the invitations that are open."""
        with self._database.read() as transaction:
            belonging = spaces.list_memberships(transaction, access.space)
            if not access.role.allows(Role.ADMIN):
                return belonging, []
            return belonging, spaces.list_pending(transaction, access.space, self._clock.now())

    def invite(
        self,
        access: Access,
        role: Role = Role.CONTRIBUTOR,
        *,
        lifetime_s: float = USUAL_INVITATION_S,
    ) -> Invited:
        """Make a token with which one bearer may join, while the credential lasts that makes it.

        Raises:
            Forbidden: the caller is no admin of the space.
            InvalidInput: the lifetime is not in range.
            SpaceLocked: the space is sealed and the caller has no key to it.
        """
        access.require(Role.ADMIN)
        if not 0 < lifetime_s <= LONGEST_INVITATION_S:
            message = "an invitation lasts more than 0 and at most 90 days"
            raise InvalidInput(message)
        with self._database.write() as transaction:
            return make_invitation(
                transaction,
                self._credentials,
                access,
                role,
                lifetime_s=lifetime_s,
                now=self._clock.now(),
            )

    def join(self, token_text: str, actor: Principal | None, *, name: str = "agent") -> Joined:
        """Accept an invitation, as the actor or, without a credential, as a new member.

        Raises:
            CredentialNotFound: the token is unknown, used, revoked or has ended.
            InvalidInput: the actor belongs to the space already.
            Forbidden: the actor's credential is limited to other spaces, or to a lesser role.
        """
        require_unlimited(actor)
        token = parse_token(token_text)
        with self._database.write() as transaction:
            return accept_invitation(
                transaction,
                self._credentials,
                token,
                actor,
                name=name,
                now=self._clock.now(),
            )

    def withdraw(self, access: Access, invitation_id: str) -> None:
        """Take back an invitation that nobody has accepted.

        Raises:
            CredentialNotFound: the space has no such open invitation.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            if not spaces.withdraw(transaction, access.space, invitation_id, self._clock.now()):
                raise no_invitation()

    def revoke(
        self,
        access: Access,
        member_id: str,
        *,
        reseal: Reseal = _nothing,
    ) -> None:
        """End a membership; in a sealed space all others get a new data key.

        `reseal` rewrites what is stored under the new key, in the same transaction.

        Raises:
            Forbidden: the caller is no admin and not leaving, or the last admin would go.
            CredentialNotFound: no such member.
        """
        if member_id != access.principal or access.mode is Mode.SEALED:
            access.require(Role.ADMIN)
            self._end_membership(access, member_id, reseal)
        else:
            self.leave(access, reseal=reseal)

    def leave(self, access: Access, *, reseal: Reseal = _nothing) -> bool:
        """End the caller's own membership; tell whether a sealed space has a new data key by that.

        It has none when a member leaves who is no admin: an admin has to renew it.

        Raises:
            Forbidden: the last admin would go, or the credential is limited or missing.
            CredentialNotFound: the caller is no member.
        """
        if access.credential is None:
            raise Forbidden("without a key there is no membership to end")
        require_unlimited(access.credential)
        return self._end_membership(access, access.principal, reseal)

    def _end_membership(self, access: Access, member_id: str, reseal: Reseal) -> bool:
        now = self._clock.now()
        with self._database.write() as transaction:
            return end_membership(
                transaction, access, self._credentials, member_id, reseal=reseal, now=now
            )

    def appoint(
        self, access: Access, member_id: str, role: Role, *, reseal: Reseal = _nothing
    ) -> Appointment:
        """Give a member another role; a lesser one gives a sealed space a new key.

        Invitations of somebody who may invite no more end, and with a new key all of them. Nothing
        changes for a member who has the role already.

        Raises:
            Forbidden, CredentialNotFound: see `roles.require_appointable`.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            return appoint_member(
                transaction, access, self._credentials, member_id, role, reseal=reseal, now=now
            )

    def rotate(self, access: Access, *, reseal: Reseal = _nothing) -> None:
        """Give a sealed space a new data key; open invitations end with the old one.

        Raises:
            Forbidden: the caller is no admin.
            InvalidInput: the space is not sealed.
        """
        _require_sealed(access)
        now = self._clock.now()
        with self._database.write() as transaction:
            belonging = spaces.list_memberships(transaction, access.space)
            staying = {membership.member.id for membership in belonging}
            keys = rotate_key(
                transaction, access, self._credentials, staying, appointed={}, now=now
            )
            reseal(transaction, *keys)

    def reseal(self, access: Access, *, reseal: Reseal) -> None:
        """Write everything again under the present key.

        Raises:
            Forbidden: the caller is no admin.
            InvalidInput: the space is not sealed.
        """
        _require_sealed(access)
        with self._database.write() as transaction:
            _, present = open_keys(transaction, access, self._credentials)
            reseal(transaction, present, present)

    def seal(
        self, access: Access, *, then: Callable[[Transaction, UnlockedSpace], None]
    ) -> UnlockedSpace:
        """Turn an open space into a sealed one; `then` moves what it holds, in one transaction.

        Every other member is left out, because only they can pin the founder: invite them again.

        Raises:
            Forbidden: the caller is no admin, or the space is the open default one.
            InvalidInput: the space is sealed already.
            Unauthenticated: the caller has no key.
        """
        access.require(Role.ADMIN)
        if access.mode is Mode.SEALED:
            raise InvalidInput("the space is sealed already")
        is_without_keys = access.space == DEFAULT_SPACE or access.in_project
        if is_without_keys or access.credential is None:
            raise Forbidden(
                "the default space and projects stay open; make a sealed space and import into it"
            )
        with self._database.write() as transaction:
            identity = self._credentials.open_identity(transaction, access.credential)
            now = self._clock.now()
            for membership in spaces.list_memberships(transaction, access.space):
                if membership.member.id != access.principal:
                    spaces.remove_membership(transaction, access.space, membership.member.id)
            spaces.withdraw(transaction, access.space, None, now)
            unlocked, pinned = sealing.create_first_epoch(
                transaction, access.space, access.principal, identity, now=now
            )
            spaces.set_pin(transaction, access.space, access.principal, pinned)
            spaces.set_key(
                transaction, access.space, mode=Mode.SEALED, epoch=1, key_check=unlocked.key_check
            )
            then(transaction, unlocked)
        return unlocked

    def unseal(self, access: Access, *, then: MoveOut) -> Access:
        """Turn a sealed space into an open one; return the access to it.

        `then` moves what it holds, in one transaction with the rest. Open invitations end.

        Raises:
            Forbidden: the caller is no admin.
            InvalidInput: the space is not sealed.
            SpaceLocked, Tampered: see `unlock`.
        """
        _require_sealed(access)
        with self._database.write() as transaction:
            return unseal_space(
                transaction, access, self._credentials, then=then, now=self._clock.now()
            )

    def list_sealed(self) -> list[str]:
        """Return the ids of all sealed spaces, and those that they get when they are unsealed."""
        with self._database.read() as transaction:
            return list_sealed_names(transaction)

    def delete(self, access: Access, *, then: Callable[[Transaction], None]) -> None:
        """Delete a space; of a sealed one the keys go with it. `then` deletes what it holds.

        Raises:
            Forbidden: the caller is no admin, or it is the default space.
        """
        access.require(Role.ADMIN)
        if access.space == DEFAULT_SPACE:
            raise Forbidden("the default space cannot be deleted")
        with self._database.write() as transaction:
            then(transaction)
            sealing.forget(transaction, access.space)
            spaces.remove(transaction, access.space)
        self._database.scrub()

    def unlock(self, access: Access) -> UnlockedSpace:
        """Return the data key of a sealed space, by the caller's own grant.

        Raises:
            SpaceLocked: the caller's credential cannot unlock it.
            Tampered: the space's epochs or grants are not as their authors wrote them.
            InvalidInput: the space is not sealed.
        """
        _require_sealed(access, Role.READER)
        with self._database.write() as transaction:
            return open_keys(transaction, access, self._credentials)[1]


def _require_sealed(access: Access, role: Role = Role.ADMIN) -> None:
    access.require(role)
    if access.mode is not Mode.SEALED:
        raise InvalidInput("the space is not sealed, so it has no key")
