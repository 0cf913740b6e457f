"""Apply revisions with Alembic, which only a database that misses some needs to load."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config

from wellworn.engines.storage.sql import Transaction


def apply_revisions(transaction: Transaction, *, to: str) -> None:
    """Apply every revision that is missing up to one, in the transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = transaction
    command.upgrade(config, to)
