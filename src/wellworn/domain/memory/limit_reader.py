"""Reads limits with the names known in a space: of those who said something, and of members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wellworn.domain.memory.limits import Limits, may_limit, read_limits
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import ask_contributors
from wellworn.domain.thoughts.truth import read_scope
from wellworn.engines.storage.sql import Asked, Database, Rows, fetch
from wellworn.kit.clock import Clock

ListNames = Callable[[Access, Asked, Database], tuple[Rows, Rows]]
"""Returns the name and id of each member of a space, and what a database is asked beside them."""


def list_nobody(_access: Access, asked: Asked, database: Database) -> tuple[Rows, Rows]:
    """Return no members, as a process does that only searches."""
    with database.read() as transaction:
        return [], fetch(transaction, *asked)


class LimitReader:
    """Reads the limits of questions, with the names of those who may be asked for."""

    def __init__(self, database: Database, clock: Clock, list_names: ListNames) -> None:
        self._database, self._clock, self._list_known = database, clock, list_names

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
                asked = ask_contributors(space)
                members, spoke = self._list_known(space, asked, self._database)
                known += [(name, member_id) for name, member_id in members]
                known += [(name, name) for name in {name for row in spoke for name in row if name}]
        return known
