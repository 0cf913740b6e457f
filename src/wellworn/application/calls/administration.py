"""Changes spaces, members and credentials, with a line each in the audit trail.

A space's trail says what was done to the space; what was done to credentials stands in a trail of
the server's own.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from threading import Event

from wellworn.application.calls.audit_names import SERVER_TRAIL
from wellworn.application.calls.pool import SpacePool
from wellworn.application.calls.sealed_storage import SealedStorage
from wellworn.application.calls.space_services import SpaceServices
from wellworn.application.calls.trails import TrailWriter
from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.spaces import (
    DEFAULT_SPACE,
    LOCAL,
    Access,
    Appointment,
    Credentials,
    Invitation,
    Invited,
    Issued,
    Joined,
    Membership,
    Mode,
    NewSpace,
    Principal,
    Role,
    Space,
    Spaces,
    UnlockedSpace,
)
from wellworn.domain.thoughts import RollbackSummary
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import Forbidden, Unauthenticated


class Administration:
    """Changes to who may know what; every method is written down."""

    def __init__(
        self,
        spaces: Spaces,
        credentials: Credentials,
        pool: SpacePool,
        audit: Audit,
        sealed_storage: SealedStorage,
        *,
        work: Event,
        look_again: Callable[[str], None],
    ) -> None:
        self._spaces = spaces
        self._credentials = credentials
        self._pool = pool
        self._audit = audit
        self._writer = TrailWriter(audit)
        self._sealed_storage = sealed_storage
        self._work = work
        self._look_again = look_again

    def issue(
        self,
        actor: Principal | None,
        name: str,
        *,
        role: Role | None = None,
        spaces: Sequence[str] | None = None,
        lifetime_s: float | None = None,
    ) -> Issued:
        """Make a credential: for the operator a new member's in the default space, else a child's.

        Raises:
            Forbidden: it would reach further than the actor's own, or than the default space.
            InvalidInput: a value is not in range.
        """
        if actor is not None:
            issued = self._credentials.create_child(
                actor, name, role=role, spaces=spaces, lifetime_s=lifetime_s
            )
        elif spaces is not None and set(spaces) != {DEFAULT_SPACE}:
            raise Forbidden("new members join other spaces by invitation")
        else:
            issued = self._spaces.enrol(name, role=role or Role.CONTRIBUTOR, lifetime_s=lifetime_s)
        self._note_at_server(actor, Action.CREDENTIAL_CREATED, issued.credential.kid)
        return issued

    def renew(self, actor: Principal | None, kid: str) -> Issued:
        """Give a credential a new key; only its bearer, or that of one it was made from, can.

        Raises:
            Unauthenticated: at the open door, where nobody's keys can be opened.
            CredentialNotFound: it is not the actor's.
        """
        if actor is None:
            raise Unauthenticated("only its holder can renew a credential; send it with the call")
        issued = self._credentials.renew(actor, kid)
        self._note_at_server(actor, Action.CREDENTIAL_ROTATED, kid, issued.credential.kid)
        return issued

    def revoke_credential(self, actor: Principal | None, kid: str) -> int:
        """End a credential and all made from it.

        Raises:
            CredentialNotFound: it is not the actor's.
        """
        ended = self._credentials.revoke(actor, kid)
        self._note_at_server(actor, Action.CREDENTIAL_REVOKED, kid)
        return ended

    def create(
        self,
        actor: Principal | None,
        name: str,
        *,
        sealed: bool = False,
        member_name: str = "owner",
        settings: Mapping[str, object] | None = None,
    ) -> NewSpace:
        """Make a space with the actor as its admin; raises as `Spaces.create`."""

        def then(transaction: Transaction, space: Space, unlocked: UnlockedSpace | None) -> None:
            if unlocked is not None:
                self._sealed_storage.begin(transaction, unlocked)
            self._audit.note(
                space.id,
                Action.SPACE_CREATED,
                by=Actor(space.created_by, owner=space.created_by),
                transaction=transaction,
            )

        return self._spaces.create(
            actor, name, sealed=sealed, member_name=member_name, settings=settings, then=then
        )

    def list_spaces(self, actor: Principal | None) -> list[tuple[Space, Role]]:
        """Return the spaces the actor may enter."""
        return self._spaces.list_spaces(actor)

    def get(self, access: Access) -> Space:
        """Return one space."""
        self._writer.note_reading(access, Action.SPACE_READ)
        return self._spaces.get(access)

    def change(self, access: Access, *, unconfirmed_hours: int) -> Space:
        """Change for how long members' thoughts are unconfirmed from now on; 0 is off.

        Raises:
            Forbidden, SpaceLocked: see `Policies.change` and `SpacePool.enter`.
        """
        settings = {"unconfirmed_hours": unconfirmed_hours}
        ruling = self._writer.ruling(access, Action.SPACE_CHANGED)
        with ruling, self._pool.use(access) as (services, entered):
            space = self._spaces.policies.change(entered, services.database, settings)
        self._writer.note(access, Action.SPACE_CHANGED, unconfirmed_hours=unconfirmed_hours)
        return space

    def members(self, access: Access) -> tuple[list[Membership], list[Invitation]]:
        """Return the members of a space and, to admins, its open invitations."""
        self._writer.note_reading(access, Action.SPACE_READ)
        return self._spaces.list_members(access)

    def invite(self, access: Access, role: Role, *, lifetime_s: float) -> Invited:
        """Make an invitation.

        Raises:
            Forbidden, InvalidInput, SpaceLocked: see `Spaces.invite`.
        """
        with self._writer.ruling(access, Action.MEMBER_INVITED):
            invited = self._spaces.invite(access, role, lifetime_s=lifetime_s)
        self._writer.note(access, Action.MEMBER_INVITED, invited.invitation.id)
        return invited

    def join(self, token: str, actor: Principal | None, name: str) -> Joined:
        """Accept an invitation.

        Raises:
            CredentialNotFound, InvalidInput, SpaceLocked: see `Spaces.join`.
        """
        joined = self._spaces.join(token, actor, name=name)
        member = joined.membership.member.id
        space, by = joined.membership.space, Actor(member, owner=member)
        self._audit.note(space, Action.MEMBER_JOINED, by=by, targets=[member])
        return joined

    def withdraw(self, access: Access, invitation_id: str) -> None:
        """Take back an invitation.

        Raises:
            Forbidden, CredentialNotFound: see `Spaces.withdraw`.
        """
        with self._writer.ruling(access, Action.MEMBER_REVOKED, invitation_id):
            self._spaces.withdraw(access, invitation_id)
        self._writer.note(access, Action.MEMBER_REVOKED, invitation_id)

    def revoke(self, access: Access, member_id: str) -> None:
        """End a membership; a sealed space gets a new key, and everything in it is sealed again.

        Raises:
            Forbidden, CredentialNotFound, SpaceLocked: see `Spaces.revoke`.
        """
        leaves = member_id == access.principal and access.mode is not Mode.SEALED
        role = Role.READER if leaves else Role.ADMIN
        ruling = self._writer.ruling(access, Action.MEMBER_REVOKED, member_id, role=role)
        with ruling, self._close_if_sealed(access):
            self._spaces.revoke(access, member_id, reseal=self._sealed_storage.reseal)
        self._after_change(access)
        self._writer.note(access, Action.MEMBER_REVOKED, member_id)

    def leave(self, access: Access) -> bool:
        """End the caller's own membership; tell whether a sealed space has a new key by that.

        Raises:
            Forbidden, CredentialNotFound, SpaceLocked: see `Spaces.leave`.
        """
        ruling = self._writer.ruling(access, Action.MEMBER_LEFT, access.principal, role=Role.READER)
        with ruling, self._close_if_sealed(access):
            is_renewed = self._spaces.leave(access, reseal=self._sealed_storage.reseal)
        self._after_change(access)
        self._writer.note(access, Action.MEMBER_LEFT, access.principal, key_renewed=int(is_renewed))
        return is_renewed

    def appoint(self, access: Access, member_id: str, role: Role) -> Appointment:
        """Give a member another role; for a lesser one a sealed space gets a new key.

        Raises:
            Forbidden, CredentialNotFound, SpaceLocked: see `Spaces.appoint`.
        """
        ruling = self._writer.ruling(access, Action.MEMBER_CHANGED, member_id)
        with ruling, self._close_if_sealed(access):
            reseal = self._sealed_storage.reseal
            appointment = self._spaces.appoint(access, member_id, role, reseal=reseal)
        self._after_change(access)
        self._writer.note(access, Action.MEMBER_CHANGED, member_id, **{f"to_{role}": 1})
        return appointment

    def _close_if_sealed(self, access: Access) -> AbstractContextManager[None]:
        """Keep a sealed space shut, as it may get a new key; in an open one nobody has to wait."""
        return self._pool.close_for(access.space) if access.mode is Mode.SEALED else nullcontext()

    def _keep_alone_if_open(self, access: Access) -> AbstractContextManager[None]:
        """Keep other servers out of an open space; what is in a sealed one is at one anyhow."""
        is_sealed = access.mode is Mode.SEALED
        return nullcontext() if is_sealed else self._sealed_storage.keep_alone()

    def rotate(self, access: Access) -> Space:
        """Give a sealed space a new key, and seal everything in it again.

        Raises:
            Forbidden, InvalidInput, SpaceLocked: see `Spaces.rotate`.
        """
        return self._rewrite(access, Action.SPACE_ROTATED, self._spaces.rotate)

    def reseal(self, access: Access) -> Space:
        """Write everything in a sealed space again under its present key.

        Raises:
            Forbidden, InvalidInput, SpaceLocked: see `Spaces.reseal`.
        """
        return self._rewrite(access, Action.SPACE_RESEALED, self._spaces.reseal)

    def _rewrite(self, access: Access, action: Action, rewrite: Callable[..., None]) -> Space:
        with self._writer.ruling(access, action), self._pool.close_for(access.space):
            rewrite(access, reseal=self._sealed_storage.reseal)
        self._after_change(access)
        self._writer.note(access, action)
        return self._spaces.get(access)

    def seal(self, access: Access) -> Space:
        """Turn an open space into a sealed one.

        Raises:
            Forbidden, InvalidInput, Unauthenticated: see `Spaces.seal`.
        """
        # Another server might be in a call that began before it.
        with self._writer.ruling(access, Action.SPACE_SEALED), self._sealed_storage.keep_alone():
            space_copy = self._sealed_storage.copy(access)

            def move(transaction: Transaction, unlocked: UnlockedSpace) -> None:
                self._sealed_storage.move_in(transaction, unlocked, access, space_copy)
                # Never missing: the numbers of transactions count from here.
                self._writer.note_within(transaction, access, Action.SPACE_SEALED)

            with self._pool.move_from_shared(access):
                self._spaces.seal(access, then=move)
                self._sealed_storage.drop_files(access)
        self._after_change(access)
        return self._spaces.get(access)

    def unseal(self, access: Access) -> tuple[Space, Access]:
        """Turn a sealed space into an open one; return it with the access to it.

        Raises:
            Forbidden, InvalidInput, SpaceLocked: see `Spaces.unseal`.
        """
        ruling = self._writer.ruling(access, Action.SPACE_UNSEALED)
        with (
            ruling,
            self._sealed_storage.keep_alone(),
            self._pool.close_for(access.space),
            ExitStack() as undo,
        ):
            content = self._sealed_storage.read_out(access, self._spaces.unlock(access))
            undo.callback(content.data_key.wipe)

            def move(transaction: Transaction, to: Access) -> None:
                # Files beside the database stay when its transaction is undone.
                undo.callback(self._sealed_storage.drop_files, to)
                self._sealed_storage.move_out(transaction, to, access.space, content)

            opened = self._spaces.unseal(access, then=move)
            undo.pop_all()
            content.data_key.wipe()
            self._pool.let_in(opened.space)
        self._after_change(access)
        for at in {access.space: access, opened.space: opened}.values():
            self._writer.note(at, Action.SPACE_UNSEALED, opened.space)
        return self._spaces.get(opened), opened

    def drop_leftover_files(self) -> None:
        """Delete what a killed process left of deleted and of sealed spaces; a start begins so."""
        sealed, has_space = self._spaces.list_sealed(), self._spaces.has_space
        self._sealed_storage.drop_leftover_files(sealed, has_space)

    def delete(self, access: Access) -> None:
        """Delete a space with all it holds.

        Raises:
            Forbidden: see `Spaces.delete`.
            StoreInUse: it is open, and another server is up.
        """

        def then(transaction: Transaction) -> None:
            self._sealed_storage.mark_files(access)
            self._sealed_storage.empty(transaction, access)

        with (
            self._writer.ruling(access, Action.SPACE_DELETED),
            self._keep_alone_if_open(access),
            self._pool.move_from_shared(access),
        ):
            self._spaces.delete(access, then=then)
            self._sealed_storage.drop_files(access)
        self._after_change(access)
        self._writer.note(access, Action.SPACE_DELETED)

    def roll_back(
        self, access: Access, owner: str, *, since: float, dry_run: bool = False
    ) -> RollbackSummary:
        """Take back everything that one owner wrote and wore since a moment.

        Raises:
            Forbidden: the caller is no admin.
            HeldElsewhere: the space is sealed, and open at another server.
        """
        ruling = self._writer.ruling(access, Action.ROLLBACK_MADE)
        with ruling, self._pool.use(access) as (services, proven):
            proven.require(Role.ADMIN)
            done = services.memory.roll_back(proven, owner, since=since, dry_run=dry_run)
            if not dry_run:
                services.turns.roll_back(proven, owner, since)
                services.discovery.roll_back(proven, owner, since)
                self._remove_uploads(services, proven, owner, since)
        if not dry_run:
            details = {"thoughts": done.thoughts, "derived": done.derived, "queries": done.queries}
            self._writer.note(access, Action.ROLLBACK_MADE, owner, **details)
        return done

    def _remove_uploads(
        self, services: SpaceServices, access: Access, owner: str, since: float
    ) -> None:
        if gone := services.sources.roll_back(access, owner, since):
            services.memory.forget_documents(access, gone)
            services.discovery.compile(access, changed=gone)

    def _after_change(self, access: Access) -> None:
        self._look_again(access.space)
        self._sealed_storage.scrub()
        self._work.set()  # What an index file still holds of deleted points goes with a build.

    def _note_at_server(self, actor: Principal | None, action: Action, *kids: str) -> None:
        by = Actor(LOCAL) if actor is None else Actor(actor.member_id, credential=actor.kid)
        self._audit.note(SERVER_TRAIL, action, by=by, targets=kids)
