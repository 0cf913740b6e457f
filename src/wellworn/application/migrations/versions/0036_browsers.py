"""Browsers that are signed in, over a restart; and an index of thoughts by when they were said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "browser_sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("browser", sa.String, nullable=False),
        sa.Column("began_at", sa.Float, nullable=False),
    )
    op.create_index(op.f("ix_browser_sessions_holder"), "browser_sessions", ["holder"])
    by_time = ("knowledge_space_id", "created_at")
    op.create_index(op.f("ix_thoughts_knowledge_space_id_created_at"), "thoughts", [*by_time])
