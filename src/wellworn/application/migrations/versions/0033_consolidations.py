"""What sleep found to say the same, in numbers alone, and when each space slept last."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "consolidations",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("topic_id", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_consolidations")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_consolidations_knowledge_space_id"), "consolidations", ["knowledge_space_id"]
    )
    op.create_table(
        "consolidation_sources",
        sa.Column("thought_seq", sa.Integer(), nullable=False),
        sa.Column("consolidation_seq", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("is_quoted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["thought_seq"],
            ["thoughts.seq"],
            name=op.f("fk_consolidation_sources_thought_seq_thoughts"),
        ),
        sa.ForeignKeyConstraint(
            ["consolidation_seq"],
            ["consolidations.seq"],
            name=op.f("fk_consolidation_sources_consolidation_seq_consolidations"),
        ),
        sa.PrimaryKeyConstraint(
            "thought_seq", "consolidation_seq", name=op.f("pk_consolidation_sources")
        ),
    )
    op.create_index(
        op.f("ix_consolidation_sources_consolidation_seq"),
        "consolidation_sources",
        ["consolidation_seq"],
    )
    op.create_table(
        "sleeps",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("slept_at", sa.Float(), nullable=False),
        sa.Column("newest_seq", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", name=op.f("pk_sleeps")),
    )
