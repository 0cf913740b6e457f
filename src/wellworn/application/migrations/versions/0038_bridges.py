"""Bridges between topics that sleep found, in numbers alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bridges",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("topic_id", sa.String(16), nullable=False),
        sa.Column("other_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("users", sa.Integer(), nullable=False),
        sa.Column("expected", sa.Float(), nullable=False),
        sa.Column("p", sa.Float(), nullable=False),
        sa.Column("found_at", sa.Float(), nullable=False),
        sa.Column("last_found_at", sa.Float(), nullable=False),
        sa.Column("is_taken", sa.Boolean(), nullable=True),
        sa.Column("decided_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint(
            "knowledge_space_id", "topic_id", "other_id", name=op.f("pk_bridges")
        ),
    )
