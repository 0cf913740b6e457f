"""Until when thoughts are true, as somebody said; and whether an admin stated a replacement."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "thought_ends",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("thought_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("contributor_id", sa.String, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("by_admin", sa.Boolean, nullable=False, server_default=sa.text("false")),
        sa.Column("expires_at", sa.Float),
        sa.Column("given_at", sa.Float, nullable=False),
    )
    op.add_column(
        "replacements",
        sa.Column("by_admin", sa.Boolean, nullable=False, server_default=sa.text("false")),
    )
    op.create_index(op.f("ix_thought_ends_thought_seq"), "thought_ends", ["thought_seq"])
