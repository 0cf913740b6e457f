"""Writes a call that is made to a space itself, not into it, into the space's trail."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from wellworn.application.calls.audit_names import audit_actor
from wellworn.domain.audit import Action, Audit
from wellworn.domain.spaces import Access, Role
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import WellwornError


class TrailWriter:
    """Writes down what was done, and who was refused."""

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
