"""Bring a database to the newest revision."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from wellworn.domain.audit.tables import audit_entries
from wellworn.domain.knowledge.tables import derived_facts
from wellworn.domain.memory.tables import answers
from wellworn.domain.sources.tables import knowledge_sources
from wellworn.domain.spaces.tables import members
from wellworn.domain.thoughts.tables import thoughts
from wellworn.engines.storage.sealed import sealed_records
from wellworn.engines.storage.sql import Database, Transaction, metadata
from wellworn.errors import DamagedStore

DECLARED = (
    *(answers, audit_entries, derived_facts, knowledge_sources),
    *(members, sealed_records, thoughts),
)
"""Importing a package's tables declares them; one of each package stands for all of its own."""

__all__ = ["is_current", "metadata", "upgrade"]

_FIRST: Final = "0006"
"""The revision of 0.1.0, the first release."""
_BEFORE_THE_FIRST: Final = (
    "this memory was written by wellworn from before its first release, 0.1.0, and cannot be"
    " opened; export it with the wellworn that wrote it, and import it into a new one"
)
_NEWER: Final = "this memory was written by a newer version of wellworn; upgrade wellworn"


def upgrade(database: Database, *, to: str = "head") -> None:
    """Apply every revision that is missing up to one, all of them in one transaction.

    Raises:
        DamagedStore: the database is from a newer wellworn, or from one before 0.1.0.
        StorageUnavailable: a revision failed; nothing was changed.
    """
    with database.read() as transaction:
        current = _revision(transaction)
    if current == _newest():
        return
    if current is not None and not _is_known(current):
        raise DamagedStore(_BEFORE_THE_FIRST if current < _FIRST else _NEWER)
    with database.reshape() as transaction:
        config = _config()
        config.attributes["connection"] = transaction
        command.upgrade(config, to)


def is_current(database: Database) -> bool:
    """Tell whether no revision is missing."""
    with database.read() as transaction:
        return _revision(transaction) == _newest()


def _revision(transaction: Transaction) -> str | None:
    return MigrationContext.configure(transaction).get_current_revision()


def _newest() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()


def _is_known(revision: str) -> bool:
    known = ScriptDirectory.from_config(_config()).walk_revisions()
    return any(script.revision == revision for script in known)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
