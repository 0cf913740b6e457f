"""Policies of spaces: what is said from now on follows them.

Those of a sealed space are in its own database, which only a member's key opens, and copied to
where spaces are listed.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.spaces.joining import get_space
from wellworn.domain.spaces.models import Access, Role, Space
from wellworn.domain.spaces.store import spaces
from wellworn.engines.storage.sql import Database


class Policies:
    """The policies in the main database, and in the databases of sealed spaces that are open."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hours: dict[str, int] = {}

    def find_hours(self, space_id: str) -> int:
        """Return the unconfirmed hours of a sealed space that was opened."""
        return self._hours[space_id]

    def change(self, access: Access, content: Database, settings: Mapping[str, object]) -> Space:
        """Change settings of the space whose content is in a database; return it as it is then.

        Raises:
            Forbidden: the caller is no admin of the space.
        """
        access.require(Role.ADMIN)
        with content.read() as transaction:
            settings = {**get_space(transaction, access.space).settings, **settings}
        for database in dict.fromkeys((content, self._database)):
            with database.write() as transaction:
                spaces.set_settings(transaction, access.space, settings)
        with self._database.read() as transaction:
            space = get_space(transaction, access.space)
        self._hours[access.space] = space.unconfirmed_hours
        return space

    def settle(self, space_id: str, content: Database) -> None:
        """Find the policies in a sealed space's database; the first opening puts them there.

        What somebody who writes to the main database has made of them is put right.
        """
        with self._database.read() as transaction:
            listed = get_space(transaction, space_id)
        with content.read() as transaction:
            sealed = spaces.find_space(transaction, space_id)
        if sealed is None:
            with content.write() as transaction:
                spaces.add(transaction, listed, None)
        elif sealed.settings != listed.settings:
            with self._database.write() as transaction:
                spaces.set_settings(transaction, space_id, sealed.settings)
        self._hours[space_id] = (sealed or listed).unconfirmed_hours
