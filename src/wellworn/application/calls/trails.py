"""The audit trail of a space for its admins: shown, verified, exported.

A sealed one is opened with the caller's own key; to verify it nobody needs one.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from wellworn.application.calls.audit_names import audit_actor
from wellworn.application.calls.pool import SpacePool
from wellworn.domain.audit import Action, Audit, LogEntry, TrailReport
from wellworn.domain.spaces import DEFAULT_SPACE, Access, Mode, Role, Spaces, no_space
from wellworn.engines.crypto import DataKey
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import WellwornError


class Trails:
    """Every reading of a trail; each is written down there."""

    def __init__(self, spaces: Spaces, pool: SpacePool, audit: Audit) -> None:
        self._spaces = spaces
        self._pool = pool
        self._audit = audit
        self._writer = TrailWriter(audit)

    def show(
        self, access: Access, of: str | None = None, *, after_seq: int, limit: int
    ) -> list[LogEntry]:
        """Return entries of the space's audit trail.

        `of` names another trail, for admins of the default space: the server's own, on which
        credentials stand, or that of a space that is no more.

        Raises:
            Forbidden: the caller is no admin.
            SpaceNotFound: there is no such trail for this caller.
            SpaceLocked: the space is sealed and the caller has no key to it.
        """
        return self._show(access, of, lambda _: (after_seq, limit))

    def show_newest(
        self, access: Access, of: str | None = None, *, before: int | None = None, limit: int
    ) -> list[LogEntry]:
        """Return entries of a trail, as `show` names it, the newest first.

        Raises:
            Forbidden, SpaceNotFound, SpaceLocked: see `show`.
        """

        def find_part(trail: str) -> tuple[int, int]:
            last = self._audit.head(trail)[0] if before is None else before - 1
            after_seq = max(0, last - limit)
            return after_seq, last - after_seq

        return self._show(access, of, find_part)[::-1]

    def _show(
        self, access: Access, of: str | None, find_part: Callable[[str], tuple[int, int]]
    ) -> list[LogEntry]:
        """Return the part of a trail that begins after a number, of so many entries at most."""
        trail = self._find(access, of, Action.AUDIT_READ)
        data_key = self._unlock(access, Action.AUDIT_READ)
        try:
            after_seq, limit = find_part(trail)
            entries = self._audit.entries(
                trail, after_seq=after_seq, limit=limit, data_key=data_key
            )
        finally:
            _wipe(data_key)
        self._writer.note_reading(access, Action.AUDIT_READ)
        return entries

    def verify(self, access: Access, of: str | None = None) -> TrailReport:
        """Check a trail, as `show` names it.

        Raises:
            Forbidden, SpaceNotFound: see `show`.
        """
        trail = self._find(access, of, Action.AUDIT_READ)
        report = self._audit.verify(trail)
        self._writer.note_reading(access, Action.AUDIT_READ)
        return report

    def export(self, access: Access, of: str | None = None) -> Iterator[str]:
        """Return the lines of a trail, as `show` names it.

        Raises:
            Forbidden, SpaceNotFound, SpaceLocked: see `show`.
        """
        trail = self._find(access, of, Action.AUDIT_EXPORTED)
        data_key = self._unlock(access, Action.AUDIT_EXPORTED)
        self._writer.note_reading(access, Action.AUDIT_EXPORTED)
        return self._export(trail, data_key)

    def _export(self, trail: str, data_key: DataKey | None) -> Iterator[str]:
        try:
            yield from self._audit.export(trail, data_key=data_key)
        finally:
            _wipe(data_key)

    def _find(self, access: Access, of: str | None, action: Action) -> str:
        with self._writer.ruling(access, action):
            if of is None or of == access.space:
                return access.space
            if access.space != DEFAULT_SPACE or self._spaces.has_space(of):
                raise no_space()
            return of

    def _unlock(self, access: Access, action: Action) -> DataKey | None:
        """Return what opens the trail of a sealed space; None of an open one.

        The space is opened for it, so that the lock that follows clears this key from memory too.
        """
        if access.mode is not Mode.SEALED:
            return None
        with self._writer.ruling(access, action):
            _, proven = self._pool.enter(access)
            try:
                proven.require(Role.ADMIN)
                return self._spaces.unlock(access).data_key
            finally:
                self._pool.leave(access)


def _wipe(data_key: DataKey | None) -> None:
    if data_key is not None:
        data_key.wipe()


class TrailWriter:
    """Writes what is done to a space itself, not in it, into its trail, and who was refused."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    @contextmanager
    def ruling(
        self, access: Access, action: Action, *targets: str, role: Role = Role.ADMIN
    ) -> Generator[None]:
        """Let those with the role do it, and write down who was refused, and why.

        The role comes first: who may not do it must not close a space on its callers.
        """
        try:
            access.require(role)
            yield
        except WellwornError as error:
            if access.credential is not None:
                by = audit_actor(access)
                self._audit.note(access.space, action, by=by, targets=targets, outcome=error.code)
            raise

    def note_reading(self, access: Access, action: Action) -> None:
        """Write down a reading; a caller at the open door owns the trail and is not."""
        if access.credential is not None:
            self.note(access, action)

    def note(self, access: Access, action: Action, *targets: str, **details: int) -> None:
        """Write down what was done."""
        self._audit.note(
            access.space, action, by=audit_actor(access), targets=targets, details=details
        )

    def note_within(self, transaction: Transaction, access: Access, action: Action) -> None:
        """Write down what was done, in one transaction with it."""
        self._audit.note(access.space, action, by=audit_actor(access), transaction=transaction)
