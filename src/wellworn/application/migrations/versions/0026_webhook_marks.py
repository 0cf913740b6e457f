"""Marks of a webhook's signed deliveries: all since it got its secret, not the last hundred."""

from __future__ import annotations

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
    rows = connection.execute(
        sa.text(
            "SELECT sources.id, marks.value"
            " FROM knowledge_sources AS sources, json_each(sources.webhook, '$.marks') AS marks"
        )
    )
    for source_id, mark in rows.all():
        connection.execute(
            sa.text("INSERT INTO webhook_marks VALUES (:source_id, :mark)"),
            {"source_id": source_id, "mark": bytes.fromhex(mark)},
        )
    op.execute("UPDATE knowledge_sources SET webhook = json_remove(webhook, '$.marks')")
