"""Replacements: each who states one has a row of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index(op.f("ix_replacements_replaced_seq"), "replacements")
    op.execute("CREATE TABLE replacements_before AS SELECT * FROM replacements")
    op.drop_table("replacements")
    op.create_table(
        "replacements",
        sa.Column("thought_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("replaced_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("made_by", sa.String, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("withdrawn_by", sa.String),
        sa.Column("withdrawn_at", sa.Float),
        sa.PrimaryKeyConstraint("thought_seq", "replaced_seq", "made_by"),
        sa.CheckConstraint("thought_seq <> replaced_seq", name="other"),
    )
    op.execute(
        "INSERT INTO replacements (thought_seq, replaced_seq, made_by, origin, reason, confidence,"
        " made_at, withdrawn_by, withdrawn_at) SELECT thought_seq, replaced_seq, made_by, origin,"
        " reason, confidence, made_at, withdrawn_by, withdrawn_at FROM replacements_before"
    )
    op.drop_table("replacements_before")
    op.create_index(op.f("ix_replacements_replaced_seq"), "replacements", ["replaced_seq"])
