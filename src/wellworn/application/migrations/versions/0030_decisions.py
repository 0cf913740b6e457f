"""The decisions of each call: what it showed, what it withheld and why, and what it stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "decisions",
        sa.Column("query_seq", sa.Integer, sa.ForeignKey("query_log.seq"), primary_key=True),
        sa.Column("knowledge_space_id", sa.String, nullable=False),
        sa.Column("decided_at", sa.Float, nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
    op.create_index(
        op.f("ix_decisions_knowledge_space_id_decided_at"),
        "decisions",
        ["knowledge_space_id", "decided_at"],
    )
