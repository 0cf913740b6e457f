"""Reads limits with the names known in a space: of those who said something, and of members."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wellworn.domain.memory.limits import Limits, may_limit, read_limits
from wellworn.domain.spaces import Access, Membership
from wellworn.domain.thoughts.store import list_contributors
from wellworn.domain.thoughts.truth import read_scope
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock

ListMembers = Callable[[Access], tuple[Sequence[Membership], object]]
"""Returns who belongs to a space."""


def list_nobody(_access: Access) -> tuple[Sequence[Membership], object]:
    """Return no members, as a process does that only searches."""
    return (), ()


class LimitReader:
    """Reads the limits of questions, with the names of those who may be asked for."""

    def __init__(self, database: Database, clock: Clock, list_members: ListMembers) -> None:
        self._database, self._clock, self._list_members = database, clock, list_members

    def read(
        self, access: Access, question: str, *, asker: str = "", states: bool = False
    ) -> Limits:
        """Return the limits of a question that is asked in a space now.

        What only `states` something is of a time, and leaves nothing out.
        """
        if states:
            return Limits(replace(read_scope(question, self._clock.now()), since=None))
        known = self._list_names(access) if may_limit(question) else ()
        return read_limits(question, self._clock.now(), known, asker=asker)

    def _list_names(self, access: Access) -> list[tuple[str, str]]:
        known: list[tuple[str, str]] = []
        for space in (access, access.shared):
            if space is not None:
                members, _ = self._list_members(space)
                known += [(each.member.name, each.member.id) for each in members]
                with self._database.read() as transaction:
                    known += [(name, name) for name in list_contributors(transaction, space)]
        return known
