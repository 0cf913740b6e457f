"""Names: what somebody said of two, or of the namesakes of one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "name_rulings",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("knowledge_space_id", sa.String, nullable=False),
        sa.Column("term", sa.String(255), nullable=False),
        sa.Column("other", sa.String(255), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("said_by", sa.String),
        sa.Column("said_at", sa.Float, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_name_rulings_knowledge_space_id"), "name_rulings", ["knowledge_space_id"]
    )
