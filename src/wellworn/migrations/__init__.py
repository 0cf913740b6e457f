"""Alembic revisions, shipped in the wheel; opening a data folder brings it up to date."""

from wellworn.migrations.upgrade import is_current, metadata, upgrade

__all__ = ["is_current", "metadata", "upgrade"]
