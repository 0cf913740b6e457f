"""Marks of a webhook's signed deliveries: all since it got its secret, not the last hundred."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook_marks",
        sa.Column(
            "source_id",
            sa.Integer,
            sa.ForeignKey("knowledge_sources.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("mark", sa.LargeBinary, primary_key=True),
    )
    connection = op.get_bind()
    webhooks = sa.text("SELECT id, webhook FROM knowledge_sources WHERE webhook IS NOT NULL")
    for source_id, webhook in connection.execute(webhooks).all():
        kept = json.loads(webhook)
        for mark in kept.pop("marks", ()):
            connection.execute(
                sa.text("INSERT INTO webhook_marks VALUES (:source_id, :mark)"),
                {"source_id": source_id, "mark": bytes.fromhex(mark)},
            )
        connection.execute(
            sa.text("UPDATE knowledge_sources SET webhook = :webhook WHERE id = :source_id"),
            {"source_id": source_id, "webhook": json.dumps(kept, separators=(",", ":"))},
        )
