"""Turns: their index, and the files of those in sealed spaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turn_files",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", "user_id", "path"),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("resolved_query", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("intent", sa.String(length=20), nullable=False),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("quality", sa.Float()),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("ended_at", sa.Float()),
        sa.Column("follows", sa.Integer()),
        sa.Column("vector", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("knowledge_space_id", "user_id", "number"),
    )
    op.create_index(op.f("ix_turns_status"), "turns", ["status"])
