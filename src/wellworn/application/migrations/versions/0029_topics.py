"""The topics of a space, remembered from one time they are made to the next."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "topic_trees",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.Float(), nullable=False),
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("thoughts", sa.Integer(), nullable=False),
        sa.Column("newest_seq", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", name=op.f("pk_topic_trees")),
    )
    op.create_table(
        "topics",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("parent_id", sa.String(length=16)),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("members", sa.LargeBinary(), nullable=False),
        sa.Column("first_made_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", "id", name=op.f("pk_topics")),
    )
    op.create_table(
        "topic_changes",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("topic_id", sa.String(length=16), nullable=False),
        sa.Column("other_id", sa.String(length=16)),
        sa.Column("shared", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_topic_changes")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_topic_changes_knowledge_space_id_topic_id"),
        "topic_changes",
        ["knowledge_space_id", "topic_id"],
    )
