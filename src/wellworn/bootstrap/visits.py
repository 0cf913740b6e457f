"""Every call into a space passes here: the role it needs, its room, its line in the audit trail.

Calls at the open door are not written down: whoever stands there owns the machine and the trail.
The line is written after the call and before its answer, whatever came of it.

Source: `docs/security.md`.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

from wellworn.audit import OK, Action, Audit, Caller
from wellworn.bootstrap.rooms import Room, Rooms
from wellworn.errors import WellwornError
from wellworn.spaces import Access, Role

MOST_TARGETS = 100
"""Ids named in one line of the trail; the count is always whole."""

FRAME = "frame"
"""The detail with the number of a sealed space's last transaction."""


@dataclass(slots=True)
class Visit:
    """One call in a room, what it did, and what it touched."""

    room: Room
    access: Access
    action: Action
    targets: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def touched(self, ids: Iterable[str]) -> None:
        """Name what the call read or wrote."""
        self.targets += ids


class Visits:
    """Lets calls into rooms and writes down what they did."""

    def __init__(self, rooms: Rooms, audit: Audit) -> None:
        self.rooms = rooms
        self.audit = audit

    @contextmanager
    def visit(self, access: Access, action: Action, role: Role = Role.READER) -> Generator[Visit]:
        """Yield the room of the space to whoever has the role in it.

        Raises:
            Forbidden: the role is too small.
            SpaceLocked: the space is sealed and the credential cannot unlock it.
        """
        room, access = self.rooms.enter(access)
        visit = Visit(room, access, action)
        outcome = WellwornError.code
        try:
            access.require(role)
            yield visit
            outcome = OK
        except WellwornError as error:
            outcome = error.code
            raise
        except GeneratorExit:
            # Whoever read a stream broke it off; what was read was given.
            outcome = OK
            raise
        finally:
            self.rooms.leave(access)
            self._write_down(visit, outcome)

    def _write_down(self, visit: Visit, outcome: str) -> None:
        if visit.access.credential is None:
            return
        if visit.room.seal is not None:
            visit.counts[FRAME] = visit.room.seal.frame()
        self.audit.note(
            visit.access.space,
            visit.action,
            by=caller_of(visit.access),
            targets=visit.targets[:MOST_TARGETS],
            outcome=outcome,
            details={"touched": len(visit.targets), **visit.counts},
        )


def caller_of(access: Access) -> Caller:
    """Return how the audit trail names a caller; every call has a number of its own."""
    credential = access.credential
    return Caller(
        access.principal,
        credential=credential.kid if credential else None,
        owner=access.owner,
        request_id=uuid.uuid4().hex,
    )
