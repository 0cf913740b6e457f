from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from wellworn.application.migrations import metadata
from wellworn.domain.spaces import (
    Access,
    Authenticator,
    Credentials,
    Issued,
    NewSpace,
    Principal,
    Role,
    Spaces,
)
from wellworn.engines.crypto import ApiKey
from wellworn.engines.storage.sql import Database
from wellworn.testing.clock import ManualClock


@dataclass
class House:
    """A database of members and spaces, and the services over it."""

    database: Database
    clock: ManualClock
    credentials: Credentials
    spaces: Spaces
    authenticator: Authenticator

    def principal(self, key: str) -> Principal:
        found = self.authenticator.recognise(key)
        assert found is not None
        return found

    def member(self, name: str = "alice", role: Role = Role.ADMIN) -> Issued:
        return self.spaces.enrol(name, role=role)

    def founded(self, name: str = "notes", *, sealed: bool = True) -> tuple[NewSpace, Access]:
        founded = self.spaces.create(None, name, sealed=sealed)
        assert founded.issued is not None
        return founded, self.authenticator.enter(founded.issued.key, founded.space.id)

    def guest(self, access: Access, role: Role = Role.CONTRIBUTOR) -> tuple[str, Access]:
        """Invite somebody and let them join; return their key and access."""
        joined = self.spaces.join(self.spaces.invite(access, role).token, None, name="guest")
        assert joined.issued is not None
        return joined.issued.key, self.authenticator.enter(joined.issued.key, access.space)


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    database = Database(tmp_path / "test.db")
    with database.write() as transaction:
        metadata.create_all(transaction)
        transaction.exec_driver_sql(
            "INSERT INTO knowledge_spaces (id, name, created_at, created_by, settings, mode, epoch)"
            " VALUES ('ks-default', 'default', '2026-01-01T00:00:00Z', 'local', '{}', 'open', 0)"
        )
    clock = ManualClock()
    credentials = Credentials(database, clock)
    spaces = Spaces(database, clock, credentials)
    yield House(
        database, clock, credentials, spaces, Authenticator(database, clock, open_door=True)
    )
    database.close()


@pytest.fixture
def stranger() -> str:
    return ApiKey.new().text
