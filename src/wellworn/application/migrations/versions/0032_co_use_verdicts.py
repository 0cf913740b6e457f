"""The verdicts on co-use from a space's log, each time it was judged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "co_use_verdicts",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("judged_at", sa.Float(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("gain", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_co_use_verdicts")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_co_use_verdicts_knowledge_space_id"), "co_use_verdicts", ["knowledge_space_id"]
    )
