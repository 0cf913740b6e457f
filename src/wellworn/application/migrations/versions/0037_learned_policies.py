"""The weights that each space learned, version by version, with what they were learned from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "learned_policies",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("learned_at", sa.Float(), nullable=False),
        sa.Column("factors", sa.Text(), nullable=False),
        sa.Column("gain", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("withdrawn_at", sa.Float(), nullable=True),
        sa.Column("withdrawn_to", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_learned_policies")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_learned_policies_knowledge_space_id"), "learned_policies", ["knowledge_space_id"]
    )
