"""Alembic revisions, shipped in the wheel; opening a data folder brings it up to date."""

from wellworn.application.migrations.revisions import is_current, metadata, upgrade

__all__ = ["is_current", "metadata", "upgrade"]
