"""Bring a database to the newest revision.

Apply revisions with Alembic, which only a database that misses some needs to load.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import inspect, text

from wellworn.domain.audit.tables import audit_entries
from wellworn.domain.knowledge.tables import derived_facts
from wellworn.domain.memory.tables import answers
from wellworn.domain.sources.tables import knowledge_sources
from wellworn.domain.spaces.tables import members
from wellworn.domain.thoughts.tables import thoughts
from wellworn.domain.turns.tables import turns
from wellworn.engines.storage.sealed import sealed_records
from wellworn.engines.storage.sql import Database, RamDatabase, Transaction, metadata
from wellworn.errors import DamagedStore

DECLARED = (
    *(answers, audit_entries, derived_facts, knowledge_sources),
    *(members, sealed_records, thoughts, turns),
)
"""Importing a package's tables declares them; one of each package stands for all of its own."""

__all__ = ["is_current", "is_new", "metadata", "upgrade"]

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
    require_known_revision(database)
    if is_current(database):
        return
    with database.reshape() as transaction:
        apply_revisions(transaction, to=to)


@cache
def make_empty_image() -> bytes:
    """Return a sealed space without content; applying every revision takes longest in founding."""
    with closing(RamDatabase()) as database:
        upgrade(database)
        with database.freeze() as image:
            return image


def require_known_revision(database: Database) -> None:
    """Refuse a database that this version cannot bring up to date; one without tables it can.

    Raises:
        DamagedStore: the database is from a newer wellworn, or from one before 0.1.0.
    """
    with database.read() as transaction:
        current = _read_revision(transaction)
    if current is not None and current not in list_revisions():
        raise DamagedStore(_BEFORE_THE_FIRST if current < _FIRST else _NEWER)


def is_current(database: Database) -> bool:
    """Tell whether no revision is missing."""
    with database.read() as transaction:
        return _read_revision(transaction) == list_revisions()[-1]


def is_new(database: Database) -> bool:
    """Tell whether no revision was applied yet."""
    with database.read() as transaction:
        return _read_revision(transaction) is None


def list_revisions() -> list[str]:
    """Return all revisions, oldest first: what their files begin with."""
    files = (Path(__file__).parent / "versions").glob("*.py")
    return sorted(file.name.partition("_")[0] for file in files)


def _read_revision(transaction: Transaction) -> str | None:
    if not inspect(transaction).has_table("alembic_version"):
        return None
    return transaction.execute(text("SELECT version_num FROM alembic_version")).scalar()


def apply_revisions(transaction: Transaction, *, to: str) -> None:
    """Apply every revision that is missing up to one, in the transaction."""
    # Alembic is a tenth of what a start takes, and seldom needed.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = transaction
    command.upgrade(config, to)
