"""Every call into a space passes here: the role it needs, its room, its line in the audit trail.

Calls at the open door are not written down: whoever stands there owns the machine and the trail.
The line is written after the call and before its answer, whatever came of it.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from wellworn.application.bootstrap.noting import FRAME, caller_of
from wellworn.application.bootstrap.rooms import Room, Rooms
from wellworn.domain.audit import OK, Action, Audit
from wellworn.domain.spaces import Access, Role
from wellworn.engines.safety import tallied
from wellworn.errors import WellwornError

MOST_TARGETS = 100
"""Ids named in one line of the trail; the count is always whole."""

_MOST_KINDS = 14
"""Kinds of secrets counted in one line, beside their sum and the frame."""


@dataclass(slots=True)
class Visit:
    """One call in a room, what it did, and what it touched."""

    room: Room
    access: Access
    action: Action
    targets: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    effects: list[tuple[Action, list[str]]] = field(default_factory=list[tuple[Action, list[str]]])
    """What came of the call besides, each with a line of its own, and to which ids."""

    def touched(self, ids: Iterable[str]) -> None:
        """Name what the call read or wrote."""
        self.targets += ids

    def held(self, ids: Iterable[str]) -> None:
        """Name thoughts that the call put into quarantine."""
        if targets := list(ids):
            self.effects.append((Action.QUARANTINE_HELD, targets))


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
        with tallied() as secrets:
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
                self._write_down(visit, outcome, secrets)

    def _write_down(self, visit: Visit, outcome: str, secrets: Counter[str]) -> None:
        if visit.access.credential is None:
            return
        by = caller_of(visit.access)
        frame = {} if visit.room.seal is None else {FRAME: visit.room.seal.frame()}

        def note(action: Action, ids: Sequence[str], counts: Mapping[str, int]) -> None:
            self.audit.note(
                visit.access.space,
                action,
                by=by,
                targets=ids[:MOST_TARGETS],
                outcome=outcome,
                details={**counts, **frame},
            )

        note(visit.action, visit.targets, {"touched": len(visit.targets), **visit.counts})
        for action, ids in visit.effects:
            note(action, ids, {"touched": len(ids)})
        if secrets:
            note(Action.SECRET_REDACTED, (), _counted(secrets))


def _counted(secrets: Counter[str]) -> dict[str, int]:
    """Return how many secrets there were, and of which kinds; never what they were."""
    kinds = {kind.replace("-", "_"): count for kind, count in secrets.most_common(_MOST_KINDS)}
    return {"secrets": secrets.total(), **kinds}
