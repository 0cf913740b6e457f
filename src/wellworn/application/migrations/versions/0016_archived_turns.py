"""Archived turns: when a turn was moved into the archive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("archived_at", sa.Float()))
