"""Aliases that somebody taught: who, and when, so that a rollback takes them back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("learned_aliases", sa.Column("taught_by", sa.String()))
    op.add_column("learned_aliases", sa.Column("taught_at", sa.Float()))
