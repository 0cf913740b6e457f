"""Webhooks: the secret of one that starts syncs of a source, and the sync that waits for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("knowledge_sources", sa.Column("webhook_secret", sa.LargeBinary()))
    op.add_column("knowledge_sources", sa.Column("webhook", sa.Text()))
    op.add_column("knowledge_sources", sa.Column("wanted_slot", sa.String(64)))
    op.add_column("knowledge_sources", sa.Column("wanted_at", sa.Float()))
